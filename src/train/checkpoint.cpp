#include "train/checkpoint.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/safetensors.h"

namespace gs {

namespace {

namespace stdfs = std::filesystem;

constexpr const char* kState = "state.safetensors";

// Options that a resumed run may not change.
nlohmann::json fixed_options(RunOptions options) {
  auto json = describe(options).json();
  for (const char* free : {"checkpoint-every", "workers", "prefetch", "memory"}) json.erase(free);
  // The splits that are done had as many as the run began with.
  if (!method_info(options.method.method).supervised()) json.erase("epochs");
  return json;
}

void check_same_run(const RunInfo& before, const RunInfo& now, const std::string& where) {
  if (before.features != now.features || before.nodes != now.nodes || before.edges != now.edges)
    fail_data(where, "was trained on other data", "resume with the dataset it began with");
  const auto old_options = fixed_options(before.options), new_options = fixed_options(now.options);
  for (const auto& [key, value] : new_options.items())
    if (old_options[key] != value)
      fail_usage("--" + key,
                 fmt::format("is {} now and was {} when the run began", value.dump(),
                             old_options[key].dump()),
                 key == "epochs" ? "a method that learns from labels keeps its epochs on --resume"
                                 : "only --epochs may change on --resume");
}

[[noreturn]] void fail_damaged(const std::string& where, const std::string& why) {
  fail_data(where, fmt::format("is not a checkpoint of this program: {}", why),
            "pass --overwrite to start anew");
}

nlohmann::json to_json(const EpochSums& s) {
  return {{"loss", s.loss},       {"gradient_norm", s.gradient_norm},
          {"seconds", s.seconds}, {"sample", s.sample},
          {"gather", s.gather},   {"wait", s.wait},
          {"steps", s.steps},     {"terms", s.terms}};
}

EpochSums sums_from_json(const nlohmann::json& json) {
  EpochSums s;
  s.loss = json.at("loss"), s.gradient_norm = json.at("gradient_norm");
  s.seconds = json.at("seconds");
  s.sample = json.at("sample"), s.gather = json.at("gather"), s.wait = json.at("wait");
  s.steps = json.at("steps");
  s.terms = json.at("terms").get<std::map<std::string, double>>();
  return s;
}

TrainState state_from_json(const std::string& text, const std::string& where, int64_t& adam_steps) {
  TrainState state;
  try {
    const auto json = nlohmann::json::parse(text);
    state.split = json.at("split");
    state.epoch = json.at("epoch");
    state.batch = json.at("batch");
    state.sums = sums_from_json(json.at("sums"));
    state.loader =
        find(names_of(LoaderKind{}), json.at("loader").get<std::string>(), "loader").value;
    state.best = json.at("best").get<std::vector<double>>();
    state.metrics_bytes = json.at("metrics_bytes");
    state.rank = json.at("rank");
    state.seeds = json.value("seeds", "");
    adam_steps = json.at("adam_steps");
  } catch (const nlohmann::json::exception& error) {
    fail_damaged(where, printable(error.what(), 120));
  }
  return state;
}

bool is_temporary(const std::string& name) {  // AtomicFile's
  return name.starts_with(".") && name.find(".tmp-") != std::string::npos;
}

// Removes the files of the folder whose name `ours` accepts.
template <class Ours>
void remove_files(const stdfs::path& run, const Ours& ours) {
  std::vector<stdfs::path> found;
  std::error_code error;
  for (const auto& entry : stdfs::directory_iterator(run, error))
    if (ours(entry.path().filename().string()) && !entry.is_directory(error))
      found.push_back(entry.path());
  for (const auto& path : found) stdfs::remove(path, error);
}

}  // namespace

bool has_checkpoint(const stdfs::path& run) { return stdfs::exists(run / kState); }

LoaderKind loader_of_checkpoint(const stdfs::path& run) {
  const std::string where = (run / kState).string();
  int64_t adam_steps = 0;
  SafeTensors file = load_safetensors(where);
  return state_from_json(file.metadata["state"], where, adam_steps).loader;
}

void save_checkpoint(const stdfs::path& run, const RunInfo& info, const Parameters& parameters,
                     const Adam& adam, const TrainState& state) {
  TensorMap tensors;
  for (const auto& [name, tensor] : parameters.all()) tensors["model." + name] = tensor;
  for (const auto& [name, tensor] : adam.state()) tensors["adam." + name] = tensor;
  for (size_t s = 0; s < state.kept.size(); ++s)
    for (const auto& [name, tensor] : state.kept[s])
      tensors[fmt::format("kept.{}.{}", s, name)] = tensor;
  const nlohmann::json json{{"split", state.split},
                            {"epoch", state.epoch},
                            {"batch", state.batch},
                            {"sums", to_json(state.sums)},
                            {"loader", name_of(names_of(LoaderKind{}), state.loader)},
                            {"adam_steps", adam.steps()},
                            {"best", state.best},
                            {"rank", state.rank},
                            {"metrics_bytes", state.metrics_bytes},
                            {"seeds", state.seeds}};
  save_tensors(run / kState, tensors,
               {{"graphsurgeon", to_json_text(info)}, {"state", json.dump()}});
}

TrainState load_checkpoint(const stdfs::path& run, const RunInfo& now, size_t splits,
                           Parameters& parameters, Adam& adam) {
  const std::string where = (run / kState).string();
  std::map<std::string, std::string> metadata;
  const TensorMap tensors = load_tensors(where, &metadata);
  check_same_run(run_info_from_json(metadata["graphsurgeon"], where), now, where);
  int64_t adam_steps = 0;
  TrainState state = state_from_json(metadata["state"], where, adam_steps);
  if (state.best.size() != splits)
    fail_data(where,
              fmt::format("was selected on {} splits; there are {} now", state.best.size(), splits),
              "resume with the dataset it began with");
  if (now.options.train.epochs < state.epoch + (state.batch > 0 ? 1 : 0))
    fail_usage("--epochs",
               fmt::format("is {}, but the run is at epoch {} already", now.options.train.epochs,
                           state.epoch),
               "give a larger number");
  assign(parameters, tensors, "model.", where);
  adam.set_steps(adam_steps);
  const at::NoGradGuard no_gradient;
  for (auto& [name, tensor] : adam.state()) {
    const auto found = tensors.find("adam." + name);
    if (found == tensors.end() || found->second.sizes() != tensor.sizes())
      fail_damaged(where, fmt::format("the optimiser's '{}' is missing or of another shape", name));
    tensor.copy_(found->second);
  }
  state.kept.resize(splits);
  for (size_t s = 0; s < splits; ++s)
    for (const auto& [name, tensor] : parameters.all())
      if (const auto found = tensors.find(fmt::format("kept.{}.{}", s, name));
          found != tensors.end())
        state.kept[s][name] = found->second;
  return state;
}

void MetricsFile::create() {
  write_file(path_, "");
  bytes_ = 0;
}

void MetricsFile::cut_back(int64_t bytes) {
  std::error_code error;
  const auto size = stdfs::file_size(path_, error);
  if (error || static_cast<int64_t>(size) < bytes) return create();
  stdfs::resize_file(path_, static_cast<uintmax_t>(bytes));
  bytes_ = bytes;
}

void MetricsFile::append(const std::string& line) {
  std::ofstream out(path_, std::ios::app);
  out << line;
  if (!out.flush()) fail_data(path_.string(), "cannot be written", "is the disk full?");
  bytes_ += static_cast<int64_t>(line.size());
}

MetricsFile::Costs MetricsFile::costs() const {
  Costs out;
  std::ifstream in(path_);
  for (std::string text; std::getline(in, text);) {
    const auto line = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!line.is_object()) continue;  // somebody else's
    const auto number = [&](const char* key) {
      return line.contains(key) && line[key].is_number() ? line[key].get<double>() : 0;
    };
    out.seconds.push_back(number("seconds"));
    out.peak_mib = std::max(out.peak_mib, number("peak_mib"));
  }
  return out;
}

void clear_temporaries(const stdfs::path& run) { remove_files(run, is_temporary); }

void clear_run_folder(const stdfs::path& run) {
  remove_files(run, [](const std::string& name) {
    for (const char* ours : {"options.json", "metrics.jsonl", "model.safetensors",
                             "state.safetensors", "embeddings.npy", "scores.json", "ids.txt"})
      if (name == ours) return true;
    return is_temporary(name) ||
           (name.starts_with("model-split-") && name.ends_with(".safetensors"));
  });
}

}  // namespace gs
