#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/checksums.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/npy.h"
#include "dataset/folder/description.h"
#include "dataset/folder/folder.h"
#include "dataset/folder/layout.h"

namespace gs {

namespace {

constexpr int64_t kChunkBytes = int64_t{8} << 20;

// Writes the arrays of one folder, straight from where they are, and reports progress.
class ArrayWriter {
 public:
  ArrayWriter(const fs::path& folder, Progress& progress) : folder_(folder), progress_(progress) {}

  template <class T>
  void write(std::string_view name, std::span<const T> values,
             std::initializer_list<int64_t> shape) {
    AtomicFile file(folder_ / name);
    FileHasher hasher;
    const std::string header = npy_header<T>(std::span(shape.begin(), shape.size()));
    file.write(header), hasher.add(header);
    const auto bytes = std::as_bytes(values);
    for (size_t begin = 0; begin < bytes.size(); begin += kChunkBytes) {
      const auto chunk = bytes.subspan(begin, std::min<size_t>(kChunkBytes, bytes.size() - begin));
      file.write(chunk), hasher.add(chunk);
      progress_.advance(static_cast<int64_t>(chunk.size()));
    }
    file.commit();
    checksums_[std::string(name)] = hasher.hex();
  }

  template <class T>
  void write(std::string_view name, const Array<T>& values) {
    write(name, values.span(), {values.size()});
  }

  void write_text(std::string_view name, const std::string& text) {
    write_file(folder_ / name, text);
    FileHasher hasher;
    hasher.add(text);
    checksums_[std::string(name)] = hasher.hex();
  }

  void write_names(std::string_view name, const std::vector<std::string>& names) {
    if (names.empty()) return;
    std::string text;
    for (const auto& one : names) text += escape_name(one) + '\n';
    write_text(name, text);
  }

  void finish() const { write_checksums(folder_, checksums_); }

 private:
  Checksums checksums_;
  const fs::path& folder_;
  Progress& progress_;
};

void write_splits(ArrayWriter& arrays, const Dataset& data) {
  if (data.splits.empty()) return;
  const auto count = std::ssize(data.splits);
  std::vector<uint8_t> codes(static_cast<size_t>(count * data.nodes()));
  for (int64_t s = 0; s < count; ++s) {
    uint8_t* row = codes.data() + s * data.nodes();
    for (const int32_t v : data.splits[s].train) row[v] = kTrainCode;
    for (const int32_t v : data.splits[s].val) row[v] = kValCode;
    for (const int32_t v : data.splits[s].test) row[v] = kTestCode;
  }
  arrays.write<uint8_t>(kSplitsFile, codes, {count, data.nodes()});
}

void write_features(ArrayWriter& arrays, const Features& features) {
  if (features.width() == 0) return;
  if (!features.sparse()) {
    const DenseMatrix& m = features.dense_matrix();
    return arrays.write(kFeaturesFile, m.values.span(), {m.rows, m.columns});
  }
  const SparseMatrix& m = features.sparse_matrix();
  arrays.write(kFeatureOffsetsFile, m.offsets);
  arrays.write(kFeatureIndicesFile, m.indices);
  if (!m.values.empty()) arrays.write(kFeatureValuesFile, m.values);
}

void write_labels(ArrayWriter& arrays, const Labels& labels, int64_t nodes) {
  if (labels.task == Task::none) return;
  if (labels.task == Task::multilabel)
    arrays.write(kLabelsFile, labels.multi.span(), {nodes, labels.classes});
  else arrays.write(kLabelsFile, labels.single);
}

nlohmann::ordered_json describe_dataset(const Dataset& data) {
  const Features& features = data.features;
  nlohmann::ordered_json names = nlohmann::ordered_json::array();
  if (!data.node_ids.empty()) names.push_back("nodes");
  if (!data.feature_names.empty()) names.push_back("features");
  if (!data.class_names.empty()) names.push_back("classes");
  const bool with_values = features.sparse() && !features.sparse_matrix().values.empty();
  return {{"format", kFolderFormat},
          {"version", kFolderVersion},
          {"name", data.name},
          {"nodes", data.nodes()},
          {"edges", data.graph.edges()},
          {"symmetric", data.graph.symmetric},
          {"weighted", data.graph.weighted()},
          {"features",
           {{"kind", features.width() == 0 ? "none"
                     : features.sparse()   ? "sparse"
                                           : "dense"},
            {"width", features.width()},
            {"values", with_values}}},
          {"labels", {{"task", task_name(data.labels.task)}, {"classes", data.labels.classes}}},
          {"splits", data.splits.size()},
          {"names", names},
          {"raw_edges", data.raw_edges},
          {"dropped",
           {{"self_loops", data.dropped.self_loops}, {"duplicates", data.dropped.duplicates}}},
          {"treatment", data.treatment},
          {"source_format", data.format}};
}

void write_files(const Dataset& data, const fs::path& folder, Progress& progress) {
  ArrayWriter arrays(folder, progress);
  arrays.write(kOffsetsFile, data.graph.offsets.empty() ? Array<int64_t>(std::vector<int64_t>{0})
                                                        : data.graph.offsets);
  arrays.write(kNeighborsFile, data.graph.neighbors);
  if (data.graph.weighted()) arrays.write(kWeightsFile, data.graph.weights);
  write_features(arrays, data.features);
  write_labels(arrays, data.labels, data.nodes());
  write_splits(arrays, data);
  arrays.write_names(kNodeIdsFile, data.node_ids);
  arrays.write_names(kFeatureNamesFile, data.feature_names);
  arrays.write_names(kClassNamesFile, data.class_names);
  // A recipe describes the features as they are written only if nothing was done to them since.
  if (const FeatureTreatment& done = data.feature_treatment;
      !done.recipe.empty() && done.rule == FeatureRule::raw)
    arrays.write_text(kRecipeFile, done.recipe + '\n');
  // A name may be in any encoding; JSON may not.
  arrays.write_text(
      kDatasetFile,
      describe_dataset(data).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
  arrays.finish();
}

// Whether `path` is `folder` or lies in it.
bool lies_in(const fs::path& folder, const fs::path& path) {
  std::error_code error;
  const fs::path outer = fs::weakly_canonical(folder, error);
  const fs::path inner = fs::weakly_canonical(path, error);
  if (error) return false;
  return std::ranges::mismatch(outer, inner).in1 == outer.end();
}

std::string foreign_file(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  return is_dataset_file(name) ? "" : name;
}

constexpr OwnFolder kDatasetFolder{kDatasetFile, kFolderFormat, "dataset folder",
                                   "'data convert' or 'data generate'", foreign_file};

}  // namespace

void check_own_output(const OwnFolder& own, const fs::path& target, bool overwrite,
                      const std::vector<fs::path>& inputs) {
  std::error_code error;
  const bool folder = fs::is_directory(fs::symlink_status(target, error));
  check_output(target, overwrite);
  if (!fs::exists(target, error)) return;
  const auto refuse = [&](const std::string& why) {
    fail_data(target.string(), fmt::format("is not replaced: {}", why),
              fmt::format("--overwrite replaces only a folder that {} wrote; choose another output",
                          own.writers));
  };
  if (!folder) refuse("it is a file");
  for (const fs::path& input : inputs)
    if (!input.empty() && fs::exists(input, error) && lies_in(target, input))
      refuse(fmt::format("it holds the input '{}'", input.string()));
  if (fs::is_empty(target, error)) return;
  if (!describes(target / own.manifest, own.format))
    refuse(fmt::format("it is not a {}", own.kind));
  for (const auto& entry : fs::directory_iterator(target, error))
    if (const std::string name = own.foreign(entry); !name.empty())
      refuse(fmt::format("it holds '{}', which is not part of a {}", printable(name), own.kind));
}

void naming_target(const fs::path& temporary, const fs::path& target,
                   const std::function<void()>& write) {
  try {
    write();
  } catch (const Error& error) {
    std::string where = error.where();
    if (where.starts_with(temporary.string()))
      where.replace(0, temporary.string().size(), target.string());
    throw Error(error.kind(), error.message(), where, error.hint());
  }
}

void check_dataset_output(const fs::path& target, bool overwrite,
                          const std::vector<fs::path>& inputs) {
  check_own_output(kDatasetFolder, target, overwrite, inputs);
}

bool is_dataset_file(const std::string& name) {
  constexpr std::string_view kNames[] = {
      kDatasetFile,        kOffsetsFile,        kNeighborsFile,     kWeightsFile, kFeaturesFile,
      kFeatureOffsetsFile, kFeatureIndicesFile, kFeatureValuesFile, kLabelsFile,  kSplitsFile,
      kNodeIdsFile,        kFeatureNamesFile,   kClassNamesFile,    kRecipeFile,  kChecksumsFile};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

std::string escape_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '\\') out += "\\\\";
    else if (c == '\n') out += "\\n";
    else if (c == '\r') out += "\\r";
    else out += c;
  }
  return out;
}

void save_dataset(const Dataset& data, const fs::path& target, bool overwrite, Progress& progress) {
  check_dataset_output(target, overwrite);
  AtomicFolder folder(target, overwrite);
  const Labels& labels = data.labels;
  const int64_t splits = std::ssize(data.splits) * data.nodes();
  progress.start("writing",
                 data.graph.bytes() + data.features.bytes() + labels.single.bytes() +
                     labels.multi.bytes() + splits,
                 "bytes");
  naming_target(folder.path(), target, [&] { write_files(data, folder.path(), progress); });
  folder.commit();
  progress.finish();
}

}  // namespace gs
