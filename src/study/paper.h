// The figures that the paper reports, to stand beside ours.
#pragma once

#include <optional>
#include <string_view>

namespace gs {

struct PaperFigure {
  double value = 0;  // percent; accuracy, on Yelp ROC-AUC
  bool out_of_memory = false;
};

// By our names of method and dataset; none where the paper has no such cell.
std::optional<PaperFigure> paper_figure(std::string_view method, std::string_view dataset);

}  // namespace gs
