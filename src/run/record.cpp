#include "run/record.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/machine.h"
#include "base/parallel.h"
#include "dataset/generate/generate.h"
#include "options/methods.h"
#include "version.h"

namespace gs {

namespace stdfs = std::filesystem;

namespace {

constexpr Named<RunRecord::State> kStates[] = {{"unknown", RunRecord::State::unknown, ""},
                                               {"training", RunRecord::State::training, ""},
                                               {"stopped", RunRecord::State::stopped, ""},
                                               {"finished", RunRecord::State::finished, ""}};
constexpr std::span<const Named<RunRecord::State>> states() { return kStates; }

// Where the data lies, or nothing.
std::string path_of(const std::string& name, const LoadOptions& load) {
  if (is_generator(name)) return {};
  std::error_code error;
  stdfs::path path = name;
  if (const CatalogEntry* entry = find_catalog(name); entry && !stdfs::exists(path, error)) {
    const auto found = locate(*entry, load.folder());
    if (!found) return {};
    path = *found;
  }
  if (!stdfs::exists(path, error)) return {};
  const stdfs::path whole = stdfs::canonical(path, error);
  return error ? std::string() : whole.string();
}

// The epoch of the last line of metrics.
int64_t last_epoch(const RunFolder& folder) {
  int64_t epoch = 0;
  std::ifstream in(folder.metrics());
  for (std::string text; std::getline(in, text);) {
    const auto line = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (line.is_object() && line.contains("epoch") && line["epoch"].is_number_integer())
      epoch = line["epoch"];
  }
  return epoch;
}

// Whether a training holds the folder's lock (run/lock.h).
bool is_being_written(const RunFolder& folder) {
  const int descriptor = ::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool held = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0;
  ::close(descriptor);
  return held;
}

}  // namespace

RunRecord RunRecord::of(const std::string& name, const Dataset& data, const LoadOptions& load,
                        const std::string& fingerprint) {
  RunRecord out;
  out.state = State::training;
  out.path = path_of(name, load);
  out.content = fingerprint;
  out.treatment = data.treatment;
  out.undirected = data.graph.symmetric;
  out.labeled = data.labels.task != Task::none;
  out.version = GS_VERSION;
  out.libtorch = GS_TORCH_VERSION;
  out.cpu = cpu_name();
  out.threads = gs::threads();
  out.date = utc_now();
  return out;
}

RunRecord load_record(const RunFolder& folder) {
  RunRecord out;
  if (!stdfs::exists(folder.record())) return out;
  const MappedFile file(folder.record());
  try {
    const auto json = parse_json(file.text());
    out.state = find(states(), json.at("state").get<std::string>(), "state").value;
    out.reason = json.at("reason"), out.hint = json.at("hint");
    out.epoch = json.at("epoch");
    const auto& data = json.at("data");
    out.path = data.at("path"), out.content = data.at("content");
    out.treatment = data.at("treatment");
    out.undirected = data.at("undirected"), out.labeled = data.at("labeled");
    out.version = json.at("version"), out.libtorch = json.at("libtorch");
    out.cpu = json.at("cpu"), out.threads = json.at("threads");
    out.date = json.at("date"), out.seconds = json.at("seconds");
    out.peak_mib = json.at("peak_mib");
    const auto& embeddings = json.at("embeddings");
    out.rows = embeddings.at("rows"), out.columns = embeddings.at("columns");
    out.effective_rank = embeddings.at("effective_rank");
  } catch (const std::exception& error) {
    fail_data(file.path(), fmt::format("is not a run's record: {}", printable(error.what(), 120)),
              "delete the file; the run can be used without it");
  }
  return out;
}

nlohmann::json to_json(const RunRecord& record) {
  return {{"state", name_of(states(), record.state)},
          {"reason", record.reason},
          {"hint", record.hint},
          {"epoch", record.epoch},
          {"data",
           {{"path", record.path},
            {"content", record.content},
            {"treatment", record.treatment},
            {"undirected", record.undirected},
            {"labeled", record.labeled}}},
          {"version", record.version},
          {"libtorch", record.libtorch},
          {"cpu", record.cpu},
          {"threads", record.threads},
          {"date", record.date},
          {"seconds", record.seconds},
          {"peak_mib", record.peak_mib},
          {"embeddings",
           {{"rows", record.rows},
            {"columns", record.columns},
            {"effective_rank", record.effective_rank}}}};
}

void save_record(const RunFolder& folder, const RunRecord& record) {
  write_file(folder.record(),
             to_json(record).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

RunInfo load_info(const RunFolder& folder) {
  if (!folder.exists())
    fail_data(folder.path().string(),
              stdfs::exists(folder.path()) ? "is not the folder of a run" : "no such run folder",
              "pass a folder that 'graphsurgeon train DATA -o FOLDER' wrote");
  const MappedFile file(folder.options());
  return run_info_from_json(std::string(file.text()), file.path());
}

std::string quoted(const std::string& word) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,=@%+";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::vector<std::string> changed_options(const RunInfo& info) {
  RunOptions own = info.options, plain = default_options(method_info(own.method.method));
  const OptionList list = describe(own), defaults = describe(plain);
  const bool solved = method_info(own.method.method).solved;  // its encoder has no effect
  std::vector<std::string> out;
  for (const Option& option : list.options()) {
    const std::string value = option.text();
    const bool decided = std::ranges::find(info.by_data, option.name) != info.by_data.end();
    const bool unused = solved && (option.name == "layers" || option.name == "skip");
    if (option.name == "method" || decided || unused ||
        value == defaults.find_option(option.name)->text())
      continue;
    if (const auto* field = std::get_if<bool*>(&option.field))
      out.push_back(**field ? option.flag() : "--no-" + option.name);
    else out.push_back(fmt::format("{} {}", option.flag(), quoted(value)));
  }
  return out;
}

std::string command_of(const RunInfo& info, const RunFolder& folder) {
  std::string out = fmt::format("graphsurgeon train {} --method {} -o {}", quoted(info.data),
                                info.options.method.method, quoted(folder.path().string()));
  for (const std::string& option : changed_options(info)) out += " " + option;
  return out;
}

std::string unfinished_text(const RunFolder& folder) {
  if (folder.finished()) return {};
  const RunInfo info = load_info(folder);
  const RunRecord record = load_record(folder);
  const bool stopped = record.state == RunRecord::State::stopped;
  const std::string place = fmt::format(
      "epoch {} of {}", stopped ? record.epoch : last_epoch(folder), info.options.train.epochs);
  if (is_being_written(folder)) return fmt::format("this run is being trained now ({})", place);
  if (stopped) return fmt::format("this run stopped at {}: {}", place, record.reason);
  return fmt::format("this run ended at {} before it was finished", place);
}

void check_finished(const RunFolder& folder) {
  if (folder.finished()) return;
  const RunInfo info = load_info(folder);
  const RunRecord record = load_record(folder);
  const std::string text = unfinished_text(folder);
  fail_data(folder.path().string(), text,
            is_being_written(folder) ? "wait until it is done"
            : record.hint.empty()
                ? fmt::format("continue it with '{} --resume'", command_of(info, folder))
                : record.hint);
}

}  // namespace gs
