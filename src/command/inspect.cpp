#include "command/inspect.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/npy.h"
#include "command/session.h"
#include "eval/inspect.h"
#include "nn/device.h"
#include "run/embed.h"
#include "run/nearest.h"

namespace gs {

namespace {

using nlohmann::json;

// Rows in the text.
constexpr size_t kShownFeatures = 8, kShownNodes = 10, kShownDirections = 5;

std::string name_in(const std::vector<std::string>& names, int64_t i) {
  return names.empty() ? std::to_string(i) : names[static_cast<size_t>(i)];
}

SpectrumRow row_of(const Spectrum& spectrum) { return {spectrum.values, spectrum.effective_rank}; }

// The first `top` features in the order `before`.
template <class Order>
std::vector<GainRow> top_gains(std::vector<FeatureGain> gains, int64_t top,
                               const std::vector<std::string>& names, const Order& before) {
  const auto end = gains.begin() + std::min<int64_t>(top, std::ssize(gains));
  std::partial_sort(gains.begin(), end, gains.end(), before);
  std::vector<GainRow> out;
  for (auto it = gains.begin(); it != end; ++it)
    out.push_back({name_in(names, it->feature), it->feature, it->first, it->second});
  return out;
}

HeadRow head_row(const Insight& insight, int head, int64_t top,
                 const std::vector<std::string>& names) {
  const auto gain = head == 0 ? &FeatureGain::first : &FeatureGain::second;
  HeadRow out;
  for (const FeatureGain& g : insight.gains) out.gains.push_back(g.*gain);
  out.amplified = top_gains(insight.gains, top, names,
                            [&](const auto& a, const auto& b) { return a.*gain > b.*gain; });
  out.suppressed = top_gains(insight.gains, top, names,
                             [&](const auto& a, const auto& b) { return a.*gain < b.*gain; });
  out.features_each = insight.mixing[head].features_each;
  for (const Mixing::Pair& pair : insight.mixing[head].closest)
    out.closest.push_back({name_in(names, pair.feature), name_in(names, pair.with), pair.feature,
                           pair.with, pair.cosine});
  out.weights = row_of(insight.heads[head]);
  out.view = row_of(insight.views[head]);
  return out;
}

void summarize_agreement(std::vector<float> values, InspectResult& out) {
  const auto count = static_cast<double>(values.size());
  out.histogram.assign(40, 0);
  for (const float v : values) {
    out.mean_agreement += static_cast<double>(v) / count;
    ++out.histogram[static_cast<size_t>(std::clamp((v + 1) * 20.0f, 0.0f, 39.0f))];
  }
  std::sort(values.begin(), values.end());
  for (const int percent : {0, 5, 25, 50, 75, 95, 100}) {
    const double at = static_cast<double>(percent) / 100 * (count - 1);
    out.quantiles[percent] = values[static_cast<size_t>(std::llround(at))];
  }
}

std::vector<ClassRow> class_rows(const std::vector<ClassInsight>& classes, const Dataset& data) {
  std::vector<ClassRow> out;
  for (const ClassInsight& c : classes)
    out.push_back({name_in(data.class_names, c.id), c.nodes, c.agreement, c.effective_rank});
  return out;
}

InspectResult result_of(const SolvedInsight& insight, const Dataset& data,
                        const std::vector<std::string_view>& filters) {
  InspectResult out;
  for (size_t f = 0; f < insight.parts.size(); ++f) {
    const PartInsight& part = insight.parts[f];
    FilterRow row{std::string(filters[f]), part.columns, part.share, part.effective_rank, {}};
    for (const DirectionInsight& direction : part.leading) {
      DirectionRow named{direction.share, {}};
      for (const auto& [feature, weight] : direction.features)
        named.features.push_back({name_in(data.feature_names, feature), feature, weight});
      row.leading.push_back(std::move(named));
    }
    out.filters.push_back(std::move(row));
  }
  out.magnitudes = insight.magnitudes_share;
  out.embedding = row_of(insight.embedding);
  out.classes = class_rows(insight.classes, data);
  return out;
}

// Names features, classes and nodes as the data does. `top`: number of features to list at either
// end.
InspectResult result_of(const Insight& insight, const Dataset& data, int64_t top) {
  const auto difference = [](const FeatureGain& g) { return std::abs(g.first - g.second); };
  InspectResult out;
  out.of_features = insight.of_features, out.linear = insight.linear;
  for (const int head : {0, 1}) out.heads[head] = head_row(insight, head, top, data.feature_names);
  out.told_apart =
      top_gains(insight.gains, top, data.feature_names,
                [&](const auto& a, const auto& b) { return difference(a) > difference(b); });
  out.gain_correlation = insight.gain_correlation, out.weight_cosine = insight.weight_cosine;
  out.cka = insight.cka;
  out.angles = insight.angles, out.angles_of_outputs = insight.angles_of_outputs;
  out.embedding = row_of(insight.embedding);
  summarize_agreement(insight.agreement, out);
  for (const NodeAgreement& n : insight.disagree) {
    NodeRow node{id_of(data, n.node), n.node, n.cosine, data.graph.degree(n.node), {}};
    if (!data.labels.single.empty() && data.labels.single[n.node] >= 0)
      node.label = name_in(data.class_names, data.labels.single[n.node]);
    out.disagree.push_back(std::move(node));
  }
  out.classes = class_rows(insight.classes, data);
  return out;
}

json to_json(const SpectrumRow& spectrum) {
  return {{"values", spectrum.values}, {"effective_rank", spectrum.effective_rank}};
}

json to_json(const std::vector<GainRow>& gains) {
  json out = json::array();
  for (const GainRow& row : gains)
    out.push_back(
        {{"name", row.name}, {"column", row.column}, {"first", row.first}, {"second", row.second}});
  return out;
}

json mixing_json(const HeadRow& head) {
  json closest = json::array();
  for (const MixedRow& row : head.closest)
    closest.push_back({{"name", row.name},
                       {"column", row.column},
                       {"with", row.with},
                       {"with_column", row.with_column},
                       {"cosine", row.cosine}});
  return {{"features_each", head.features_each}, {"closest", std::move(closest)}};
}

json to_json(const FilterRow& filter) {
  json leading = json::array();
  for (const DirectionRow& direction : filter.leading) {
    json features = json::array();
    for (const auto& [name, column, weight] : direction.features)
      features.push_back({{"name", name}, {"column", column}, {"weight", weight}});
    leading.push_back({{"share", direction.share}, {"features", std::move(features)}});
  }
  return {{"filter", filter.name},
          {"columns", filter.columns},
          {"share", filter.share},
          {"effective_rank", filter.effective_rank},
          {"leading", std::move(leading)}};
}

json solved_json(const InspectResult& r) {
  json filters = json::array(), classes = json::array();
  for (const FilterRow& row : r.filters) filters.push_back(to_json(row));
  for (const ClassRow& row : r.classes)
    classes.push_back(
        {{"name", row.name}, {"nodes", row.nodes}, {"effective_rank", row.effective_rank}});
  return {{"filters", std::move(filters)},
          {"magnitudes_share", r.magnitudes},
          {"spectrum", {{"embedding", to_json(r.embedding)}}},
          {"classes", std::move(classes)}};
}

std::string solved_text(const InspectResult& r) {
  std::string text = "  filter                columns  share of the embedding  effective rank\n";
  for (const FilterRow& row : r.filters)
    text += fmt::format("  {:<22} {:6}                 {:5.1f} %          {:6.1f}\n", row.name,
                        row.columns, 100 * row.share, row.effective_rank);
  if (r.magnitudes > 0)
    text += fmt::format("  sums and degrees                              {:5.1f} %\n",
                        100 * r.magnitudes);
  for (const FilterRow& row : r.filters) {
    text += fmt::format("\nLeading directions of {}\n", row.name);
    for (size_t i = 0; i < row.leading.size() && i < kShownDirections; ++i) {
      std::string names;
      const auto& features = row.leading[i].features;
      for (size_t k = 0; k < features.size() && k < kShownFeatures; ++k)
        names += fmt::format("{}{}{}", k == 0 ? "" : ", ", features[k].weight < 0 ? "-" : "",
                             printable(features[k].name));
      text += fmt::format("  {:5.1f} %  {}\n", 100 * row.leading[i].share, names);
    }
  }
  text +=
      fmt::format("\nThe embedding has an effective rank of {:.1f}.\n", r.embedding.effective_rank);
  if (!r.classes.empty()) text += "\n  class                   nodes  effective rank\n";
  for (const ClassRow& row : r.classes)
    text += fmt::format("  {:<22} {:6}          {:6.1f}\n", printable(row.name), row.nodes,
                        row.effective_rank);
  return text;
}

std::string names_text(const std::vector<GainRow>& rows) {
  std::string out;
  for (size_t i = 0; i < rows.size() && i < kShownFeatures; ++i)
    out += fmt::format("{}{}", out.empty() ? "" : ", ", printable(rows[i].name));
  return out;
}

std::string mixing_text(const HeadRow& head) {
  std::string out = fmt::format("about {:.0f} features in a column", head.features_each);
  for (size_t i = 0; i < head.closest.size() && i < kShownFeatures / 2; ++i) {
    const MixedRow& row = head.closest[i];
    out += fmt::format("{} {} with {} ({:.2f})", i == 0 ? ";" : ",", printable(row.name),
                       printable(row.with), row.cosine);
  }
  return out;
}

std::string angles_text(const InspectResult& r) {
  if (r.angles.empty()) return "none: each head reads and writes the whole space";
  return fmt::format("median {:.1f} degrees, least {:.1f}, between what they {}",
                     r.angles[r.angles.size() / 2], r.angles.front(),
                     r.angles_of_outputs ? "write" : "read");
}

std::string heads_text(const InspectResult& r) {
  std::string text = fmt::format(
      "The heads read the {}{}.\n",
      r.of_features ? "features" : "encoding; features are followed through it on a single node",
      r.linear ? "" : " (only their first layers are shown)");
  for (const int head : {0, 1})
    text += fmt::format(
        "  {:<6} amplifies       {}\n"
        "         suppresses      {}\n"
        "         mixes           {}\n",
        head == 0 ? "first" : "second", names_text(r.heads[head].amplified),
        names_text(r.heads[head].suppressed), mixing_text(r.heads[head]));
  return text + fmt::format(
                    "  most different         {}\n"
                    "  gains correlate        {:.3f}\n"
                    "  weights' cosine        {:.3f}\n"
                    "  angle between them     {}\n\n",
                    names_text(r.told_apart), r.gain_correlation, r.weight_cosine, angles_text(r));
}

}  // namespace

InspectResult run(const InspectRequest& request, Progress& progress) {
  for (const std::string& file : {request.output, request.agreement})
    if (!file.empty()) check_output(file, request.overwrite);
  if (!std::filesystem::is_directory(request.run))
    fail_data(request.run, "is not a run folder", "inspect needs a run of graphsurgeon");
  const Session session(request.threads);
  const LoadedModel loaded = load_model(request.run, make_device(request.device));
  const auto* trained = dynamic_cast<const GraphSurgeon*>(loaded.model.get());
  const auto* solved = dynamic_cast<const Spectral*>(loaded.model.get());
  if (!trained && !solved)
    fail_usage("inspect",
               fmt::format("the run was trained with {}, which has no learned augmentations",
                           loaded.info.options.method.method),
               "pass a run of the method graphsurgeon or spectral");
  if (solved && !request.agreement.empty())
    fail_usage("--agreement", "a solved run has no two views that could agree",
               "pass a run of the method graphsurgeon");
  const Dataset data = load_dataset(
      request.data, load_like(loaded.info, request.data, request.load, request.given), progress);
  check_width(loaded.info, data, request.data);
  const Batch batch =
      whole_graph(data, loaded.info.options.model.encoder, loaded.model->parameters().device());
  const InferenceOptions options{request.memory_mib << 20};
  InspectResult out;
  if (solved) {
    out = result_of(inspect(*solved, batch, data.labels, request.top, options, progress), data,
                    loaded.info.options.spectral.filter_names());
  } else {
    const Insight insight = inspect(*trained, batch, data.labels, request.top, options, progress);
    if (!request.agreement.empty()) save_npy<float>(request.agreement, insight.agreement);
    out = result_of(insight, data, request.top);
  }
  progress.finish();
  if (!request.output.empty())
    write_file(request.output,
               to_json(out).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  return out;
}

json to_json(const InspectResult& r) {
  if (!r.filters.empty()) return solved_json(r);
  const auto& [first, second] = r.heads;
  json quantiles, disagree = json::array(), classes = json::array();
  for (const auto& [percent, value] : r.quantiles) quantiles[std::to_string(percent)] = value;
  for (const NodeRow& row : r.disagree) {
    json node{{"id", row.id}, {"node", row.node}, {"cosine", row.cosine}, {"degree", row.degree}};
    if (row.label) node.push_back({"class", *row.label});
    disagree.push_back(std::move(node));
  }
  for (const ClassRow& row : r.classes)
    classes.push_back({{"name", row.name},
                       {"nodes", row.nodes},
                       {"agreement", row.agreement},
                       {"effective_rank", row.effective_rank}});
  return {{"heads_read", r.of_features ? "features" : "encoding"},
          {"linear", r.linear},
          {"gain_correlation", r.gain_correlation},
          {"weight_cosine", r.weight_cosine},
          {"principal_angles", r.angles},
          {"angles_between", r.angles_of_outputs ? "outputs" : "inputs"},
          {"cka", r.cka},
          {"gains",
           {{"first", first.gains},
            {"second", second.gains},
            {"amplified_by_first", to_json(first.amplified)},
            {"amplified_by_second", to_json(second.amplified)},
            {"suppressed_by_first", to_json(first.suppressed)},
            {"suppressed_by_second", to_json(second.suppressed)},
            {"told_apart", to_json(r.told_apart)}}},
          {"mixing", {{"first", mixing_json(first)}, {"second", mixing_json(second)}}},
          {"spectrum",
           {{"first_head", to_json(first.weights)},
            {"second_head", to_json(second.weights)},
            {"first_view", to_json(first.view)},
            {"second_view", to_json(second.view)},
            {"embedding", to_json(r.embedding)}}},
          {"agreement",
           {{"mean", r.mean_agreement},
            {"quantiles", std::move(quantiles)},
            {"histogram", r.histogram}}},
          {"disagree", std::move(disagree)},
          {"classes", std::move(classes)}};
}

std::string to_text(const InspectResult& r) {
  if (!r.filters.empty()) return solved_text(r);
  std::string text = heads_text(r);
  text += fmt::format(
      "The views of a node agree with a cosine of {:.3f} on average ({:.3f} for the worst 5 %).\n"
      "  alignment (CKA)        {:.3f}\n"
      "  effective rank         heads {:.1f} and {:.1f}, views {:.1f} and {:.1f}, embedding "
      "{:.1f}\n",
      r.mean_agreement, r.quantiles.at(5), r.cka, r.heads[0].weights.effective_rank,
      r.heads[1].weights.effective_rank, r.heads[0].view.effective_rank,
      r.heads[1].view.effective_rank, r.embedding.effective_rank);
  if (!r.classes.empty()) {
    text += "\n  class                   nodes  agreement  effective rank\n";
    for (const ClassRow& row : r.classes)
      text += fmt::format("  {:<22} {:6}     {:6.3f}          {:6.1f}\n", printable(row.name),
                          row.nodes, row.agreement, row.effective_rank);
  }
  if (!r.disagree.empty()) text += "\n  where the views disagree most\n";
  for (size_t i = 0; i < r.disagree.size() && i < kShownNodes; ++i) {
    const NodeRow& row = r.disagree[i];
    text += fmt::format("  {:<22} cosine {:6.3f}, degree {}{}\n", printable(row.id), row.cosine,
                        row.degree, row.label ? ", class " + printable(*row.label) : "");
  }
  return text;
}

}  // namespace gs
