#include <nlohmann/json.hpp>
#include <optional>

#include "base/checksums.h"
#include "base/file.h"
#include "base/parallel.h"
#include "cli/command.h"
#include "cli/external.h"
#include "dataset/catalog.h"
#include "dataset/download.h"
#include "dataset/folder/folder.h"
#include "dataset/generate/generate.h"
#include "dataset/load.h"
#include "dataset/renumber.h"
#include "dataset/shards/save.h"
#include "dataset/summary.h"

namespace gs::cli {

namespace {

void notes_to_stderr(const CommonOptions& common, const Dataset& data) {
  for (const auto& note : data.notes) say(common, "note: " + note);
}

struct InfoOptions {
  bool verify = false;
  void describe(OptionList& v) {
    v("verify", verify, "of a sharded folder: read every file and compare its hash");
  }
};

void check_verify(const InfoOptions& options) {
  if (options.verify)
    fail_usage("--verify", "applies to a sharded folder only",
               "other data is checked whenever it is loaded");
}

// Options on how to read a file mean nothing here: an error rather than ignored.
void check_sharded(const std::set<std::string>& given) {
  for (const std::string& name : given)
    if (name != "verify" && name != "json" && name != "quiet" && name != "threads")
      fail_usage("--" + name, "does not apply to a sharded folder",
                 "pass it to 'data shard', which wrote the folder");
}

void setup_info(CLI::App& parent, Run& run) {
  CLI::App* app = parent.add_subcommand(
      "info", "print counts, degrees, homophily, splits and memory of a dataset");
  auto state = std::make_shared<Bound<LoadOptions, InfoOptions>>();
  auto data = std::make_shared<std::string>();
  app->add_option("DATA", *data, "catalog name, file, folder, or generator as sbm:nodes=5000")
      ->required();
  state->bind(*app);
  app->callback([=, &run] {
    run = [=] {
      const ThreadScope scope(state->common.thread_count());
      const auto progress = begin(state->common);
      const InfoOptions& options = state->get<InfoOptions>();
      if (is_sharded(*data)) {
        check_sharded(given_options(state->lists));
        const ShardIndex index = read_shard_index(*data);
        if (options.verify) verify_shards(index, *progress);
        if (state->common.json) print_json(to_json(index));
        else print(to_text(index));
        return;
      }
      check_verify(options);
      const Dataset set = load_dataset(*data, state->get<LoadOptions>(), *progress);
      progress->finish();
      notes_to_stderr(state->common, set);
      const Summary summary = summarize(set);
      if (state->common.json) print_json(to_json(set, summary));
      else print(to_text(set, summary));
    };
  });
}

struct OutputOptions {
  bool overwrite = false;
  void describe(OptionList& v) { v("overwrite", overwrite, "replace an existing output"); }
};

struct ReorderOptions {
  Reorder reorder = Reorder::none;
  void describe(OptionList& v) {
    v("reorder", reorder, "order of the nodes on disk; the original ids are kept");
  }
};

void report_written(const CommonOptions& common, const Dataset& set, const std::string& target) {
  if (common.json)
    print_json({{"output", target},
                {"nodes", set.nodes()},
                {"edges", set.graph.edges()},
                {"features", set.features.width()}});
  else
    print(fmt::format("wrote {}: {} nodes, {} stored edges, {} features\n", target, set.nodes(),
                      set.graph.edges(), set.features.width()));
}

// A command that writes the dataset returned by make(progress). `inputs` are the files that it
// reads, which the output must not replace.
template <class... Options, class Make>
void setup_writer(CLI::App* app, Run& run, const std::shared_ptr<Bound<Options...>>& state,
                  const Make& make, const std::function<std::vector<fs::path>()>& inputs) {
  auto output = std::make_shared<std::string>();
  app->add_option("-o,--output", *output, "folder to write")->required();
  state->bind(*app);
  app->callback([=, &run] {
    run = [=] {
      const bool overwrite = state->template get<OutputOptions>().overwrite;
      check_dataset_output(*output, overwrite, inputs());
      const ThreadScope scope(state->common.thread_count());
      const auto progress = begin(state->common);
      const Dataset set = make(*progress);
      notes_to_stderr(state->common, set);
      save_dataset(set, *output, overwrite, *progress);
      progress->finish();
      report_written(state->common, set, *output);
    };
  });
}

// What loading `data` reads, which an output must not replace.
std::vector<fs::path> files_of(const std::string& data, const LoadOptions& load) {
  const CatalogEntry* entry = find_catalog(data);
  const auto found = entry ? locate(*entry, load.folder()) : std::nullopt;
  return {data, found.value_or(fs::path()), load.features_file, load.labels_file, load.splits_file};
}

Verified verify(const fs::path& path, Progress& progress) {
  const fs::path folder = fs::is_directory(path)   ? path
                          : path.has_parent_path() ? path.parent_path()
                                                   : fs::path(".");
  progress.start("verifying", 0, "bytes");
  const Verified found = verify_folder(folder, progress);
  progress.finish();
  return found;
}

void setup_convert(CLI::App& parent, Run& run) {
  CLI::App* app =
      parent.add_subcommand("convert", "write a dataset as a memory-mapped folder of .npy arrays");
  auto state = std::make_shared<Bound<LoadOptions, ReorderOptions, OutputOptions>>();
  auto data = std::make_shared<std::string>();
  app->add_option("DATA", *data, "catalog name, file, folder or generator")->required();
  const auto make = [=](Progress& progress) {
    if (detect_folder(*data)) verify(*data, progress);  // a copy would hide the damage
    Dataset set = load_dataset(*data, state->get<LoadOptions>(), progress);
    const Reorder rule = state->get<ReorderOptions>().reorder;
    return rule == Reorder::none ? set : renumber(set, node_order(set.graph, rule));
  };
  setup_writer(app, run, state, make, [=] { return files_of(*data, state->get<LoadOptions>()); });
}

void setup_shard(CLI::App& parent, Run& run) {
  CLI::App* app = parent.add_subcommand(
      "shard", "write a dataset in shards, for training on several processes");
  auto state = std::make_shared<Bound<LoadOptions, ShardOptions, OutputOptions>>();
  auto data = std::make_shared<std::string>();
  auto output = std::make_shared<std::string>();
  app->add_option("DATA", *data, "catalog name, file, folder or generator")->required();
  app->add_option("-o,--output", *output, "folder to write")->required();
  state->bind(*app);
  app->callback([=, &run] {
    run = [=] {
      const LoadOptions& load = state->get<LoadOptions>();
      const ShardOptions& options = state->get<ShardOptions>();
      const bool overwrite = state->get<OutputOptions>().overwrite;
      std::vector<fs::path> inputs = files_of(*data, load);
      inputs.emplace_back(options.parts_file);
      check_shards_output(*output, overwrite, inputs);
      const ThreadScope scope(state->common.thread_count());
      const auto progress = begin(state->common);
      const Dataset set = load_dataset(*data, load, *progress);
      notes_to_stderr(state->common, set);
      const ShardIndex index = save_shards(set, options, *output, overwrite, *progress);
      progress->finish();
      nlohmann::json report = to_json(index);
      report["output"] = *output;
      if (state->common.json) print_json(report);
      else print(fmt::format("wrote {}\n{}", *output, to_text(index)));
    };
  });
}

void setup_generate(CLI::App& parent, Run& run) {
  CLI::App* app = parent.add_subcommand(
      "generate", "generate a graph with communities (sbm) or a large one (rmat) from a seed");
  auto state = std::make_shared<Bound<GenerateOptions, OutputOptions>>();
  setup_writer(
      app, run, state,
      [=](Progress& progress) { return generate(state->get<GenerateOptions>(), progress); },
      [] { return std::vector<fs::path>(); });
}

void setup_list(CLI::App& parent, Run& run) {
  CLI::App* app =
      parent.add_subcommand("list", "list the datasets of the catalog and which are present");
  auto state = std::make_shared<Bound<DataRoot>>();
  state->bind(*app);
  app->callback([=, &run] {
    run = [=] {
      const fs::path root = state->get<DataRoot>().folder();
      nlohmann::json rows = nlohmann::json::array();
      std::string table = fmt::format("{:<15} {:<15} {:>8} {:>12} {:>6} {:>4}  {:<5} {}\n", "name",
                                      "title", "nodes", "edges", "feat.", "cls", "task", "file");
      for (const auto& entry : catalog()) {
        const auto path = locate(entry, root);
        const std::string where = path ? path->string() : "-";
        table += fmt::format("{:<15} {:<15} {:>8} {:>12} {:>6} {:>4}  {:<5} {}\n", entry.name,
                             entry.title, entry.nodes, entry.edges, entry.widths.front(),
                             entry.classes, task_name(entry.task), where);
        rows.push_back({{"name", entry.name},
                        {"title", entry.title},
                        {"format", entry.format},
                        {"nodes", entry.nodes},
                        {"edges", entry.edges},
                        {"features", entry.widths},
                        {"classes", entry.classes},
                        {"task", task_name(entry.task)},
                        {"in_paper", entry.in_paper},
                        {"aliases", catalog_aliases(entry.name)},
                        {"note", entry.note},
                        {"path", path ? nlohmann::json(where) : nlohmann::json()}});
      }
      if (state->common.json) print_json({{"data_root", root.string()}, {"datasets", rows}});
      else
        print(table +
              fmt::format(
                  "\nsearched in {}; 'graphsurgeon data fetch NAME' downloads a missing dataset\n",
                  root.string()));
    };
  });
}

void setup_fetch(CLI::App& parent, Run& run) {
  CLI::App* app = parent.add_subcommand("fetch", "download a dataset of the catalog and check it");
  struct FetchFlags {
    std::string mirror;
    bool overwrite = false;
    void describe(OptionList& v) {
      v("mirror", mirror, "address to use instead of every https://host");
      v("overwrite", overwrite, "download files again that already exist");
    }
  };
  auto state = std::make_shared<Bound<DataRoot, FetchFlags>>();
  auto name = std::make_shared<std::string>();
  app->add_option("NAME", *name, "a name from 'graphsurgeon data list'")->required();
  state->bind(*app);
  app->callback([=, &run] {
    run = [=] {
      const CatalogEntry* entry = find_catalog(*name);
      if (!entry) {
        std::vector<std::string> known;
        for (const auto& e : catalog()) known.emplace_back(e.name);
        fail_unknown("dataset", *name, known);
      }
      const FetchFlags& flags = state->get<FetchFlags>();
      const fs::path root = state->get<DataRoot>().folder();
      const ThreadScope scope(state->common.thread_count());
      const auto progress = begin(state->common);
      LoadOptions load;
      load.data_root = root.string();
      std::optional<Dataset> fetched;
      FetchOptions options{root, flags.mirror, flags.overwrite};
      // Checks the dataset against the catalog.
      options.check = [&] { fetched = load_dataset(std::string(entry->name), load, *progress); };
      const fs::path path = fetch(*entry, options, *progress);
      if (!fetched) options.check();
      const Dataset& set = *fetched;
      progress->finish();
      notes_to_stderr(state->common, set);
      report_written(state->common, set, path.string());
    };
  });
}

}  // namespace

void setup_verify(CLI::App& app, Run& run) {
  auto state = std::make_shared<Bound<>>();
  auto path = std::make_shared<std::string>();
  app.add_option("PATH", *path, "a run folder or a dataset folder")->required();
  state->bind(app);
  app.callback([=, &run] {
    run = [=] {
      if (!fs::exists(*path)) fail_data(*path, "no such file or folder", "check the path");
      const auto progress = begin(state->common);
      const Verified found = verify(*path, *progress);
      if (found.files == 0)
        fail_data(*path,
                  "has no checksums: it was not written by this program, or by an earlier version",
                  "convert or train again to have some");
      if (state->common.json)
        print_json({{"path", *path}, {"files", found.files}, {"bytes", found.bytes}});
      else
        print(fmt::format("{}: {} files of {} bytes are as they were written\n", *path, found.files,
                          found.bytes));
    };
  });
}

void setup_data(CLI::App& app, Run& run) {
  app.require_subcommand(1);
  setup_info(app, run);
  setup_external(app, kDataImport, run);
  setup_convert(app, run);
  setup_shard(app, run);
  setup_generate(app, run);
  setup_list(app, run);
  setup_fetch(app, run);
}

}  // namespace gs::cli
