#include "base/mapped_files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace gs {

namespace {

// A signal handler reads this list, so it has neither locks nor memory of its own. A range is read
// only by those who keep it alive, except in a process that is about to end.
struct Slot {
  std::atomic<bool> taken = false;
  std::atomic<uintptr_t> begin = 0, end = 0;  // both 0: not listed
  std::atomic<const MappedRange*> range = nullptr;
};
constexpr size_t kSlots = 4096;  // more mappings at once are not listed
std::array<Slot, kSlots> g_slots;
std::atomic<size_t> g_used = 0;  // slots beyond this were never taken

size_t take_slot() {
  for (size_t i = 0; i < kSlots; ++i) {
    if (g_slots[i].taken.exchange(true)) continue;
    for (size_t used = g_used; used <= i && !g_used.compare_exchange_weak(used, i + 1);) {
    }
    return i;
  }
  return kSlots;
}

const MappedRange* find_range(uintptr_t address) {
  for (size_t i = 0; i < g_used; ++i)
    if (g_slots[i].begin <= address && address < g_slots[i].end) return g_slots[i].range;
  return nullptr;
}

const MappedRange* first_changed() {
  for (size_t i = 0; i < g_used; ++i)
    if (const MappedRange* range = g_slots[i].range; range && range->changed()) return range;
  return nullptr;
}

constexpr const char kChanged[] = "changed while it was in use";
constexpr const char kHint[] = "run the command again; write new data under another name";

void say(const char* text) {
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, text, std::strlen(text));
}

constexpr int kSignals[] = {SIGBUS, SIGSEGV};
struct sigaction g_before[std::size(kSignals)];

void on_fault(int signal, siginfo_t* info, void*) {
  const MappedRange* range = first_changed();
  const bool read_failed = !range && signal == SIGBUS;  // the disk, or a file cut and grown again
  if (read_failed) range = find_range(reinterpret_cast<uintptr_t>(info->si_addr));
  if (!range) {
    // The instruction is tried again, and this time ends the process.
    ::sigaction(signal, &g_before[signal == SIGBUS ? 0 : 1], nullptr);
    return;
  }
  say("\nerror: "), say(range->path().c_str()), say(": ");
  say(read_failed ? "cannot be read any more" : kChanged);
  say("\nhint: "), say(read_failed ? "check the disk" : kHint), say("\n");
  _exit(static_cast<int>(ErrorKind::data));
}

}  // namespace

MappedRange::MappedRange(std::string path, void* address, size_t length, const struct stat& status)
    : path_(std::move(path)),
      address_(address),
      length_(length),
      device_(status.st_dev),
      inode_(status.st_ino),
      size_(status.st_size),
      time_(status.st_mtim),
      slot_(take_slot()) {
  if (slot_ == kSlots) return;
  Slot& slot = g_slots[slot_];
  slot.range = this;
  slot.end = reinterpret_cast<uintptr_t>(address) + length;
  slot.begin = reinterpret_cast<uintptr_t>(address);
}

MappedRange::~MappedRange() {
  if (slot_ < kSlots) {
    Slot& slot = g_slots[slot_];
    slot.end = 0, slot.begin = 0, slot.range = nullptr;
    slot.taken = false;
  }
  ::munmap(address_, length_);
}

bool MappedRange::changed() const {
  struct stat now {};
  if (::stat(path_.c_str(), &now) != 0) return false;
  return now.st_dev == device_ && now.st_ino == inode_ &&
         (now.st_size != size_ || now.st_mtim.tv_sec != time_.tv_sec ||
          now.st_mtim.tv_nsec != time_.tv_nsec);
}

bool is_mapped(const void* address) {
  return find_range(reinterpret_cast<uintptr_t>(address)) != nullptr;
}

void check_unchanged(std::span<const void* const> addresses) {
  for (const void* address : addresses)
    if (const MappedRange* range = find_range(reinterpret_cast<uintptr_t>(address));
        range && range->changed())
      fail_data(range->path(), kChanged, kHint);
}

void report_faults_of_mapped_files() {
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < std::size(kSignals); ++i) ::sigaction(kSignals[i], &action, &g_before[i]);
}

}  // namespace gs
