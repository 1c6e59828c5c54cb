// A 64-bit bijection that mixes bits (the finalizer of SplitMix: Steele et al. 2014): a hash
// without collisions, for choosing and comparing by numbers that look random but are the same
// everywhere.
#pragma once

#include <cstdint>

namespace gs {

inline uint64_t scrambled(uint64_t x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

}  // namespace gs
