// A 128-bit fingerprint of bytes (XXH3-128 of xxHash), which keys caches by content. Runs at memory
// speed. Not for secrets: two inputs with the same fingerprint can be made on purpose.
//
// Thread safety: a Hasher serves one thread at a time.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct XXH3_state_s;

namespace gs {

struct Hash128 {
  uint64_t high = 0, low = 0;

  bool operator==(const Hash128&) const = default;
  // 32 digits.
  std::string hex() const;
};

// Fingerprint of a sequence of pieces. Piece boundaries count: "ab", "c" differs from "a", "bc".
class Hasher {
 public:
  Hasher();
  void add(std::span<const std::byte> bytes);
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
  // The fingerprint of the pieces so far; more may follow.
  Hash128 result() const;

 protected:
  void add_plain(std::span<const std::byte> bytes);

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

// Fingerprint of the bytes of a file, in pieces of any size: what `xxhsum -H2` prints.
class FileHasher : private Hasher {
 public:
  void add(std::span<const std::byte> bytes) { add_plain(bytes); }
  void add(std::string_view text) { add_plain(std::as_bytes(std::span(text))); }
  std::string hex() const { return result().hex(); }
};

}  // namespace gs
