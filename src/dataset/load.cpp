#include "dataset/load.h"

#include <algorithm>

#include "dataset/generate/generate.h"
#include "dataset/shards/shards.h"

namespace gs {

void LoadOptions::describe(OptionList& v) {
  v.group("Data");
  DataRoot::describe(v);
  v("format", format, "format of the input (docs/formats.md lists them); detected by default");
  v("symmetrize", symmetrize, "store every edge in both directions");
  v("self-loops", self_loops, "treatment of edges from a node to itself");
  v("features", features, "treatment of the features");
  v("features-file", features_file,
    "features of an edge list: .npy, csv, or sparse node,feature[,value]");
  v("labels-file", labels_file, "labels of an edge list: csv of id,label");
  v("splits-file", splits_file, "splits of an edge list: csv of id,split, .npz masks or json");
  v("make-features", make_features, "features for data that has none");
  v("make-width", make_width, "number of columns that --make-features random or spectral makes")
      .at_least(1)
      .at_most(65536);
}

namespace {

[[noreturn]] void fail_absent(const CatalogEntry& entry, const fs::path& root) {
  fail_data(std::string(entry.name), fmt::format("{} is not below {}", entry.title, root.string()),
            fmt::format(
                "fetch it with 'graphsurgeon data fetch {}', or put {} there, or pass --data-root",
                entry.name, entry.paths.front()));
}

[[noreturn]] void fail_not_found(const std::string& data) {
  std::vector<std::string> known;
  for (const auto& entry : catalog()) known.emplace_back(entry.name);
  const std::string near = nearest(data, known);
  fail_data(data,
            near.empty()
                ? "no such file or folder, nor a dataset known by that name"
                : fmt::format("no such file or folder; did you mean the dataset '{}'?", near),
            "'graphsurgeon data list' shows the known names; a generator is written as "
            "sbm:nodes=5000,classes=7");
}

// What `data` names on disk; `entry` is set when it came by a catalog name.
fs::path resolve(const std::string& data, const LoadOptions& options, const CatalogEntry** entry) {
  std::error_code ignored;
  const bool looks_like_path =
      data.find('/') != std::string::npos || data.find('.') != std::string::npos;
  const CatalogEntry* found = looks_like_path ? nullptr : find_catalog(data);
  if (found) {
    const fs::path root = options.folder();
    if (const auto path = locate(*found, root)) {
      *entry = found;
      return *path;
    }
    if (!fs::exists(data, ignored)) fail_absent(*found, root);
  }
  if (!fs::exists(data, ignored)) {
    if (ignored && ignored != std::errc::no_such_file_or_directory &&
        ignored != std::errc::not_a_directory)
      fail_data(data, ignored.message(), "check the path and its permissions");
    fail_not_found(data);
  }
  return data;
}

// Data asked for by name must be that data.
void check_entry(const Dataset& data, const CatalogEntry& entry, const fs::path& path) {
  const auto differs = [&](std::string_view what, int64_t found, int64_t wanted) {
    fail_data(
        path.string(),
        fmt::format("is not {}: {} {} where {} are expected", entry.title, found, what, wanted),
        "load it by its path instead of the name, or fetch it again");
  };
  if (data.nodes() != entry.nodes) differs("nodes", data.nodes(), entry.nodes);
  if (data.labels.classes != entry.classes) differs("classes", data.labels.classes, entry.classes);
  const int64_t width = data.features.width();
  if (std::find(entry.widths.begin(), entry.widths.end(), width) == entry.widths.end())
    differs("features", width, entry.widths.front());
}

// Options on how to read a file mean nothing to a generator: an error rather than ignored.
void check_generator(const LoadOptions& options) {
  const auto refuse = [](bool given, const char* option) {
    if (given)
      fail_usage(option, "does not apply to a generated graph",
                 "write it with 'graphsurgeon data generate', then load that folder");
  };
  refuse(!options.format.empty(), "--format");
  refuse(options.symmetrize != Switch::automatic, "--symmetrize");
  refuse(options.self_loops != LoopRule::automatic, "--self-loops");
  refuse(options.features != FeatureRule::automatic, "--features");
  refuse(!options.features_file.empty(), "--features-file");
  refuse(!options.labels_file.empty(), "--labels-file");
  refuse(!options.splits_file.empty(), "--splits-file");
}

}  // namespace

Dataset load_dataset(const std::string& data, const LoadOptions& options, Progress& progress) {
  if (is_generator(data)) {
    check_generator(options);
    return generate(parse_generator(data), progress);
  }
  const CatalogEntry* entry = nullptr;
  const fs::path path = resolve(data, options, &entry);
  if (is_sharded(path))
    fail_data(path.string(), "is a sharded dataset, made for several processes",
              "train it under torchrun (docs/cluster.md), or pass the dataset that it was made of; "
              "'data info' describes it");
  const Named<Reader>& reader =
      options.format.empty() ? detect_reader(path) : find(readers(), options.format, "format");
  ReadRequest request{.path = path,
                      .features = options.features_file,
                      .labels = options.labels_file,
                      .splits = options.splits_file,
                      .progress = &progress};
  RawDataset raw = read_raw(reader.value.read, request);
  Dataset out = prepare(std::move(raw), std::string(reader.name), options);
  if (entry) check_entry(out, *entry, path);
  return out;
}

}  // namespace gs
