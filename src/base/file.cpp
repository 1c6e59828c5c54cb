#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "base/cgroup.h"
#include "base/error.h"
#include "base/mapped_files.h"
#include "base/registry.h"
#include "base/temporary.h"

namespace gs {

namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;
constexpr size_t kReadAheadBytes = size_t{64}
                                   << 20;  // a larger file is left to the kernel's own read-ahead

struct Descriptor {
  int value = -1;
  ~Descriptor() {
    if (value >= 0) ::close(value);
  }
};

fs::path folder_of(const fs::path& path) {
  const fs::path parent = path.parent_path();
  return parent.empty() ? fs::path(".") : parent;
}

// Why a missing file is missing: its folder is not there, or a file with nearly that name is.
std::string missing_hint(const fs::path& path) {
  std::error_code error;
  const fs::path folder = folder_of(path);
  if (!fs::is_directory(folder, error))
    return fmt::format("there is no folder '{}' either; check the path", folder.string());
  std::vector<std::string> names;
  constexpr size_t kMostNames = 10'000;
  for (fs::directory_iterator entry(folder, error), end;
       !error && entry != end && names.size() < kMostNames; entry.increment(error))
    names.push_back(entry->path().filename().string());
  std::sort(names.begin(), names.end());
  const std::string near = nearest(path.filename().string(), names);
  return near.empty() ? "check the spelling of the path"
                      : fmt::format("did you mean '{}'?", (path.parent_path() / near).string());
}

[[noreturn]] void fail_read(const fs::path& path, int error) {
  switch (error) {
    case ENOENT:
      fail_data(path.string(), "no such file", missing_hint(path));
    case EISDIR:
      fail_data(path.string(), "is a directory, not a file", "name a file inside it");
    case ENOTDIR:
      fail_data(path.string(), "no such file", "a part of the path is a file, not a folder");
    case EACCES:
    case EPERM:
      fail_data(path.string(), "no permission to read it",
                "change its permissions (chmod +r) or its owner");
    default:
      fail_data(path.string(), fmt::format("cannot be read: {}", std::strerror(error)),
                "check the path and the disk");
  }
}

[[noreturn]] void fail_write(const fs::path& target, int error) {
  const std::string folder = folder_of(target).string();
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      fail_data(target.string(), "disk full", "free some space, or write to another disk");
    case EFBIG:
      fail_data(target.string(), "file too large for this disk or limit",
                "raise `ulimit -f`, or write to another disk");
    case ENOENT:
    case ENOTDIR:
      fail_data(target.string(), "cannot be written: its folder does not exist",
                fmt::format("make it first: mkdir -p '{}'", folder));
    case EISDIR:
      fail_data(target.string(), "is a directory, not a file", "name a file inside it");
    case EACCES:
    case EPERM:
      fail_data(target.string(), "no permission to write here",
                fmt::format("choose another place, or make '{}' writable", folder));
    case EROFS:
      fail_data(target.string(), "the disk is read-only", "choose another place");
    default:
      fail_data(target.string(), fmt::format("cannot be written: {}", std::strerror(error)),
                "check the path and the disk");
  }
}

void sync_path(const fs::path& path, const fs::path& target) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  if (file.value < 0) return;  // a folder that may be written but not listed cannot be synced
  if (::fsync(file.value) != 0 && errno != EINVAL && errno != EROFS) fail_write(target, errno);
}

// A folder and all that is in it, the innermost first.
void sync_tree(const fs::path& folder, const fs::path& target) {
  std::error_code error, ignored;
  for (const std::string& name : names_in(folder, error)) {
    const fs::path path = folder / name;
    if (fs::is_directory(fs::symlink_status(path, ignored))) sync_tree(path, target);
    else sync_path(path, target);
  }
  if (error) fail_write(target, error.value());
  sync_path(folder, target);
}

// The path without a trailing slash. One that has no name of its own (".", "..", "/") cannot be
// replaced by rename.
fs::path nameable(const fs::path& target) {
  fs::path path = target.lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  const std::string name = path.filename().string();
  if (name.empty() || name == "." || name == ".." || name == "/")
    fail_data(target.string().empty() ? "output" : target.string(), "is not a name for an output",
              "name a new file or folder");
  return path;
}

// Names a folder of folders that we wrote as one.
constexpr const char* kManifest = "shards.json";

// What --overwrite may delete: a file, or a folder of plain files. A folder with folders in it (a
// home, a project) was hardly written by us, unless it has our manifest and they hold plain files.
void check_replaceable(const fs::path& target, bool nested = false) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(target, error);
  if (fs::is_directory(status)) {
    const auto is_folder = [](const fs::path& path) {
      std::error_code ignored;
      return fs::is_directory(fs::symlink_status(path, ignored));
    };
    std::error_code ignored;
    const bool set =
        !nested && fs::is_regular_file(fs::symlink_status(target / kManifest, ignored));
    for (const std::string& name : names_in(target, error)) {
      if (!is_folder(target / name)) continue;
      if (set) check_replaceable(target / name, /*nested=*/true);
      else
        fail_data(target.string(), fmt::format("is not replaced: it holds the folder '{}'", name),
                  "only a file or a folder of plain files is overwritten; remove it yourself or "
                  "choose another output");
    }
    if (error) fail_read(target, error.value());
  } else if (!fs::is_regular_file(status)) {
    fail_data(target.string(), "is not replaced: it is a link or a device",
              "choose another output");
  }
}

}  // namespace

MappedFile::MappedFile(const fs::path& path) : path_(path.string()) {
  // O_NONBLOCK: opening a fifo must not wait for its writer.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.value < 0) fail_read(path, errno);
  struct stat status {};
  if (::fstat(file.value, &status) != 0) fail_read(path, errno);
  if (S_ISDIR(status.st_mode)) fail_read(path, EISDIR);
  if (!S_ISREG(status.st_mode))
    fail_data(path_, "is not a regular file", "copy its contents to a file on disk first");
  const auto length = static_cast<size_t>(status.st_size);
  if (length == 0) return;
  void* address = ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE, file.value, 0);
  if (address == MAP_FAILED) fail_read(path, errno);
  if (length <= kReadAheadBytes) ::madvise(address, length, MADV_WILLNEED);
  owner_ = std::make_shared<const MappedRange>(path_, address, length, status);
  bytes_ = {static_cast<const std::byte*>(address), length};
}

AtomicFile::AtomicFile(fs::path target) : target_(std::move(target)) {
  std::error_code error;
  if (!target_.has_filename() || fs::is_directory(target_, error)) fail_write(target_, EISDIR);
  remove_leftovers_once(target_);
  Temporary made = make_temporary(target_, [](const fs::path& path) {
    return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  });
  if (made.descriptor < 0) fail_write(target_, errno);
  temporary_ = std::move(made.path), descriptor_ = made.descriptor;
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  GS_ASSERT(descriptor_ >= 0);
  if (buffer_.size() + bytes.size() <= kBufferBytes) {
    buffer_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return;
  }
  flush();
  if (bytes.size() <= kBufferBytes) return write(bytes);
  put(bytes);
}

void AtomicFile::write(std::string_view text) { write(std::as_bytes(std::span(text))); }

void AtomicFile::put(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_write(target_, errno);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

void AtomicFile::flush() {
  put(std::as_bytes(std::span(buffer_)));
  buffer_.clear();
}

void AtomicFile::commit() {
  GS_ASSERT(descriptor_ >= 0);
  flush();
  if (::fsync(descriptor_) != 0) fail_write(target_, errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) fail_write(target_, errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail_write(target_, errno);
  temporary_.clear();
  sync_path(folder_of(target_), target_);
}

void write_file(const fs::path& target, std::string_view text) {
  AtomicFile file(target);
  file.write(text);
  file.commit();
}

AtomicFolder::AtomicFolder(const fs::path& target, bool overwrite)
    : target_(nameable(target)), overwrite_(overwrite) {
  check_output(target_, overwrite);
  if (remove_leftovers(target_))
    fail_data(target_.string(), "is being written by another process",
              "wait until it is done, or choose another output");
  Temporary made = make_temporary(target_, [](const fs::path& path) {
    if (::mkdir(path.c_str(), 0777) != 0) return -1;
    return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  });
  if (made.descriptor < 0) fail_write(target_, errno);
  temporary_ = std::move(made.path);
  keep_lock(temporary_, made.descriptor);
}

AtomicFolder::~AtomicFolder() {
  std::error_code ignored;
  if (temporary_.empty()) return;
  fs::remove_all(temporary_, ignored);
  release_lock(temporary_);
}

void AtomicFolder::commit() {
  GS_ASSERT(!temporary_.empty());
  std::error_code error;
  sync_tree(temporary_, target_);

  check_output(target_, overwrite_);
  const fs::path written = temporary_;
  if (overwrite_ && fs::exists(target_, error)) {
    swap_with_target();
  } else {
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail_write(target_, errno);
    temporary_.clear();
  }
  release_lock(written);
  sync_path(folder_of(target_), target_);
  if (!temporary_.empty()) fs::remove_all(std::exchange(temporary_, {}), error);  // the old output
}

void AtomicFolder::swap_with_target() {
  if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0)
    return;
  if (errno != EINVAL && errno != ENOSYS) fail_write(target_, errno);
  // A file system without exchange: for a moment there is no target, but the old one is never lost.
  const fs::path old = temporary_.string() + "-old";
  if (::rename(target_.c_str(), old.c_str()) != 0) fail_write(target_, errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    const int error = errno;
    ::rename(old.c_str(), target_.c_str());
    fail_write(target_, error);
  }
  temporary_ = old;
}

void check_output(const fs::path& target, bool overwrite) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(target, error);
  if (status.type() == fs::file_type::not_found) return;
  if (!fs::status_known(status)) fail_write(target, error.value());
  if (!overwrite) fail_data(target.string(), "already exists", "pass --overwrite to replace it");
  check_replaceable(target);
}

int64_t memory_limit() {
  const int64_t all = int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
  return std::min(all, cgroup_memory_limit(kCgroupMount, own_cgroups()));
}

}  // namespace gs
