#include "base/hash.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <new>

namespace gs {

std::string Hash128::hex() const { return fmt::format("{:016x}{:016x}", high, low); }

void Hasher::Free::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }

Hasher::Hasher() : state_(XXH3_createState()) {
  if (!state_) throw std::bad_alloc();
  XXH3_128bits_reset(state_.get());
}

void Hasher::add(std::span<const std::byte> bytes) {
  const uint64_t size = bytes.size();
  XXH3_128bits_update(state_.get(), &size, sizeof size);
  add_plain(bytes);
}

void Hasher::add_plain(std::span<const std::byte> bytes) {
  XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
}

Hash128 Hasher::result() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
  return {hash.high64, hash.low64};
}

}  // namespace gs
