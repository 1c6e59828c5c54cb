#include "dataset/catalog.h"

#include <algorithm>
#include <cstdlib>

namespace gs {

namespace {

#define GS_GEOM "https://raw.githubusercontent.com/graphdml-uiuc-jlu/geom-gcn/master"
#define GS_SHCHUR "https://github.com/shchur/gnn-benchmark/raw/master/data/npz/"
#define GS_G2G "https://github.com/abojchevski/graph2gauss/raw/master/data/"
#define GS_YANDEX "https://github.com/yandex-research/heterophilous-graphs/raw/main/data/"
#define GS_SPLIT(k) \
  { GS_GEOM "/splits/film_split_0.6_0.2_" k ".npz", "actor/raw/film_split_0.6_0.2_" k ".npz" }

constexpr std::string_view kSaintPage =
    "https://drive.google.com/drive/folders/1zycmmDES39zVlbVCYs88JTJ1Wm5FbfLz";

// A gnn-benchmark file: symmetrised, loop-free and binarised by PyG.
CatalogEntry npz(std::string_view name, std::string_view title, int64_t nodes, int64_t edges,
                 int64_t width, int64_t classes, std::vector<std::string_view> paths,
                 std::string_view url, std::string_view note = {}) {
  const std::string_view target = paths.front();
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
          .files = {{url, target}},
          .page = {},
          .note = note};
}

// A GraphSAINT folder, whose public copies lie behind a page that needs a browser.
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
                           int64_t edges, int64_t width, int64_t classes, std::string_view path,
                           std::string_view url) {
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
          .paths = {path},
          .files = {{url, path}},
          .page = {},
          .in_paper = false};
}

std::vector<CatalogEntry> make_catalog() {
  return {
      npz("corafull", "Cora Full", 19793, 126842, 8710, 70,
          {"cora_full.npz", "cora.npz", "citationfull/cora/raw/cora.npz", "cora/raw/cora.npz",
           "Cora/raw/cora.npz"},
          GS_G2G "cora.npz"),
      npz("dblp", "DBLP", 17716, 105734, 1639, 4,
          {"dblp.npz", "dblp/raw/dblp.npz", "DBLP/raw/dblp.npz"}, GS_G2G "dblp.npz"),
      npz("pubmed", "PubMed", 19717, 88648, 500, 3,
          {"pubmed.npz", "pubmed/raw/pubmed.npz", "PubMed/raw/pubmed.npz"}, GS_G2G "pubmed.npz"),
      npz("physics", "Physics", 34493, 495924, 8415, 5,
          {"ms_academic_phy.npz", "physics/raw/ms_academic_phy.npz",
           "Physics/raw/ms_academic_phy.npz"},
          GS_SHCHUR "ms_academic_phy.npz"),
      npz("cs", "CS", 18333, 163788, 6805, 15,
          {"ms_academic_cs.npz", "cs/raw/ms_academic_cs.npz", "CS/raw/ms_academic_cs.npz"},
          GS_SHCHUR "ms_academic_cs.npz"),
      npz("computers", "Computers", 13752, 491722, 767, 10,
          {"amazon_electronics_computers.npz", "computers/raw/amazon_electronics_computers.npz",
           "Computers/raw/amazon_electronics_computers.npz"},
          GS_SHCHUR "amazon_electronics_computers.npz",
          "the paper prints F = 467; the data has 767"),
      npz("photo", "Photo", 7650, 238162, 745, 8,
          {"amazon_electronics_photo.npz", "photo/raw/amazon_electronics_photo.npz",
           "Photo/raw/amazon_electronics_photo.npz"},
          GS_SHCHUR "amazon_electronics_photo.npz"),
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
       .files = {{GS_GEOM "/new_data/film/out1_graph_edges.txt", "actor/raw/out1_graph_edges.txt"},
                 {GS_GEOM "/new_data/film/out1_node_feature_label.txt",
                  "actor/raw/out1_node_feature_label.txt"},
                 GS_SPLIT("0"),
                 GS_SPLIT("1"),
                 GS_SPLIT("2"),
                 GS_SPLIT("3"),
                 GS_SPLIT("4"),
                 GS_SPLIT("5"),
                 GS_SPLIT("6"),
                 GS_SPLIT("7"),
                 GS_SPLIT("8"),
                 GS_SPLIT("9")},
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
      heterophilous("roman-empire", "Roman-empire", 22662, 65854, 300, 18, "roman_empire.npz",
                    GS_YANDEX "roman_empire.npz"),
      heterophilous("amazon-ratings", "Amazon-ratings", 24492, 186100, 300, 5, "amazon_ratings.npz",
                    GS_YANDEX "amazon_ratings.npz"),
      heterophilous("minesweeper", "Minesweeper", 10000, 78804, 7, 2, "minesweeper.npz",
                    GS_YANDEX "minesweeper.npz"),
      heterophilous("tolokers", "Tolokers", 11758, 1038000, 10, 2, "tolokers.npz",
                    GS_YANDEX "tolokers.npz"),
      heterophilous("questions", "Questions", 48921, 307080, 301, 2, "questions.npz",
                    GS_YANDEX "questions.npz"),
  };
}

#undef GS_GEOM
#undef GS_SHCHUR
#undef GS_G2G
#undef GS_YANDEX
#undef GS_SPLIT

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

const CatalogEntry* find_catalog(std::string_view name) {
  std::string wanted(name);
  for (char& c : wanted) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const auto& [alias, real] : kAliases)
    if (wanted == alias) wanted = real;
  for (const auto& entry : catalog())
    if (entry.name == wanted) return &entry;
  return nullptr;
}

const CatalogEntry* recognise(std::string_view format, int64_t nodes, int64_t width,
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

std::filesystem::path data_root(const std::string& option) {
  if (!option.empty()) return option;
  if (const char* root = std::getenv("GRAPHSURGEON_DATA"); root && *root) return root;
  return cache_folder();
}

}  // namespace gs
