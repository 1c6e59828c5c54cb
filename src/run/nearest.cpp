#include "run/nearest.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "base/parallel.h"
#include "base/registry.h"
#include "base/text.h"

namespace gs {

namespace {

constexpr size_t kMostCandidates = 100'000;  // suggestions search at most so many ids
constexpr int64_t kBlocks = 256, kFewestSearched = 1024;
constexpr double kTinyLength = 1e-24;

bool nearer(const Neighbor& a, const Neighbor& b) {
  return a.cosine != b.cosine ? a.cosine > b.cosine : a.node < b.node;
}

// Rows of a block. Depends on the matrix alone, so that sums are always the same.
int64_t block_rows(int64_t rows) {
  return std::max(kFewestSearched, (rows + kBlocks - 1) / kBlocks);
}

bool is_finite(std::span<const float> row) {
  return std::ranges::all_of(row, [](float value) { return std::isfinite(value); });
}

// visit(block, begin, end) of every block, in parallel.
template <class Visit>
void for_blocks(int64_t rows, const Visit& visit) {
  const int64_t step = block_rows(rows), blocks = (rows + step - 1) / step;
  parallel_for(blocks, 1, [&](int64_t first, int64_t last) {
    for (int64_t b = first; b < last; ++b) visit(b, b * step, std::min(rows, (b + 1) * step));
  });
}

// The mean of the finite rows.
std::vector<float> mean_row(const DenseMatrix& z) {
  const int64_t width = z.columns;
  const size_t blocks = static_cast<size_t>(z.rows / block_rows(z.rows) + 1);
  std::vector<std::vector<double>> sums(blocks);
  std::vector<int64_t> counts(blocks);
  for_blocks(z.rows, [&](int64_t b, int64_t begin, int64_t end) {
    std::vector<double>& sum = sums[static_cast<size_t>(b)];
    sum.resize(static_cast<size_t>(width));
    for (int64_t r = begin; r < end; ++r) {
      const std::span<const float> row = z.row(r);
      if (!is_finite(row)) continue;
      ++counts[static_cast<size_t>(b)];
      for (int64_t c = 0; c < width; ++c) sum[c] += row[c];
    }
  });
  std::vector<double> total(static_cast<size_t>(width));
  int64_t count = 0;
  for (size_t b = 0; b < blocks; ++b) {
    count += counts[b];
    for (size_t c = 0; c < sums[b].size(); ++c) total[c] += sums[b][c];
  }
  std::vector<float> out;
  for (const double sum : total)
    out.push_back(static_cast<float>(sum / static_cast<double>(std::max<int64_t>(1, count))));
  return out;
}

// The cosine of row - mean with `target`, which has length 1.
double cosine(std::span<const float> row, const std::vector<float>& mean,
              const std::vector<float>& target) {
  constexpr size_t kLanes = 16;
  float products[kLanes] = {}, squares[kLanes] = {};
  const size_t width = row.size(), whole = width / kLanes * kLanes;
  for (size_t c = 0; c < whole; c += kLanes)
    for (size_t l = 0; l < kLanes; ++l) {
      const float value = row[c + l] - mean[c + l];
      products[l] += value * target[c + l];
      squares[l] += value * value;
    }
  double product = 0, square = 0;
  for (size_t l = 0; l < kLanes; ++l) product += products[l], square += squares[l];
  for (size_t c = whole; c < width; ++c) {
    const double value = row[c] - mean[c];
    product += value * target[c], square += value * value;
  }
  return square > kTinyLength ? std::clamp(product / std::sqrt(square), -1.0, 1.0) : square * 0;
}

}  // namespace

std::string id_of(const std::vector<std::string>& ids, int64_t node) {
  return ids.empty() ? std::to_string(node) : ids[static_cast<size_t>(node)];
}

int64_t node_of(const std::vector<std::string>& ids, int64_t nodes, const std::string& id,
                const std::string& where) {
  const auto found = std::find(ids.begin(), ids.end(), id);
  if (found != ids.end()) return found - ids.begin();
  const bool numbered = id.starts_with("#");
  if (numbered || ids.empty()) {
    const auto node = parse_integer(std::string_view(id).substr(numbered ? 1 : 0));
    if (node && *node >= 0 && *node < nodes) return *node;
    fail_usage(where, fmt::format("'{}' is not a node", printable(id)),
               fmt::format("nodes are 0 to {}", nodes - 1));
  }
  std::string message = fmt::format("no node has the id '{}'", printable(id));
  const std::string near = nearest(id, std::span(ids).first(std::min(ids.size(), kMostCandidates)));
  if (!near.empty()) message += fmt::format("; did you mean '{}'?", printable(near));
  fail_usage(where, message,
             fmt::format("ids are those of the input file; node numbers are #0 to #{}", nodes - 1));
}

std::vector<Neighbor> nearest_nodes(const DenseMatrix& z, int64_t node, int64_t k) {
  const std::vector<float> mean = mean_row(z);
  std::vector<float> target(mean.size());
  double square = 0;
  for (size_t c = 0; c < mean.size(); ++c) {
    target[c] = z.row(node)[c] - mean[c];
    square += static_cast<double>(target[c]) * target[c];
  }
  const auto length = static_cast<float>(std::sqrt(std::max(square, kTinyLength)));
  for (float& value : target) value = square > kTinyLength ? value / length : value * 0;
  std::vector<std::vector<Neighbor>> found(static_cast<size_t>(z.rows / block_rows(z.rows) + 1));
  const auto keep_best = [&](std::vector<Neighbor>& best) {
    const auto kept = best.begin() + std::min<int64_t>(k, std::ssize(best));
    std::partial_sort(best.begin(), kept, best.end(), nearer);
    best.erase(kept, best.end());
  };
  for_blocks(z.rows, [&](int64_t b, int64_t begin, int64_t end) {
    std::vector<Neighbor>& best = found[static_cast<size_t>(b)];
    for (int64_t r = begin; r < end; ++r)
      if (const double value = cosine(z.row(r), mean, target); r != node && std::isfinite(value))
        best.push_back({r, value});
    keep_best(best);
  });
  std::vector<Neighbor> best;
  for (const auto& block : found) best.insert(best.end(), block.begin(), block.end());
  keep_best(best);
  return best;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

void write_neighbors(const std::filesystem::path& path, const std::vector<std::string>& ids,
                     const std::vector<Neighbor>& neighbors) {
  std::string text = "id,node,cosine\n";
  for (const Neighbor& n : neighbors)
    text += fmt::format("{},{},{}\n", csv_field(id_of(ids, n.node)), n.node,
                        static_cast<float>(n.cosine));
  write_file(path, text);
}

}  // namespace gs
