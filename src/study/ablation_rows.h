// The rows of an ablation by dataset and variant, and how two variants compare over the datasets
// that have both.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gs {

class AblationRows {
 public:
  explicit AblationRows(const nlohmann::json& rows);

  const std::vector<std::string>& datasets() const { return datasets_; }
  const std::vector<std::string>& variants() const { return variants_; }

  const nlohmann::json* find(const std::string& dataset, const std::string& variant) const;
  // NaN where there is none.
  double value(const std::string& dataset, const std::string& variant, const char* key) const;

  // Over datasets; NaN where none has both. Times of other numbers of threads are not compared.
  double difference(const std::string& a, const std::string& b) const;              // of means
  double ratio(const std::string& a, const std::string& b, const char* key) const;  // geometric

  // On how many datasets `holds(x, y)` of two variants' figures, and how many have both.
  struct Share {
    int64_t held = 0, all = 0;
    bool most() const { return 2 * held > all; }
  };
  template <class Holds>
  Share share(const std::string& a, const std::string& b, const char* key,
              const Holds& holds) const {
    Share out;
    for (const std::string& dataset : datasets_) {
      const auto [x, y] = pair(dataset, a, b, key);
      if (std::isfinite(x - y)) out.held += holds(x, y), ++out.all;
    }
    return out;
  }

  // A bar a variant for each dataset, as SVG.
  std::string bars(const std::string& title, const std::string& unit, const char* key) const;

 private:
  struct Pair {
    double a, b;
  };
  Pair pair(const std::string& dataset, const std::string& a, const std::string& b,
            const char* key) const;

  const nlohmann::json& rows_;
  std::vector<std::string> datasets_, variants_;
};

}  // namespace gs
