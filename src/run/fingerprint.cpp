#include "run/fingerprint.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "base/hash.h"
#include "base/mapped_files.h"

namespace gs {

namespace {

// The hash that run folders were written with before xxHash, kept so that they still open. Nothing
// new is written with it.
class EarlierHasher {
 public:
  void add(std::span<const std::byte> bytes) {
    state_ = combine(state_, {bytes.size(), kSalt[2]});
    for (size_t at = 0; at < bytes.size(); at += kBlock)
      state_ = combine(state_, block(bytes.subspan(at, std::min(kBlock, bytes.size() - at))));
  }
  std::string hex() const { return state_.hex(); }

 private:
  static constexpr uint64_t kSalt[4] = {0x9E3779B97F4A7C15, 0x6A09E667F3BCC909, 0xBB67AE8584CAA73B,
                                        0x3C6EF372FE94F82B};
  static constexpr size_t kBlock = size_t{1} << 18;
  static constexpr size_t kStripe = 4 * 16;

  static uint64_t absorb(uint64_t lane, uint64_t first, uint64_t second, uint64_t salt) {
    const auto product =
        static_cast<unsigned __int128>(first ^ salt) * (second ^ lane ^ std::rotl(salt, 17));
    const auto folded = static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
    return std::rotl(lane, 29) + folded + second;
  }

  static Hash128 block(std::span<const std::byte> bytes) {
    uint64_t lanes[4] = {kSalt[0], kSalt[1], kSalt[2], kSalt[3]};
    for (size_t at = 0; at < bytes.size(); at += kStripe) {
      uint64_t words[8] = {};
      std::memcpy(words, bytes.data() + at, std::min(kStripe, bytes.size() - at));
      for (int l = 0; l < 4; ++l)
        lanes[l] = absorb(lanes[l], words[2 * l], words[2 * l + 1], kSalt[l]);
    }
    Hash128 out{bytes.size(), ~bytes.size()};
    for (int l = 0; l < 4; ++l) {
      out.high = absorb(out.high, lanes[l], lanes[(l + 1) % 4], kSalt[3 - l]);
      out.low = absorb(out.low, lanes[(l + 2) % 4], lanes[l], kSalt[(l + 1) % 4]);
    }
    return out;
  }

  static Hash128 combine(Hash128 state, Hash128 next) {
    return {absorb(state.high ^ next.low, next.high, state.low, kSalt[0]),
            absorb(state.low ^ next.high, next.low, state.high, kSalt[1])};
  }

  Hash128 state_;
};

template <class Add>
void add_sets(const Split& split, Add&& add) {
  for (const auto* set : {&split.train, &split.val, &split.test})
    add(std::as_bytes(std::span(*set)));
}

// Adds the bytes with their number, or, of many, 4096 evenly spaced pieces of 64 KiB.
template <class T>
void add_array(Hasher& hasher, const Array<T>& array) {
  constexpr size_t kPiece = size_t{1} << 16, kPieces = 4096;
  const auto bytes = std::as_bytes(array.span());
  const uint64_t size = bytes.size();
  hasher.add(std::as_bytes(std::span(&size, 1)));
  if (size <= kPiece * kPieces) return hasher.add(bytes);
  for (size_t i = 0; i < kPieces; ++i)
    hasher.add(bytes.subspan((size - kPiece) / (kPieces - 1) * i, kPiece));
}

}  // namespace

std::string fingerprint(const Dataset& data) {
  Hasher hasher;
  add_array(hasher, data.graph.offsets), add_array(hasher, data.graph.neighbors);
  add_array(hasher, data.graph.weights);
  if (data.features.sparse()) {
    const SparseMatrix& m = data.features.sparse_matrix();
    add_array(hasher, m.offsets), add_array(hasher, m.indices), add_array(hasher, m.values);
  } else {
    add_array(hasher, data.features.dense_matrix().values);
  }
  add_array(hasher, data.labels.single), add_array(hasher, data.labels.multi);
  for (const Split& split : data.splits) add_sets(split, [&](auto bytes) { hasher.add(bytes); });
  return hasher.result().hex();
}

void check_unchanged(const Dataset& data) {
  const SparseMatrix none;
  const Features& features = data.features;
  const SparseMatrix& sparse = features.sparse() ? features.sparse_matrix() : none;
  const void* const arrays[] = {
      data.graph.offsets.data(),
      data.graph.neighbors.data(),
      data.graph.weights.data(),
      sparse.offsets.data(),
      sparse.indices.data(),
      sparse.values.data(),
      data.labels.single.data(),
      data.labels.multi.data(),
      features.sparse() ? nullptr : features.dense_matrix().values.data()};
  check_unchanged(arrays);
}

std::string fingerprint(const Split& split) {
  Hasher hasher;
  add_sets(split, [&](auto bytes) { hasher.add(bytes); });
  return hasher.result().hex();
}

bool has_fingerprint(const Split& split, const std::string& stored) {
  if (stored == fingerprint(split)) return true;
  EarlierHasher earlier;
  add_sets(split, [&](auto bytes) { earlier.add(bytes); });
  return stored == earlier.hex();
}

}  // namespace gs
