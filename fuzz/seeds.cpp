#include "fuzz/seeds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/npy.h"
#include "base/safetensors.h"
#include "dataset/folder/folder.h"
#include "dataset/generate/generate.h"
#include "dataset/reader.h"
#include "fuzz/bundle.h"
#include "options/preset.h"
#include "options/run.h"
#include "run/info.h"
#include "support/dataset_folder.h"

namespace gs::fuzz {

namespace {

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// An .npy image of any type, as numpy writes it.
std::string image(const std::string& type, const std::string& shape, std::string_view content,
                  const char* order = "False") {
  std::string head =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", type, order, shape);
  head.resize((head.size() + 11 + 63) / 64 * 64 - 11, ' ');
  head += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(head.size()), out += static_cast<char>(head.size() >> 8);
  return out + head + std::string(content);
}

template <class T>
std::string numbers(std::vector<T> values, std::vector<int64_t> shape = {}) {
  if (shape.empty()) shape = {std::ssize(values)};
  const auto bytes = std::as_bytes(std::span(values));
  return npy_header<T>(shape) +
         std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// The six nodes of every seed: a path with a chord.
const std::vector<int64_t> kSource{0, 1, 2, 3, 4, 0}, kTarget{1, 2, 3, 4, 5, 3};
const std::vector<int32_t> kClasses{0, 1, 0, 1, 2, 0};

std::string edge_rows() {  // 6 x 2
  std::vector<int64_t> out;
  for (size_t i = 0; i < kSource.size(); ++i) out.insert(out.end(), {kSource[i], kTarget[i]});
  return numbers(out, {6, 2});
}

std::string dense_features() {
  std::vector<float> values;
  for (int i = 0; i < 18; ++i) values.push_back(static_cast<float>(i % 5) - 1.5f);
  return numbers(values, {6, 3});
}

std::string edge_table(char separator, const std::string& head) {
  std::string out = head;
  for (size_t i = 0; i < kSource.size(); ++i)
    out += fmt::format("{}{}{}\n", kSource[i], separator, kTarget[i]);
  return out;
}

std::string label_table(const std::string& head) {
  std::string out = head;
  for (size_t i = 0; i < kClasses.size(); ++i) out += fmt::format("{},{}\n", i, kClasses[i]);
  return out;
}

Files gnn_benchmark_files() {
  Files out;
  for (const std::string part : {"adj", "attr"}) {
    out["data.npz!" + part + "_data"] = numbers<float>({1, 1, 2, 1, 1, 1});
    out["data.npz!" + part + "_indices"] = numbers<int32_t>({1, 2, 3, 4, 5, 0});
    out["data.npz!" + part + "_indptr"] = numbers<int32_t>({0, 1, 2, 3, 4, 5, 6});
    out["data.npz!" + part + "_shape"] = numbers<int64_t>({6, 6});
  }
  out["data.npz!labels"] = numbers(kClasses);
  out["data.npz!class_names"] = image("<U2", "(3,)", std::string(24, 'a'));
  out["data.npz!node_names"] = image("|S2", "(6,)", "a1b2c3d4e5f6");
  out["data.npz!attr_names"] = image("|S1", "(6,)", "abcdef");
  out["data.npz!attr_matrix"] = dense_features();
  return out;
}

std::string mask(const char* bits) {
  std::string content;
  for (; *bits; ++bits) content += static_cast<char>(*bits - '0');
  return image("|b1", "(1, 6)", content);
}

Files saved_folder(const Dataset& data) {
  const FileSet place({});
  save_dataset(data, place / "d", false);
  Files out;
  for (const auto& entry : fs::directory_iterator(place / "d"))
    out[entry.path().filename().string()] = slurp(entry.path());
  return out;
}

// Every file that a format knows, for one dataset of six nodes.
std::vector<Files> files_of(const std::string& format) {
  if (format == "gnn-benchmark") return {gnn_benchmark_files()};
  if (format == "heterophilous")
    return {{{"data.npz!node_features", dense_features()},
             {"data.npz!node_labels", numbers(kClasses)},
             {"data.npz!edges", edge_rows()},
             {"data.npz!train_masks", mask("110000")},
             {"data.npz!val_masks", mask("001100")},
             {"data.npz!test_masks", mask("000011")}}};
  if (format == "musae-npz")
    return {{{"data.npz!features", dense_features()},
             {"data.npz!target", numbers(kClasses)},
             {"data.npz!edges", edge_rows()}}};
  if (format == "reddit")
    return {{{"reddit_data.npz!feature", dense_features()},
             {"reddit_data.npz!label", numbers(kClasses)},
             {"reddit_data.npz!node_types", numbers<int32_t>({1, 1, 2, 2, 3, 3})},
             {"reddit_data.npz!node_ids", numbers<int64_t>({0, 1, 2, 3, 4, 5})},
             {"reddit_graph.npz!row", numbers(kSource)},
             {"reddit_graph.npz!col", numbers(kTarget)},
             {"reddit_graph.npz!data", numbers<float>({1, 1, 1, 1, 1, 1})},
             {"reddit_graph.npz!shape", numbers<int64_t>({6, 6})},
             {"reddit_graph.npz!format", image("|S3", "()", "coo")}}};
  if (format == "graphsaint")
    return {{{"adj_full.npz!data", numbers<float>({1, 1, 1, 1, 1, 1})},
             {"adj_full.npz!indices", numbers<int32_t>({1, 2, 3, 4, 5, 0})},
             {"adj_full.npz!indptr", numbers<int32_t>({0, 1, 2, 3, 4, 5, 6})},
             {"adj_full.npz!shape", numbers<int64_t>({6, 6})},
             {"adj_full.npz!format", image("|S3", "()", "csr")},
             {"feats.npy", dense_features()},
             {"class_map.json", R"({"0": 0, "1": 1, "2": 0, "3": 1, "4": 2, "5": 0})"},
             {"role.json", R"({"tr": [0, 1], "va": [2, 3], "te": [4, 5]})"}},
            {{"adj_full.npz!indices", numbers<int32_t>({1, 0})},
             {"adj_full.npz!indptr", numbers<int32_t>({0, 1, 2})},
             {"adj_full.npz!shape", numbers<int64_t>({2, 2})},
             {"feats.npy", numbers<float>({1, 2}, {2, 1})},
             {"class_map.json", R"({"0": [0, 1], "1": [1, 1]})"},
             {"role.json", R"({"tr": [0], "va": [1], "te": []})"}}};
  if (format == "ogb")
    return {{{"raw/edge.csv", edge_table(',', "")},
             {"raw/node-feat.csv", "0.5,-1\n1,2e-2\n0,0\n3,4\n5,6\n7,8\n"},
             {"raw/node-label.csv", "0\n2\n1\n0\n0\nnan\n"},
             {"raw/num-node-list.csv", "6\n"},
             {"raw/num-edge-list.csv", "6\n"},
             {"split/time/train.csv", "0\n1\n"},
             {"split/time/valid.csv", "2\n"},
             {"split/time/test.csv", "3\n"}}};
  if (format == "geom-gcn")
    return {{{"raw/out1_graph_edges.txt", edge_table('\t', "node_id\tnode_id\n")},
             {"raw/out1_node_feature_label.txt",
              "node_id\tfeature(feature_amount:5)\tlabel\n2\t4,1,4\t1\n0\t3\t0\n1\t\t2\n3\t1\t0\n"
              "4\t2\t1\n5\t0\t0\n"},
             {"raw/a_split_0.6_0.2_0.npz!train_mask", image("|b1", "(6,)", std::string(6, 1))},
             {"raw/a_split_0.6_0.2_0.npz!val_mask", image("|b1", "(6,)", std::string(6, 0))},
             {"raw/a_split_0.6_0.2_0.npz!test_mask", image("|b1", "(6,)", std::string(6, 0))}}};
  if (format == "musae")
    return {{{"fb_edges.csv", edge_table(',', "id_1,id_2\n")},
             {"fb.json", R"({"2": [4, 1, 4], "0": []})"},
             {"fb_target.csv",
              "id,facebook_id,page_name,page_type\n1,77,\"Bread, and \"\"b\"\"\",tv\n0,78,\xff,co\n"
              "2,79,x,tv\n3,80,x,tv\n4,81,y,co\n5,82,z,co\n"}}};
  if (format == "wikics")
    return {{{"data.json",
              R"({"features": [[0.5, 1], [1, 2], [2, 3], [0, -1]], "labels": [0, 1, 1, 0],
 "links": [[1], [], [0, 3], [3]], "train_masks": [[true, false, false, false]],
 "val_masks": [[false, true, false, false]], "stopping_masks": [[false, false, true, false]],
 "test_mask": [false, false, false, true], "node_ids": [4, 5, 6, 7]})"}}};
  if (format == "edge-list")
    return {{{"edges.csv", edge_table(',', "source,target\n")},
             {"features.csv", "id,x,y\n0,1,0\n1,0,1\n2,1,1\n3,0.5,0\n4,1e-3,2\n5,,\n"},
             {"labels.csv", label_table("id,label\n")},
             {"splits.csv", "id,split\n0,train\n1,val\n2,test\n3,train\n4,\n"}},
            {{"edges.csv", "ann,bob,0.5\nbob,\"cy, d\",2\n# comment\n\"cy, d\",ann,1\n"},
             {"features.csv", "node,feature,value\nann,0,1\nbob,3,0.5\n"},
             {"labels.csv", "ann,red\nbob,blue|red\n"}},
            {{"edges.csv", edge_table('\t', "")},
             {"features.npy", dense_features()},
             {"labels.npy", numbers(kClasses)},
             {"splits.npy", numbers<int32_t>({0, 0, 1, 1, 2, 2})}},
            {{"edges.csv", edge_table(' ', "")},
             {"features.npz!data", numbers<float>({1, 2})},
             {"features.npz!indices", numbers<int32_t>({1, 2})},
             {"features.npz!indptr", numbers<int32_t>({0, 1, 2, 2, 2, 2, 2})},
             {"features.npz!shape", numbers<int64_t>({6, 4})},
             {"splits.json", R"({"train": [0, 1], "val": [2], "test": [3]})"}}};
  Dataset words = generate(parse_generator(
      "sbm:nodes=8,classes=2,features=4,feature-kind=words,degree=2,homophily=0.5"));
  Dataset several = generate(
      parse_generator("sbm:nodes=8,classes=3,features=0,labels-per-node=2,degree=2,homophily=0.5"));
  return {saved_folder(test::rich()), saved_folder(words), saved_folder(several)};
}

std::vector<Format> make_formats() {
  std::vector<Format> out;
  for (const auto& reader : readers()) {
    Format format{std::string(reader.name), {}, {}};
    std::map<std::string, int> names;
    for (const Files& files : files_of(format.name))
      for (const auto& [name, content] : files) names[name] = 1;
    for (const auto& [name, one] : names) format.names.push_back(name);
    if (names.contains("data.npz!edges") || names.contains("data.npz!labels"))
      format.path = "data.npz";
    out.push_back(std::move(format));
  }
  return out;
}

}  // namespace

const std::vector<Format>& formats() {
  static const std::vector<Format> all = make_formats();
  return all;
}

Seeds bundle_seeds(const Target& target) {
  Seeds out;
  for (const Files& files : files_of(target.name.substr(target.name.find(':') + 1)))
    out.push_back(pack(files, target.names));
  return out;
}

Seeds npy_seeds(const Target&) {
  Seeds out{numbers<int32_t>({1, -2, 3}), numbers<double>({1e300, -0.5}),
            numbers<float>({}, {0, 4}),   numbers<int64_t>({INT64_MAX, INT64_MIN}, {2, 1}),
            numbers<uint8_t>({0, 255}),   dense_features()};
  for (const char* type : {"<f2", "|b1", "<u2", "<u4", "<u8", "|i1", "<i2", ">i4", "|O8"})
    out.push_back(image(type, "(2,)", std::string(16, '\1')));
  out.push_back(image("<f8", "()", std::string(8, '\0'), "True"));
  out.push_back(image("<i4", "(2, 3)", std::string(24, '\2'), "True"));
  out.push_back(image("|S3", "(2,)", "abcde\xff"));
  out.push_back(image("<U1", "(1,)", std::string("\x3d\xd8\0\0", 4)));
  return out;
}

Seeds npz_seeds(const Target&) {
  return {zip_of({{"a.npy", numbers<int32_t>({1, 2})}, {"b.npy", image("|S1", "(1,)", "x")}}),
          zip_of({{"folder/x.txt", "text"}, {"../y.txt", "up"}}), zip_of({})};
}

Seeds safetensors_seeds(const Target&) {
  const FileSet place({});
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  const auto bytes = std::as_bytes(std::span(values));
  SafeTensors one;
  one.metadata = {{"graphsurgeon", "{}"}, {"state", "{\"epoch\": 3}"}};
  one.tensors["w"] = {"F32", {2, 3}, bytes};
  one.tensors["empty"] = {"I64", {0, 7}, {}};
  one.tensors["b"] = {"F64", {3}, bytes};
  save_safetensors(place / "a", one);
  save_safetensors(place / "b", {});
  return {slurp(place / "a"), slurp(place / "b")};
}

Seeds json_seeds(const Target&) {
  Seeds out{R"({"epochs": 50, "lr": 1e-3, "mode": "pre", "asymmetric": true, "fanouts": [5, -1]})",
            R"({"options": {"dim": 8}, "origin": "x", "data": "photo"})",
            R"({"a": [1, 2.5, -0, 1e400, "\u00e9\ud83d\ude00", null, {"b": {}}]})"};
  for (const Preset& preset : presets())
    if (out.size() < 8) out.push_back(preset.options_json);
  return out;
}

Seeds text_seeds(const Target&) {
  return {"17",
          "-9223372036854775808",
          "1e-400",
          "nan",
          "+3.25",
          "0x10",
          "a\nb\nc\n",
          "0\n5\n2\r\n",
          "random:20/20/60",
          "random",
          "auto",
          "planetoid",
          "na\xc3\xafve \xf0\x9f\x98\x80"};
}

Seeds options_seeds(const Target&) {
  Seeds out{"method=gcn\nloader=neighbor\nfanouts=10,5\nbatch-size=64\n",
            "filters=identity,gcn@2,pagerank:0.1@3\nrow-transform=unit\n",
            "constraint=columns\ngamma=1e3\nsimilarity-scale=0.5\nselect=val\n"};
  RunOptions options;
  const OptionList list = describe(options);
  std::string all;
  for (const Option& option : list.options()) all += option.name + "=" + option.text() + "\n";
  out.push_back(all);
  return out;
}

Seeds info_seeds(const Target&) {
  RunInfo info;
  info.data = "photo", info.features = 745, info.nodes = 7650, info.edges = 238162;
  info.task = Task::multiclass, info.classes = 8;
  FeatureTreatment treatment;
  treatment.rule = FeatureRule::standardize;
  treatment.shift = {1, 2}, treatment.scale = {0.5f, 1}, treatment.columns = {"a", "b"};
  info.options.load.fitted = std::make_shared<FeatureTreatment>(treatment);
  return {to_json_text(info, true), to_json_text(info)};
}

Seeds generator_seeds(const Target&) {
  return {"sbm:nodes=50,classes=3,features=4,seed=1", "rmat:nodes=64,edges=200",
          "sbm:nodes=30,feature-kind=words,words=5,labels-per-node=2,unlabeled=0.5",
          "sbm:nodes=20,homophily=1,degree-exponent=0,degree=2"};
}

Seeds arrays_seeds(const Target&) {
  const auto part = [](auto values) {
    const auto bytes = std::as_bytes(std::span(values));
    return std::string(1, static_cast<char>(values.size())) +
           std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  const auto head = [](int form) { return std::string{static_cast<char>(form), 6, 0, 3, 2}; };
  return {head(4 | 16) + part(kSource) + part(kTarget) + "\6" +
              part(std::vector<float>(18, 0.5f)).substr(1) + part(kClasses),
          head(1 | 2 | 4 | 8) + part(std::vector<int64_t>{0, 1, 2, 3, 3, 3, 3}) +
              part(std::vector<int32_t>{1, 2, 0}) + part(std::vector<float>{1, 2, 3}) +
              part(std::vector<int64_t>{0, 1, 1, 2, 2, 2, 2}) + part(std::vector<int32_t>{0, 2}) +
              part(std::vector<float>{1, 1}),
          head(64) + part(kSource) + part(kTarget) + std::string(1, '\0') +
              part(std::vector<int32_t>{0, 1}) + part(std::vector<int32_t>{2})};
}

std::string dictionary() {
  std::vector<std::string> words{"'descr': '",
                                 "'fortran_order': True",
                                 "'shape': (",
                                 "<f4",
                                 "<i8",
                                 "|S",
                                 "<U",
                                 "|b1",
                                 "PK\x03\x04",
                                 "PK\x01\x02",
                                 "PK\x05\x06",
                                 "__metadata__",
                                 "dtype",
                                 "shape",
                                 "data_offsets",
                                 "F32",
                                 "I64",
                                 "BF16",
                                 "9223372036854775807",
                                 "-1",
                                 "1e999",
                                 "nan",
                                 "inf",
                                 "train",
                                 "val",
                                 "test",
                                 "options",
                                 "origin",
                                 "format",
                                 "version",
                                 "dense",
                                 "sparse",
                                 "random:",
                                 "sbm:",
                                 "rmat:",
                                 "true",
                                 "null",
                                 "[[",
                                 "\\u0000",
                                 "\r\n",
                                 "\"\"",
                                 "edges",
                                 "features",
                                 "labels"};
  RunOptions options;
  const OptionList list = describe(options);
  for (const Option& option : list.options()) {
    words.push_back(option.name);
    for (const Choice& choice : option.choices) words.emplace_back(choice.name);
  }
  std::string out;
  for (const std::string& word : words) {
    out += '"';
    for (const char c : word) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    out += "\"\n";
  }
  return out;
}

}  // namespace gs::fuzz
