#include "command/train.h"

#include <nlohmann/json.hpp>

#include "base/parallel.h"
#include "command/session.h"
#include "dataset/load.h"
#include "options/methods.h"
#include "run/auto_options.h"
#include "run/nearest.h"
#include "run/open_share.h"
#include "run/record.h"

namespace gs {

namespace {

// "7650 nodes, 238162 stored edges (undirected), 745 features".
std::string size_text(int64_t nodes, int64_t edges, bool undirected, int64_t features) {
  return fmt::format("{} nodes, {} stored edges ({}), {} features", nodes, edges,
                     undirected ? "undirected" : "directed", features);
}

Dataset load(const TrainRequest& request, Progress& progress) {
  Dataset data = load_dataset(request.data, request.options.load, progress);
  progress.say(fmt::format(
      "{}: {}", data.name,
      size_text(data.nodes(), data.graph.edges(), data.graph.symmetric, data.features.width())));
  return data;
}

// A number of seconds as a person would say it.
std::string time_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.{}f} s", seconds, seconds < 9.5 ? 1 : 0);
  if (seconds < 5400) return fmt::format("{:.0f} minutes", seconds / 60);
  return fmt::format("{:.1f} hours", seconds / 3600);
}

}  // namespace

TrainResult run(const TrainRequest& request, Progress& progress) {
  const Session session(request.threads);
  const std::shared_ptr<const Ranks> ranks = ranks_of_group(request.group);
  if (is_sharded(request.data)) {
    const OpenShare open(request.data, request.options.load, *ranks);
    return train(open.share(), request, progress);
  }
  if (ranks->several())
    ranks->fail(Error(ErrorKind::usage, "several ranks train on a sharded folder", request.data,
                      "make one with 'graphsurgeon data shard', or start one process"));
  const Dataset data = load(request, progress);
  for (const std::string& note : data.notes) progress.say("note: " + note);
  TrainResult out = train(data, request, progress);
  const std::string run = gs::quoted(out.run);
  out.next = data.labels.task != Task::none
                 ? fmt::format("graphsurgeon eval {} {}", run, gs::quoted(request.data))
                 : fmt::format("graphsurgeon nearest {} {}", run, gs::quoted(id_of(data, 0)));
  return out;
}

TrainResult run(const TrainRequest& request, const Dataset& data, Progress& progress) {
  const Session session(request.threads);
  return train(data, request, progress);
}

nlohmann::json to_json(const TrainResult& result) {
  nlohmann::json loss{{"total", result.last.loss}};
  for (const auto& [name, value] : result.last.terms) loss[name] = value;
  const Plan& plan = result.plan;
  return {{"run", result.run},
          {"method", result.method},
          {"note", result.note},
          {"next", result.next},
          {"epochs", result.epochs},
          {"seconds", result.seconds},
          {"nodes", result.nodes},
          {"columns", result.columns},
          {"ms_per_epoch", result.ms_per_epoch},
          {"peak_mib", result.peak_mib},
          {"loss", loss},
          {"effective_rank", result.effective_rank},
          {"view_agreement",
           result.view_agreement ? nlohmann::json(*result.view_agreement) : nlohmann::json()},
          {"parameters", result.parameters},
          {"loader", plan.loader},
          {"batches", result.last.batches},
          {"plan",
           {{"batch_nodes", plan.batch_nodes},
            {"batch_mib", plan.batch_mib},
            {"total_mib", plan.total_mib},
            {"limit_mib", plan.limit_mib}}}};
}

std::string to_text(const TrainResult& result) {
  std::string warning;
  if (result.view_agreement && *result.view_agreement < kLowViewAgreement)
    warning = fmt::format(
        "warning: the two views do not agree (mean cosine {:.2f}); try a smaller --gamma, or "
        "--method spectral\n",
        *result.view_agreement);
  std::string wrote =
      fmt::format("wrote {}: embeddings of {} nodes x {} columns, effective rank {:.1f}\n",
                  result.run, result.nodes, result.columns, result.effective_rank);
  if (!result.next.empty()) wrote += fmt::format("next: {}\n", result.next);
  if (result.epochs == 0)
    return fmt::format("{} {} in {:.1f} s, peak memory {:.0f} MiB\n{}", result.method,
                       method_info(result.method).solved ? "solved" : "computed", result.seconds,
                       result.peak_mib, wrote);
  std::string terms;
  for (const auto& [name, value] : result.last.terms)
    terms += fmt::format("{} {} {:.6g}", terms.empty() ? " =" : " +", name, value);
  return fmt::format(
      "trained {} epochs at {:.1f} ms each in {:.1f} s, peak memory {:.0f} MiB\nloss "
      "{:.6g}{}\n{}{}",
      result.epochs, result.ms_per_epoch, result.seconds, result.peak_mib, result.last.loss, terms,
      warning, wrote);
}

PlanResult plan(const TrainRequest& request, Progress& progress) {
  const Session session(request.threads);
  const Dataset data = load_dataset(request.data, request.options.load, progress);
  const ChosenOptions chosen = choose_auto_options(request.options, data);
  PlanResult out;
  out.data = data.name, out.method = chosen.options.method.method;
  out.nodes = data.nodes(), out.edges = data.graph.edges(), out.features = data.features.width();
  out.epochs = chosen.options.train.epochs;
  out.undirected = data.graph.symmetric;
  out.decided = chosen.note;
  out.plan = make_plan(data, chosen.options, chosen.options.loader.loader, request.data);
  out.estimate = estimate(data, chosen.options, out.plan);
  out.threads = threads();
  progress.finish();
  return out;
}

nlohmann::json to_json(const PlanResult& result) {
  const auto& [plan, estimate] = std::tie(result.plan, result.estimate);
  return {{"data", result.data},
          {"method", result.method},
          {"nodes", result.nodes},
          {"edges", result.edges},
          {"features", result.features},
          {"undirected", result.undirected},
          {"decided", result.decided},
          {"epochs", result.epochs},
          {"trainings", estimate.trainings},
          {"loader", plan.loader},
          {"batches", estimate.batches},
          {"batch_nodes", plan.batch_nodes},
          {"memory_mib", plan.total_mib},
          {"limit_mib", plan.limit_mib},
          {"seconds_per_epoch", estimate.seconds_per_epoch},
          {"seconds", estimate.seconds},
          {"threads", result.threads}};
}

std::string to_text(const PlanResult& result) {
  const auto& [plan, estimate] = std::tie(result.plan, result.estimate);
  const auto line = [](const char* key, const std::string& value) {
    return fmt::format("  {:<10}{}\n", key, value);
  };
  std::string out =
      fmt::format("{}: {}\n", result.data,
                  size_text(result.nodes, result.edges, result.undirected, result.features));
  std::string how = result.method;
  if (method_info(result.method).solved) how += ", solved at once";
  else if (result.epochs > 0) how += fmt::format(", {} epochs", result.epochs);
  if (estimate.trainings > 1) how += fmt::format(" on each of {} splits", estimate.trainings);
  out += line("method", how);
  out += line("batches", plan.loader == "full"
                             ? "one: the whole graph (--loader full)"
                             : fmt::format("{} per epoch of about {} nodes (--loader {})",
                                           estimate.batches, plan.batch_nodes, plan.loader));
  out += line("memory", fmt::format("about {:.0f} MiB; {:.0f} MiB may be used", plan.total_mib,
                                    plan.limit_mib));
  std::string time =
      fmt::format("about {} on {} threads", time_text(estimate.seconds), result.threads);
  if (estimate.seconds_per_epoch > 0)
    time += fmt::format(" ({:.3g} s per epoch, as measured just now)", estimate.seconds_per_epoch);
  out += line("time", time);
  return out + (result.decided.empty() ? "" : result.decided + "\n") +
         "nothing was trained; leave out --plan to train\n";
}

}  // namespace gs
