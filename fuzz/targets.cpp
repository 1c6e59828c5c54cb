#include "fuzz/targets.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/npz.h"
#include "base/parallel.h"
#include "base/safetensors.h"
#include "base/text.h"
#include "command/arrays.h"
#include "dataset/folder/folder.h"
#include "dataset/generate/generate.h"
#include "dataset/node_list.h"
#include "dataset/readers/json.h"
#include "dataset/splits.h"
#include "dataset/unpack.h"
#include "fuzz/bundle.h"
#include "fuzz/seeds.h"
#include "graph/csr.h"
#include "options/preset.h"
#include "options/run.h"
#include "run/info.h"

namespace gs::fuzz {

namespace {

void require(bool holds, const char* what) {
  if (!holds) throw FuzzFinding(what);
}

// An Error must be one for the user, in one line and with a hint. True if there was none.
bool succeeds(const std::function<void()>& action) {
  try {
    action();
    return true;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw FuzzFinding(error.what());
    require(!error.message().empty(), "an error without a message");
    require(std::string_view(error.what()).find('\n') == std::string_view::npos,
            "an error of several lines");
    return false;
  }
}

std::string text_of(Bytes input) { return {input.begin(), input.end()}; }

template <class T>
void convert(const NpyArray& array) {
  succeeds([&] {
    const Array<T> values = array.as<T>();
    require(values.size() == array.count(), "another number of values");
    // What was read and written again is read alike.
    const std::string header = npy_header<T>(array.shape);
    std::string image = header;
    image.append(reinterpret_cast<const char*>(values.data()), static_cast<size_t>(values.bytes()));
    const NpyArray written = parse_npy(std::as_bytes(std::span(image)), nullptr, "again");
    const Array<T> again = written.as<T>();
    require(values.empty() ||
                std::memcmp(again.data(), values.data(), static_cast<size_t>(values.bytes())) == 0,
            "written and read again, the values differ");
  });
}

void use_array(const NpyArray& array) {
  convert<int32_t>(array), convert<int64_t>(array), convert<uint8_t>(array);
  convert<float>(array), convert<double>(array);
  succeeds([&] { array.strings(); });
  succeeds([&] { array.rows(); });
}

void run_npy(const Target&, Bytes input) {
  const std::vector<uint8_t> copy(input.begin(), input.end());  // of exactly this size
  succeeds([&] { use_array(parse_npy(std::as_bytes(std::span(copy)), nullptr, "npy")); });
}

void run_npz(const Target&, Bytes input) {
  const FileSet files({{"a.npz", text_of(input)}});
  succeeds([&] {
    const Npz file(files / "a.npz");
    for (const std::string& name : file.names()) succeeds([&] { use_array(file.get(name)); });
  });
}

void run_unpack(const Target&, Bytes input) {
  const FileSet files({{"a.zip", text_of(input)}});
  succeeds([&] {
    for (const fs::path& member : unpack_zip(files / "a.zip", files.folder(), no_progress()))
      require(member.parent_path() == files.folder(), "a member outside of the folder");
  });
}

void run_safetensors(const Target&, Bytes input) {
  const FileSet files({{"a.safetensors", text_of(input)}});
  succeeds([&] {
    const SafeTensors one = load_safetensors(files / "a.safetensors");
    save_safetensors(files / "b.safetensors", one);
    const SafeTensors two = load_safetensors(files / "b.safetensors");
    require(one.metadata == two.metadata && one.tensors.size() == two.tensors.size(),
            "written and read again, it differs");
    for (const auto& [name, tensor] : one.tensors) {
      const TensorView& other = two.tensors.at(name);
      require(other.dtype == tensor.dtype && other.shape == tensor.shape &&
                  std::ranges::equal(other.data, tensor.data),
              "written and read again, a tensor differs");
    }
  });
}

// Reading and preparing by one format, whatever the names say; then the folder format again.
void run_reader(const Target& target, Bytes input) {
  const FileSet files(unpack(input, target.names));
  const fs::path path = target.path.empty() ? files.folder() : files / target.path;
  succeeds([&] { detect_reader(path); });
  succeeds([&] {
    LoadOptions options;
    options.format = target.name.substr(target.name.find(':') + 1);
    const Dataset data = load_dataset(path.string(), options);
    validate(data.graph, "graph");
    require(data.features.width() == 0 || data.features.rows() == data.nodes(), "rows of features");
    succeeds([&] { make_splits(data, "auto", 2, 1); });
    if (data.nodes() > 100'000) return;
    save_dataset(data, files / "saved", false);
    LoadOptions own;
    own.format = "folder";
    const Dataset again = load_dataset((files / "saved").string(), own);
    require(again.nodes() == data.nodes() && again.graph.edges() == data.graph.edges() &&
                again.features.width() == data.features.width() &&
                again.labels.classes == data.labels.classes && again.node_ids == data.node_ids &&
                again.splits.size() == data.splits.size(),
            "written and read again, the dataset differs");
  });
}

// simdjson, which reads data, against nlohmann, which reads the rest.
nlohmann::json value_of(JsonFile& json, simdjson::ondemand::value value, int depth) {
  using Type = simdjson::ondemand::json_type;
  if (depth > 90) fail_data("a", "nested deep", "");
  switch (json.get(value.type(), "type")) {
    case Type::object: {
      auto out = nlohmann::json::object();
      for (auto field : json.get(value.get_object(), "object")) {
        auto one = json.get(std::move(field), "field");
        const std::string key(json.key(one));
        out[key] = value_of(json, one.value(), depth + 1);
      }
      return out;
    }
    case Type::array: {
      auto out = nlohmann::json::array();
      json.each(json.get(value.get_array(), "array"), "array",
                [&](auto element, int64_t) { out.push_back(value_of(json, element, depth + 1)); });
      return out;
    }
    case Type::string:
      return std::string(json.get(value.get_string(), "string"));
    case Type::boolean:
      return json.get(value.get_bool(), "bool");
    case Type::number:
      return json.get(value.get_double(), "number");
    default:
      return nullptr;
  }
}

void to_doubles(nlohmann::json& json) {
  if (json.is_number()) json = json.get<double>();
  if (json.is_structured())
    for (auto& value : json) to_doubles(value);
}

void run_json(const Target&, Bytes input) {
  const std::string text = text_of(input);
  const FileSet files({{"a.json", text}});
  std::optional<nlohmann::json> ours, reference;
  succeeds([&] {
    JsonFile json(files / "a.json");
    auto out = nlohmann::json::object();
    for (auto field : json.object()) {
      auto one = json.get(std::move(field), "field");
      const std::string key(json.key(one));
      out[key] = value_of(json, one.value(), 1);
    }
    json.finish();
    ours = std::move(out);
  });
  try {
    reference = parse_json(text);
    to_doubles(*reference);
  } catch (const nlohmann::json::exception&) {
  }
  if (!ours || !reference) return;  // each may be stricter in what it allows
  require(*ours == *reference, "the two JSON parsers read different values");
}

void run_text(const Target&, Bytes input) {
  const std::string text(trimmed(text_of(input)));
  if (const auto value = parse_number(text); value && text.find('\0') == std::string::npos) {
    char* end = nullptr;
    const double wanted = std::strtod(text.c_str(), &end);
    require(*end == '\0' && (wanted == *value || (std::isnan(wanted) && std::isnan(*value))),
            "a number that strtod reads otherwise");
  }
  if (const auto value = parse_integer(text))
    require(fmt::format("{}", *value).size() <= text.size() + 1, "an integer longer than its text");
  require(is_utf8(printable(text, text.size())) || !is_utf8(text), "UTF-8 became something else");
  nested_too_deep(text);
}

// Lines of NAME=VALUE, as the command line gives them.
void run_options(const Target&, Bytes input) {
  const std::string text = text_of(input);
  RunOptions options;
  OptionList list = describe(options);
  succeeds([&] {
    for (std::string_view rest = text; !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      const size_t equals = line.find('=');
      Option* option = list.find_option(line.substr(0, equals));
      if (!option || equals == std::string_view::npos) continue;
      option->set(line.substr(equals + 1));
      option->given = true;
    }
    options.choose_method(list);
    options.resolve(list, "", "");
    // Every value that was taken is one that its own JSON gives again.
    RunOptions again;
    describe(again).set_json(list.json(), "again", true);
    require(describe(again).json() == list.json(), "options differ after JSON");
  });
}

void run_config(const Target&, Bytes input) {
  const FileSet files({{"c.json", text_of(input)}});
  RunOptions options;
  OptionList list = describe(options);
  succeeds([&] { options.resolve(list, "", (files / "c.json").string()); });
}

void run_info(const Target&, Bytes input) {
  succeeds([&] {
    const RunInfo info = run_info_from_json(text_of(input), "options.json");
    const std::string text = to_json_text(info, true);
    require(to_json_text(run_info_from_json(text, "again"), true) == text, "info differs");
  });
}

void run_generator(const Target&, Bytes input) {
  const std::string text = text_of(input);
  succeeds([&] {
    if (!is_generator(text)) return;
    GenerateOptions options = parse_generator(text);
    options.nodes = std::min<int64_t>(options.nodes, 200);
    options.edges = std::min<int64_t>(options.edges, 1000);
    options.degree = std::min(options.degree, 5.0);
    options.features = std::min<int64_t>(options.features, 20);
    options.words = std::min(options.words, 20.0);
    options.classes = std::min<int64_t>(options.classes, 20);
    options.labels_per_node = std::min<int64_t>(options.labels_per_node, 5);
    validate(generate(options).graph, "graph");
  });
}

Dataset small_data() {
  GraphArrays arrays;
  arrays.nodes = 6;
  arrays.source = std::vector<int64_t>{0, 1, 2, 3},
  arrays.target = std::vector<int64_t>{1, 2, 3, 4};
  arrays.labels = std::vector<int32_t>{0, 1, 0, 1, 0, -1};
  arrays.node_ids = {"a", "b", "c", "d", "e", "f"};
  return dataset_from(std::move(arrays), {});
}

// A list of nodes, and the text of --splits.
void run_lists(const Target&, Bytes input) {
  static const Dataset data = small_data();
  const std::string text = text_of(input);
  const FileSet files({{"nodes.txt", text}});
  succeeds([&] {
    for (const int32_t node : read_node_list(files / "nodes.txt", data))
      require(node >= 0 && node < data.nodes(), "a node that there is not");
  });
  succeeds([&] { make_splits(data, text, 3, 1); });
}

// Arrays as Python passes them, of any contents and lengths.
template <class T>
std::vector<T> take(Bytes& input) {
  if (input.empty()) return {};
  const size_t count = std::min<size_t>(input[0] % 64, (input.size() - 1) / sizeof(T));
  std::vector<T> out(count);
  if (count > 0) std::memcpy(out.data(), input.data() + 1, count * sizeof(T));
  input = input.subspan(1 + count * sizeof(T));
  return out;
}

void run_arrays(const Target&, Bytes input) {
  if (input.size() < 8) return;
  GraphArrays arrays;
  const uint8_t form = input[0];
  arrays.nodes = static_cast<int8_t>(input[1]);
  if (input[2] == 255) arrays.nodes = int64_t{1} << 40;
  const auto width = static_cast<int64_t>(input[3]);
  arrays.classes = input[4] % 8;
  input = input.subspan(5);
  if (form & 1) {
    arrays.graph.offsets = take<int64_t>(input), arrays.graph.neighbors = take<int32_t>(input);
    if (form & 2) arrays.graph.weights = take<float>(input);
  } else {
    arrays.source = take<int64_t>(input), arrays.target = take<int64_t>(input);
    if (form & 2) arrays.weight = take<float>(input);
    if (arrays.source.size() != arrays.target.size()) return;  // bindings pass rows of one array
    if (!arrays.weight.empty() && arrays.weight.size() != arrays.source.size()) return;
  }
  arrays.has_features = form & 4;
  if (form & 8) {
    SparseMatrix x{arrays.nodes, width, take<int64_t>(input), take<int32_t>(input), {}};
    x.values = take<float>(input);
    x.rows = x.offsets.size() - 1;
    arrays.features = {std::move(x)};
  } else {
    const int64_t rows = input.empty() ? 0 : input[0] % 64;
    arrays.features = {DenseMatrix{rows, width, take<float>(input)}};
  }
  if (form & 16) arrays.labels = take<int32_t>(input);
  if (form & 32) arrays.multi_labels = take<uint8_t>(input);
  if (form & 64) arrays.splits = {Split{take<int32_t>(input), take<int32_t>(input), {}}};
  succeeds([&] {
    const Dataset data = dataset_from(std::move(arrays), {});
    validate(data.graph, "graph");
    require(data.features.width() == 0 || data.features.rows() == data.nodes(), "rows of features");
  });
}

std::vector<Target> make_targets() {
  std::vector<Target> out{{"npy", run_npy, npy_seeds},
                          {"npz", run_npz, npz_seeds},
                          {"unpack", run_unpack, npz_seeds},
                          {"safetensors", run_safetensors, safetensors_seeds},
                          {"json", run_json, json_seeds},
                          {"text", run_text, text_seeds},
                          {"options", run_options, options_seeds},
                          {"config", run_config, json_seeds},
                          {"run-info", run_info, info_seeds},
                          {"generator", run_generator, generator_seeds},
                          {"lists", run_lists, text_seeds},
                          {"arrays", run_arrays, arrays_seeds}};
  for (const Format& format : formats())
    out.push_back({"reader:" + format.name, run_reader, bundle_seeds, format.names, format.path});
  return out;
}

}  // namespace

const std::vector<Target>& targets() {
  static const std::vector<Target> all = make_targets();
  return all;
}

const Target* find_target(std::string_view name) {
  for (const Target& target : targets())
    if (target.name == name) return &target;
  return nullptr;
}

}  // namespace gs::fuzz
