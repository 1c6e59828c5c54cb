// Long because requests, tries, partial files and what they replace share their small helpers.
#include "dataset/download.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/checksums.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "dataset/unpack.h"
#include "version.h"

namespace gs {

namespace {

constexpr int kTries = 4;  // in a row without a byte gained
constexpr long kConnectSeconds = 20, kStallSeconds = 30, kStallBytesPerSecond = 100,
               kMostRedirects = 10;

struct Job {
  std::string url;
  // The file, the part of it that has arrived, and the version of that part (ETag or date).
  fs::path target, part, tag;
  bool plain_http = false;
  int64_t most_bytes = 0;
  std::string by_hand;  // hint: how to get the file without us
};

[[noreturn]] void fail_file(const fs::path& path, int error) {
  const bool full = error == ENOSPC || error == EDQUOT;
  fail_data(path.string(),
            full ? "disk full" : fmt::format("cannot be written: {}", std::strerror(error)),
            full ? "free some space and fetch again; what has arrived is kept and resumed"
                 : "choose another folder with --data-root");
}

void remove_quietly(const fs::path& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
}

// NAME.part, locked so that two fetches do not write into each other.
class PartFile {
 public:
  explicit PartFile(const fs::path& path)
      : path_(path),
        descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)) {
    if (descriptor_ < 0 && errno == ELOOP)
      fail_data(path.string(), "is a link, which is not followed", "remove it and fetch again");
    if (descriptor_ < 0) fail_file(path, errno);
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      ::close(descriptor_);
      fail_data(path.string(), "is being written by another fetch", "wait until it is done");
    }
  }
  ~PartFile() {
    if (!done_ && size() == 0) ::unlink(path_.c_str());  // nothing to resume
    ::close(descriptor_);
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  int64_t size() const { return ::lseek(descriptor_, 0, SEEK_END); }
  void clear() {
    if (::ftruncate(descriptor_, 0) != 0) fail_file(path_, errno);
  }
  int append(const char* data, size_t size) {  // 0, or errno
    ::lseek(descriptor_, 0, SEEK_END);
    while (size > 0) {
      const ssize_t written = ::write(descriptor_, data, size);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return errno;
      data += written, size -= static_cast<size_t>(written);
    }
    return 0;
  }
  void rename_to(const fs::path& target) {
    if (::fsync(descriptor_) != 0 || ::rename(path_.c_str(), target.c_str()) != 0)
      fail_file(target, errno);
    done_ = true;
    const int folder = ::open(target.parent_path().c_str(), O_RDONLY | O_CLOEXEC);
    if (folder >= 0) ::fsync(folder), ::close(folder);
  }

 private:
  fs::path path_;
  int descriptor_;
  bool done_ = false;
};

// One request: what the server said, and the body going to the part file.
struct Exchange {
  CURL* handle = nullptr;
  const Job* job = nullptr;
  PartFile* part = nullptr;
  Progress* progress = nullptr;
  int64_t asked_from = 0;  // bytes that we have and did not ask for
  bool begun = false, wrong_part = false, too_large = false;
  int write_error = 0;
  std::string tag, content_type, content_range;
  std::exception_ptr failure;  // must not cross libcurl's C frames

  long status() const {
    long code = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &code);
    return code;
  }
  bool good() const { return status() == 200 || status() == 206; }
  bool is_page() const {
    return content_type.starts_with("text/html") && job->target.extension() != ".html";
  }

  // Before the first byte: the server may have sent the rest, or, having ignored our range or a new
  // version, everything. False when it sent something else.
  bool begin() {
    begun = true;
    const bool rest = status() == 206;
    if (rest && !content_range.starts_with(fmt::format("bytes {}-", asked_from))) return false;
    if (!rest) part->clear();
    if (!tag.empty()) write_file(job->tag, tag);
    else if (!rest) remove_quietly(job->tag);
    curl_off_t length = -1;
    curl_easy_getinfo(handle, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    const int64_t have = part->size();
    progress->start("fetching " + job->target.filename().string(), length < 0 ? 0 : have + length,
                    "bytes");
    progress->advance(have);
    return true;
  }

  // For a part, "bytes 5-9/10" has the size of the whole.
  bool complete() const {
    const auto total = parse_integer(content_range.substr(content_range.find('/') + 1));
    return status() != 206 || !total || *total == part->size();
  }
};

size_t take_body(char* data, size_t, size_t size, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  if (!exchange.good() || exchange.is_page()) return size;  // an error page is not kept
  try {
    if (!exchange.begun) exchange.wrong_part = !exchange.begin();
    if (exchange.wrong_part) return 0;
    exchange.too_large =
        exchange.part->size() + static_cast<int64_t>(size) > exchange.job->most_bytes;
    if (exchange.too_large) return 0;
    exchange.write_error = exchange.part->append(data, size);
    exchange.progress->advance(static_cast<int64_t>(size));
  } catch (...) {
    exchange.failure = std::current_exception();
  }
  return exchange.failure || exchange.write_error ? 0 : size;
}

size_t take_header(char* data, size_t, size_t size, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  const std::string_view line = trimmed({data, size});
  if (line.starts_with("HTTP/"))
    exchange.tag.clear(), exchange.content_type.clear(), exchange.content_range.clear();
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return size;
  std::string key(line.substr(0, colon));
  for (char& c : key) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::string value(trimmed(line.substr(colon + 1)));
  if (key == "content-type") exchange.content_type = value;
  if (key == "content-range") exchange.content_range = value;
  // If-Range takes a strong ETag or a date; the tag is the better of the two.
  if (key == "etag" && !value.starts_with("W/")) exchange.tag = value;
  if (key == "last-modified" && exchange.tag.empty()) exchange.tag = value;
  return size;
}

void set_options(CURL* handle, const Job& job, Exchange& exchange) {
  const char* protocols = job.plain_http ? "http,https" : "https";
  curl_easy_setopt(handle, CURLOPT_URL, job.url.c_str());
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, protocols);
  curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS_STR, protocols);
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(handle, CURLOPT_MAXREDIRS, kMostRedirects);
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, kStallSeconds);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, kStallBytesPerSecond);
  curl_easy_setopt(handle, CURLOPT_USERAGENT, "graphsurgeon/" GS_VERSION);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &exchange);
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, &exchange);
}

std::string stored_tag(const Job& job) {
  std::error_code ignored;
  if (!fs::is_regular_file(job.tag, ignored)) return {};
  const MappedFile file(job.tag);
  const std::string tag(file.text().substr(0, 1000));
  return printable(tag, tag.size()) == tag ? tag : std::string();  // it becomes a header line
}

std::string_view status_meaning(long status) {
  switch (status) {
    case 401:
    case 403:
      return "not allowed";
    case 404:
    case 410:
      return "not found";
    case 429:
      return "too many requests";
    default:
      return status >= 500 ? "trouble at the server" : "refused";
  }
}

// One try. Nothing: the file is complete; else what went wrong in a way that may pass.
std::optional<std::string> try_once(const Job& job, PartFile& part, Progress& progress) {
  const std::unique_ptr<CURL, void (*)(CURL*)> handle(curl_easy_init(), curl_easy_cleanup);
  GS_ASSERT(handle);
  Exchange exchange;
  exchange.handle = handle.get(), exchange.job = &job, exchange.part = &part,
  exchange.progress = &progress;
  set_options(handle.get(), job, exchange);

  std::unique_ptr<curl_slist, void (*)(curl_slist*)> headers(nullptr, curl_slist_free_all);
  const std::string range = fmt::format("{}-", part.size());
  if (const std::string tag = stored_tag(job); !tag.empty() && part.size() > 0) {
    exchange.asked_from = part.size();
    headers.reset(curl_slist_append(nullptr, ("If-Range: " + tag).c_str()));
    curl_easy_setopt(handle.get(), CURLOPT_RANGE, range.c_str());
    curl_easy_setopt(handle.get(), CURLOPT_HTTPHEADER, headers.get());
  }
  const CURLcode code = curl_easy_perform(handle.get());
  if (exchange.failure) std::rethrow_exception(exchange.failure);
  if (exchange.write_error) fail_file(job.part, exchange.write_error);
  if (exchange.too_large) {
    part.clear();
    fail_data(job.url, fmt::format("the server sends more than {} MiB", job.most_bytes >> 20),
              job.by_hand);
  }
  const long status = exchange.status();
  if (exchange.wrong_part || status == 416) {  // what we have is not the beginning of what is there
    part.clear();
    return "the server sent another part of the file than was asked for";
  }
  switch (code) {
    case CURLE_OK:
      break;
    case CURLE_UNSUPPORTED_PROTOCOL:
      fail_data(job.url, "the server redirects to an address that is not https", job.by_hand);
    case CURLE_TOO_MANY_REDIRECTS:
      fail_data(job.url, "the server redirects too many times", job.by_hand);
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      fail_data(
          job.url,
          fmt::format("the server's certificate is not trusted ({})", curl_easy_strerror(code)),
          "install the package ca-certificates, and check the clock");
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
      return fmt::format("the connection was interrupted ({})", curl_easy_strerror(code));
    default:
      return fmt::format("the server cannot be reached ({})", curl_easy_strerror(code));
  }
  if (status >= 500 || status == 408 || status == 429)
    return fmt::format("the server answered {} ({})", status, status_meaning(status));
  if (!exchange.good())
    fail_data(job.url, fmt::format("the server answered {} ({})", status, status_meaning(status)),
              job.by_hand);
  if (exchange.is_page())
    fail_data(job.url, "the server sent a web page instead of the file", job.by_hand);
  if (!exchange.begun) exchange.begin();
  if (!exchange.complete()) return "the connection was interrupted";
  if (part.size() == 0) fail_data(job.url, "the server sent an empty file", job.by_hand);
  return std::nullopt;
}

// `before_rename` is called when the file has arrived, before it gets its name.
void download(const Job& job, std::chrono::milliseconds first_pause, Progress& progress,
              const std::function<void()>& before_rename) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  std::error_code error;
  fs::create_directories(job.target.parent_path(), error);
  if (error) fail_file(job.target.parent_path(), error.value());
  PartFile part(job.part);
  int64_t best = part.size();
  auto pause = first_pause;
  for (int failed = 0;;) {
    const auto trouble = try_once(job, part, progress);
    if (!trouble) break;
    if (part.size() > best) best = part.size(), failed = 0, pause = first_pause;
    if (++failed == kTries)
      fail_data(
          job.url, *trouble,
          part.size() > 0
              ? fmt::format(
                    "try again later: {} keeps what has arrived, and the same command continues "
                    "from there",
                    job.part.string())
              : "check the network and try again; or " + job.by_hand);
    std::this_thread::sleep_for(pause);
    pause *= 2;
  }
  before_rename();
  part.rename_to(job.target);
  remove_quietly(job.tag);
  progress.finish();
}

constexpr std::string_view kSecure = "https://", kPlain = "http://";

std::string address_of(const RemoteFile& file, std::string base_url) {
  if (base_url.empty()) return std::string(file.url);
  while (base_url.ends_with('/')) base_url.pop_back();
  const size_t path = file.url.find('/', kSecure.size());
  return base_url + std::string(path == std::string_view::npos ? "" : file.url.substr(path));
}

Job make_job(const CatalogEntry& entry, const RemoteFile& file, const FetchOptions& options) {
  Job job;
  job.url = address_of(file, options.base_url);
  job.plain_http = options.base_url.starts_with(kPlain);
  if (!job.url.starts_with(kSecure) && !job.plain_http)
    fail_usage("--mirror", fmt::format("'{}' is not an https:// address", printable(job.url)),
               "as in https://mirror.example.org");
  job.most_bytes = options.most_bytes;
  job.target = options.root / file.path;
  job.part = job.target.string() + ".part";
  job.tag = job.target.string() + ".part.tag";
  job.by_hand = fmt::format("get the file by hand from {} and put it at {}",
                            entry.page.empty() ? job.url : entry.page, job.target.string());
  return job;
}

[[noreturn]] void fail_by_browser(const CatalogEntry& entry, const fs::path& root) {
  std::vector<std::string> wanted;
  fs::path folder;
  for (const RemoteFile& file : entry.files) {
    wanted.push_back(fs::path(file.path).filename().string());
    folder = (root / file.path).parent_path();
  }
  fail_data(std::string(entry.name),
            fmt::format("{} cannot be fetched without a browser", entry.title),
            fmt::format("open {} and put {} into {}", entry.page, fmt::join(wanted, ", "),
                        folder.string()));
}

// The files that a fetch wrote, and those that they replaced, which keep another name until the
// dataset was read.
class NewFiles {
 public:
  // Before a file is written.
  void put_aside(const fs::path& path) {
    std::error_code error;
    if (!fs::exists(path, error)) return;
    fs::rename(path, old_name(path), error);
    if (error) fail_file(path, error.value());
    replaced_.push_back(path);
  }
  void written(const fs::path& path) { written_.push_back(path); }
  void keep() const {
    for (const fs::path& path : replaced_) remove_quietly(old_name(path));
  }
  // What was there before comes back.
  void restore() const {
    std::error_code ignored;
    for (const fs::path& path : replaced_) fs::rename(old_name(path), path, ignored);
  }
  // The same, and the rest goes: what is not the dataset is not left under its name.
  void undo() const {
    for (const fs::path& path : written_) remove_quietly(path);
    restore();
  }

 private:
  static fs::path old_name(const fs::path& path) { return path.string() + ".before"; }

  std::vector<fs::path> written_, replaced_;
};

fs::path unpack_and_check(const CatalogEntry& entry, const FetchOptions& options, NewFiles& files,
                          Progress& progress) {
  std::vector<fs::path> archives;
  std::error_code ignored;
  for (const RemoteFile& file : entry.files) {
    const fs::path archive = options.root / file.path;
    if (archive.extension() != ".zip" || !fs::exists(archive, ignored)) continue;
    for (const fs::path& member : unpack_zip(archive, archive.parent_path(), progress))
      files.written(member);
    archives.push_back(archive);
  }
  const auto found = locate(entry, options.root);
  if (!found)
    fail_data((options.root / entry.paths.front()).string(),
              fmt::format("the files fetched are not those of {}", entry.title),
              "fetch again with --overwrite, or see the dataset's page");
  if (options.check) options.check();
  for (const fs::path& archive : archives) remove_quietly(archive);
  return *found;
}

// XXH3-128 of files that this version was tested with, by their path below the data root.
struct KnownFile {
  std::string_view path, checksum;
};
constexpr KnownFile kKnownFiles[] = {
    {"amazon_electronics_photo.npz", "3c5ec7e47c785cf8942365111a68a24f"},
    {"ms_academic_cs.npz", "da7b02c0e2a0208343f06886e0d85ccc"},
    {"dblp.npz", "bca6d2ae9db6e9844784059c57aec12a"},
    {"pubmed.npz", "828bea1e8b369876927f18abc75d62dc"},
    {"tolokers.npz", "f946fbcc8f021ccaeac5be74fcd4744a"},
    {"actor/raw/out1_graph_edges.txt", "f4a65b19b1246edf66700be6b61694dd"},
    {"actor/raw/out1_node_feature_label.txt", "02a547ef2689a9d5e3a4fd3c98933622"},
};

// A publisher may repair a file: another checksum is said, and the catalog's counts decide.
void compare_with_known(const RemoteFile& file, const fs::path& path, Progress& progress) {
  for (const KnownFile& known : kKnownFiles)
    if (known.path == file.path && checksum_of(path) != known.checksum)
      progress.say(fmt::format("note: {} differs from the file that this version was tested with",
                               path.string()));
}

}  // namespace

fs::path fetch(const CatalogEntry& entry, const FetchOptions& options, Progress& progress) {
  NewFiles files;
  std::error_code ignored;
  const auto missing = [&](const RemoteFile& file) {
    return !fs::exists(options.root / file.path, ignored);
  };
  // It may be there under another of its usual names.
  if (!options.overwrite && std::ranges::all_of(entry.files, missing))
    if (const auto found = locate(entry, options.root)) return *found;
  try {
    for (const RemoteFile& file : entry.files) {
      if (!missing(file) && (file.url.empty() || !options.overwrite)) continue;
      if (file.url.empty()) fail_by_browser(entry, options.root);
      const Job job = make_job(entry, file, options);
      download(job, options.pause, progress, [&] { files.put_aside(job.target); });
      files.written(job.target);
      compare_with_known(file, job.target, progress);
    }
  } catch (...) {
    files.restore();
    throw;
  }
  try {
    fs::path path = unpack_and_check(entry, options, files, progress);
    files.keep();
    return path;
  } catch (...) {
    files.undo();
    throw;
  }
}

}  // namespace gs
