// The layout of a user's text table, guessed from its first hundred rows: separator, columns, and
// whether there is a header. The first row is a header when its leading fields are names that
// people give to such columns (source, target, id, node, label...), or when it has a word in a
// column whose other rows are all numbers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace gs {

struct TableForm {
  char separator = ',';
  size_t columns = 0;  // in the first row
  bool header = false;
  std::vector<std::string> header_names;         // empty without a header
  std::vector<std::vector<std::string>> sample;  // rows below the header, at most a hundred

  bool integers(size_t column) const;  // whether every sampled row has an integer there
  // The header's name of a column in lower case, "" without one.
  std::string name(size_t column) const;
};

// `leading`: how many first fields must be usual column names for the first row to be a header by
// name.
TableForm detect_form(const TextFile& file, size_t leading);

// A reader positioned before the first row of data.
TableReader data_rows(const TextFile& file, const TableForm& form);

// For tables whose row i is node i: a line that was skipped would shift all that follow. Data Error
// unless the row is in the line after `last_line` (0 at first), which becomes its own.
void require_next_line(const TableReader& table, int64_t& last_line);

// "edges.csv.gz" -> ".csv", in lower case.
std::string table_extension(const fs::path& path);

std::string lower(std::string_view text);

// Names of an id column: id, node, node_id, source...
bool is_id_name(std::string_view name);

}  // namespace gs
