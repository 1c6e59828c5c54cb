#include "base/temporary.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace gs {

namespace {

namespace stdfs = std::filesystem;

struct Descriptor {
  int value = -1;
  ~Descriptor() {
    if (value >= 0) ::close(value);
  }
};

stdfs::path folder_of(const stdfs::path& target) {
  const stdfs::path parent = target.parent_path();
  return parent.empty() ? stdfs::path(".") : parent;
}

// The first part of the temporary names beside a target.
std::string prefix_of(const stdfs::path& target) {
  constexpr size_t kNameBytes = 100;  // a long name must leave room for the rest
  return fmt::format(".{}.tmp-", target.filename().string().substr(0, kNameBytes));
}

bool lock(int descriptor) {
  while (::flock(descriptor, LOCK_EX) != 0)
    if (errno != EINTR) return false;
  return true;
}

struct Locks {
  std::mutex mutex;
  std::map<std::string, int> descriptors;
};

Locks& locks() {
  static Locks all;
  return all;
}

}  // namespace

Temporary make_temporary(const stdfs::path& target,
                         const std::function<int(const stdfs::path&)>& make) {
  static std::atomic<uint64_t> counter{0};
  for (;;) {
    Temporary made;
    made.path =
        folder_of(target) / fmt::format("{}{}-{}", prefix_of(target), ::getpid(), counter++);
    made.descriptor = make(made.path);
    // EEXIST: left by a killed process with our number, where there are no locks.
    if (made.descriptor < 0 && errno == EEXIST) continue;
    if (made.descriptor < 0) return made;
    // Until it was locked, another process may have taken it for a leftover.
    struct stat status {};
    if (!lock(made.descriptor) || ::stat(made.path.c_str(), &status) == 0) return made;
    ::close(made.descriptor);
  }
}

bool remove_leftovers(const stdfs::path& target) {
  std::error_code error;
  const std::string prefix = prefix_of(target);
  bool writing = false;
  for (const std::string& name : names_in(folder_of(target), error)) {
    // A name with a suffix is an output that is about to be replaced, not one that was begun.
    if (!name.starts_with(prefix) || name.ends_with("-old")) continue;
    const stdfs::path path = folder_of(target) / name;
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    if (file.value < 0) continue;
    std::error_code ignored;
    if (::flock(file.value, LOCK_EX | LOCK_NB) == 0) stdfs::remove_all(path, ignored);
    else if (errno == EWOULDBLOCK) writing |= stdfs::is_directory(path, ignored);
  }
  return writing;
}

void remove_leftovers_once(const stdfs::path& target) {
  static std::mutex mutex;
  static std::set<std::string> cleaned;
  const std::lock_guard guard(mutex);
  std::error_code ignored;
  if (stdfs::is_directory(folder_of(target), ignored) && cleaned.insert(target.string()).second)
    remove_leftovers(target);
}

std::vector<std::string> names_in(const stdfs::path& folder, std::error_code& error) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(folder.c_str()), ::closedir);
  errno = stream ? 0 : errno;
  while (stream) {
    const dirent* const entry = ::readdir(stream.get());
    if (!entry) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  error = std::error_code(errno, std::generic_category());
  return names;
}

void keep_lock(const stdfs::path& path, int descriptor) {
  const std::lock_guard guard(locks().mutex);
  locks().descriptors[path.string()] = descriptor;
}

void release_lock(const stdfs::path& path) {
  const std::lock_guard guard(locks().mutex);
  const auto found = locks().descriptors.find(path.string());
  if (found == locks().descriptors.end()) return;
  ::close(found->second);
  locks().descriptors.erase(found);
}

}  // namespace gs
