// Methods on datasets, a cell each: trained and scored by this program in processes of their own. A
// cell that is done lies in a file, and is not done again unless what it stands for has changed.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "config/run_options.h"

namespace gs {

struct GridOptions {
  Protocol protocol = Protocol::authors;
  int64_t seeds = 3;  // encoders of a method that learns without labels, each probed on every split
  int64_t runs = 10;  // random splits
  bool quick = false;  // one seed, three splits, a quarter of the epochs
  int64_t memory = 0;  // MiB a cell may take; 0: what is free
  int64_t threads = 0;
  std::string data_root;

  void describe(OptionList& v);
};

struct CellName {
  std::string method, dataset;
  bool operator==(const CellName&) const = default;
};

// What a cell came to: the keys of `graphsurgeon bench --json`, or a "problem" in their place.
struct Cell {
  CellName name;
  nlohmann::json row;

  bool done() const { return row.contains("mean"); }
};

// "photo,cs" as names of the catalog, each once. Usage Error for what it does not know.
std::vector<std::string> parse_datasets(const std::string& names);

// "photo,pubmed=all" and "cs=gcn,gat" as cells, the datasets in the order they are named; `all` is
// every method, once. Usage Error for what nobody knows.
std::vector<CellName> parse_grid(const std::vector<std::string>& groups);

// The options that a cell trains with: the method's own, those of its preset for the dataset where
// there is one (METHOD-DATASET; for graphsurgeon DATASET-tuned, else the authors' DATASET), and the
// grid's. `preset` receives the preset's name, or "".
RunOptions cell_options(const CellName& name, const GridOptions& options, std::string& preset);

// Runs what is not done yet; calls `after` with all cells so far, in order, whenever one is done. A
// cell that fails is a problem of that cell alone. Error of kind interrupted when stopped: the
// cells that were done stay done.
std::vector<Cell> run_grid(const std::vector<CellName>& names, const GridOptions& options,
                           const std::filesystem::path& folder, const std::atomic<bool>* stop,
                           Progress& progress,
                           const std::function<void(const std::vector<Cell>&)>& after);

}  // namespace gs
