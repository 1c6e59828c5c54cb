#include "dataset/readers/table_form.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>

#include "base/error.h"

namespace gs {
namespace {

constexpr size_t kSampleRows = 100;

bool one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_column_name(std::string_view name) {
  return is_id_name(name) ||
         one_of(name, {"label", "labels", "class", "target", "y", "split", "feature", "value"});
}

// A word in the first row above a column of numbers.
bool words_above_numbers(const std::vector<std::string>& first,
                         const std::vector<std::vector<std::string>>& others) {
  for (size_t c = 0; c < first.size() && !others.empty(); ++c) {
    if (trimmed(first[c]).empty() || parse_number(first[c])) continue;
    const auto is_number = [&](const auto& row) { return c < row.size() && parse_number(row[c]); };
    if (std::all_of(others.begin(), others.end(), is_number)) return true;
  }
  return false;
}

}  // namespace

std::string lower(std::string_view text) {
  std::string out(trimmed(text));
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool is_id_name(std::string_view name) {
  if (name.ends_with("_id")) return true;
  return one_of(name, {"id",    "ids",    "node",   "nodes",      "nodeid",  "node id", "vertex",
                       "name",  "source", "target", "src",        "dst",     "from",    "to",
                       "u",     "v",      "id_1",   "id_2",       "id1",     "id2",     "node1",
                       "node2", "node_1", "node_2", "fromnodeid", "tonodeid"});
}

std::string table_extension(const fs::path& path) {
  fs::path name = path.filename();
  if (lower(name.extension().string()) == ".gz") name = name.stem();
  return lower(name.extension().string());
}

bool TableForm::integers(size_t column) const {
  return std::all_of(sample.begin(), sample.end(), [&](const auto& row) {
    return column < row.size() && parse_integer(row[column]);
  });
}

std::string TableForm::name(size_t column) const {
  return column < header_names.size() ? lower(header_names[column]) : "";
}

TableForm detect_form(const TextFile& file, size_t leading) {
  TableForm form;
  form.separator = detect_separator(file.text());
  // In a csv or tsv a blank is part of a field.
  const std::string extension = table_extension(file.path());
  if (form.separator == ' ' && extension == ".csv") form.separator = ',';
  if (form.separator == ' ' && extension == ".tsv") form.separator = '\t';

  TableReader table(file.text(), file.path(), form.separator);
  while (form.sample.size() <= kSampleRows && table.next()) {
    form.sample.emplace_back(table.fields().begin(), table.fields().end());
  }
  if (form.sample.empty())
    fail_data(file.path(), "the file has no rows", "it is empty or holds only comments");
  std::vector<std::string> first = std::move(form.sample.front());
  form.sample.erase(form.sample.begin());
  form.columns = first.size();
  bool named = first.size() >= leading;
  for (size_t c = 0; c < leading && named; ++c) named = is_column_name(lower(first[c]));
  form.header = named || words_above_numbers(first, form.sample);
  if (form.header &&
      !std::all_of(first.begin(), first.end(), [](const auto& name) { return is_utf8(name); })) {
    fail_data(file.path(), "the header is not UTF-8 text", "convert the file to UTF-8");
  }
  if (form.header) form.header_names = std::move(first);
  else form.sample.insert(form.sample.begin(), std::move(first));
  return form;
}

TableReader data_rows(const TextFile& file, const TableForm& form) {
  TableReader table(file.text(), file.path(), form.separator);
  if (form.header) table.next();
  return table;
}

void require_next_line(const TableReader& table, int64_t& last_line) {
  if (last_line != 0 && table.line() != last_line + 1) {
    fail_data(
        table.place(),
        "blank or comment lines come before this one, in a file where each line is a node",
        "write -1 for an unknown label and none for a node outside a split, or add an id column");
  }
  last_line = table.line();
}

}  // namespace gs
