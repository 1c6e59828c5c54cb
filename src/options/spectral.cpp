#include "options/spectral.h"

#include <cmath>

#include "base/text.h"

namespace gs {

namespace {

constexpr const char* kFilterHint =
    "filters are own, mean and pagerank:ALPHA, with an optional *WEIGHT and @SHARE: "
    "own*0.5,pagerank:0.15@2";

// The number after `mark`, which is cut from `text`; `otherwise` without the mark.
double cut_number(std::string_view& text, char mark, double otherwise, double most) {
  const size_t at = text.find(mark);
  if (at == std::string_view::npos) return otherwise;
  const std::string_view tail = text.substr(at + 1);
  const auto value = parse_number(tail);
  if (!value || !(*value > 0) || *value > most)
    fail_usage("--filters", fmt::format("'{}' is not a number in (0, {}]", printable(tail), most),
               kFilterHint);
  text = text.substr(0, at);
  return *value;
}

GraphFilter parse_filter(std::string_view text, int64_t hops) {
  const std::string whole(text);
  GraphFilter out;
  out.share = cut_number(text, '@', 1, 1000);
  out.weight = cut_number(text, '*', 1, 1000);
  const double alpha = cut_number(text, ':', 0, 1);
  const auto terms = static_cast<size_t>(hops + 1);
  if (text == "own" && alpha == 0) {
    out.coefficients = {1};
  } else if (text == "mean" && alpha == 0) {
    out.coefficients.assign(terms, 1 / static_cast<double>(terms));
  } else if (text == "pagerank" && alpha > 0) {
    for (size_t k = 0; k < terms; ++k)
      out.coefficients.push_back(alpha * std::pow(1 - alpha, static_cast<double>(k)));
  } else {
    fail_usage("--filters", fmt::format("'{}' is not a filter", printable(whole)), kFilterHint);
  }
  return out;
}

}  // namespace

void SpectralOptions::describe(OptionList& v) {
  v.group("Spectral");
  v("filters", filters,
    "comma-separated graph filters, one part of the embedding each: own (hop 0), pagerank:ALPHA or "
    "mean (of all hops), followed by *WEIGHT if that is not 1 and by @SHARE if the part gets more "
    "or fewer columns than others");
  v("hops", hops, "hops of the filters").at_least(0).at_most(1000);
  v("row-transform", transform, "treatment of the filtered features");
  v("center", center, "subtract the mean of every column");
  v("scale-columns", scale_columns, "scale columns to equal length");
  v("noise", noise,
    "dropout rate p that directions are weighed for, by rho = s^2 / (s^2 + p / (1 - p)); 1 is the "
    "limit, rho in proportion to s^2")
      .at_least(0.001)
      .at_most(1);
  v("power", power, "exponent a of the weights rho^(a + 1/2); 0 keeps the spectrum")
      .at_least(-0.5)
      .at_most(10);
  v("denoise", denoise,
    "shrink singular values to what exceeds noise; for rows of unit length and up to 768 features");
  v("magnitudes", magnitudes,
    "weight of the columns that hold a row's sum and degree, which unit rows lose; -1 chooses from "
    "the data, 0 leaves them out")
      .at_least(-1)
      .at_most(100);
}

std::vector<std::string_view> SpectralOptions::filter_names() const {
  std::vector<std::string_view> out;
  std::string_view rest = filters;
  while (true) {
    const size_t comma = rest.find(',');
    out.push_back(trimmed(rest.substr(0, comma)));
    if (comma == std::string_view::npos) return out;
    rest = rest.substr(comma + 1);
  }
}

std::vector<GraphFilter> SpectralOptions::parsed_filters() const {
  std::vector<GraphFilter> out;
  for (const std::string_view name : filter_names()) out.push_back(parse_filter(name, hops));
  return out;
}

}  // namespace gs
