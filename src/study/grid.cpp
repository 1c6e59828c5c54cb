#include "study/grid.h"

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "config/methods.h"
#include "dataset/catalog.h"
#include "study/paper.h"
#include "study/process.h"
#include "version.h"

namespace gs {

namespace {

namespace stdfs = std::filesystem;
using nlohmann::json;

bool has_preset(const std::string& name) {
  return std::any_of(presets().begin(), presets().end(),
                     [&](const Preset& preset) { return preset.name == name; });
}

std::string preset_of(const CellName& name, Protocol protocol) {
  if (name.method != "graphsurgeon") {
    const std::string own = name.method + "-" + name.dataset;
    return has_preset(own) ? own : "";
  }
  const std::string tuned = name.dataset + "-tuned";
  if (protocol == Protocol::authors && has_preset(tuned)) return tuned;
  return has_preset(name.dataset) ? name.dataset : "";
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out;
  size_t begin = 0;
  while (begin <= text.size()) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

// A cell's own file, and what tells whether it still holds.
class CellFile {
 public:
  CellFile(const stdfs::path& folder, const CellName& name, const RunOptions& run,
           const GridOptions& options)
      : path_(folder / "cells" / fmt::format("{}-{}.json", name.method, name.dataset)) {
    RunOptions copy = run;
    copy.load.data_root.clear();
    settings_ = {{"options", describe(copy).json()},
                 {"seeds", options.seeds},
                 {"quick", options.quick},
                 {"version", GS_VERSION}};
  }

  std::optional<json> known() const {
    if (!stdfs::exists(path_)) return std::nullopt;
    try {
      const json found = json::parse(MappedFile(path_).text());
      if (found.at("settings") == settings_) return found.at("row");
    } catch (const json::exception&) {  // not one of ours, or damaged: made anew
    }
    return std::nullopt;
  }
  void save(const json& row) const {
    stdfs::create_directories(path_.parent_path());
    write_file(path_, json{{"settings", settings_}, {"row", row}}.dump(2) + "\n");
  }

 private:
  stdfs::path path_;
  json settings_;
};

std::string first_line(const std::string& text) {
  const size_t at = text.find("error: ");
  const std::string from = at == std::string::npos ? text : text.substr(at + 7);
  return printable(from.substr(0, from.find('\n')), 200);
}

class CellRun {
 public:
  CellRun(const CellName& name, RunOptions run, const GridOptions& options,
          const stdfs::path& folder, const std::atomic<bool>* stop)
      : name_(name),
        run_(std::move(run)),
        options_(options),
        folder_(folder / "work" / fmt::format("{}-{}", name.method, name.dataset)),
        stop_(stop),
        supervised_(method_info(name.method).supervised()) {}

  // The row, or an Error of kind interrupted.
  json row() {
    stdfs::create_directories(folder_);
    json options = describe(run_).json();
    options.erase("data-root");
    write_file(folder_ / "config.json", json{{"options", options}}.dump(2) + "\n");
    json out{{"method", name_.method}, {"dataset", name_.dataset}};
    const ProcessResult trained = call({"train", name_.dataset, "-o", run_folder(), "--config",
                                        (folder_ / "config.json").string(), "--resume"});
    out["peak_mib"] = trained.peak_mib;
    if (trained.exit_code != 0) return problem(out, trained);
    const json train = json::parse(trained.output);
    std::vector<std::string> eval{"eval", run_folder(), name_.dataset, "--no-reference"};
    if (!supervised_)
      eval.insert(eval.end(), {"--runs", std::to_string(run_.train.runs), "--seeds",
                               std::to_string(encoders())});
    const ProcessResult evaluated = call(eval);
    if (evaluated.exit_code != 0) return problem(out, evaluated);
    const json score = json::parse(evaluated.output);
    for (const char* key : {"metric", "mean", "std", "std_over_seeds", "runs", "splits"})
      out[key] = score[key];
    for (const char* key : {"epochs", "ms_per_epoch", "loader"}) out[key] = train[key];
    out["seconds"] = trained.seconds + evaluated.seconds;
    std::error_code ignored;
    stdfs::remove_all(folder_, ignored);
    return out;
  }

 private:
  std::string run_folder() const { return (folder_ / "run").string(); }
  // A method that learns nothing gives the same each time.
  int64_t encoders() const {
    return method_info(name_.method).group == MethodGroup::reference ? 1 : options_.seeds;
  }

  ProcessResult call(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--json", "--quiet"});
    if (options_.threads > 0)
      arguments.insert(arguments.end(), {"--threads", std::to_string(options_.threads)});
    if (!options_.data_root.empty())
      arguments.insert(arguments.end(), {"--data-root", options_.data_root});
    ProcessResult result = run_program(arguments, stop_);
    if (stop_ && *stop_)
      throw Error(ErrorKind::interrupted,
                  fmt::format("stopped in {} on {}", name_.method, name_.dataset), "bench",
                  "the same command goes on from here");
    return result;
  }

  static json problem(json out, const ProcessResult& result) {
    out["problem"] = result.exit_code >= 128
                         ? fmt::format("killed by signal {}", result.exit_code - 128)
                         : first_line(result.errors);
    return out;
  }

  CellName name_;
  RunOptions run_;
  const GridOptions& options_;
  stdfs::path folder_;
  const std::atomic<bool>* stop_;
  bool supervised_;
};

}  // namespace

void GridOptions::describe(OptionList& v) {
  v.group("Cells");
  v("protocol", protocol, "whose protocol: epochs, selection and steps of a probe");
  v("seeds", seeds, "encoders of a method that learns without labels, each probed on every split")
      .at_least(1)
      .at_most(100);
  v("runs", runs, "random splits").at_least(1).at_most(1000);
  v("quick", quick, "one encoder, three splits and a quarter of the epochs: a first look");
  v("memory", memory, "MiB that a cell may take; 0: four fifths of what is free").at_least(0);
  v("data-root", data_root,
    "folder of the catalog's datasets; default $GRAPHSURGEON_DATA, else the user's cache folder");
}

std::vector<CellName> parse_grid(const std::vector<std::string>& groups) {
  std::vector<std::string> known;
  for (const CatalogEntry& entry : catalog()) known.emplace_back(entry.name);
  std::vector<CellName> out;
  for (const std::string& group : groups) {
    const size_t equals = group.find('=');
    const std::string methods_text =
        equals == std::string::npos ? "all" : group.substr(equals + 1);
    std::vector<std::string> chosen = split(methods_text, ',');
    if (chosen == std::vector<std::string>{"all"}) {
      chosen.clear();
      for (const MethodInfo& info : methods()) chosen.emplace_back(info.name);
    }
    for (const std::string& method : chosen) method_info(method);
    const std::vector<std::string> datasets = split(group.substr(0, equals), ',');
    if (datasets.empty() || chosen.empty())
      fail_usage("bench", fmt::format("'{}' names no cell", printable(group)),
                 "as in photo,pubmed=all or cs=gcn,gat");
    for (const std::string& dataset : datasets) {
      const CatalogEntry* entry = find_catalog(dataset);
      if (!entry) fail_unknown("dataset", dataset, known, "bench");
      for (const std::string& method : chosen) {
        CellName name{method, std::string(entry->name)};
        if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(std::move(name));
      }
    }
  }
  return out;
}

RunOptions cell_options(const CellName& name, const GridOptions& options, std::string& preset) {
  RunOptions run;
  OptionList list = describe(run);
  const auto give = [&](const char* key, const json& value) {
    list.find_option(key)->set(value, "bench");
    list.find_option(key)->given = true;
  };
  give("method", name.method);
  give("runs", options.quick ? std::min<int64_t>(3, options.runs) : options.runs);
  give("protocol", std::string(name_of(names_of(Protocol{}), options.protocol)));
  if (options.memory > 0) give("memory", options.memory);
  preset = preset_of(name, options.protocol);
  run.resolve(list, preset, "");
  if (options.quick && run.train.epochs > 20)
    run.train.epochs = std::max<int64_t>(20, run.train.epochs / 4);
  run.load.data_root = options.data_root;
  return run;
}

std::vector<Cell> run_grid(const std::vector<CellName>& names, const GridOptions& given,
                           const stdfs::path& folder, const std::atomic<bool>* stop,
                           Progress& progress,
                           const std::function<void(const std::vector<Cell>&)>& after) {
  GridOptions options = given;
  if (options.quick) options.seeds = 1;
  std::vector<Cell> cells;
  progress.start("cells", static_cast<int64_t>(names.size()), "cells");
  for (const CellName& name : names) {
    progress.note(fmt::format("{} on {}", name.method, name.dataset));
    std::string preset;
    const RunOptions run = cell_options(name, options, preset);
    const CellFile file(folder, name, run, options);
    std::optional<json> row = file.known();
    if (!row) {
      row = CellRun(name, run, options, folder, stop).row();
      row->emplace("preset", preset);
      if (row->contains("mean")) file.save(*row);
    }
    if (const auto paper = paper_figure(name.method, name.dataset))
      (*row)["paper"] = paper->out_of_memory ? json("out of memory") : json(paper->value);
    else (*row)["paper"] = nullptr;
    cells.push_back({name, *row});
    progress.advance(1);
    after(cells);
  }
  progress.finish();
  return cells;
}

}  // namespace gs
