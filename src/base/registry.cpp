#include "base/registry.h"

#include <algorithm>

namespace gs {

namespace {

// Optimal string alignment distance: insert, delete, replace, swap neighbors.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i)
    for (size_t j = 1; j <= b.size(); ++j) {
      d[i][j] =
          std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

std::string joined(std::span<const std::string> parts) {
  std::string out;
  for (const auto& part : parts) out += (out.empty() ? "" : ", ") + part;
  return out;
}

}  // namespace

std::string nearest(std::string_view name, std::span<const std::string> candidates) {
  name = name.substr(0, 64);
  std::string best;
  // Two edits of a word of four letters: foto is photo.
  size_t best_distance = std::max<size_t>(name.size() < 4 ? 1 : 2, name.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    const size_t d = distance(name, candidate);
    if (d < best_distance) best_distance = d, best = candidate;
  }
  return best;
}

void fail_unknown(std::string_view kind, std::string_view name,
                  std::span<const std::string> candidates, std::string where) {
  const std::string near = nearest(name, candidates);
  std::string message = fmt::format("unknown {} '{}'", kind, printable(name));
  if (!near.empty()) message += fmt::format("; did you mean '{}'?", near);
  fail_usage(std::move(where), std::move(message), "known: " + joined(candidates));
}

}  // namespace gs
