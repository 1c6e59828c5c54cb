// Small charts as SVG text, readable on light and dark pages, with the numbers in their titles for
// those who cannot see them.
#pragma once

#include <string>
#include <vector>

namespace gs {

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;  // x, y
};

struct Chart {
  std::string title, x_label, y_label;
  std::vector<Series> series;
  bool log_x = false;
};

// Lines with a dot a point. Values that are not finite are left out.
std::string line_chart(const Chart& chart);

struct BarChart {
  std::string title, y_label;
  std::vector<std::string> groups;                                // along the axis
  std::vector<std::pair<std::string, std::vector<double>>> bars;  // name, a value a group
};
std::string bar_chart(const BarChart& chart);

// Several charts beneath each other in one file.
std::string figure(const std::vector<std::string>& charts);

}  // namespace gs
