#include "dataset/generate/generate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/file.h"
#include "base/parallel.h"
#include "dataset/generate/models.h"

namespace gs {

namespace {

constexpr int64_t kMostNodes = INT32_MAX;
constexpr int64_t kMostEdges = int64_t{1} << 40;

// Undirected pairs to draw: half of the wanted entries, each pair being stored both ways.
int64_t wanted_pairs(const GenerateOptions& options) {
  const int64_t possible = options.nodes * (options.nodes - 1) / 2;
  const double entries = options.edges > 0 ? static_cast<double>(options.edges)
                                           : static_cast<double>(options.nodes) * options.degree;
  const std::string_view asked_by = options.edges > 0 ? "--edges" : "--degree";
  if (entries / 2 > static_cast<double>(possible))
    fail_usage(std::string(asked_by),
               fmt::format("{} nodes can have at most {} edges, not {:.0f}", options.nodes,
                           2 * possible, entries),
               "use more --nodes or fewer edges");
  return static_cast<int64_t>(entries / 2);
}

void check_ranges(GenerateOptions options) {
  const OptionList list = describe(options);
  for (const Option& option : list.options()) option.check();
}

void check(const GenerateOptions& options, int64_t pairs) {
  if (options.generator == Generator::sbm && options.classes > options.nodes)
    fail_usage("--classes",
               fmt::format("{} classes need at least as many nodes; there are {}", options.classes,
                           options.nodes),
               "use more --nodes or fewer --classes");
  if (options.labels_per_node > options.classes)
    fail_usage("--labels-per-node",
               fmt::format("{} labels per node, but only {} classes", options.labels_per_node,
                           options.classes),
               "use more --classes");
  if (options.feature_kind == FeatureKind::words && options.signal > 1)
    fail_usage("--signal", "is a share with --feature-kind words, so at most 1",
               "1 makes all of a node's words topical; more --words strengthen the signal");
  // Drawing holds every pair three times over at most, as eight bytes; labels and features stay.
  const double width = static_cast<double>(options.features);
  const double per_node =
      24 +
      (options.feature_kind == FeatureKind::dense ? 4 * width
                                                  : 8 * std::min(width, options.words)) +
      (options.labels_per_node > 0 ? static_cast<double>(options.classes) : 4);
  const double needed =
      24 * static_cast<double>(pairs) + per_node * static_cast<double>(options.nodes);
  if (needed > static_cast<double>(memory_limit()))
    fail_usage(
        "--nodes",
        fmt::format("this graph needs about {:.0f} GiB of memory to generate; there are {:.0f}",
                    needed / 0x1.0p30, static_cast<double>(memory_limit()) / 0x1.0p30),
        "use fewer --nodes, --edges or --features");
}

Labels make_labels(const GenerateOptions& options, const ClassMembers& groups,
                   const Random& random) {
  Labels labels;
  labels.classes = options.classes;
  if (options.classes == 0) return labels;
  if (options.labels_per_node == 0) {
    labels.task = options.classes == 2 ? Task::binary : Task::multiclass;
    labels.single = groups.node_class;
    return labels;
  }
  // One label is the node's own class, which its edges follow; each other joins by an independent
  // draw.
  labels.task = Task::multilabel;
  const double chance = options.classes == 1 ? 0
                                             : static_cast<double>(options.labels_per_node - 1) /
                                                   static_cast<double>(options.classes - 1);
  std::vector<uint8_t> multi(static_cast<size_t>(options.nodes * options.classes));
  constexpr int64_t kBlock = 4096;
  parallel_for((options.nodes + kBlock - 1) / kBlock, 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      Random stream = random.fork("labels", b);
      for (int64_t v = b * kBlock; v < std::min(options.nodes, (b + 1) * kBlock); ++v)
        for (int64_t c = 0; c < options.classes; ++c)
          multi[v * options.classes + c] = stream.uniform() < chance || c == groups.node_class[v];
    }
  });
  labels.multi = std::move(multi);
  return labels;
}

// The labels that the user sees: a share of the nodes loses theirs.
Labels hide_labels(const Labels& labels, const GenerateOptions& options, Random random) {
  const int64_t hidden = std::llround(options.unlabeled * static_cast<double>(options.nodes));
  if (hidden == 0 || labels.task == Task::none) return labels;
  std::vector<int32_t> order(static_cast<size_t>(options.nodes));
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(std::span(order));
  Labels out = labels;
  std::vector<int32_t> single(labels.single.begin(), labels.single.end());
  std::vector<uint8_t> multi(labels.multi.begin(), labels.multi.end());
  for (int64_t i = 0; i < hidden; ++i) {
    if (labels.task == Task::multilabel)
      std::fill_n(multi.begin() + order[i] * labels.classes, labels.classes, Labels::kUnknown);
    else single[order[i]] = -1;
  }
  out.single = std::move(single);
  out.multi = std::move(multi);
  return out;
}

// The spec that generates the same graph again.
std::string spec_of(GenerateOptions options) {
  GenerateOptions defaults;
  const OptionList list = describe(options), plain = describe(defaults);
  std::string out(name_of(names_of(Generator{}), options.generator));
  char separator = ':';
  for (size_t i = 1; i < list.options().size(); ++i) {
    const Option& option = list.options()[i];
    const bool always = option.name == "nodes" || option.name == "seed";
    if (!always && option.text() == plain.options()[i].text()) continue;
    out += fmt::format("{}{}={}", std::exchange(separator, ','), option.name, option.text());
  }
  return out;
}

}  // namespace

void GenerateOptions::describe(OptionList& v) {
  v("generator", generator, "random graph model");
  v("nodes", nodes, "number of nodes").at_least(1).at_most(kMostNodes);
  v("degree", degree, "mean number of stored neighbors per node (M / N)").at_least(0);
  v("edges", edges, "stored directed entries (M), an even number; 0: nodes x degree")
      .at_least(0)
      .at_most(kMostEdges);
  v("classes", classes, "number of classes, of near-equal sizes; 0: no labels")
      .at_least(0)
      .at_most(kMostNodes);
  v("homophily", homophily, "share of edges that stay in their class (sbm)").at_least(0).at_most(1);
  v("degree-exponent", degree_exponent,
    "exponent of the power law of the degrees; 0: equal expected degrees (sbm)")
      .at_least(0)
      .at_most(100);
  v("features", features, "feature columns; 0: none").at_least(0).at_most(kMostNodes);
  v("feature-kind", feature_kind, "distribution of the features");
  v("signal", signal,
    "distance between class means, for noise of standard deviation 1; with words: share of "
    "topical words")
      .at_least(0);
  v("words", words, "mean number of words per node (words)").at_least(0).at_most(1e6);
  v("labels-per-node", labels_per_node, "above 0: multi-label, with this mean number of labels")
      .at_least(0);
  v("unlabeled", unlabeled, "share of nodes without a label")
      .at_least(0)
      .at_most(1)
      .renamed("unlabelled");
  v("seed", seed, "random seed; the graph is the same on any number of threads");
}

ClassMembers assign_classes(int64_t nodes, int64_t classes, Random random) {
  ClassMembers groups;
  groups.node_class.resize(nodes);
  groups.members.resize(nodes);
  std::vector<int32_t> order(static_cast<size_t>(nodes));
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(std::span(order));  // so that ids carry no information about classes
  for (int64_t i = 0; i < nodes; ++i)
    groups.node_class[order[i]] = static_cast<int32_t>(i % classes);
  groups.begin.assign(static_cast<size_t>(classes) + 1, 0);
  for (const int32_t c : groups.node_class) ++groups.begin[c + 1];
  std::partial_sum(groups.begin.begin(), groups.begin.end(), groups.begin.begin());
  std::vector<int64_t> next(groups.begin.begin(), groups.begin.end() - 1);
  for (int64_t v = 0; v < nodes; ++v)
    groups.members[next[groups.node_class[v]]++] = static_cast<int32_t>(v);
  return groups;
}

Dataset generate(const GenerateOptions& options, Progress& progress) {
  check_ranges(options);
  const int64_t pairs = wanted_pairs(options);
  check(options, pairs);
  const Random random = Random(static_cast<uint64_t>(options.seed)).fork("generate");
  const ClassMembers groups =
      assign_classes(options.nodes, std::max<int64_t>(1, options.classes), random.fork("classes"));

  Dataset data;
  data.name = name_of(names_of(Generator{}), options.generator);
  data.format = "generated";
  data.treatment = "generated by " + spec_of(options);
  data.raw_edges = pairs;
  progress.start("drawing edges", pairs, "edges");
  EdgeList edges = options.generator == Generator::sbm
                       ? sbm_pairs(options, groups, pairs, random.fork("edges"), progress)
                       : rmat_pairs(options, pairs, random.fork("edges"), progress);
  progress.finish();
  data.graph = build_csr(std::move(edges), {.symmetrize = true, .self_loops = SelfLoops::drop},
                         &data.dropped);
  GS_ASSERT(data.graph.edges() == 2 * pairs);

  const Labels truth = make_labels(options, groups, random);
  data.features = make_generated_features(options, truth, random, progress);
  data.labels = hide_labels(truth, options, random.fork("unlabelled"));
  return data;
}

bool is_generator(const std::string& spec) {
  const std::string name = spec.substr(0, spec.find(':'));
  return std::ranges::any_of(kGenerators, [&](const auto& row) { return row.name == name; });
}

GenerateOptions parse_generator(const std::string& spec) {
  GenerateOptions options;
  const size_t colon = spec.find(':');
  options.generator = find(names_of(Generator{}), spec.substr(0, colon), "generator").value;
  OptionList list = describe(options);
  std::vector<std::string> known;
  for (size_t i = 1; i < list.options().size(); ++i) known.push_back(list.options()[i].name);
  for (size_t begin = colon == std::string::npos ? spec.size() : colon + 1; begin < spec.size();) {
    const size_t end = std::min(spec.find(',', begin), spec.size());
    const std::string item = spec.substr(begin, end - begin);
    const size_t equals = item.find('=');
    if (equals == std::string::npos)
      fail_usage(spec, fmt::format("'{}' is not key=value", printable(item)),
                 "as in sbm:nodes=5000,classes=7");
    std::string key = item.substr(0, equals);
    if (const Option* renamed = list.find_renamed(key)) key = renamed->name;
    if (std::ranges::find(known, key) == known.end())
      fail_unknown("generator option", key, known, spec);
    list.find_option(key)->set(item.substr(equals + 1));
    begin = end + 1;
  }
  return options;
}

}  // namespace gs
