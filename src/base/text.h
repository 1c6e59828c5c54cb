// Text tables: csv and tsv with quotes (RFC 4180), and lines of plain text, from a mapped or
// gzipped file. Fields are views into the file where they need no unquoting. Numbers are parsed
// strictly: the whole field must be the number.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace gs {

// The whole text of a file; `.gz` is inflated (data Error past `limit` bytes of output). Where
// lines end with \r alone, as on old Macs, each is read as \n.
class TextFile {
 public:
  explicit TextFile(const fs::path& path, int64_t limit = int64_t{64} << 30);
  std::string_view text() const { return text_; }
  const std::string& path() const { return path_; }

 private:
  MappedFile file_;
  std::shared_ptr<const std::string> inflated_;  // or with other line ends
  std::string_view text_;
  std::string path_;
};

// Reads rows of a separated table. Rows end at \n or \r\n; blank rows and rows that start with '#'
// (when `comments`) are skipped. A \r within a row that is not quoted is a data Error: it is the
// end of a line to those who wrote it. Keeps the row's line number for messages.
class TableReader {
 public:
  TableReader(std::string_view text, std::string where, char separator, bool comments = true);

  bool next();  // false at the end; data Error on an unclosed quote
  const std::vector<std::string_view>& fields() const { return fields_; }
  int64_t line() const { return line_; }    // 1-based line where this row began
  std::string place() const;                // "file:line"
  void require_fields(size_t count) const;  // data Error "expected 3 fields, found 2"
  int64_t integer(size_t index) const;      // data Error with place when it is not one
  double number(size_t index) const;        // finite or not; data Error when not a number

 private:
  bool skip_idle_row();
  const char* take_quoted(const char* at, const char* end);
  std::string_view field(size_t index) const;  // data Error when the row has no such column

  std::string_view rest_;
  std::string where_;
  char separator_;
  bool comments_;
  int64_t line_ = 0, next_line_ = 1;
  std::vector<std::string_view> fields_;
  // Fields of this row with doubled quotes; a deque, since views point into them.
  std::deque<std::string> unquoted_;
};

// The separator of a table's first row: tab, comma, semicolon or blank, whichever splits it.
char detect_separator(std::string_view text);

std::optional<int64_t> parse_integer(std::string_view text);
std::optional<double> parse_number(std::string_view text);
std::string_view trimmed(std::string_view text);
bool is_utf8(std::string_view text);

}  // namespace gs
