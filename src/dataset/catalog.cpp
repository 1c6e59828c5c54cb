#include "dataset/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace gs {

namespace {

constexpr std::string_view kGeomGcn =
    "https://raw.githubusercontent.com/graphdml-uiuc-jlu/geom-gcn/master/";
constexpr std::string_view kGnnBenchmark =
    "https://github.com/shchur/gnn-benchmark/raw/master/data/npz/";
constexpr std::string_view kGraph2Gauss =
    "https://github.com/abojchevski/graph2gauss/raw/master/data/";
constexpr std::string_view kHeterophilous =
    "https://github.com/yandex-research/heterophilous-graphs/raw/main/data/";
constexpr std::string_view kSaintPage =
    "https://drive.google.com/drive/folders/1zycmmDES39zVlbVCYs88JTJ1Wm5FbfLz";

// A gnn-benchmark file: symmetrized, loop-free and binarized by PyG.
CatalogEntry npz(std::string_view name, std::string_view title, int64_t nodes, int64_t edges,
                 int64_t width, int64_t classes, std::vector<std::string_view> paths,
                 std::string_view source, std::string_view file, std::string_view note = {}) {
  RemoteFile remote{fmt::format("{}{}", source, file), std::string(paths.front())};
  return {.name = name,
          .title = title,
          .format = "gnn-benchmark",
          .nodes = nodes,
          .edges = edges,
          .widths = {width},
          .classes = classes,
          .task = Task::multiclass,
          .symmetrize = true,
          .drop_loops = true,
          .binarize = true,
          .paths = std::move(paths),
          .files = {std::move(remote)},
          .page = {},
          .note = note};
}

// A GraphSAINT folder, whose public copies are on a page that needs a browser.
CatalogEntry saint(std::string_view name, std::string_view title, int64_t nodes, int64_t edges,
                   int64_t width, int64_t classes, Task task, std::vector<std::string_view> paths,
                   std::vector<RemoteFile> files) {
  return {.name = name,
          .title = title,
          .format = "graphsaint",
          .nodes = nodes,
          .edges = edges,
          .widths = {width},
          .classes = classes,
          .task = task,
          .symmetrize = false,
          .drop_loops = false,
          .binarize = false,
          .paths = std::move(paths),
          .files = std::move(files),
          .page = kSaintPage};
}

CatalogEntry heterophilous(std::string_view name, std::string_view title, int64_t nodes,
                           int64_t edges, int64_t width, int64_t classes, std::string_view file) {
  return {.name = name,
          .title = title,
          .format = "heterophilous",
          .nodes = nodes,
          .edges = edges,
          .widths = {width},
          .classes = classes,
          .task = classes == 2 ? Task::binary : Task::multiclass,
          .symmetrize = true,
          .drop_loops = false,
          .binarize = false,
          .paths = {file},
          .files = {{fmt::format("{}{}", kHeterophilous, file), std::string(file)}},
          .page = {},
          .in_paper = false,
          .by_roc_auc = classes == 2};
}

std::vector<RemoteFile> actor_files() {
  const auto remote = [](std::string_view folder, const std::string& name) {
    return RemoteFile{fmt::format("{}{}{}", kGeomGcn, folder, name), "actor/raw/" + name};
  };
  std::vector<RemoteFile> files{remote("new_data/film/", "out1_graph_edges.txt"),
                                remote("new_data/film/", "out1_node_feature_label.txt")};
  for (int k = 0; k < 10; ++k)
    files.push_back(remote("splits/", fmt::format("film_split_0.6_0.2_{}.npz", k)));
  return files;
}

std::vector<CatalogEntry> make_catalog() {
  return {
      npz("corafull", "Cora Full", 19793, 126842, 8710, 70,
          {"cora_full.npz", "cora.npz", "citationfull/cora/raw/cora.npz", "cora/raw/cora.npz",
           "Cora/raw/cora.npz"},
          kGraph2Gauss, "cora.npz"),
      npz("dblp", "DBLP", 17716, 105734, 1639, 4,
          {"dblp.npz", "dblp/raw/dblp.npz", "DBLP/raw/dblp.npz"}, kGraph2Gauss, "dblp.npz"),
      npz("pubmed", "PubMed", 19717, 88648, 500, 3,
          {"pubmed.npz", "pubmed/raw/pubmed.npz", "PubMed/raw/pubmed.npz"}, kGraph2Gauss,
          "pubmed.npz"),
      npz("physics", "Physics", 34493, 495924, 8415, 5,
          {"ms_academic_phy.npz", "physics/raw/ms_academic_phy.npz",
           "Physics/raw/ms_academic_phy.npz"},
          kGnnBenchmark, "ms_academic_phy.npz"),
      npz("cs", "CS", 18333, 163788, 6805, 15,
          {"ms_academic_cs.npz", "cs/raw/ms_academic_cs.npz", "CS/raw/ms_academic_cs.npz"},
          kGnnBenchmark, "ms_academic_cs.npz"),
      npz("computers", "Computers", 13752, 491722, 767, 10,
          {"amazon_electronics_computers.npz", "computers/raw/amazon_electronics_computers.npz",
           "Computers/raw/amazon_electronics_computers.npz"},
          kGnnBenchmark, "amazon_electronics_computers.npz",
          "the paper reports F = 467; the data has 767"),
      npz("photo", "Photo", 7650, 238162, 745, 8,
          {"amazon_electronics_photo.npz", "photo/raw/amazon_electronics_photo.npz",
           "Photo/raw/amazon_electronics_photo.npz"},
          kGnnBenchmark, "amazon_electronics_photo.npz"),
      {.name = "facebook",
       .title = "Facebook",
       .format = "musae",
       .nodes = 22470,
       .edges = 341646,
       .widths = {4714, 128},
       .classes = 4,
       .task = Task::multiclass,
       .symmetrize = true,
       .drop_loops = true,
       .binarize = false,
       .paths = {"facebook.npz", "facebook/raw", "facebook/raw/facebook.npz", "facebook",
                 "facebook_large"},
       .files = {{"https://graphmining.ai/datasets/ptg/facebook.npz", "facebook.npz"}},
       .page = {},
       .note =
           "the paper's M = 342,004 counts 179 self-loops twice; its F = 128 is a reduced form of "
           "the 4,714 words"},
      saint("flickr", "Flickr", 89250, 899756, 500, 7, Task::multiclass,
            {"flickr", "flickr/raw", "Flickr/raw", "Flickr"},
            {{"", "flickr/adj_full.npz"},
             {"", "flickr/feats.npy"},
             {"", "flickr/class_map.json"},
             {"", "flickr/role.json"}}),
      {.name = "github",
       .title = "GitHub",
       .format = "musae",
       .nodes = 37700,
       .edges = 578006,
       .widths = {4005, 128},
       .classes = 2,
       .task = Task::binary,
       .symmetrize = true,
       .drop_loops = true,
       .binarize = false,
       .paths = {"github.npz", "github/raw", "github/raw/github.npz", "github", "git_web_ml"},
       .files = {{"https://graphmining.ai/datasets/ptg/github.npz", "github.npz"}},
       .page = {},
       .note = "the paper's F = 128 is a reduced form of the 4,005 words"},
      {.name = "wikics",
       .title = "WikiCS",
       .format = "wikics",
       .nodes = 11701,
       .edges = 297110,
       .widths = {300},
       .classes = 10,
       .task = Task::multiclass,
       .symmetrize = false,
       .drop_loops = false,
       .binarize = false,
       .paths = {"wikics/data.json", "wikics/raw/data.json", "WikiCS/raw/data.json", "wikics.json"},
       .files = {{"https://github.com/pmernyei/wiki-cs-dataset/raw/master/dataset/data.json",
                  "wikics/data.json"}},
       .page = {}},
      {.name = "actor",
       .title = "Actor",
       .format = "geom-gcn",
       .nodes = 7600,
       .edges = 30019,
       .widths = {932},
       .classes = 5,
       .task = Task::multiclass,
       .symmetrize = false,
       .drop_loops = false,
       .binarize = false,
       .paths = {"actor/raw", "actor", "film", "Actor/raw"},
       .files = actor_files(),
       .page = {}},
      saint("yelp", "Yelp", 716847, 13954819, 300, 100, Task::multilabel,
            {"yelp", "yelp/raw", "Yelp/raw", "Yelp"},
            {{"", "yelp/adj_full.npz"},
             {"", "yelp/feats.npy"},
             {"", "yelp/class_map.json"},
             {"", "yelp/role.json"}}),
      {.name = "reddit",
       .title = "Reddit",
       .format = "reddit",
       .nodes = 232965,
       .edges = 114615892,
       .widths = {602},
       .classes = 41,
       .task = Task::multiclass,
       .symmetrize = false,
       .drop_loops = false,
       .binarize = false,
       .paths = {"reddit", "reddit/raw", "Reddit/raw", "Reddit"},
       .files = {{"https://data.dgl.ai/dataset/reddit.zip", "reddit/reddit.zip"}},
       .page = {}},
      heterophilous("roman-empire", "Roman-empire", 22662, 65854, 300, 18, "roman_empire.npz"),
      heterophilous("amazon-ratings", "Amazon-ratings", 24492, 186100, 300, 5,
                    "amazon_ratings.npz"),
      heterophilous("minesweeper", "Minesweeper", 10000, 78804, 7, 2, "minesweeper.npz"),
      heterophilous("tolokers", "Tolokers", 11758, 1038000, 10, 2, "tolokers.npz"),
      heterophilous("questions", "Questions", 48921, 307080, 301, 2, "questions.npz"),
  };
}

constexpr std::pair<std::string_view, std::string_view> kAliases[] = {
    {"cora-full", "corafull"},
    {"cora_full", "corafull"},
    {"citationfull-cora", "corafull"},
    {"coauthor-cs", "cs"},
    {"ms_academic_cs", "cs"},
    {"coauthor-physics", "physics"},
    {"ms_academic_phy", "physics"},
    {"amazon-photo", "photo"},
    {"amazon-computers", "computers"},
    {"amazon_electronics_photo", "photo"},
    {"amazon_electronics_computers", "computers"},
    {"wiki-cs", "wikics"},
    {"film", "actor"},
};

}  // namespace

std::span<const CatalogEntry> catalog() {
  static const std::vector<CatalogEntry> entries = make_catalog();
  return entries;
}

std::vector<std::string_view> catalog_aliases(std::string_view name) {
  std::vector<std::string_view> out;
  for (const auto& [alias, real] : kAliases)
    if (real == name) out.push_back(alias);
  return out;
}

const CatalogEntry* find_catalog(std::string_view name) {
  std::string wanted(name);
  for (char& c : wanted) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const auto& [alias, real] : kAliases)
    if (wanted == alias) wanted = real;
  for (const auto& entry : catalog())
    if (entry.name == wanted) return &entry;
  return nullptr;
}

const CatalogEntry* recognize(std::string_view format, int64_t nodes, int64_t width,
                              int64_t classes) {
  if (format == "musae-npz") format = "musae";  // one dataset in two forms
  for (const auto& entry : catalog()) {
    const bool fits = entry.format == format && entry.nodes == nodes && entry.classes == classes;
    if (fits && std::find(entry.widths.begin(), entry.widths.end(), width) != entry.widths.end())
      return &entry;
  }
  return nullptr;
}

std::optional<std::filesystem::path> locate(const CatalogEntry& entry,
                                            const std::filesystem::path& root) {
  for (const auto path : entry.paths) {
    std::error_code ignored;
    const auto full = root / path;
    if (!std::filesystem::exists(full, ignored)) continue;
    // A folder counts only when it holds files of the format: "facebook" may hold just "raw".
    if (!std::filesystem::is_directory(full, ignored)) return full;
    for (const auto& row : readers())
      if (row.value.detect(full)) return full;
  }
  return std::nullopt;
}

std::filesystem::path cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
    return std::filesystem::path(cache) / "graphsurgeon";
  if (const char* home = std::getenv("HOME"); home && *home)
    return std::filesystem::path(home) / ".cache" / "graphsurgeon";
  return "graphsurgeon-data";
}

std::filesystem::path DataRoot::folder() const {
  if (!data_root.empty()) return data_root;
  if (const char* root = std::getenv("GRAPHSURGEON_DATA"); root && *root) return root;
  return cache_folder();
}

void DataRoot::describe(OptionList& v) {
  v("data-root", data_root,
    "folder of the catalog's datasets; default: $GRAPHSURGEON_DATA, else the user's cache folder");
}

}  // namespace gs
