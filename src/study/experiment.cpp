#include "study/experiment.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "config/methods.h"
#include "version.h"

namespace gs {

namespace {

namespace stdfs = std::filesystem;
using nlohmann::json;

json settings_of(const Experiment& experiment) {
  RunOptions options = experiment.options;
  options.load.data_root.clear();
  return {{"dataset", experiment.dataset}, {"options", describe(options).json()},
          {"seeds", experiment.seeds},     {"score", experiment.score},
          {"version", GS_VERSION},         {"probe_epochs", experiment.probe_epochs}};
}

// The cell of these settings: where it lies, or will, and its row when it is done. One of the same
// name that stands for something else, or is damaged, is left alone: this one lies beside it.
struct Kept {
  stdfs::path file;
  std::optional<json> row;
};

Kept find_cell(const stdfs::path& folder, const std::string& name, const json& settings) {
  const auto row_in = [&](const stdfs::path& file) -> std::optional<json> {
    if (!stdfs::exists(file)) return std::nullopt;
    try {
      const json found = json::parse(MappedFile(file).text());
      if (found.at("settings") == settings) return found.at("row");
    } catch (const json::exception&) {  // not one of ours, or damaged
    }
    return std::nullopt;
  };
  const stdfs::path plain = folder / (name + ".json");
  if (auto row = row_in(plain); row || !stdfs::exists(plain)) return {plain, row};
  Hasher hasher;
  hasher.add(settings.dump());
  const stdfs::path beside =
      folder / fmt::format("{}-{}.json", name, hasher.result().hex().substr(0, 8));
  return {beside, row_in(beside)};
}

std::string first_line(const std::string& text) {
  const size_t at = text.find("error: ");
  const std::string from = at == std::string::npos ? text : text.substr(at + 7);
  return printable(from.substr(0, from.find('\n')), 200);
}

json with_problem(json row, const ProcessResult& result) {
  row["problem"] = result.exit_code >= 128
                       ? fmt::format("killed by signal {}", result.exit_code - 128)
                       : first_line(result.errors);
  return row;
}

// [epoch, validation] of the epochs that were looked at.
json curve_of(const stdfs::path& metrics) {
  json out = json::array();
  const MappedFile file(metrics);
  std::string_view text = file.text();
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1);
    const json line = json::parse(text.substr(0, end));
    if (line.contains("validation")) out.push_back({line["epoch"], line["validation"]});
    text.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace

RunOptions options_with(const json& given, const std::string& preset) {
  RunOptions run;
  OptionList list = describe(run);
  for (const auto& [key, value] : given.items()) {
    list.find_option(key)->set(value, "study");
    list.find_option(key)->given = true;
  }
  run.resolve(list, preset, "");
  return run;
}

json Laboratory::run(const Experiment& experiment) const {
  const json settings = settings_of(experiment);
  const auto [file, known] = find_cell(folder_ / "cells", experiment.name, settings);
  if (known) return *known;
  const json row = make(experiment);
  if (!row.contains("problem")) {
    stdfs::create_directories(file.parent_path());
    write_file(file, json{{"settings", settings}, {"row", row}}.dump(2) + "\n");
  }
  return row;
}

ProcessResult Laboratory::call(const Experiment& experiment,
                               std::vector<std::string> arguments) const {
  arguments.insert(arguments.end(), {"--json", "--quiet"});
  if (threads_ > 0) arguments.insert(arguments.end(), {"--threads", std::to_string(threads_)});
  if (!data_root_.empty()) arguments.insert(arguments.end(), {"--data-root", data_root_});
  ProcessResult result = run_program(arguments, stop_);
  if (stop_ && *stop_)
    throw Error(ErrorKind::interrupted, fmt::format("stopped in {}", experiment.name),
                folder_.string(), "the same command goes on from here");
  return result;
}

// The part of the row that the training tells. Once it has ended it is kept beside the run: a
// training that is done is not asked again, when it would tell of a process that did nothing.
json Laboratory::train(const Experiment& experiment, const stdfs::path& work) const {
  const stdfs::path told = work / "trained.json";
  if (stdfs::exists(told)) return json::parse(MappedFile(told).text());
  json row{{"dataset", experiment.dataset}, {"method", experiment.options.method.method}};
  const ProcessResult trained =
      call(experiment, {"train", experiment.dataset, "-o", (work / "run").string(), "--config",
                        (work / "config.json").string(), "--resume"});
  row["peak_mib"] = trained.peak_mib;
  if (trained.exit_code != 0) return with_problem(row, trained);
  const json result = json::parse(trained.output);
  for (const char* key : {"epochs", "ms_per_epoch", "loader", "parameters"}) row[key] = result[key];
  row["peak_mib"] = std::max(trained.peak_mib, result["peak_mib"].get<double>());
  row["seconds"] = trained.seconds;
  row["threads"] = threads_ > 0 ? threads_ : threads();
  if (experiment.options.train.select == Select::val)
    row["curve"] = curve_of(work / "run" / "metrics.jsonl");
  write_file(told, row.dump(2) + "\n");
  return row;
}

json Laboratory::make(const Experiment& experiment) const {
  const stdfs::path work = folder_ / "work" / experiment.name, config = work / "config.json";
  RunOptions options = experiment.options;
  json values = describe(options).json();
  values.erase("data-root");
  const std::string wanted = json{{"options", values}}.dump(2) + "\n";
  // What lies there from a stop is gone on with, unless it was begun with other options.
  if (stdfs::exists(work) && (!stdfs::exists(config) || MappedFile(config).text() != wanted))
    stdfs::remove_all(work);
  stdfs::create_directories(work);
  write_file(config, wanted);

  json row = train(experiment, work);
  if (row.contains("problem")) return row;
  if (experiment.score) {
    std::vector<std::string> eval{"eval", (work / "run").string(), experiment.dataset,
                                  "--no-reference"};
    if (experiment.probe_epochs > 0)
      eval.insert(eval.end(), {"--probe-epochs", std::to_string(experiment.probe_epochs)});
    if (!method_info(options.method.method).supervised())
      eval.insert(eval.end(), {"--runs", std::to_string(options.train.runs), "--seeds",
                               std::to_string(experiment.seeds)});
    const ProcessResult evaluated = call(experiment, eval);
    if (evaluated.exit_code != 0) return with_problem(row, evaluated);
    const json score = json::parse(evaluated.output);
    for (const char* key : {"metric", "mean", "std", "std_over_seeds", "runs", "splits"})
      row[key] = score[key];
    row["seconds"] = row["seconds"].get<double>() + evaluated.seconds;
  }
  std::error_code ignored;
  stdfs::remove_all(work, ignored);
  return row;
}

}  // namespace gs
