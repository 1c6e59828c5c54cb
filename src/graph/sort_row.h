// Sorts one row of unsigned keys: leaves sorted rows alone, short ones to std::sort, the many of
// middle length to a radix sort over just the bits in use, and the few huge ones to std::sort
// again, so that scratch memory stays small.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace gs {

// Ascending order by bits [low, high); nothing may be set above. What ties there ends up in any
// order.
template <class T>
void sort_row(std::span<T> values, std::vector<T>& scratch, int low, int high) {
  constexpr size_t kShort = 48, kHuge = size_t{1} << 20;
  constexpr int kDigit = 8;
  if (std::is_sorted(values.begin(), values.end())) return;
  if (values.size() < kShort || values.size() > kHuge)
    return std::sort(values.begin(), values.end());

  const int passes = std::max(1, (high - low + kDigit - 1) / kDigit);
  // As narrow as that many passes allow.
  const int digit = std::max(1, (high - low + passes - 1) / passes);
  const T mask = (T{1} << digit) - 1;
  std::array<std::array<uint32_t, 1 << kDigit>, 8> places;
  for (int p = 0; p < passes; ++p) std::fill_n(places[p].begin(), mask + 1, 0u);
  for (const T value : values)
    for (int p = 0; p < passes; ++p) ++places[p][value >> (low + p * digit) & mask];
  if (scratch.size() < values.size()) scratch.resize(std::bit_ceil(values.size()));

  T *from = values.data(), *to = scratch.data();
  for (int p = 0; p < passes; ++p) {
    const int shift = low + p * digit;
    if (places[p][*from >> shift & mask] == values.size()) continue;  // all alike in this digit
    uint32_t sum = 0;
    for (size_t d = 0; d <= mask; ++d) sum += std::exchange(places[p][d], sum);
    for (size_t i = 0; i < values.size(); ++i) to[places[p][from[i] >> shift & mask]++] = from[i];
    std::swap(from, to);
  }
  if (from != values.data()) std::copy_n(from, values.size(), values.data());
}

}  // namespace gs
