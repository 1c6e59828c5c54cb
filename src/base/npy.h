// NumPy's .npy arrays: little-endian integers and floats of every width, bool, fixed-width strings;
// C and Fortran order; format versions 1 to 3. Object arrays (pickle) are refused. Every length is
// checked against the bytes there.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/array.h"
#include "base/file.h"

namespace gs {

enum class DType {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  float32,
  float64,
  bytes,
  unicode
};

std::string_view dtype_name(DType type);
std::string shape_text(std::span<const int64_t> shape);  // "(3, 4)", as Python prints it

// An array as stored: `data` is the raw elements (not aligned, in file order), alive as long as
// `owner`.
struct NpyArray {
  DType type{};
  int64_t item_bytes = 0;      // bytes per element; for strings the fixed width
  std::vector<int64_t> shape;  // empty for a scalar
  bool fortran_order = false;
  std::span<const std::byte> data;
  std::shared_ptr<const void> owner;
  std::string where;  // "file" or "file[member]", for messages

  int64_t count() const;  // number of elements
  int64_t rows() const;   // shape[0]; data Error when it has no dimension

  // All elements converted to T in C order: int32_t, int64_t, float, double, uint8_t. A value that
  // T cannot hold (2^40 as int32_t, 0.5 as int64_t, NaN as an integer) is a data Error with its
  // index. Zero-copy when type, order and alignment already fit, so that a mapped .npy stays
  // mapped.
  template <class T>
  Array<T> as() const;
  // The elements of a `bytes` or `unicode` array as UTF-8, without trailing zeros.
  std::vector<std::string> strings() const;
  void require_dims(int64_t dimensions) const;  // data Error unless it has that many
};

// Parses an .npy image that fills `bytes`.
NpyArray parse_npy(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                   std::string where);
NpyArray load_npy(const fs::path& path);  // mapped

// Version 1.0 header for an array of T, padded to 64 bytes: write it, then the elements.
template <class T>
std::string npy_header(std::span<const int64_t> shape);

template <class T>
void save_npy(const fs::path& path, std::span<const T> values, std::span<const int64_t> shape);
template <class T>
void save_npy(const fs::path& path, std::span<const T> values) {
  const int64_t shape[] = {static_cast<int64_t>(values.size())};
  save_npy(path, values, shape);
}

}  // namespace gs
