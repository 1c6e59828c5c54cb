#include "study/ablation_rows.h"

#include <algorithm>

#include "study/figure.h"

namespace gs {

using nlohmann::json;

AblationRows::AblationRows(const json& rows) : rows_(rows) {
  const auto note = [](std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const json& row : rows) note(datasets_, row["dataset"]), note(variants_, row["variant"]);
}

const json* AblationRows::find(const std::string& dataset, const std::string& variant) const {
  for (const json& row : rows_)
    if (row["dataset"] == dataset && row["variant"] == variant && !row.contains("problem"))
      return &row;
  return nullptr;
}

double AblationRows::value(const std::string& dataset, const std::string& variant,
                           const char* key) const {
  const json* row = find(dataset, variant);
  return row && row->contains(key) ? (*row)[key].get<double>() : std::nan("");
}

AblationRows::Pair AblationRows::pair(const std::string& dataset, const std::string& a,
                                      const std::string& b, const char* key) const {
  const double threads_a = value(dataset, a, "threads"), threads_b = value(dataset, b, "threads");
  if (std::string_view(key) == "ms_per_epoch" && std::isfinite(threads_a - threads_b) &&
      threads_a != threads_b)
    return {std::nan(""), std::nan("")};
  return {value(dataset, a, key), value(dataset, b, key)};
}

double AblationRows::difference(const std::string& a, const std::string& b) const {
  double sum = 0;
  const Share both = share(a, b, "mean", [&](double x, double y) { return sum += x - y, true; });
  return both.all > 0 ? sum / static_cast<double>(both.all) : std::nan("");
}

double AblationRows::ratio(const std::string& a, const std::string& b, const char* key) const {
  double sum = 0;
  const Share both =
      share(a, b, key, [&](double x, double y) { return sum += std::log(x / y), true; });
  return both.all > 0 ? std::exp(sum / static_cast<double>(both.all)) : std::nan("");
}

std::string AblationRows::bars(const std::string& title, const std::string& unit,
                               const char* key) const {
  BarChart chart{title, unit, datasets_, {}};
  for (const std::string& variant : variants_) {
    std::vector<double> values;
    for (const std::string& dataset : datasets_) values.push_back(value(dataset, variant, key));
    chart.bars.emplace_back(variant, values);
  }
  return bar_chart(chart);
}

}  // namespace gs
