#include "train/spread.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/npy.h"
#include "base/text.h"
#include "nn/tensor.h"
#include "options/convolutions.h"
#include "options/methods.h"

namespace gs {

namespace {

constexpr int64_t kRowsOnTheWay = 1 << 16;  // of the embeddings, on their way to the first rank

[[noreturn]] void refuse(const char* option, std::string_view value, const char* hint) {
  fail_usage(option, fmt::format("{} does not work with a sharded folder", value), hint);
}

}  // namespace

void check_spread(const RunOptions& options, const Share& share) {
  if (!share.index) return;
  const MethodInfo& method = method_info(options.method.method);
  const LoaderOptions& loader = options.loader;
  if (method.name != "graphsurgeon")
    refuse("--method", method.name, "use --method graphsurgeon, or the unsharded graph");
  if (loader.loader == "saint")
    refuse("--loader", "saint", "use --loader full, cluster or neighbor, or the unsharded graph");
  if (options.model.asymmetric || options.model.norm == NormKind::batch)
    refuse(options.model.asymmetric ? "--asymmetric" : "--norm", "batch normalization",
           "use --norm layer or none, or the unsharded graph");
  if (options.loss.constraint == Constraint::naive)
    refuse("--constraint", "naive", "use --constraint rows, which is the same term");
  if (options.train.select == Select::val)
    refuse("--select", "val", "leave it at 'last', and score the run with eval");
  if (loader.chooses_targets())
    refuse("--target-nodes", loader.target_nodes, "leave it at 'all', or use the unsharded graph");
  if (options.train.device != "cpu") refuse("--device", options.train.device, "use --device cpu");
}

void check_same(const Share& share, const RunInfo& info) {
  if (!share.ranks.several()) return;
  auto description = parse_json(to_json_text(info));
  description.erase("data");  // a path, which may differ from host to host
  description["content of the data"] = share.index->hash;
  const std::vector<std::string> all = share.ranks.gather(description.dump());
  for (size_t r = 1; r < all.size(); ++r) {
    if (all[r] == all[0]) continue;
    const auto first = parse_json(all[0]), other = parse_json(all[r]);
    const nlohmann::json changes = nlohmann::json::diff(first, other);
    const std::string path = changes.front().at("path").get<std::string>();
    const auto place = nlohmann::json::json_pointer(path);
    const auto value = [&](const nlohmann::json& json) {
      return json.contains(place) ? printable(json.at(place).dump()) : std::string("absent");
    };
    share.ranks.fail(
        Error(ErrorKind::usage,
              fmt::format("is {} on rank {} and {} on rank 0", value(other), r, value(first)),
              path.substr(path.rfind('/') + 1),
              "start every rank with the same program, data and options"));
  }
}

RunOptions starting_options(const TrainRequest& request) {
  RunOptions options = request.options;
  ModelOptions& model = options.model;
  if (request.init.empty() || !has_auto_options(model)) return options;
  const ModelOptions before = load_model(request.init, Device{}).info.options.model;
  if (model.layers == 0) model.layers = before.layers;
  if (model.skip == Skip::automatic) model.skip = before.skip;
  return options;
}

RunInfo info_of(const std::string& name, const Share& share, const RunOptions& options,
                const std::vector<std::string>& by_data) {
  RunInfo out = RunInfo::of(name, share.data, options, by_data);
  out.nodes = share.nodes(), out.edges = share.edges();
  return out;
}

RunRecord record_of(const std::string& name, const Share& share, const LoadOptions& load,
                    const std::string& fingerprint) {
  RunRecord out = RunRecord::of(name, share.data, load, fingerprint);
  if (share.index) {
    out.undirected = share.index->symmetric;
    out.labeled = share.index->task != Task::none;
  }
  return out;
}

ChosenOptions choose_auto_options(const RunOptions& options, const Share& share) {
  if (!share.index) return choose_auto_options(options, share.data);
  ChosenOptions out{options, {}, ""};
  std::string text;
  share.ranks.together([&] {
    if (!share.ranks.first()) return;
    out = choose_auto_options(options, open_shard(*share.index, 0).data);
    text =
        nlohmann::json{
            {"options", describe(out.options).json()}, {"by_data", out.by_data}, {"note", out.note}}
            .dump();
  });
  text = share.ranks.broadcast(text);
  if (share.ranks.first()) return out;
  const auto json = parse_json(text);
  describe(out.options).set_json(json.at("options"), "rank 0", false);
  out.by_data = json.at("by_data").get<std::vector<std::string>>();
  out.note = json.at("note").get<std::string>();
  return out;
}

bool sum_gradients(Parameters& parameters, const Ranks& ranks, bool stop) {
  if (!ranks.several()) return stop;
  const at::NoGradGuard no_gradient;
  std::vector<at::Tensor> parts{at::full({1}, stop ? 1.0 : 0.0)};
  for (const auto& [name, weight] : parameters.weights())
    if (weight.grad().defined()) parts.push_back(weight.grad().flatten());
  at::Tensor flat = at::cat(parts);
  ranks.reduce(flat);
  int64_t at = 1;
  for (const auto& [name, weight] : parameters.weights()) {
    at::Tensor gradient = weight.grad();
    if (!gradient.defined()) continue;
    gradient.copy_(flat.slice(0, at, at + gradient.numel()).view(gradient.sizes()));
    at += gradient.numel();
  }
  return flat[0].item<float>() > 0;
}

void check_equal(const Parameters& parameters, const Ranks& ranks) {
  if (!ranks.several()) return;
  Hasher hasher;
  for (const auto& [name, tensor] : parameters.all())
    hasher.add(floats(tensor.detach().contiguous()));
  const std::vector<std::string> all = ranks.gather(hasher.result().hex());
  for (size_t r = 1; r < all.size(); ++r)
    if (all[r] != all[0])
      throw Error(ErrorKind::internal,
                  fmt::format("the weights of rank {} are not those of rank 0", r), "",
                  "use machines of one kind; the last checkpoint is good");
}

ReceivedCheckpoint::ReceivedCheckpoint(const RunFolder& run, const Ranks& ranks) : folder_(run) {
  if (!ranks.several()) return;
  std::string bytes;
  ranks.together([&] {
    if (ranks.first() && run.has_checkpoint()) bytes = MappedFile(run.state()).text();
  });
  bytes = ranks.broadcast(bytes);
  if (ranks.first()) return;
  std::string name =
      (std::filesystem::temp_directory_path() / "graphsurgeon-state-XXXXXX").string();
  if (!mkdtemp(name.data())) fail_data(name, "cannot be made", "set TMPDIR to a writable folder");
  temporary_ = name;
  folder_ = RunFolder(temporary_);
  if (!bytes.empty()) write_file(folder_.state(), bytes);
}

ReceivedCheckpoint::~ReceivedCheckpoint() {
  std::error_code ignored;
  if (!temporary_.empty()) std::filesystem::remove_all(temporary_, ignored);
}

void save_rows(const std::filesystem::path& path, const at::Tensor& z, const Share& share) {
  const Ranks& ranks = share.ranks;
  const Array<int64_t> numbers = share.numbers();
  std::vector<int64_t> order(static_cast<size_t>(share.own()));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return numbers[a] < numbers[b]; });
  std::optional<AtomicFile> file;
  const int64_t shape[] = {share.nodes(), z.size(1)};
  if (ranks.first()) file.emplace(path), file->write(npy_header<float>(shape));
  const std::vector<int64_t> none(static_cast<size_t>(ranks.size()));
  size_t next = 0;
  for (int64_t begin = 0; begin < share.nodes(); begin += kRowsOnTheWay) {
    const int64_t end = std::min(share.nodes(), begin + kRowsOnTheWay);
    std::vector<int64_t> rows, places;
    for (; next < order.size() && numbers[order[next]] < end; ++next) {
      rows.push_back(order[next]);
      places.push_back(numbers[order[next]] - begin);
    }
    std::vector<double> counts(none.size());
    counts[static_cast<size_t>(ranks.rank())] = static_cast<double>(rows.size());
    ranks.reduce(counts.data(), std::ssize(counts));
    std::vector<int64_t> send = none, receive = none;
    send[0] = std::ssize(rows);
    if (ranks.first()) receive.assign(counts.begin(), counts.end());
    const at::Tensor part =
        ranks.exchange(z.index_select(0, at::tensor(rows, at::kLong)), send, receive);
    const at::Tensor to = ranks.exchange(at::tensor(places, at::kLong), send, receive);
    if (!file) continue;
    GS_ASSERT(to.size(0) == end - begin);
    at::Tensor block = at::empty_like(part);
    block.index_copy_(0, to, part);
    file->write_values(floats(block));
  }
  if (file) file->commit();
}

std::vector<std::string> all_names(const Share& share) {
  std::string own;
  if (const auto& names = share.data.node_ids; !names.empty())
    for (int64_t v = 0; v < share.own(); ++v) own += names[static_cast<size_t>(v)] + "\n";
  const std::vector<std::string> all = share.ranks.gather(own);
  if (!share.ranks.first() || own.empty()) return {};
  const Array<int64_t> numbers = old_ids(*share.index);
  std::vector<std::string> out(static_cast<size_t>(share.nodes()));
  int64_t global = 0;
  for (const std::string& names : all)
    for (size_t at = 0, end = 0; at < names.size(); at = end + 1) {
      end = names.find('\n', at);
      out.at(static_cast<size_t>(numbers[global++])) = names.substr(at, end - at);
    }
  return out;
}

void save_embeddings(RunWriter& writer, const at::Tensor& z, const Share& share) {
  if (!share.index) return writer.save_embeddings(z, share.data.node_ids);
  save_rows(writer.folder().embeddings(), z, share);
  writer.save_ids(all_names(share));
}

}  // namespace gs
