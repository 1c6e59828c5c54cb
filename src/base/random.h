// Counter-based random numbers (Philox 4x32, 10 rounds: Salmon et al. 2011). A stream is a pure
// function of its key, so any number of threads draws the same numbers, and nothing is global: pass
// a Random in, fork it by name and index.
//
// Thread safety: a stream serves one thread at a time; fork() is const and may be called from many.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace gs {

using PhiloxBlock = std::array<uint32_t, 4>;

// The 128-bit block at `counter` of the sequence `key`.
inline PhiloxBlock philox(uint64_t key, uint64_t counter_low, uint64_t counter_high = 0) {
  uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  PhiloxBlock c{static_cast<uint32_t>(counter_low), static_cast<uint32_t>(counter_low >> 32),
                static_cast<uint32_t>(counter_high), static_cast<uint32_t>(counter_high >> 32)};
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53} * c[0], p1 = uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(p0)};
    k0 += 0x9E3779B9, k1 += 0xBB67AE85;
  }
  return c;
}

class Random {
 public:
  explicit Random(uint64_t seed) : key_(seed) {}

  // An independent stream for a named purpose and any indices: fork("loader", epoch, worker).
  template <std::integral... Index>
  Random fork(std::string_view purpose, Index... indices) const {
    uint64_t key = mix(key_, hash(purpose));
    ((key = mix(key, static_cast<uint64_t>(indices))), ...);
    return Random(key);
  }

  uint64_t key() const { return key_; }
  uint32_t bits32() {
    if (used_ == 4) block_ = philox(key_, counter_++), used_ = 0;
    return block_[used_++];
  }
  uint64_t bits64() {
    const uint64_t high = bits32();
    return high << 32 | bits32();
  }
  double uniform() { return static_cast<double>(bits64() >> 11) * 0x1.0p-53; }  // [0, 1)
  double normal();  // mean 0, standard deviation 1
  // Uniform in [0, bound), without bias (Lemire's method with rejection); bound >= 1.
  uint64_t below(uint64_t bound) {
    if (bound <= UINT32_MAX) {
      const auto b = static_cast<uint32_t>(bound);
      uint64_t product = uint64_t{bits32()} * b;
      if (static_cast<uint32_t>(product) < b) {
        const uint32_t threshold = -b % b;
        while (static_cast<uint32_t>(product) < threshold) product = uint64_t{bits32()} * b;
      }
      return product >> 32;
    }
    const uint64_t limit = -bound % bound;
    for (;;) {
      const uint64_t draw = bits64();
      if (draw >= limit) return draw % bound;
    }
  }
  template <class T>
  void shuffle(std::span<T> values) {
    for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  static uint64_t mix(uint64_t a, uint64_t b);
  static uint64_t hash(std::string_view text);

  uint64_t key_, counter_ = 0;
  PhiloxBlock block_{};
  uint32_t used_ = 4;
  bool has_spare_ = false;
  double spare_ = 0;
};

}  // namespace gs
