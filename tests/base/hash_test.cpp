#include "base/hash.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <vector>

#include "base/random.h"

namespace gs {
namespace {

Hash128 hash_of(std::string_view text) {
  Hasher hasher;
  hasher.add(text);
  return hasher.result();
}

std::string noise(size_t size, uint64_t seed) {
  Random random(seed);
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random.bits32());
  return text;
}

TEST(Hash, IsThirtyTwoHexDigitsThatStayTheSameForever) {
  // Cache files are named by it: a change here makes every cache on disk useless.
  EXPECT_EQ(hash_of("").hex(), "2c0a8a99dc147d5445c3b49d035665b2");
  EXPECT_EQ(hash_of("graph").hex(), "2f31cc6bf023c9580a96d49a2ad243a3");
}

TEST(Hash, EveryLengthOfZerosIsItsOwn) {
  std::set<std::string> seen;
  for (size_t length = 0; length < 300; ++length)
    seen.insert(hash_of(std::string(length, '\0')).hex());
  EXPECT_EQ(seen.size(), 300u);
}

TEST(Hash, OneBitChangesHalfOfTheBits) {
  const std::string text = noise(200, 1);
  const Hash128 before = hash_of(text);
  double flipped = 0;
  for (size_t bit = 0; bit < 8 * text.size(); ++bit) {
    std::string changed = text;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    const Hash128 after = hash_of(changed);
    const int bits =
        std::popcount(before.high ^ after.high) + std::popcount(before.low ^ after.low);
    EXPECT_GT(bits, 20) << "bit " << bit;
    flipped += bits;
  }
  EXPECT_NEAR(flipped / (8 * 200), 64, 2);
}

TEST(Hash, NumbersThatDifferLittleDoNotCollide) {
  std::set<std::string> seen;
  for (int64_t a = 0; a < 100; ++a)
    for (int64_t b = 0; b < 100; ++b) {
      Hasher hasher;
      hasher.add(a);
      hasher.add(b);
      seen.insert(hasher.result().hex());
    }
  EXPECT_EQ(seen.size(), 10000u);
}

TEST(Hash, WherePiecesEndCounts) {
  const auto two = [](std::string_view a, std::string_view b) {
    Hasher hasher;
    hasher.add(a);
    hasher.add(b);
    return hasher.result();
  };
  EXPECT_NE(two("ab", "c"), two("a", "bc"));
  EXPECT_NE(two("ab", "c"), two("c", "ab"));
  EXPECT_NE(two("abc", ""), hash_of("abc"));
}

TEST(Hash, AnOrderOfBlocksIsItsOwn) {
  const std::string text = noise(5'000'001, 2);
  std::string moved = text;
  std::swap_ranges(moved.begin(), moved.begin() + (1 << 18), moved.begin() + (1 << 20));
  EXPECT_EQ(hash_of(text), hash_of(text));
  EXPECT_NE(hash_of(moved), hash_of(text));
}

TEST(Hash, IsThatOfXxHashOverSizesAndBytes) {
  Hasher hasher;
  hasher.add("graph");
  hasher.add(int64_t{7});
  const auto bytes =
      std::to_array<unsigned char>({5, 0, 0, 0, 0, 0, 0, 0, 'g', 'r', 'a', 'p', 'h', 8, 0,
                                    0, 0, 0, 0, 0, 0, 7, 0, 0,   0,   0,   0,   0,   0});
  const XXH128_hash_t expected = XXH3_128bits(bytes.data(), bytes.size());
  EXPECT_EQ(hasher.result(), (Hash128{expected.high64, expected.low64}));
}

}  // namespace
}  // namespace gs
