// Large tables of plain numbers, parsed on all cores straight from the text: edges and feature
// rows. Two walks: one counts rows, so that the result is allocated once at its size; one parses.
// No quotes (TableReader knows those). Blank rows and rows that start with '#' are skipped, as
// TableReader does. Errors have "file:line".
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "base/text.h"
#include "dataset/dataset.h"

namespace gs {

struct NumberRows {  // what to parse
  std::string_view text;
  std::string where;
  char separator = ',';    // ' ' stands for any run of blanks and tabs
  int64_t first_line = 1;  // the line number of text's first line
  Progress* progress = &no_progress();
};

template <class Id>
struct EdgeRows {
  std::vector<Id> source, target;
  std::vector<float> weight;  // empty when there are two columns

  int64_t size() const { return static_cast<int64_t>(source.size()); }
};

// Rows "source target" or, with `weighted`, "source target weight". Empty when an id does not fit
// Id.
template <class Id>
std::optional<EdgeRows<Id>> parse_edge_rows(const NumberRows& rows, bool weighted);

// A file of one header line and rows "source target" whose ids fit 32 bits; `hint` is that of its
// errors.
EdgeList read_headed_pairs(const TextFile& file, char separator, const char* hint);

// Every field of every row; all rows must be as wide as the first.
DenseMatrix parse_float_rows(const NumberRows& rows);

// "file:line" of a row of data (from 0, header rows counted too), found by reading the file again:
// for messages.
std::string row_place(const std::filesystem::path& path, char separator, int64_t row);

}  // namespace gs
