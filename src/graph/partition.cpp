#include "graph/partition.h"

#include <fcntl.h>
#include <metis.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>

#include "base/error.h"
#include "base/hash.h"
#include "base/npy.h"
#include "base/parallel.h"

namespace gs {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kGrain = 1 << 13;
constexpr int64_t kCacheVersion = 1;  // raise when the same input may give another partition

// METIS traps these two while it runs, and puts back less than it found (flags and masks are lost).
class SignalsKept {
 public:
  SignalsKept() {
    for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], nullptr, &actions_[i]);
  }
  ~SignalsKept() {
    for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &actions_[i], nullptr);
  }
  SignalsKept(const SignalsKept&) = delete;
  SignalsKept& operator=(const SignalsKept&) = delete;

 private:
  static constexpr int kSignals[] = {SIGABRT, SIGTERM};
  struct sigaction actions_[std::size(kSignals)];
};

// The graph as METIS wants it: every edge both ways, no loops, its own integer type.
struct MetisGraph {
  std::vector<idx_t> offsets, neighbors;
};

// Calls visit(u) for the ascending union of two rows, without `self`.
template <class Visit>
void visit_union(std::span<const int32_t> a, std::span<const int32_t> b, int32_t self,
                 Visit visit) {
  int32_t previous = self;
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const int32_t u = j == b.size() || (i < a.size() && a[i] <= b[j]) ? a[i++] : b[j++];
    if (u != previous && u != self) visit(u);
    previous = u;
  }
}

MetisGraph metis_graph(const Csr& graph) {
  const Csr turned = reverse(graph);
  const int64_t nodes = graph.nodes();
  std::vector<int64_t> counts(static_cast<size_t>(nodes) + 1);
  parallel_for_weighted(graph.offsets.span(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t v = begin; v < end; ++v)
      visit_union(graph.row(v), turned.row(v), static_cast<int32_t>(v),
                  [&](int32_t) { ++counts[v]; });
  });
  const int64_t entries = exclusive_scan(counts);
  check_partition_size(entries);

  MetisGraph out{{counts.begin(), counts.end()}, std::vector<idx_t>(static_cast<size_t>(entries))};
  parallel_for_weighted(counts, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t v = begin; v < end; ++v) {
      int64_t at = counts[v];
      visit_union(graph.row(v), turned.row(v), static_cast<int32_t>(v),
                  [&](int32_t u) { out.neighbors[at++] = u; });
    }
  });
  return out;
}

std::vector<int32_t> run_metis(MetisGraph graph, int64_t parts, uint64_t seed) {
  idx_t nodes = static_cast<idx_t>(graph.offsets.size()) - 1, constraints = 1,
        wanted = static_cast<idx_t>(parts);
  idx_t options[METIS_NOPTIONS], cut = 0;
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_SEED] = static_cast<idx_t>((seed ^ seed >> 32) & 0x7fffffff);
  std::vector<idx_t> part(static_cast<size_t>(nodes));
  int status = METIS_ERROR;
  {
    // METIS keeps process-wide state: signal handlers, the random generator.
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    const SignalsKept signals;
    status = METIS_PartGraphKway(&nodes, &constraints, graph.offsets.data(), graph.neighbors.data(),
                                 nullptr, nullptr, nullptr, &wanted, nullptr, nullptr, options,
                                 &cut, part.data());
  }
  if (status == METIS_ERROR_MEMORY)
    fail_data("partition", fmt::format("METIS ran out of memory on {} nodes", nodes),
              "ask for fewer parts");
  if (status != METIS_OK)
    fail_data(
        "partition",
        fmt::format("METIS failed with code {} on {} nodes and {} parts", status, nodes, parts),
        "try another number of parts or another seed");
  return {part.begin(), part.end()};
}

std::vector<int32_t> compute(const Csr& graph, int64_t parts, uint64_t seed) {
  std::vector<int32_t> part(static_cast<size_t>(graph.nodes()));
  if (parts == 1) return part;
  if (parts >= graph.nodes()) {
    std::iota(part.begin(), part.end(), 0);
    return part;
  }
  MetisGraph input = metis_graph(graph);
  if (input.neighbors.empty()) {  // nothing to cut
    for (int64_t v = 0; v < graph.nodes(); ++v)
      part[v] = static_cast<int32_t>(v * parts / graph.nodes());
    return part;
  }
  return run_metis(std::move(input), parts, seed);
}

fs::path cache_file(const fs::path& folder, const Csr& graph, int64_t parts, uint64_t seed) {
  Hasher hasher;
  hasher.add("partition");
  hasher.add(kCacheVersion);
  hasher.add(parts);
  hasher.add(seed);
  hasher.add(graph.offsets.span());
  hasher.add(graph.neighbors.span());
  return folder / fmt::format("partition-{}.npy", hasher.result().hex());
}

std::optional<std::vector<int32_t>> read_cache(const fs::path& file, int64_t nodes, int64_t parts) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return std::nullopt;
  try {
    const Array<int32_t> part = load_npy(file).as<int32_t>();
    const auto fits = [&](int32_t p) { return p >= 0 && p < parts; };
    if (part.size() != nodes || !std::all_of(part.begin(), part.end(), fits)) return std::nullopt;
    return std::vector<int32_t>(part.begin(), part.end());
  } catch (const Error&) {
    return std::nullopt;
  }
}

void write_cache(const fs::path& file, const std::vector<int32_t>& part) {
  try {
    std::error_code ignored;
    fs::create_directories(file.parent_path(), ignored);
    save_npy<int32_t>(file, part);
  } catch (const Error&) {  // the result is right without it
  }
}

// Held by the one process that computes what a cache file will hold. The system gives it back when
// the process ends in any way. Where there can be no such lock, there is none.
class CacheLock {
 public:
  explicit CacheLock(const fs::path& file) : path_(file.string() + ".lock") {
    std::error_code ignored;
    fs::create_directories(file.parent_path(), ignored);
    for (;;) {
      descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
      if (descriptor_ < 0) return;
      while (::flock(descriptor_, LOCK_EX) != 0)
        if (errno != EINTR) return;
      // Whoever had it before has removed the file; a third process may have made another.
      struct stat own {
      }, now{};
      if (::fstat(descriptor_, &own) == 0 && ::stat(path_.c_str(), &now) == 0 &&
          own.st_ino == now.st_ino)
        return;
      ::close(descriptor_);
    }
  }
  ~CacheLock() {
    if (descriptor_ < 0) return;
    ::unlink(path_.c_str());
    ::close(descriptor_);
  }
  CacheLock(const CacheLock&) = delete;
  CacheLock& operator=(const CacheLock&) = delete;

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace

void check_partition_size(int64_t entries) {
  if (entries > std::numeric_limits<idx_t>::max())
    fail_data("partition",
              fmt::format("METIS takes at most {} stored edges, the graph has {}",
                          std::numeric_limits<idx_t>::max(), entries),
              "use a loader that needs no partition");
}

std::vector<int32_t> partition(const Csr& graph, int64_t parts, uint64_t seed,
                               const fs::path& cache_folder) {
  if (parts < 1 || parts > std::numeric_limits<int32_t>::max())
    fail_usage("parts", fmt::format("{} is not a number of parts", parts), "at least 1");
  const bool trivial = parts == 1 || parts >= graph.nodes();
  if (cache_folder.empty() || trivial) return compute(graph, parts, seed);

  const fs::path file = cache_file(cache_folder, graph, parts, seed);
  if (auto cached = read_cache(file, graph.nodes(), parts)) return *std::move(cached);
  const CacheLock lock(file);  // another process may be computing the same
  if (auto cached = read_cache(file, graph.nodes(), parts)) return *std::move(cached);
  std::vector<int32_t> part = compute(graph, parts, seed);
  write_cache(file, part);
  return part;
}

}  // namespace gs
