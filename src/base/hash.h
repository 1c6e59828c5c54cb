// A 128-bit fingerprint of bytes, for keying caches by content. Fast (memory speed), the same on
// any number of threads; not for secrets: somebody who wants two inputs with one fingerprint can
// make them.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gs {

struct Hash128 {
  uint64_t high = 0, low = 0;

  bool operator==(const Hash128&) const = default;
  std::string hex() const;  // 32 digits
};

// Fingerprint of a sequence of pieces; where one piece ends and the next begins counts too.
class Hasher {
 public:
  void add(std::span<const std::byte> bytes);  // hashed in parallel when long
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  template <std::integral T>
  void add(std::span<const T> values) {
    add(std::as_bytes(values));
  }
  void add(std::span<const float> values) { add(std::as_bytes(values)); }
  void add(std::integral auto value) {
    const auto wide = static_cast<int64_t>(value);
    add(std::span<const int64_t>(&wide, 1));
  }
  Hash128 result() const { return state_; }

 private:
  Hash128 state_;
};

}  // namespace gs
