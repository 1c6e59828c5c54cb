#include "study/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gs {

namespace {

constexpr double kWidth = 640, kHeight = 360, kLeft = 64, kRight = 150, kTop = 40, kBottom = 56;
constexpr const char* kColours[] = {"#4477aa", "#ee6677", "#228833", "#ccbb44",
                                    "#66ccee", "#aa3377", "#999999"};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else out += c;
  }
  return out;
}

const char* colour(size_t i) { return kColours[i % std::size(kColours)]; }

// A range of values on a range of pixels, with round numbers to mark.
class Axis {
 public:
  Axis(double low, double high, double from, double to, bool logarithmic = false)
      : low_(low), high_(high), from_(from), to_(to), log_(logarithmic && low > 0) {
    if (!(high_ > low_)) low_ -= 0.5, high_ += 0.5;
    if (!log_) {
      const double margin = 0.05 * (high_ - low_);
      low_ -= margin, high_ += margin;
    }
  }

  double at(double value) const {
    const double share =
        log_ ? std::log(value / low_) / std::log(high_ / low_) : (value - low_) / (high_ - low_);
    return from_ + share * (to_ - from_);
  }

  std::vector<double> marks() const {
    std::vector<double> out;
    const double raw = (high_ - low_) / 5, unit = std::pow(10, std::floor(std::log10(raw)));
    const double step = raw / unit > 5   ? 10 * unit
                        : raw / unit > 2 ? 5 * unit
                        : raw / unit > 1 ? 2 * unit
                                         : unit;
    for (double v = std::ceil(low_ / step) * step; v <= high_; v += step) out.push_back(v);
    return out;
  }

 private:
  double low_, high_, from_, to_;
  bool log_;
};

std::string text(double x, double y, const std::string& content, const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, more,
                     escaped(content));
}

std::string frame(const std::string& title, const std::string& x_label, const std::string& y_label,
                  const Axis& y) {
  std::string out = text(kLeft, 22, title, "font-weight=\"bold\"");
  for (const double mark : y.marks()) {
    out += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"currentColor\" "
        "opacity=\"0.15\"/>\n",
        kLeft, kWidth - kRight, y.at(mark));
    out += text(kLeft - 6, y.at(mark) + 4, fmt::format("{:g}", mark), "text-anchor=\"end\"");
  }
  out += text((kLeft + kWidth - kRight) / 2, kHeight - 10, x_label, "text-anchor=\"middle\"");
  out += fmt::format(
      "<text transform=\"translate(16 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
      (kTop + kHeight - kBottom) / 2, escaped(y_label));
  return out;
}

std::string legend(size_t i, const std::string& name) {
  const double y = kTop + 18.0 * static_cast<double>(i);
  return fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"10\" height=\"10\" fill=\"{}\"/>\n",
                     kWidth - kRight + 14, y, colour(i)) +
         text(kWidth - kRight + 30, y + 9, name);
}

std::string wrap(const std::string& body, const std::string& description) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" role=\"img\" font-family=\"sans-serif\" font-size=\"12\" "
      "fill=\"currentColor\" color=\"#888\">\n"
      "<title>{2}</title>\n{3}</svg>\n",
      kWidth, kHeight, escaped(description), body);
}

struct Range {
  double low = INFINITY, high = -INFINITY;
  void add(double v) {
    if (std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
  }
  bool empty() const { return !(low <= high); }
};

}  // namespace

std::string line_chart(const Chart& chart) {
  Range xs, ys;
  std::string description = chart.title + ":";
  for (const Series& series : chart.series) {
    description += fmt::format(" {}", series.name);
    for (const auto& [x, y] : series.points) {
      xs.add(x), ys.add(y);
      description += fmt::format(" {:g}: {:.4g},", x, y);
    }
  }
  if (xs.empty() || ys.empty())
    return wrap(text(kLeft, 22, chart.title + ": nothing to draw"), chart.title);
  const Axis x(xs.low, xs.high, kLeft + 8, kWidth - kRight - 8, chart.log_x);
  const Axis y(ys.low, ys.high, kHeight - kBottom, kTop);
  std::string body = frame(chart.title, chart.x_label, chart.y_label, y);
  std::vector<double> ticks;
  for (const Series& series : chart.series)
    for (const auto& point : series.points) ticks.push_back(point.first);
  std::sort(ticks.begin(), ticks.end());
  ticks.erase(std::unique(ticks.begin(), ticks.end()), ticks.end());
  const size_t step = std::max<size_t>(1, (ticks.size() + 7) / 8);
  for (size_t i = 0; i < ticks.size(); i += step)
    body += text(x.at(ticks[i]), kHeight - kBottom + 18, fmt::format("{:g}", ticks[i]),
                 "text-anchor=\"middle\"");
  for (size_t i = 0; i < chart.series.size(); ++i) {
    std::string path;
    for (const auto& [px, py] : chart.series[i].points) {
      if (!std::isfinite(py)) continue;
      path += fmt::format("{:.1f},{:.1f} ", x.at(px), y.at(py));
      body += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x.at(px),
                          y.at(py), colour(i));
    }
    body +=
        fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n",
                    path, colour(i));
    body += legend(i, chart.series[i].name);
  }
  return wrap(body, description);
}

std::string bar_chart(const BarChart& chart) {
  Range ys;
  ys.add(0);
  std::string description = chart.title + ":";
  for (const auto& [name, values] : chart.bars)
    for (size_t g = 0; g < values.size(); ++g) {
      ys.add(values[g]);
      description += fmt::format(" {} {}: {:.4g},", chart.groups[g], name, values[g]);
    }
  const Axis y(0, ys.high, kHeight - kBottom, kTop);
  std::string body = frame(chart.title, "", chart.y_label, y);
  const double room =
      (kWidth - kRight - kLeft) / static_cast<double>(std::max<size_t>(1, chart.groups.size()));
  const double bar = 0.8 * room / static_cast<double>(std::max<size_t>(1, chart.bars.size()));
  for (size_t g = 0; g < chart.groups.size(); ++g) {
    const double left = kLeft + room * static_cast<double>(g) + 0.1 * room;
    body +=
        text(left + 0.4 * room, kHeight - kBottom + 18, chart.groups[g], "text-anchor=\"middle\"");
    for (size_t b = 0; b < chart.bars.size(); ++b) {
      const double value = chart.bars[b].second[g];
      if (!std::isfinite(value)) continue;
      body += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
          left + bar * static_cast<double>(b), y.at(value), 0.9 * bar, y.at(0) - y.at(value),
          colour(b));
    }
  }
  for (size_t b = 0; b < chart.bars.size(); ++b) body += legend(b, chart.bars[b].first);
  return wrap(body, description);
}

std::string figure(const std::vector<std::string>& charts) {
  std::string out =
      fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\">\n", kWidth,
                  kHeight * static_cast<double>(std::max<size_t>(1, charts.size())));
  for (size_t i = 0; i < charts.size(); ++i)
    out += fmt::format("<g transform=\"translate(0 {})\">\n{}</g>\n",
                       kHeight * static_cast<double>(i), charts[i]);
  return out + "</svg>\n";
}

}  // namespace gs
