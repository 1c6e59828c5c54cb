#include "base/npz.h"

#include <libdeflate.h>
#include <zip.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/registry.h"

namespace gs {

namespace {

constexpr std::string_view kSuffix = ".npy";
constexpr std::string_view kDamaged =
    "the file is damaged or was cut short; copy or download it again";

using Bytes = std::shared_ptr<std::byte[]>;

struct CloseZip {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseMember {
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};
struct FreeDecompressor {
  void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};
using Zip = std::unique_ptr<zip_t, CloseZip>;

Zip open_zip(const MappedFile& file) {
  if (file.bytes().empty())
    fail_data(file.path(), "is empty", "an .npz is written with numpy.savez");
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source =
      zip_source_buffer_create(file.bytes().data(), file.bytes().size(), 0, &error);
  zip_t* archive = source ? zip_open_from_source(source, ZIP_RDONLY, &error) : nullptr;
  if (archive) return Zip(archive);
  const std::string reason = zip_error_strerror(&error);
  if (source) zip_source_free(source);
  zip_error_fini(&error);
  if (!file.text().starts_with("PK"))
    fail_data(file.path(), "is not an .npz (zip) file", "an .npz is written with numpy.savez");
  fail_data(file.path(), fmt::format("truncated or damaged zip: {}", reason),
            std::string(kDamaged));
}

std::string method_name(unsigned method) {
  static constexpr Named<unsigned> kMethods[] = {{"bzip2", ZIP_CM_BZIP2, ""},
                                                 {"lzma", ZIP_CM_LZMA, ""},
                                                 {"xz", ZIP_CM_XZ, ""},
                                                 {"deflate64", ZIP_CM_DEFLATE64, ""}};
  for (const auto& row : kMethods)
    if (row.value == method) return std::string(row.name);
  return fmt::format("number {}", method);
}

// Reads `size` bytes of member `index` as they are stored, without inflating.
Bytes read_stored(zip_t* archive, int64_t index, int64_t size, const std::string& where) {
  const std::unique_ptr<zip_file_t, CloseMember> member(
      zip_fopen_index(archive, static_cast<zip_uint64_t>(index), ZIP_FL_COMPRESSED));
  if (!member)
    fail_data(where,
              fmt::format("damaged zip member: {}", zip_error_strerror(zip_get_error(archive))),
              std::string(kDamaged));
  Bytes bytes = uninitialized<std::byte>(size);
  for (int64_t done = 0; done < size;) {
    const zip_int64_t got =
        zip_fread(member.get(), bytes.get() + done, static_cast<zip_uint64_t>(size - done));
    if (got <= 0)
      fail_data(where, fmt::format("truncated: {} bytes are stored, {} are there", size, done),
                std::string(kDamaged));
    done += got;
  }
  return bytes;
}

// Inflates a member (or takes it as stored) and checks its sum.
NpyArray unpack(Bytes stored, int64_t stored_bytes, bool deflated, int64_t bytes, uint32_t crc,
                const std::string& where) {
  const auto size = static_cast<size_t>(bytes);
  Bytes out = std::move(stored);
  if (deflated) {
    const Bytes packed = std::exchange(out, uninitialized<std::byte>(bytes));
    const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> inflater(
        libdeflate_alloc_decompressor());
    if (!inflater) throw std::bad_alloc();
    const auto result = libdeflate_deflate_decompress(
        inflater.get(), packed.get(), static_cast<size_t>(stored_bytes), out.get(), size, nullptr);
    if (result != LIBDEFLATE_SUCCESS)
      fail_data(
          where,
          fmt::format("damaged deflate data, or not the {} bytes that the zip promises", size),
          std::string(kDamaged));
  }
  if (libdeflate_crc32(0, out.get(), size) != crc)
    fail_data(where, "its checksum (CRC-32) does not match", std::string(kDamaged));
  return parse_npy({out.get(), size}, out, where);
}

}  // namespace

// Members that are asked for together. Each is inflated by whichever thread gets to it first: one
// of this class, or the caller who needs it. A zip_t serves one thread at a time; it only copies
// the packed bytes out, which is quick.
class Npz::Preloading {
 public:
  Preloading(const Npz& file, std::span<const std::string> wanted)
      : archive_(open_zip(file.file_)) {
    for (const std::string& name : wanted) {
      const Member& member = file.find(name);
      if (find(name)) continue;
      parts_.push_back({name, file.place(name), member});
    }
    std::stable_sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) {
      return a.member.stored_bytes > b.member.stored_bytes;
    });
  }
  ~Preloading() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    for (std::thread& worker : workers_) worker.join();
  }
  Preloading(const Preloading&) = delete;
  Preloading& operator=(const Preloading&) = delete;

  void start(int workers) {
    for (int i = 0; i < workers && i < std::ssize(parts_); ++i)
      workers_.emplace_back([this] {
        const ThreadScope alone(1);
        work();
      });
  }

  // Inflates members that no thread has begun, until none is left.
  void work() {
    std::unique_lock lock(mutex_);
    for (Part& part : parts_)
      if (part.state == State::waiting && !stopped_) unpack_part(part, lock);
  }

  bool has(std::string_view name) { return find(name) != nullptr; }

  NpyArray get(std::string_view name) {
    Part& part = *find(name);
    std::unique_lock lock(mutex_);
    if (part.state == State::waiting) unpack_part(part, lock);
    changed_.wait(lock, [&] { return part.state == State::done; });
    if (part.error) std::rethrow_exception(part.error);
    return part.array;
  }

 private:
  enum class State { waiting, begun, done };
  struct Part {
    std::string name, where;
    Member member;
    State state = State::waiting;
    NpyArray array = {};
    std::exception_ptr error = nullptr;
  };

  Part* find(std::string_view name) {
    const auto found = std::find_if(parts_.begin(), parts_.end(),
                                    [&](const Part& part) { return part.name == name; });
    return found == parts_.end() ? nullptr : &*found;
  }

  void unpack_part(Part& part, std::unique_lock<std::mutex>& lock) {
    part.state = State::begun;
    lock.unlock();
    NpyArray array;
    std::exception_ptr error;
    try {
      array = unpack(copy_stored(part), part.member.stored_bytes, part.member.deflated,
                     part.member.bytes, part.member.crc, part.where);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    part.array = std::move(array), part.error = std::move(error);
    part.state = State::done;
    changed_.notify_all();
  }

  Bytes copy_stored(const Part& part) {
    const std::lock_guard lock(archive_mutex_);
    return read_stored(archive_.get(), part.member.index, part.member.stored_bytes, part.where);
  }

  std::mutex mutex_, archive_mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
  const Zip archive_;
  std::vector<Part> parts_;  // by size; not changed once there are workers, but for what they hold
  std::vector<std::thread> workers_;
};

Npz::~Npz() = default;

Npz::Npz(const fs::path& path) : path_(path.string()), file_(path) {
  const Zip archive = open_zip(file_);
  const zip_int64_t entries = zip_get_num_entries(archive.get(), 0);
  const auto memory = static_cast<zip_uint64_t>(memory_limit());
  for (zip_int64_t i = 0; i < entries; ++i) {
    zip_stat_t entry;
    constexpr zip_uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE |
                                     ZIP_STAT_CRC | ZIP_STAT_COMP_METHOD |
                                     ZIP_STAT_ENCRYPTION_METHOD;
    if (zip_stat_index(archive.get(), static_cast<zip_uint64_t>(i), 0, &entry) != 0 ||
        (entry.valid & kNeeded) != kNeeded)
      fail_data(path_, fmt::format("damaged zip directory at member {}", i), std::string(kDamaged));
    std::string_view name = entry.name;
    if (!name.ends_with(kSuffix)) continue;
    name.remove_suffix(kSuffix.size());
    const std::string where = place(printable(name));
    if (entry.encryption_method != ZIP_EM_NONE)
      fail_data(where, "is encrypted", "unpack the zip and write it again without a password");
    if (entry.comp_method != ZIP_CM_STORE && entry.comp_method != ZIP_CM_DEFLATE)
      fail_data(
          where,
          fmt::format("compression method {} is not supported", method_name(entry.comp_method)),
          "write it with numpy.savez or numpy.savez_compressed");
    const bool deflated = entry.comp_method == ZIP_CM_DEFLATE;
    if (entry.comp_size > file_.bytes().size() || (!deflated && entry.comp_size != entry.size))
      fail_data(where,
                fmt::format("claims {} stored bytes in a file of {}", entry.comp_size,
                            file_.bytes().size()),
                std::string(kDamaged));
    // Deflate gives at most 1032 bytes for one, besides a constant.
    constexpr zip_uint64_t kMostExpansion = 1032, kSlack = 4096;
    if (entry.size > entry.comp_size * kMostExpansion + kSlack || entry.size > memory)
      fail_data(where,
                fmt::format("claims to unpack from {} bytes to {}", entry.comp_size, entry.size),
                "it is damaged, a decompression bomb, or larger than this machine's memory");
    const Member member{i, static_cast<int64_t>(entry.comp_size), static_cast<int64_t>(entry.size),
                        deflated, entry.crc};
    if (!members_.emplace(name, member).second)
      fail_data(where, "is in the file twice", "write the .npz again");
  }
}

bool Npz::has(std::string_view name) const { return members_.find(name) != members_.end(); }

std::vector<std::string> Npz::names() const {
  std::vector<std::string> out;
  for (const auto& [name, member] : members_) out.push_back(name);
  return out;
}

const Npz::Member& Npz::find(std::string_view name) const {
  if (const auto found = members_.find(name); found != members_.end()) return found->second;
  const std::vector<std::string> all = names();
  std::string listed;
  constexpr size_t kMostListed = 30;
  for (size_t i = 0; i < std::min(all.size(), kMostListed); ++i)
    listed += (i ? ", " : "") + printable(all[i]);
  if (all.size() > kMostListed) listed += ", ...";
  const std::string near = nearest(name, all);
  fail_data(path_,
            fmt::format("has no array '{}'{}", name,
                        near.empty() ? "" : fmt::format("; did you mean '{}'?", printable(near))),
            all.empty() ? "it holds no arrays at all" : "it holds " + listed);
}

NpyArray Npz::get(std::string_view name) const {
  const std::string wanted(name);
  return std::move(get_all({&wanted, 1}).begin()->second);
}

void Npz::check_memory(std::span<const std::string> wanted) const {
  const int64_t memory = memory_limit();
  int64_t total = 0;
  for (const std::string& name : wanted)
    if (__builtin_add_overflow(total, find(name).bytes, &total) || total > memory)
      fail_data(
          path_,
          fmt::format("its arrays unpack to more than this machine's memory of {} bytes", memory),
          "use a machine with more memory, or unpack the zip and load its .npy files");
}

std::map<std::string, NpyArray> Npz::get_all(std::span<const std::string> wanted) const {
  std::map<std::string, NpyArray> arrays;
  std::vector<std::string> others;
  for (const std::string& name : wanted) {
    if (!arrays.emplace(name, NpyArray()).second) continue;
    if (preloading_ && preloading_->has(name)) arrays[name] = preloading_->get(name);
    else others.push_back(name);
  }
  if (others.empty()) return arrays;
  check_memory(others);
  Preloading parts(*this, others);
  parallel_for(static_cast<int64_t>(others.size()), 1, [&](int64_t, int64_t) { parts.work(); });
  for (const std::string& name : others) arrays[name] = parts.get(name);
  return arrays;
}

void Npz::preload(std::span<const std::string> wanted) {
  GS_ASSERT(!preloading_);
  std::vector<std::string> present;
  for (const std::string& name : wanted)
    if (has(name)) present.push_back(name);
  check_memory(present);
  preloading_ = std::make_unique<Preloading>(*this, present);
  preloading_->start(threads() - 1);
}

}  // namespace gs
