// The safetensors format: an 8-byte length, a JSON header, then raw little-endian tensors. Used for
// models and checkpoints; readable by every safetensors library. Offsets and shapes are checked
// when reading. Wide types are written first, then by name, so that every tensor is aligned.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"

namespace gs {

struct TensorView {
  std::string dtype;  // "F32", "F64", "I64", "I32", "U8", "BOOL", ...
  std::vector<int64_t> shape;
  std::span<const std::byte> data;
};

struct SafeTensors {
  std::map<std::string, TensorView> tensors;
  std::map<std::string, std::string> metadata;
  std::shared_ptr<const void> owner;  // keeps the mapping of a loaded file alive
  bool checked = false;               // a loaded file had a checksum
};

SafeTensors load_safetensors(const fs::path& path);
void save_safetensors(const fs::path& path, const SafeTensors& tensors);

}  // namespace gs
