// Philox (base/random.h has it in plain code) on as many counters at once as a vector has lanes,
// for each vector target. Included by the kernels that draw masks.
#if defined(GS_KERNELS_PHILOX_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef GS_KERNELS_PHILOX_INL_H
#undef GS_KERNELS_PHILOX_INL_H
#else
#define GS_KERNELS_PHILOX_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace gs::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::CappedTag<uint32_t, 16> kWords;
constexpr hn::CappedTag<int32_t, 16> kSigned;  // draws have 16 bits: signed comparison serves
using Words = hn::Vec<decltype(kWords)>;

struct WordProduct {
  Words high, low;
};

// The two halves of the 64-bit products of 32-bit lanes; b has the same value in all of them.
HWY_INLINE WordProduct multiply(Words a, Words b) {
#if HWY_TARGET == HWY_SCALAR
  const uint64_t product = uint64_t{hn::GetLane(a)} * hn::GetLane(b);
  return {hn::Set(kWords, static_cast<uint32_t>(product >> 32)),
          hn::Set(kWords, static_cast<uint32_t>(product))};
#else
  const auto e = hn::BitCast(kWords, hn::MulEven(a, b));
  const auto o = hn::BitCast(kWords, hn::MulEven(hn::Shuffle2301(a), b));
  // e holds low, high of the even lanes, o those of the odd ones.
  return {hn::OddEven(o, hn::Shuffle2301(e)), hn::OddEven(hn::Shuffle2301(o), e)};
#endif
}

// The blocks at the counters c, in their place.
HWY_INLINE void philox_lanes(uint64_t key, Words& c0, Words& c1, Words& c2, Words& c3) {
  const auto m0 = hn::Set(kWords, 0xD2511F53u), m1 = hn::Set(kWords, 0xCD9E8D57u);
  uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const WordProduct p0 = multiply(c0, m0), p1 = multiply(c2, m1);
    c0 = hn::Xor(hn::Xor(p1.high, c1), hn::Set(kWords, k0));
    c2 = hn::Xor(hn::Xor(p0.high, c3), hn::Set(kWords, k1));
    c1 = p1.low, c3 = p0.low;
    k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
  }
}

// Lanes whose 16-bit draw is kept: number `half` of the two in each word.
HWY_INLINE auto kept_lanes(Words words, int half, uint32_t threshold) {
  const auto draw =
      half == 0 ? hn::And(words, hn::Set(kWords, 0xFFFFu)) : hn::ShiftRight<16>(words);
  return hn::Gt(hn::BitCast(kSigned, draw), hn::Set(kSigned, static_cast<int32_t>(threshold) - 1));
}

}  // namespace gs::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
