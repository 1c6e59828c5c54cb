#include "options/convolutions.h"

namespace gs {

namespace {

const std::vector<ConvolutionInfo>& convolutions() {
  static const std::vector<ConvolutionInfo> all = [] {
    std::vector<ConvolutionInfo> rows;
    for_each_convolution([&](const ConvolutionInfo& row) { rows.push_back(row); });
    return rows;
  }();
  return all;
}

}  // namespace

const ConvolutionInfo& convolution_info(std::string_view name) {
  std::vector<std::string> known;
  for (const ConvolutionInfo& row : convolutions()) {
    if (row.name == name) return row;
    known.emplace_back(row.name);
  }
  fail_unknown("encoder", name, known);
}

std::vector<Choice> convolution_choices() {
  std::vector<Choice> out;
  for (const ConvolutionInfo& row : convolutions())
    out.push_back({std::string(row.name), std::string(row.about)});
  return out;
}

}  // namespace gs
