// A library to preload that makes the n-th call of one kind fail, as a full disk, a failing one or
// too little memory would.
//
//   GS_FAULT=KIND:N        the N-th call fails (from 1); KIND as in kKinds
//   GS_FAULT_COUNTS=FILE   the number of calls of each kind is written there at the end
//   GS_RECORD=FILE         every change below GS_RECORD_ROOT is written there in order, for
//                          crash_test.py: a line "OP PATH PATH2 OFFSET LENGTH", then LENGTH bytes
//
// Only what writes to a disk is counted, not what goes to the terminal. Calls are counted from the
// moment that the program has loaded its core library, or, where it needs none, from its first call
// of signal(): what the loader and libtorch do before is not ours to handle.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

enum Kind { kMalloc, kOpen, kWrite, kSync, kRename, kMap, kMkdir, kTruncate, kUnlink, kKinds };
constexpr const char* kNames[kKinds] = {"malloc", "open",  "write",    "fsync", "rename",
                                        "mmap",   "mkdir", "truncate", "unlink"};
constexpr int kErrors[kKinds] = {ENOMEM, ENOSPC, ENOSPC, EIO, EIO, ENOMEM, ENOSPC, EIO, EIO};

std::atomic<bool> g_active = false;
std::atomic<long> g_counts[kKinds];
Kind g_kind = kKinds;
long g_at = 0;
int g_record = -1;
const char* g_root = nullptr;

template <class F>
F next(const char* name, const char* version = "GLIBC_2.2.5") {
  return reinterpret_cast<F>(dlvsym(RTLD_NEXT, name, version));
}

void begin() {
  if (g_active.exchange(true)) return;
  g_root = std::getenv("GS_RECORD_ROOT");
  if (const char* file = std::getenv("GS_RECORD"))
    g_record = ::creat(file, 0666);  // not counted: open() is
  const char* fault = std::getenv("GS_FAULT");
  const char* colon = fault ? std::strchr(fault, ':') : nullptr;
  if (!colon) return;
  for (int kind = 0; kind < kKinds; ++kind)
    if (std::strncmp(fault, kNames[kind], static_cast<size_t>(colon - fault)) == 0)
      g_kind = static_cast<Kind>(kind);
  g_at = std::atol(colon + 1);
}

// Whether this call is to fail; then errno is set.
bool fails(Kind kind) {
  if (!g_active.load(std::memory_order_relaxed)) return false;
  const long number = ++g_counts[kind];
  if (kind != g_kind || number != g_at) return false;
  errno = kErrors[kind];
  return true;
}

__attribute__((destructor)) void write_counts() {
  const char* path = std::getenv("GS_FAULT_COUNTS");
  if (!path) return;
  g_active = false;
  FILE* out = std::fopen(path, "w");
  if (!out) return;
  for (int kind = 0; kind < kKinds; ++kind)
    std::fprintf(out, "%s %ld\n", kNames[kind], g_counts[kind].load());
  std::fclose(out);
}

ssize_t real_write(int descriptor, const void* data, size_t size) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  return real(descriptor, data, size);
}

bool below_root(const char* path) {
  return g_root && path && std::strncmp(path, g_root, std::strlen(g_root)) == 0;
}

// One record. Commands are recorded with one thread, so that records do not mix.
void record(const char* op, const char* path, const char* path2 = "-", long offset = 0,
            const void* data = nullptr, size_t size = 0) {
  if (!g_active || !below_root(path)) return;
  if (g_record < 0) return;
  char line[9000];
  const int length =
      std::snprintf(line, sizeof line, "%s\t%s\t%s\t%ld\t%zu\n", op, path, path2, offset, size);
  real_write(g_record, line, static_cast<size_t>(length));
  if (size > 0) real_write(g_record, data, size);
}

// The path of an open file.
struct PathOf {
  explicit PathOf(int descriptor) {
    char link[64];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t length = ::readlink(link, text, sizeof text - 1);
    text[length < 0 ? 0 : length] = '\0';
  }
  char text[4096];
};

void record_data(int descriptor, const void* data, size_t size) {
  if (g_record < 0 || descriptor == g_record) return;
  const PathOf path(descriptor);
  const bool append = (::fcntl(descriptor, F_GETFL) & O_APPEND) != 0;
  const off_t at = append ? ::lseek(descriptor, 0, SEEK_END) : ::lseek(descriptor, 0, SEEK_CUR);
  record("data", path.text, "-", at, data, size);
}

bool to_terminal(int descriptor) { return descriptor <= STDERR_FILENO; }

}  // namespace

extern "C" {

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) { return fails(kMalloc) ? nullptr : __libc_malloc(size); }
void* calloc(size_t count, size_t size) {
  return fails(kMalloc) ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) {
  return fails(kMalloc) ? nullptr : __libc_realloc(memory, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return fails(kMalloc) ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** out, size_t alignment, size_t size) {
  if (fails(kMalloc)) return ENOMEM;
  *out = __libc_memalign(alignment, size);
  return *out ? 0 : ENOMEM;
}

sighandler_t signal(int number, sighandler_t handler) noexcept {
  static const auto real = next<sighandler_t (*)(int, sighandler_t)>("signal");
  if (std::getenv("GS_FAULT_CORE") == nullptr) begin();
  return real(number, handler);
}

void* dlsym(void* handle, const char* name) noexcept {
  static const auto real = next<void* (*)(void*, const char*)>("dlsym");
  void* const found = real(handle, name);
  if (std::strcmp(name, "gs_core_api") == 0) begin();
  return found;
}

int open(const char* path, int flags, ...) {
  static const auto real = next<int (*)(const char*, int, ...)>("open");
  va_list arguments;
  va_start(arguments, flags);
  const auto mode = va_arg(arguments, mode_t);
  va_end(arguments);
  if ((flags & O_CREAT) && fails(kOpen)) return -1;
  if (flags & O_CREAT) record("create", path);
  return real(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const auto mode = va_arg(arguments, mode_t);
  va_end(arguments);
  return open(path, flags | O_LARGEFILE, mode);
}
ssize_t write(int descriptor, const void* data, size_t size) {
  if (!to_terminal(descriptor) && fails(kWrite)) return -1;
  record_data(descriptor, data, size);
  return real_write(descriptor, data, size);
}
ssize_t writev(int descriptor, const iovec* parts, int count) {
  size_t total = 0;
  for (int i = 0; i < count; ++i) {
    const ssize_t written = write(descriptor, parts[i].iov_base, parts[i].iov_len);
    if (written < 0) return -1;
    total += static_cast<size_t>(written);
  }
  return static_cast<ssize_t>(total);
}
FILE* fopen64(const char* path, const char* mode) {
  static const auto real = next<FILE* (*)(const char*, const char*)>("fopen64");
  if (mode[0] != 'r' && below_root(path)) record("create", path);
  return real(path, mode);
}
FILE* fopen(const char* path, const char* mode) { return fopen64(path, mode); }
int fsync(int descriptor) {
  static const auto real = next<int (*)(int)>("fsync");
  if (fails(kSync)) return -1;
  record("sync", PathOf(descriptor).text);
  return real(descriptor);
}
int rename(const char* from, const char* to) noexcept {
  static const auto real = next<int (*)(const char*, const char*)>("rename");
  if (fails(kRename)) return -1;
  record("rename", from, to);
  return real(from, to);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
  static const auto real =
      next<int (*)(int, const char*, int, const char*, unsigned)>("renameat2", "GLIBC_2.28");
  if (fails(kRename)) return -1;
  record("exchange", from, to);
  return real(from_folder, from, to_folder, to, flags);
}
void* mmap(void* address, size_t length, int protection, int flags, int descriptor,
           off_t offset) noexcept {
  static const auto real = next<void* (*)(void*, size_t, int, int, int, off_t)>("mmap");
  if (fails(kMap)) return MAP_FAILED;
  return real(address, length, protection, flags, descriptor, offset);
}
int mkdir(const char* path, mode_t mode) noexcept {
  static const auto real = next<int (*)(const char*, mode_t)>("mkdir");
  if (fails(kMkdir)) return -1;
  record("mkdir", path);
  return real(path, mode);
}
int truncate(const char* path, off_t length) noexcept {
  static const auto real = next<int (*)(const char*, off_t)>("truncate");
  if (fails(kTruncate)) return -1;
  record("truncate", path, "-", length);
  return real(path, length);
}
int unlink(const char* path) noexcept {
  static const auto real = next<int (*)(const char*)>("unlink");
  if (fails(kUnlink)) return -1;
  record("unlink", path);
  return real(path);
}
int unlinkat(int folder, const char* path, int flags) noexcept {
  static const auto real = next<int (*)(int, const char*, int)>("unlinkat", "GLIBC_2.4");
  if (fails(kUnlink)) return -1;
  if (g_record >= 0) {
    char whole[8300];
    std::snprintf(whole, sizeof whole, "%s/%s", PathOf(folder).text, path);
    record("unlink", path[0] == '/' ? path : whole);
  }
  return real(folder, path, flags);
}
int remove(const char* path) noexcept {
  static const auto real = next<int (*)(const char*)>("remove");
  if (fails(kUnlink)) return -1;
  record("unlink", path);
  return real(path);
}
int rmdir(const char* path) noexcept {
  static const auto real = next<int (*)(const char*)>("rmdir");
  record("unlink", path);
  return real(path);
}

}  // extern "C"
