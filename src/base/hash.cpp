#include "base/hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "base/parallel.h"

namespace gs {

namespace {

// Odd constants from the fractional part of the golden ratio and of roots of small primes.
constexpr uint64_t kSalt[4] = {0x9E3779B97F4A7C15, 0x6A09E667F3BCC909, 0xBB67AE8584CAA73B,
                               0x3C6EF372FE94F82B};
constexpr size_t kBlock = size_t{1}
                          << 18;    // hashed alone, so that the cut does not depend on threads
constexpr size_t kStripe = 4 * 16;  // four lanes of two words

uint64_t fold(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// A lane keeps what it had (rotated) even where a product comes out as zero.
uint64_t absorb(uint64_t lane, uint64_t first, uint64_t second, uint64_t salt) {
  return std::rotl(lane, 29) + fold(first ^ salt, second ^ lane ^ std::rotl(salt, 17)) + second;
}

Hash128 hash_block(const std::byte* bytes, size_t size) {
  uint64_t lanes[4] = {kSalt[0], kSalt[1], kSalt[2], kSalt[3]};
  const auto stripe = [&](const std::byte* from) {
    uint64_t words[8];
    std::memcpy(words, from, kStripe);
    for (int l = 0; l < 4; ++l)
      lanes[l] = absorb(lanes[l], words[2 * l], words[2 * l + 1], kSalt[l]);
  };
  size_t at = 0;
  for (; at + kStripe <= size; at += kStripe) stripe(bytes + at);
  if (at < size) {
    std::byte rest[kStripe] = {};
    std::memcpy(rest, bytes + at, size - at);
    stripe(rest);
  }
  Hash128 out{size, ~size};
  for (int l = 0; l < 4; ++l) {
    out.high = absorb(out.high, lanes[l], lanes[(l + 1) % 4], kSalt[3 - l]);
    out.low = absorb(out.low, lanes[(l + 2) % 4], lanes[l], kSalt[(l + 1) % 4]);
  }
  return out;
}

Hash128 combine(Hash128 state, Hash128 next) {
  return {absorb(state.high ^ next.low, next.high, state.low, kSalt[0]),
          absorb(state.low ^ next.high, next.low, state.high, kSalt[1])};
}

}  // namespace

std::string Hash128::hex() const { return fmt::format("{:016x}{:016x}", high, low); }

void Hasher::add(std::span<const std::byte> bytes) {
  const auto blocks = static_cast<int64_t>((bytes.size() + kBlock - 1) / kBlock);
  std::vector<Hash128> parts(static_cast<size_t>(blocks));
  parallel_for(blocks, 4, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      const size_t at = static_cast<size_t>(b) * kBlock;
      parts[b] = hash_block(bytes.data() + at, std::min(kBlock, bytes.size() - at));
    }
  });
  state_ = combine(state_, {bytes.size(), kSalt[2]});
  for (const Hash128& part : parts) state_ = combine(state_, part);
}

}  // namespace gs
