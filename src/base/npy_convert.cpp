// NpyArray's elements as values of a wanted type, in C order.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "base/memory.h"
#include "base/npy.h"
#include "base/parallel.h"
#include "base/text.h"

namespace gs {

namespace {

struct Half {
  uint16_t bits;
};

float to_float(Half half) {
  const uint32_t sign = uint32_t{half.bits & 0x8000u} << 16, exponent = half.bits >> 10 & 31,
                 fraction = half.bits & 0x3FF;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000 | fraction << 13);
  if (exponent == 0) {  // zero or subnormal: fraction * 2^-24, exact in a float
    const float value = static_cast<float>(fraction) * 0x1.0p-24f;
    return sign ? -value : value;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

// Calls action(S{}) with the element type that `type` stands for.
template <class Action>
auto with_number_type(DType type, const Action& action) {
  switch (type) {
    case DType::boolean:
      return action(bool{});
    case DType::int8:
      return action(int8_t{});
    case DType::int16:
      return action(int16_t{});
    case DType::int32:
      return action(int32_t{});
    case DType::int64:
      return action(int64_t{});
    case DType::uint8:
      return action(uint8_t{});
    case DType::uint16:
      return action(uint16_t{});
    case DType::uint32:
      return action(uint32_t{});
    case DType::uint64:
      return action(uint64_t{});
    case DType::float16:
      return action(Half{});
    case DType::float32:
      return action(float{});
    case DType::float64:
      return action(double{});
    default:
      break;
  }
  GS_ASSERT(!"strings are not numbers");
}

// `value` as T; false when T cannot hold it. Rounding to a float type is no loss, overflow to
// infinity is.
template <class T, class S>
bool convert(S value, T& out) {
  if constexpr (std::is_same_v<S, T>) {
    out = value;
    return true;
  } else if constexpr (std::is_floating_point_v<T>) {
    out = static_cast<T>(value);
    if constexpr (sizeof(T) < sizeof(S) && std::is_floating_point_v<S>)
      return std::isinf(out) == std::isinf(value);
    return true;
  } else if constexpr (std::is_floating_point_v<S>) {
    // The upper bound, max + 1, is a power of two and so exact.
    constexpr S kLow = static_cast<S>(std::numeric_limits<T>::min());
    constexpr S kHigh = static_cast<S>(uint64_t{1} << (std::numeric_limits<T>::digits - 1)) * 2;
    const bool fits = value >= kLow && value < kHigh;  // false for NaN
    out = fits ? static_cast<T>(value) : T{};
    return fits && static_cast<S>(out) == value;
  } else {
    out = static_cast<T>(value);
    return std::in_range<T>(value);
  }
}

template <class S>
auto load(const std::byte* at) {
  if constexpr (std::is_same_v<S, bool>) {
    return static_cast<uint8_t>(*at != std::byte{0});  // a byte of 2 is not a bool in C++
  } else {
    S value;
    std::memcpy(&value, at, sizeof value);
    if constexpr (std::is_same_v<S, Half>) return to_float(value);
    else return value;
  }
}

// Calls copy(to, stride, from, count) until every element was covered: `count` elements that follow
// each other in the file from element `from` go to elements to, to + stride, ... of C order. In
// parallel.
template <class Copy>
void visit_in_c_order(const NpyArray& array, const Copy& copy) {
  const int64_t count = array.count();
  if (count == 0) return;
  const auto& shape = array.shape;
  const bool plain = !array.fortran_order || shape.empty() ||
                     *std::max_element(shape.begin(), shape.end()) == count;
  if (plain) {
    constexpr int64_t kGrain = 1 << 16;
    parallel_for(count, kGrain,
                 [&](int64_t begin, int64_t end) { copy(begin, int64_t{1}, begin, end - begin); });
    return;
  }
  // Fortran order: the first index runs fastest. A tile of first indices is read in one run and
  // written as a column.
  constexpr int64_t kTile = 64;
  const int64_t first = shape[0], rest = count / first;
  parallel_for((first + kTile - 1) / kTile, 1, [&](int64_t begin, int64_t end) {
    std::vector<int64_t> index(shape.size());
    for (int64_t tile = begin; tile < end; ++tile) {
      const int64_t row = tile * kTile, rows = std::min(kTile, first - row);
      std::fill(index.begin(), index.end(), 0);
      for (int64_t column = 0; column < rest; ++column) {
        int64_t base = 0;
        for (size_t d = shape.size(); d-- > 1;) base = base * shape[d] + index[d];
        copy(row * rest + column, rest, base * first + row, rows);
        for (size_t d = shape.size(); d-- > 1 && ++index[d] == shape[d];) index[d] = 0;
      }
    }
  });
}

std::string place_in(const NpyArray& array, int64_t index) {  // C-order index as one per dimension
  std::vector<int64_t> place(array.shape.size());
  for (size_t d = place.size(); d-- > 0;)
    place[d] = index % array.shape[d], index /= array.shape[d];
  return place.size() == 1 ? fmt::format("{}", place[0]) : shape_text(place);
}

template <class T>
DType dtype_of() {
  if constexpr (std::is_same_v<T, uint8_t>) return DType::uint8;
  else if constexpr (std::is_same_v<T, int32_t>) return DType::int32;
  else if constexpr (std::is_same_v<T, int64_t>) return DType::int64;
  else if constexpr (std::is_same_v<T, float>) return DType::float32;
  else return DType::float64;
}

template <class T, class S>
void convert_all(const NpyArray& array, T* out) {
  visit_in_c_order(array, [&](int64_t to, int64_t stride, int64_t from, int64_t count) {
    const std::byte* const in = array.data.data() + from * array.item_bytes;
    bool good = true;
    for (int64_t i = 0; i < count; ++i)
      good &= convert(load<S>(in + i * sizeof(S)), out[to + i * stride]);
    if (good) return;
    int64_t bad = 0;
    T ignored;
    while (convert(load<S>(in + bad * sizeof(S)), ignored)) ++bad;
    fail_data(array.where,
              fmt::format("element {} is {}, which is no {}", place_in(array, to + bad * stride),
                          load<S>(in + bad * sizeof(S)), dtype_name(dtype_of<T>())),
              std::is_integral_v<T> ? "whole numbers in range are needed here"
                                    : "the value is too large for a float");
  });
}

void append_utf8(std::string& out, uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 63));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 63));
    out += static_cast<char>(0x80 | (c & 63));
  } else {
    out += static_cast<char>(0xF0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 63));
    out += static_cast<char>(0x80 | (c >> 6 & 63));
    out += static_cast<char>(0x80 | (c & 63));
  }
}

// A fixed-width element without its trailing zeros; nothing when it is not valid text.
std::optional<std::string> decode(const std::byte* at, int64_t width, DType type) {
  std::string text;
  if (type == DType::bytes) {
    text.assign(reinterpret_cast<const char*>(at), static_cast<size_t>(width));
    text.erase(text.find_last_not_of('\0') + 1);
    return is_utf8(text) ? std::optional(std::move(text)) : std::nullopt;
  }
  int64_t letters = width / 4;
  while (letters > 0 && load<uint32_t>(at + (letters - 1) * 4) == 0) --letters;
  for (int64_t i = 0; i < letters; ++i) {
    const auto c = load<uint32_t>(at + i * 4);
    if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) return std::nullopt;
    append_utf8(text, c);
  }
  return text;
}

}  // namespace

template <class T>
Array<T> NpyArray::as() const {
  if (type == DType::bytes || type == DType::unicode)
    fail_data(where, fmt::format("holds text ({}), not numbers", dtype_name(type)),
              "save it as integers or floats");
  return with_number_type(type, [&]<class S>(S) -> Array<T> {
    const bool plain = !fortran_order || shape.size() < 2;
    const bool aligned = reinterpret_cast<uintptr_t>(data.data()) % alignof(T) == 0;
    if (std::is_same_v<S, T> && plain && aligned)
      return {owner,
              std::span(reinterpret_cast<const T*>(data.data()), static_cast<size_t>(count()))};
    const std::shared_ptr<T[]> out = uninitialized<T>(count());
    convert_all<T, S>(*this, out.get());
    return {out, std::span<const T>(out.get(), static_cast<size_t>(count()))};
  });
}

template Array<uint8_t> NpyArray::as() const;
template Array<int32_t> NpyArray::as() const;
template Array<int64_t> NpyArray::as() const;
template Array<float> NpyArray::as() const;
template Array<double> NpyArray::as() const;

std::vector<std::string> NpyArray::strings() const {
  if (type != DType::bytes && type != DType::unicode)
    fail_data(where, fmt::format("holds {}, not text", dtype_name(type)),
              "save it as an array of fixed-width strings");
  std::vector<std::string> out(static_cast<size_t>(count()));
  visit_in_c_order(*this, [&](int64_t to, int64_t stride, int64_t from, int64_t count) {
    for (int64_t i = 0; i < count; ++i, to += stride) {
      auto text = decode(data.data() + (from + i) * item_bytes, item_bytes, type);
      if (!text)
        fail_data(where, fmt::format("element {} is not valid text", place_in(*this, to)),
                  "save the strings as Unicode (dtype 'U')");
      out[static_cast<size_t>(to)] = std::move(*text);
    }
  });
  return out;
}

}  // namespace gs
