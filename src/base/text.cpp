#include "base/text.h"

#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/error.h"

namespace gs {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kGzipMagic = "\x1F\x8B";

struct Inflater {
  z_stream stream{};
  Inflater() {
    constexpr int kGzipWindow = 15 + 16;  // the largest window, gzip wrapping only
    GS_ASSERT(inflateInit2(&stream, kGzipWindow) == Z_OK);
  }
  ~Inflater() { inflateEnd(&stream); }
};

// All members of a gzip file, one after another.
std::string inflate_gzip(std::string_view packed, const std::string& where, int64_t limit) {
  constexpr size_t kStep = size_t{1} << 18, kTrailerBytes = 8;
  const char* const kDamaged = "download or copy it again; `gzip -t` checks it";
  if (!packed.starts_with(kGzipMagic)) fail_data(where, "is not a gzip file", kDamaged);

  std::string out;
  if (packed.size() > kTrailerBytes) {
    // The last four bytes are the size of the last member modulo 2^32: only a guess, so it is
    // bounded by what deflate can give.
    uint32_t guess = 0;
    std::memcpy(&guess, packed.data() + packed.size() - sizeof guess, sizeof guess);
    constexpr size_t kMostExpansion = 1032;
    if (guess / kMostExpansion <= packed.size() && static_cast<int64_t>(guess) <= limit)
      out.reserve(guess + kStep);
  }
  Inflater inflater;
  z_stream& stream = inflater.stream;
  const char* input = packed.data();
  size_t left = packed.size();
  for (;;) {
    if (stream.avail_in == 0) {
      const size_t chunk = std::min(left, size_t{1} << 30);  // avail_in is 32 bits
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input));
      stream.avail_in = static_cast<uInt>(chunk);
      input += chunk, left -= chunk;
    }
    const size_t before = out.size();
    out.resize(before + kStep);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = static_cast<uInt>(kStep);
    const int status = inflate(&stream, Z_NO_FLUSH);
    out.resize(before + kStep - stream.avail_out);
    if (static_cast<int64_t>(out.size()) > limit)
      fail_data(where, fmt::format("unpacks to more than {} bytes", limit),
                "it may be a decompression bomb; unpack it yourself with `gzip -d` if it is not");
    if (status == Z_STREAM_END) {
      if (stream.avail_in == 0 && left == 0) return out;
      if (inflateReset(&stream) != Z_OK) fail_data(where, "damaged gzip data", kDamaged);
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      fail_data(where, fmt::format("damaged gzip data after {} bytes of output", out.size()),
                kDamaged);
    } else if (stream.avail_in == 0 && left == 0 && stream.avail_out != 0) {
      fail_data(where, fmt::format("truncated gzip data after {} bytes of output", out.size()),
                kDamaged);
    }
  }
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Whether there is a \r at `at` that belongs to the end of its line.
bool ends_line(const char* at, const char* end) {
  if (*at != '\r') return false;
  while (at < end && *at == '\r') ++at;
  return at == end || *at == '\n';
}

std::string_view without_plus(std::string_view text) {
  text = trimmed(text);
  const bool signed_twice = text.size() > 1 && text[1] == '-';
  if (text.starts_with('+') && !signed_twice) text.remove_prefix(1);
  return text;
}

}  // namespace

TextFile::TextFile(const fs::path& path, int64_t limit) : file_(path), path_(path.string()) {
  text_ = file_.text();
  if (path.extension() == ".gz" || text_.starts_with(kGzipMagic)) {
    inflated_ = std::make_shared<const std::string>(
        inflate_gzip(text_, path_, std::min(limit, memory_limit())));
    text_ = *inflated_;
    file_ = MappedFile();
  }
  if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  if (text_.find('\n') == std::string_view::npos && text_.find('\r') != std::string_view::npos) {
    std::string lines(text_);
    std::replace(lines.begin(), lines.end(), '\r', '\n');
    inflated_ = std::make_shared<const std::string>(std::move(lines));
    text_ = *inflated_;
    file_ = MappedFile();
  }
}

TableReader::TableReader(std::string_view text, std::string where, char separator, bool comments)
    : rest_(text), where_(std::move(where)), separator_(separator), comments_(comments) {}

bool TableReader::next() {
  fields_.clear();
  unquoted_.clear();
  while (skip_idle_row()) {
  }
  if (rest_.empty()) return false;
  line_ = next_line_;

  const char* at = rest_.data();
  const char* const end = at + rest_.size();
  const bool runs = separator_ == ' ';
  for (;;) {
    if (runs)
      while (at < end && (*at == ' ' || *at == '\t' || ends_line(at, end))) ++at;
    if (runs && !fields_.empty() && (at == end || *at == '\n')) break;
    if (at < end && *at == '"') {
      at = take_quoted(at, end);
    } else {
      const char* const begin = at;
      if (runs)
        while (at < end && (*at == '\r' ? !ends_line(at, end) : !is_blank(*at))) ++at;
      else
        while (at < end && *at != separator_ && *at != '\n') ++at;
      const char* stop = at;
      if ((at == end || *at == '\n') && stop > begin && stop[-1] == '\r') --stop;
      if (std::find(begin, stop, '\r') != stop &&
          trimmed({begin, stop}).find('\r') != std::string_view::npos)
        fail_data(place(), "has a carriage return within a row",
                  "end every line in the same way, with \\n or \\r\\n");
      fields_.emplace_back(begin, static_cast<size_t>(stop - begin));
    }
    if (at == end || *at == '\n') break;
    ++at;  // the separator
  }
  if (at < end) ++at, ++next_line_;
  rest_.remove_prefix(static_cast<size_t>(at - rest_.data()));
  return true;
}

// Drops a blank or comment row from the front; false when the next row is a real one or there is
// none.
bool TableReader::skip_idle_row() {
  size_t i = 0;
  while (i < rest_.size() &&
         (rest_[i] == ' ' || rest_[i] == '\r' || (rest_[i] == '\t' && separator_ != '\t')))
    ++i;
  if (comments_ && i < rest_.size() && rest_[i] == '#')
    i = std::min(rest_.find('\n', i), rest_.size());
  if (i < rest_.size() && rest_[i] != '\n') return false;
  if (i == rest_.size()) {
    rest_ = {};
    return false;
  }
  rest_.remove_prefix(i + 1);
  ++next_line_;
  return true;
}

// Adds the quoted field that begins at `at`; returns the separator, newline or end after it.
const char* TableReader::take_quoted(const char* at, const char* end) {
  const char* const opening = ++at;
  const char* begin = opening;
  std::string* doubled = nullptr;
  for (;; ++at) {
    at = std::find(at, end, '"');
    if (at == end)
      fail_data(place(), "a quote is never closed",
                "quote marks inside a quoted field are doubled: \"\"");
    if (at + 1 == end || at[1] != '"') break;
    if (!doubled) doubled = &unquoted_.emplace_back();
    doubled->append(begin, ++at);  // with the first of the two
    begin = at + 1;
  }
  if (doubled) fields_.emplace_back(doubled->append(begin, at));
  else fields_.emplace_back(begin, static_cast<size_t>(at - begin));
  next_line_ += std::count(opening, at, '\n');
  ++at;
  if (at < end && *at == '\r' && (at + 1 == end || at[1] == '\n')) ++at;
  const bool ended =
      at == end || *at == '\n' || *at == separator_ || (separator_ == ' ' && is_blank(*at));
  if (!ended)
    fail_data(place(), "text follows a closing quote",
              "quote the whole field, or double the quote marks in it");
  return at;
}

std::string TableReader::place() const { return fmt::format("{}:{}", where_, line_); }

void TableReader::require_fields(size_t count) const {
  if (fields_.size() != count)
    fail_data(
        place(),
        fmt::format("expected {} field{}, found {}", count, count == 1 ? "" : "s", fields_.size()),
        "every row must have the same columns; check the separator and missing values");
}

std::string_view TableReader::field(size_t index) const {
  if (index >= fields_.size())
    fail_data(place(),
              fmt::format("column {} is missing: the row has {}", index + 1, fields_.size()),
              "every row must have the same columns; check the separator and missing values");
  return fields_[index];
}

int64_t TableReader::integer(size_t index) const {
  const std::string_view text = field(index);
  if (const auto value = parse_integer(text)) return *value;
  fail_data(place(), fmt::format("column {} is '{}', not an integer", index + 1, printable(text)),
            "write a whole number that fits 64 bits");
}

double TableReader::number(size_t index) const {
  const std::string_view text = field(index);
  if (const auto value = parse_number(text)) return *value;
  fail_data(place(), fmt::format("column {} is '{}', not a number", index + 1, printable(text)),
            "write numbers like 1, -0.5 or 2e-3, with a point");
}

char detect_separator(std::string_view text) {
  std::string_view row;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    row = trimmed(text.substr(0, end));
    if (!row.empty() && row.front() != '#') break;
    row = {};
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::string bare;  // what is not inside quotes
  bool quoted = false;
  for (const char c : row) {
    if (c == '"') quoted = !quoted;
    else if (!quoted) bare += c;
  }
  for (const char separator : {'\t', ',', ';', ' '})
    if (bare.find(separator) != std::string::npos) return separator;
  return ',';
}

std::optional<int64_t> parse_integer(std::string_view text) {
  text = without_plus(text);
  int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_number(std::string_view text) {
  text = without_plus(text);
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (stop != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // Too small is a plain zero; too large is not a number we can hold. from_chars does not report
    // which.
    value = std::strtod(std::string(text).c_str(), nullptr);
    if (std::isinf(value)) return std::nullopt;
  } else if (error != std::errc()) {
    return std::nullopt;
  }
  return value;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_utf8(std::string_view text) {
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  const auto* const end = at + text.size();
  while (at < end) {
    for (uint64_t word; end - at >= 8; at += 8) {  // plain ASCII, eight at a time
      std::memcpy(&word, at, 8);
      if (word & 0x8080808080808080) break;
    }
    if (at == end) break;
    const unsigned char lead = *at++;
    if (lead < 0x80) continue;
    const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    if (lead < 0xC2 || lead > 0xF4 || end - at < more) return false;
    // Overlong forms, surrogates and anything past U+10FFFF show in the second byte.
    const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (at[0] < low || at[0] > high) return false;
    for (int i = 1; i < more; ++i)
      if ((at[i] & 0xC0) != 0x80) return false;
    at += more;
  }
  return true;
}

}  // namespace gs
