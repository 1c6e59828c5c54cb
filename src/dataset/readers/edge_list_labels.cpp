#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_map>

#include "base/error.h"
#include "dataset/readers/edge_list_parts.h"
#include "dataset/readers/npz_parts.h"

namespace gs {
namespace {

bool is_unknown(std::string_view text) {
  return text.empty() || text == "-1" || text == "-1.0" || lower(text) == "nan";
}

// Classes as they are written, numbered in order of appearance until number_classes().
class ClassTexts {
 public:
  int32_t code(std::string_view text, const std::string& place) {
    const auto [found, added] =
        codes_.try_emplace(std::string(text), static_cast<int32_t>(texts_.size()));
    if (!added) return found->second;
    if (!is_utf8(text))
      fail_data(place, "the label is not UTF-8 text", "convert the file to UTF-8");
    texts_.emplace_back(text);
    places_.push_back(place);
    return found->second;
  }

  // Gives `part` its final class ids and names.
  void number_classes(LabelPart& part) const {
    std::vector<int32_t> order(texts_.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<int32_t> renumbered(texts_.size());
    const auto numbers = as_integers();
    if (numbers.empty()) {
      std::sort(order.begin(), order.end(),
                [&](int32_t a, int32_t b) { return texts_[a] < texts_[b]; });
      for (size_t i = 0; i < order.size(); ++i) renumbered[order[i]] = static_cast<int32_t>(i);
      for (const int32_t i : order) part.names.push_back(texts_[i]);
      part.class_count = static_cast<int64_t>(order.size());
    } else {
      std::map<int64_t, int32_t> ids;  // "3" and "3.0" are one class
      for (const int64_t number : numbers) ids[number] = 0;
      for (int32_t next = 0; auto& [number, id] : ids) id = next++;
      for (size_t i = 0; i < numbers.size(); ++i) renumbered[i] = ids[numbers[i]];
      part.class_count = static_cast<int64_t>(ids.size());
      const bool plain = ids.begin()->first == 0 && ids.rbegin()->first == part.class_count - 1;
      if (!plain) {
        for (const auto& [number, id] : ids) part.names.push_back(std::to_string(number));
      }
    }
    for (int32_t& c : part.classes) c = renumbered[c];
  }

 private:
  // Empty unless every class is a whole number, as "3" or (pandas with gaps) "3.0".
  std::vector<int64_t> as_integers() const {
    std::vector<int64_t> numbers;
    for (size_t i = 0; i < texts_.size(); ++i) {
      const auto value = parse_number(texts_[i]);
      if (!value || *value != std::floor(*value) || std::abs(*value) > 1e15) return {};
      if (*value < 0) {
        fail_data(places_[i], fmt::format("label {} is negative", texts_[i]),
                  "class ids count from 0; -1 means unknown");
      }
      numbers.push_back(static_cast<int64_t>(*value));
    }
    return numbers;
  }

  std::unordered_map<std::string, int32_t> codes_;
  std::vector<std::string> texts_, places_;
};

void end_row(LabelPart& part, bool known) {
  part.known.push_back(known);
  part.offsets.push_back(static_cast<int64_t>(part.classes.size()));
  ++part.rows.rows;
}

// "a" or "a;b;c".
void add_text(LabelPart& part, ClassTexts& texts, std::string_view text, const std::string& place) {
  text = trimmed(text);
  if (is_unknown(text)) return end_row(part, false);
  for (;;) {
    const size_t cut = text.find(';');
    const std::string_view one = trimmed(text.substr(0, cut));
    if (!one.empty()) part.classes.push_back(texts.code(one, place));
    if (cut == std::string_view::npos) break;
    part.several = true;
    text.remove_prefix(cut + 1);
  }
  end_row(part, true);
}

void read_columns(const TextFile& file, NodeIds& ids, LabelPart& part) {
  const TableForm& form = part.rows.form;
  part.several = true;
  part.class_count = static_cast<int64_t>(form.columns) - 1;
  if (form.header) part.names.assign(form.header_names.begin() + 1, form.header_names.end());
  for (TableReader table = data_rows(file, form); table.next();) {
    table.require_fields(form.columns);
    part.rows.keys.push_back(ids.key(table, 0));
    int64_t unknown = 0;
    for (size_t c = 1; c < form.columns; ++c) {
      const std::string_view field = trimmed(table.fields()[c]);
      if (is_unknown(field)) {
        ++unknown;
        continue;
      }
      const auto value = parse_number(field);
      if (!value || (*value != 0 && *value != 1)) {
        fail_data(
            table.place(), fmt::format("'{}' is neither 0 nor 1", printable(field)),
            "several label columns are multi-label, one 0 or 1 per class; a single label goes in "
            "one column");
      }
      if (*value == 1) part.classes.push_back(static_cast<int32_t>(c - 1));
    }
    if (unknown != 0 && unknown != part.class_count) {
      fail_data(table.place(), "some labels of the row are unknown and some are not",
                "leave the whole row empty, or fill it");
    }
    end_row(part, unknown == 0);
  }
}

LabelPart read_npy(const fs::path& path) {
  LabelPart part;
  const NpyArray array = load_npy(path);
  part.rows.path = path;
  part.rows.by_row = true;
  if (array.type != DType::bytes && array.type != DType::unicode) {
    part.rows.rows = array.rows();
    part.ready = npy_labels(array, array.rows());
    return part;
  }
  array.require_dims(1);
  ClassTexts texts;
  for (const auto& text : array.strings()) {
    add_text(part, texts, text, fmt::format("{}, row {}", path.string(), part.rows.rows));
  }
  texts.number_classes(part);
  return part;
}

}  // namespace

LabelPart read_label_part(const fs::path& path, NodeIds& ids) {
  if (lower(path.extension().string()) == ".npy") return read_npy(path);
  const TextFile file(path);
  LabelPart part;
  part.rows.path = path;
  part.rows.form = detect_form(file, 1);
  const TableForm& form = part.rows.form;
  if (form.columns > 2) {
    read_columns(file, ids, part);
    return part;
  }
  part.rows.by_row = form.columns == 1;
  ClassTexts texts;
  int64_t line = 0;
  for (TableReader table = data_rows(file, form); table.next();) {
    table.require_fields(form.columns);
    if (part.rows.by_row) require_next_line(table, line);
    else part.rows.keys.push_back(ids.key(table, 0));
    add_text(part, texts, table.fields()[form.columns - 1], table.place());
  }
  texts.number_classes(part);
  return part;
}

Labels place_labels(const LabelPart& part, const NodeIds& ids) {
  if (part.ready.task != Task::none) return part.ready;
  if (part.class_count == 0) return {};  // all unknown
  const auto nodes = part.rows.nodes(ids);
  if (!part.several) {
    std::vector<int32_t> labels(ids.count(), -1);
    for (int64_t r = 0; r < part.rows.rows; ++r) {
      if (part.known[r]) labels[nodes[r]] = part.classes[part.offsets[r]];
    }
    return class_labels(std::move(labels), part.rows.path.string());
  }
  if (part.class_count > memory_limit() / std::max<int64_t>(1, ids.count())) {
    fail_data(part.rows.path.string(),
              fmt::format("{} classes for {} nodes do not fit into memory", part.class_count,
                          ids.count()),
              "is the second column really a list of labels?");
  }
  const int64_t width = part.class_count;
  std::vector<uint8_t> multi(ids.count() * width, Labels::kUnknown);
  for (int64_t r = 0; r < part.rows.rows; ++r) {
    if (!part.known[r]) continue;
    const auto row = multi.begin() + int64_t{nodes[r]} * width;
    std::fill(row, row + width, uint8_t{0});
    for (int64_t k = part.offsets[r]; k < part.offsets[r + 1]; ++k) row[part.classes[k]] = 1;
  }
  return {.task = Task::multilabel, .classes = width, .single = {}, .multi = std::move(multi)};
}

}  // namespace gs
