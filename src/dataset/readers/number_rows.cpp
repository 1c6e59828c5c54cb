#include "dataset/readers/number_rows.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "base/parallel.h"

namespace gs {
namespace {

constexpr int64_t kPieceBytes = int64_t{4} << 20;
constexpr const char* kRagged =
    "every row must have the same columns; check the separator and missing values";

struct Piece {  // whole lines
  std::string_view text;
  int64_t line = 0, lines = 0;  // number of its first line, and how many it has
  int64_t row = 0, rows = 0;    // the same in rows that hold data
};

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Calls body(begin, end) for each line, without the newline and a \r before it.
template <class Body>
void each_line(std::string_view text, const Body& body) {
  const char *at = text.data(), *const stop = at + text.size();
  while (at < stop) {
    const auto* newline = static_cast<const char*>(std::memchr(at, '\n', stop - at));
    const char* end = newline ? newline : stop;
    while (end > at && end[-1] == '\r') --end;
    body(at, end);
    at = newline ? newline + 1 : stop;
  }
}

bool has_data(const char* at, const char* end) {
  while (at < end && is_blank(*at)) ++at;
  return at < end && *at != '#';
}

std::vector<Piece> cut(const NumberRows& rows) {
  std::vector<Piece> pieces;
  for (std::string_view rest = rows.text; !rest.empty();) {
    size_t size = std::min<size_t>(rest.size(), kPieceBytes);
    const size_t newline = rest.find('\n', size - 1);
    size = newline == std::string_view::npos ? rest.size() : newline + 1;
    pieces.push_back({.text = rest.substr(0, size)});
    rest.remove_prefix(size);
  }
  parallel_for(static_cast<int64_t>(pieces.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      each_line(pieces[p].text, [&](const char* from, const char* to) {
        ++pieces[p].lines;
        pieces[p].rows += has_data(from, to);
      });
    }
  });
  int64_t line = rows.first_line, row = 0;
  for (Piece& piece : pieces) {
    piece.line = line, piece.row = row;
    line += piece.lines, row += piece.rows;
  }
  return pieces;
}

int64_t count_rows(const std::vector<Piece>& pieces) {
  return pieces.empty() ? 0 : pieces.back().row + pieces.back().rows;
}

// Calls body(row, line, begin, end) for every row of data, pieces in parallel, until `stop` is set.
template <class Body>
void each_row(const std::vector<Piece>& pieces, Progress& progress, const std::atomic<bool>& stop,
              const Body& body) {
  parallel_for(static_cast<int64_t>(pieces.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end && !stop; ++p) {
      int64_t row = pieces[p].row, line = pieces[p].line;
      each_line(pieces[p].text, [&](const char* from, const char* to) {
        if (has_data(from, to)) body(row++, line, from, to);
        ++line;
      });
      progress.advance(static_cast<int64_t>(pieces[p].text.size()));
    }
  });
}

// Walks over the fields of one line.
class Fields {
 public:
  Fields(const NumberRows& rows, int64_t line, const char* at, const char* end)
      : rows_(rows), line_(line), at_(at), end_(end) {
    skip_blanks();
  }

  bool done() const { return at_ == end_ && !trailing_; }

  // False when the digits make a number that Id cannot hold.
  template <class Id>
  bool take_id(Id& out) {
    const char* const begin = at_;
    const auto result = std::from_chars(at_, end_, out);
    if (result.ec == std::errc::result_out_of_range) return false;
    if (result.ec != std::errc()) fail_field(begin, "an integer id", "ids are whole numbers here");
    at_ = result.ptr;
    if (!at_end_of_field()) fail_field(begin, "an integer id", "ids are whole numbers here");
    step();
    return true;
  }

  float take_number() {
    const char* const begin = at_;
    float value = 0;
    if (at_ < end_ && *at_ == '+') ++at_;
    const auto result = std::from_chars(at_, end_, value);
    if (result.ec == std::errc()) {
      at_ = result.ptr;
    } else {  // what a float cannot hold may still be a tiny or huge double
      const auto number = parse_number(field(begin));
      if (!number)
        fail_field(begin, "a number", "write numbers like 1, -0.5 or 2e-3, with a point");
      value = static_cast<float>(*number);
      at_ = begin + field(begin).size();
    }
    if (!at_end_of_field()) {
      fail_field(begin, "a number", "write numbers like 1, -0.5 or 2e-3, with a point");
    }
    step();
    return value;
  }

  std::string place() const { return fmt::format("{}:{}", rows_.where, line_); }

 private:
  void skip_blanks() {
    while (at_ < end_ && is_blank(*at_) && (*at_ != rows_.separator || rows_.separator == ' '))
      ++at_;
  }

  bool at_end_of_field() {
    if (at_ == end_) return true;
    const bool blank = is_blank(*at_);
    return *at_ == rows_.separator ||
           (blank && (skip_blanks(), true) &&
            (at_ == end_ || rows_.separator == ' ' || *at_ == rows_.separator));
  }

  void step() {
    trailing_ = false;
    if (rows_.separator != ' ') {
      if (at_ == end_) return;
      ++at_;  // the separator
      trailing_ = at_ == end_;
    }
    skip_blanks();
  }

  std::string_view field(const char* begin) const {
    const char* stop = begin;
    while (stop < end_ && *stop != rows_.separator && !is_blank(*stop)) ++stop;
    return {begin, static_cast<size_t>(stop - begin)};
  }

  [[noreturn]] void fail_field(const char* begin, const char* wanted, const char* hint) const {
    if (begin == end_ && !trailing_) fail_data(place(), "the row is too short", kRagged);
    fail_data(place(), fmt::format("'{}' is not {}", printable(field(begin)), wanted), hint);
  }

  const NumberRows& rows_;
  int64_t line_;
  const char *at_, *end_;
  bool trailing_ = false;  // the line ends in a separator
};

[[noreturn]] void fail_long(const Fields& fields, int64_t columns) {
  fail_data(fields.place(), fmt::format("the row has more than {} fields", columns), kRagged);
}

int64_t count_fields(const NumberRows& rows, const char* at, const char* end) {
  const std::string_view line = trimmed({at, static_cast<size_t>(end - at)});
  if (rows.separator != ' ') return 1 + std::count(line.begin(), line.end(), rows.separator);
  int64_t fields = 0;
  for (size_t i = 0; i < line.size(); ++i)
    fields += !is_blank(line[i]) && (i == 0 || is_blank(line[i - 1]));
  return fields;
}

}  // namespace

template <class Id>
std::optional<EdgeRows<Id>> parse_edge_rows(const NumberRows& rows, bool weighted) {
  const auto pieces = cut(rows);
  const int64_t count = count_rows(pieces);
  EdgeRows<Id> edges;
  edges.source.resize(count);
  edges.target.resize(count);
  if (weighted) edges.weight.resize(count);
  std::atomic<bool> too_wide = false;
  each_row(pieces, *rows.progress, too_wide,
           [&](int64_t row, int64_t line, const char* from, const char* to) {
             Fields fields(rows, line, from, to);
             if (!fields.take_id(edges.source[row]) || !fields.take_id(edges.target[row])) {
               if (sizeof(Id) == sizeof(int64_t)) {
                 fail_data(fields.place(), "an id does not fit 64 bits",
                           "use shorter ids, or names");
               }
               too_wide = true;
               return;
             }
             if (weighted) edges.weight[row] = fields.take_number();
             if (!fields.done()) fail_long(fields, weighted ? 3 : 2);
           });
  if (too_wide) return std::nullopt;
  return edges;
}

template std::optional<EdgeRows<int32_t>> parse_edge_rows(const NumberRows&, bool);
template std::optional<EdgeRows<int64_t>> parse_edge_rows(const NumberRows&, bool);

EdgeList read_headed_pairs(const TextFile& file, char separator, const char* hint) {
  const size_t header = file.text().find('\n');
  if (file.text().empty()) fail_data(file.path(), "the file is empty", hint);
  if (header == std::string_view::npos)
    fail_data(file.path(), "there is a header but no edge", hint);
  auto rows = parse_edge_rows<int32_t>({.text = file.text().substr(header + 1),
                                        .where = file.path(),
                                        .separator = separator,
                                        .first_line = 2},
                                       false);
  if (!rows) fail_data(file.path(), "a node id is beyond 2^31", hint);
  EdgeList edges;
  edges.source = std::move(rows->source);
  edges.target = std::move(rows->target);
  return edges;
}

DenseMatrix parse_float_rows(const NumberRows& rows) {
  const auto pieces = cut(rows);
  const int64_t count = count_rows(pieces);
  int64_t columns = 0;
  for (const Piece& piece : pieces) {
    if (piece.rows == 0) continue;
    each_line(piece.text, [&](const char* from, const char* to) {
      if (columns == 0 && has_data(from, to)) columns = count_fields(rows, from, to);
    });
    break;
  }
  // A field is a byte and a separator at least: when the text is too short for that many, find the
  // row that lacks some.
  const int64_t most = static_cast<int64_t>(rows.text.size() + 1) / 2;
  if (columns > 0 && count > most / columns) {
    TableReader table(rows.text, rows.where, rows.separator);
    while (table.next()) table.require_fields(columns);
  }
  std::vector<float> values(count * columns);
  const std::atomic<bool> never = false;
  each_row(pieces, *rows.progress, never,
           [&](int64_t row, int64_t line, const char* from, const char* to) {
             Fields fields(rows, line, from, to);
             for (int64_t c = 0; c < columns; ++c) values[row * columns + c] = fields.take_number();
             if (!fields.done()) fail_long(fields, columns);
           });
  return {count, columns, std::move(values)};
}

std::string row_place(const std::filesystem::path& path, char separator, int64_t row) {
  const TextFile file(path);
  TableReader table(file.text(), file.path(), separator);
  for (int64_t i = 0; i <= row; ++i) {
    if (!table.next()) return file.path();
  }
  return table.place();
}

}  // namespace gs
