#include "base/npy.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace gs {

static_assert(std::endian::native == std::endian::little,
              ".npy elements are used as they are stored");

namespace {

struct TypeRow {
  DType type;
  std::string_view code, name;
};
constexpr TypeRow kTypes[] = {
    {DType::boolean, "b1", "bool"},    {DType::int8, "i1", "int8"},
    {DType::int16, "i2", "int16"},     {DType::int32, "i4", "int32"},
    {DType::int64, "i8", "int64"},     {DType::uint8, "u1", "uint8"},
    {DType::uint16, "u2", "uint16"},   {DType::uint32, "u4", "uint32"},
    {DType::uint64, "u8", "uint64"},   {DType::float16, "f2", "float16"},
    {DType::float32, "f4", "float32"}, {DType::float64, "f8", "float64"},
    {DType::bytes, "S", "bytes"},      {DType::unicode, "U", "unicode"},
};

template <class T>
std::string_view type_code() {
  if constexpr (std::is_same_v<T, uint8_t>) return "|u1";
  else if constexpr (std::is_same_v<T, int32_t>) return "<i4";
  else if constexpr (std::is_same_v<T, int64_t>) return "<i8";
  else if constexpr (std::is_same_v<T, float>) return "<f4";
  else return "<f8";
}

template <class T>
T load_length(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Reads the header's Python dictionary: strings, True, False and tuples of integers, nothing else.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& where) : rest_(text), where_(where) {}

  void parse(NpyArray& array) {
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (!take('}')) {
      const std::string_view key = string();
      expect(':');
      bool& seen = key == "descr" ? has_descr : key == "fortran_order" ? has_order : has_shape;
      if (key != "descr" && key != "fortran_order" && key != "shape")
        fail(fmt::format("unknown key '{}'", printable(key)));
      if (std::exchange(seen, true)) fail(fmt::format("key '{}' twice", key));
      if (&seen == &has_descr) set_type(array, descr());
      else if (&seen == &has_order) array.fortran_order = boolean();
      else array.shape = tuple();
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (!rest_.empty()) fail("text after the dictionary");
    if (!has_descr || !has_order || !has_shape)
      fail("one of 'descr', 'fortran_order', 'shape' is missing");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    fail_data(where_, "bad .npy header: " + what, "write the array again with numpy.save");
  }
  void skip_blanks() {
    const size_t end = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(std::min(end, rest_.size()));
  }
  bool take(char c) {
    skip_blanks();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(fmt::format("'{}' expected before '{}'", c, printable(rest_, 20)));
  }
  std::string_view string() {
    skip_blanks();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"'))
      fail(fmt::format("a string expected before '{}'", printable(rest_, 20)));
    const size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) fail("a string is not closed");
    const std::string_view text = rest_.substr(1, end - 1);
    if (text.find('\\') != std::string_view::npos) fail("an escape in a string");
    rest_.remove_prefix(end + 1);
    return text;
  }
  std::string_view descr() {
    skip_blanks();
    if (rest_.starts_with('['))
      fail_data(where_, "holds records (a structured array)",
                "save each field as an array of its own");
    return string();
  }
  bool boolean() {
    skip_blanks();
    for (const auto& [word, value] : {std::pair{std::string_view("True"), true}, {"False", false}})
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return value;
      }
    fail("True or False expected");
  }
  std::vector<int64_t> tuple() {
    constexpr size_t kMostDimensions = 64;  // NumPy's own limit
    std::vector<int64_t> values;
    expect('(');
    while (!take(')')) {
      skip_blanks();
      int64_t value = 0;
      const auto [stop, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
      if (error != std::errc() || value < 0)
        fail(fmt::format("a length expected before '{}'", printable(rest_, 20)));
      rest_.remove_prefix(static_cast<size_t>(stop - rest_.data()));
      if (rest_.starts_with('L')) rest_.remove_prefix(1);  // Python 2 wrote long integers so
      values.push_back(value);
      if (values.size() > kMostDimensions) fail("too many dimensions");
      if (!take(',')) {
        expect(')');
        if (values.size() == 1) fail("a shape of one number without a comma");
        break;
      }
    }
    return values;
  }
  void set_type(NpyArray& array, std::string_view descr) const {
    const std::string shown = printable(descr, 20);
    const std::string_view code = descr.empty() ? descr : descr.substr(1);
    if (code.starts_with('O'))
      fail_data(where_, "holds Python objects (pickle), which are never read",
                "save it as a plain array of numbers or fixed-width strings (allow_pickle=False)");
    for (const TypeRow& row : kTypes) {
      const bool text = row.type == DType::bytes || row.type == DType::unicode;
      if (text ? !code.starts_with(row.code) : code != row.code) continue;
      array.type = row.type;
      if (text) {
        const auto width = parse_integer(code.substr(1));
        constexpr int64_t kWidest = std::numeric_limits<int32_t>::max();
        if (!width || *width < 0 || *width > kWidest) fail(fmt::format("type '{}'", shown));
        array.item_bytes = *width * (row.type == DType::unicode ? 4 : 1);
      } else {
        array.item_bytes = code[1] - '0';
      }
      const bool ordered = !text ? array.item_bytes > 1 : row.type == DType::unicode;
      if (descr[0] == '>' && ordered)
        fail_data(where_, fmt::format("is big-endian ('{}')", shown),
                  "convert it first: a.astype(a.dtype.newbyteorder('<'))");
      if (std::string_view("<>|=").find(descr[0]) == std::string_view::npos)
        fail(fmt::format("type '{}'", shown));
      return;
    }
    fail_data(where_, fmt::format("elements of type '{}' are not supported", shown),
              "save it as integers, floats, bool or fixed-width strings");
  }

  std::string_view rest_;
  const std::string& where_;
};

// Number of elements, or nothing when it or its bytes do not fit 63 bits.
std::optional<int64_t> checked_count(std::span<const int64_t> shape, int64_t item_bytes) {
  int64_t count = 1, bytes = 0;
  for (const int64_t length : shape)
    if (__builtin_mul_overflow(count, length, &count)) return std::nullopt;
  if (__builtin_mul_overflow(count, item_bytes, &bytes)) return std::nullopt;
  return count;
}

}  // namespace

std::string_view dtype_name(DType type) {
  for (const TypeRow& row : kTypes)
    if (row.type == type) return row.name;
  GS_ASSERT(!"type is missing from its table");
}

std::string shape_text(std::span<const int64_t> shape) {  // as Python prints it
  std::string out = "(";
  for (size_t d = 0; d < shape.size(); ++d) out += fmt::format("{}{}", d ? ", " : "", shape[d]);
  return out + (shape.size() == 1 ? ",)" : ")");
}

int64_t NpyArray::count() const {
  int64_t product = 1;
  for (const int64_t length : shape) product *= length;
  return product;
}

int64_t NpyArray::rows() const {
  if (shape.empty())
    fail_data(where, "is a single number, not an array",
              "save an array with at least one dimension");
  return shape[0];
}

void NpyArray::require_dims(int64_t dimensions) const {
  if (static_cast<int64_t>(shape.size()) != dimensions)
    fail_data(where,
              fmt::format("has shape {}; {} dimension{} needed", shape_text(shape), dimensions,
                          dimensions == 1 ? " is" : "s are"),
              "reshape the array before saving it");
}

NpyArray parse_npy(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                   std::string where) {
  constexpr std::string_view kMagic = "\x93NUMPY";
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const char* const kCutShort = "the file was cut short; copy or download it again";
  if (text.size() < kMagic.size() ? !kMagic.starts_with(text) || text.empty()
                                  : !text.starts_with(kMagic))
    fail_data(where, text.empty() ? "is empty" : "is not an .npy array",
              "write it with numpy.save");
  if (text.size() < 8)
    fail_data(where, fmt::format("truncated: {} bytes are less than an .npy header", text.size()),
              kCutShort);
  const int version = static_cast<unsigned char>(text[6]);
  if (version < 1 || version > 3)
    fail_data(where, fmt::format(".npy format version {} is not known", version),
              "versions 1 to 3 are read");
  const size_t prefix = version == 1 ? 10 : 12;
  if (text.size() < prefix) fail_data(where, "truncated within the .npy header", kCutShort);
  const size_t header_bytes = version == 1 ? load_length<uint16_t>(text.data() + 8)
                                           : load_length<uint32_t>(text.data() + 8);
  if (header_bytes > text.size() - prefix)
    fail_data(where,
              fmt::format("truncated: the header takes {} bytes, {} are there", header_bytes,
                          text.size() - prefix),
              kCutShort);

  NpyArray array;
  array.owner = std::move(owner);
  array.where = std::move(where);
  HeaderParser(text.substr(prefix, header_bytes), array.where).parse(array);
  array.data = bytes.subspan(prefix + header_bytes);

  const auto count = checked_count(array.shape, array.item_bytes);
  if (!count)
    fail_data(array.where, fmt::format("shape {} is too large", shape_text(array.shape)),
              "the header is damaged; write the array again");
  if (array.item_bytes == 0 && *count > 0)  // a header alone could promise any number of these
    fail_data(array.where, "holds strings of width 0", "save them with a width of at least 1");
  const auto expected = static_cast<size_t>(*count * array.item_bytes);
  if (array.data.size() < expected)
    fail_data(
        array.where,
        fmt::format("truncated: {} of shape {} takes {} bytes, {} are there",
                    dtype_name(array.type), shape_text(array.shape), expected, array.data.size()),
        kCutShort);
  if (array.data.size() > expected)
    fail_data(array.where, fmt::format("{} bytes follow the array", array.data.size() - expected),
              "keep one array per .npy file");
  return array;
}

NpyArray load_npy(const fs::path& path) {
  const MappedFile file(path);
  return parse_npy(file.bytes(), file.owner(), file.path());
}

template <class T>
std::string npy_header(std::span<const int64_t> shape) {
  constexpr size_t kAlignment = 64;
  std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                       type_code<T>(), shape_text(shape));
  constexpr size_t kPrefix = 10;
  const size_t total = (kPrefix + dictionary.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  dictionary.append(total - kPrefix - dictionary.size() - 1, ' ');
  dictionary += '\n';
  GS_ASSERT(dictionary.size() <= UINT16_MAX);
  std::string header = "\x93NUMPY\x01";
  header += '\0';
  header += static_cast<char>(dictionary.size() & 0xFF);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

template <class T>
void save_npy(const fs::path& path, std::span<const T> values, std::span<const int64_t> shape) {
  GS_ASSERT(checked_count(shape, sizeof(T)) == static_cast<int64_t>(values.size()));
  AtomicFile file(path);
  file.write(npy_header<T>(shape));
  file.write_values(values);
  file.commit();
}

template std::string npy_header<uint8_t>(std::span<const int64_t>);
template std::string npy_header<int32_t>(std::span<const int64_t>);
template std::string npy_header<int64_t>(std::span<const int64_t>);
template std::string npy_header<float>(std::span<const int64_t>);
template std::string npy_header<double>(std::span<const int64_t>);
template void save_npy(const fs::path&, std::span<const uint8_t>, std::span<const int64_t>);
template void save_npy(const fs::path&, std::span<const int32_t>, std::span<const int64_t>);
template void save_npy(const fs::path&, std::span<const int64_t>, std::span<const int64_t>);
template void save_npy(const fs::path&, std::span<const float>, std::span<const int64_t>);
template void save_npy(const fs::path&, std::span<const double>, std::span<const int64_t>);

}  // namespace gs
