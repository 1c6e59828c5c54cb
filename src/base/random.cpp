#include "base/random.h"

#include <cmath>
#include <numbers>

namespace gs {

double Random::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const double radius = std::sqrt(-2 * std::log(1 - uniform())),
               angle = 2 * std::numbers::pi * uniform();
  has_spare_ = true;
  spare_ = radius * std::sin(angle);
  return radius * std::cos(angle);
}

// A Philox block of (a, b) is a good hash of the two, and keeps us to one generator.
uint64_t Random::mix(uint64_t a, uint64_t b) {
  const PhiloxBlock block = philox(a, b, 0x6A09E667F3BCC908);
  return uint64_t{block[0]} << 32 | block[1];
}

uint64_t Random::hash(std::string_view text) {  // FNV-1a
  uint64_t h = 0xCBF29CE484222325;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return h;
}

}  // namespace gs
