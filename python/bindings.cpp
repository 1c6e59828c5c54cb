// The core as a thin Python module, graphsurgeon._core. Structured values are passed as JSON text,
// arrays as numpy arrays that share memory, and long calls release the interpreter's lock. The
// public Python interface is in python/graphsurgeon/.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/parallel.h"
#include "base/safetensors.h"
#include "cli/program.h"
#include "command/arrays.h"
#include "command/embed.h"
#include "command/train.h"
#include "command/validate.h"
#include "dataset/folder/folder.h"
#include "numpy_views.h"
#include "python_progress.h"
#include "run/folder.h"
#include "run/info.h"
#include "run/record.h"
#include "tables.h"
#include "version.h"

namespace gs {

namespace {

using nlohmann::json;
using SharedDataset = std::shared_ptr<const Dataset>;
using Path = std::filesystem::path;

// JSON text, which is UTF-8 even where a path in it is not.
std::string dumped(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

// Class ids [N] with -1 where unknown, or zeros and ones [N, C] with a row of 255 where unknown;
// None without labels. A read-only view, possibly of a mapped file.
py::object labels_of(const std::shared_ptr<Dataset>& data) {
  const Labels& labels = data->labels;
  if (labels.task == Task::none) return py::none();
  py::array out = labels.task == Task::multilabel
                      ? numpy_of({data->nodes(), labels.classes}, data, labels.multi.data())
                      : numpy_of({data->nodes()}, data, labels.single.data());
  out.attr("setflags")(py::arg("write") = false);
  return out;
}

py::array degrees_of(const Dataset& data) {
  py::array_t<int64_t> out(data.nodes());
  for (int64_t v = 0; v < data.nodes(); ++v)
    out.mutable_at(v) = data.graph.offsets[v + 1] - data.graph.offsets[v];
  return out;
}

// The coefficients of each graph filter, hop 0 first.
std::vector<std::vector<double>> coefficients_of(const SpectralOptions& options) {
  std::vector<std::vector<double>> out;
  for (const GraphFilter& filter : options.parsed_filters()) out.push_back(filter.coefficients);
  return out;
}

// The content of a run's model file: its options, by their current names, and its tensors.
py::dict model_of(const Path& path) {
  const std::string file = path.string();
  const RunFolder folder(path.parent_path());
  if (folder.model() == path && folder.exists()) check_finished(folder);
  const SafeTensors loaded = load_safetensors(path);
  const auto about = loaded.metadata.find("graphsurgeon");
  if (about == loaded.metadata.end() || loaded.metadata.contains("state"))
    fail_data(file, "is not a model of graphsurgeon",
              "pass a run folder, or its model.safetensors");
  RunInfo info = run_info_from_json(about->second, file);
  py::dict tensors;
  for (const auto& [name, view] : loaded.tensors) {
    const std::vector<py::ssize_t> shape(view.shape.begin(), view.shape.end());
    if (view.dtype == "F32")
      tensors[py::str(name)] =
          numpy_of(shape, loaded.owner, reinterpret_cast<const float*>(view.data.data()));
    else if (view.dtype == "F64")
      tensors[py::str(name)] =
          numpy_of(shape, loaded.owner, reinterpret_cast<const double*>(view.data.data()));
  }
  py::dict out;
  out["features"] = info.features;
  out["options"] = py::module_::import("json").attr("loads")(describe(info.options).json().dump());
  out["filters"] = coefficients_of(info.options.spectral);
  out["tensors"] = tensors;
  out["recipe"] = info.options.load.fitted ? info.options.load.fitted->recipe : "";
  return out;
}

std::vector<py::str> split_models_of(const RunFolder& run) {
  std::vector<py::str> out;
  for (size_t s = 0; std::filesystem::exists(run.split_model(s)); ++s)
    out.push_back(text_of(run.split_model(s).string()));
  return out;
}

// The content of options.json, with the current option names.
std::string info_of(const RunFolder& run) {
  const std::string where = run.options().string();
  return to_json_text(run_info_from_json(std::string(MappedFile(where).text()), where));
}

// The arrays of a graph by name, as interop.py makes them.
GraphArrays arrays_of(const py::dict& parts) {
  GraphArrays out;
  const auto has = [&](const char* name) { return parts.contains(name) && !parts[name].is_none(); };
  const auto get = [&]<class T>(const char* name, Array<T>& field) {
    if (has(name)) field = view_of_numpy(parts[name].cast<py::array_t<T, py::array::c_style>>());
  };
  out.nodes = parts["nodes"].cast<int64_t>();
  if (has("name")) out.name = parts["name"].cast<std::string>();
  get("source", out.source), get("target", out.target), get("weight", out.weight);
  get("offsets", out.graph.offsets), get("neighbors", out.graph.neighbors);
  get("weights", out.graph.weights);
  out.has_features = has("width");
  if (out.has_features) {
    const auto width = parts["width"].cast<int64_t>();
    Array<float> values;
    get("x", values);
    if (has("x_offsets")) {
      SparseMatrix sparse{out.nodes, width, {}, {}, values};
      get("x_offsets", sparse.offsets), get("x_indices", sparse.indices);
      sparse.rows = sparse.offsets.size() - 1;
      out.features = {std::move(sparse)};
    } else {
      const int64_t rows = parts["rows"].cast<int64_t>();
      out.features = {DenseMatrix{rows, width, values}};
    }
  }
  get("labels", out.labels), get("multi_labels", out.multi_labels);
  if (has("classes")) out.classes = parts["classes"].cast<int64_t>();
  if (has("splits"))
    for (const auto& split :
         parts["splits"].cast<std::vector<std::array<std::vector<int32_t>, 3>>>())
      out.splits.push_back({split[0], split[1], split[2]});
  if (has("node_ids")) out.node_ids = parts["node_ids"].cast<std::vector<std::string>>();
  if (has("class_names")) out.class_names = parts["class_names"].cast<std::vector<std::string>>();
  if (has("feature_names"))
    out.feature_names = parts["feature_names"].cast<std::vector<std::string>>();
  if (has("recipe")) out.recipe = parts["recipe"].cast<std::string>();
  if (has("undirected")) out.undirected = parts["undirected"].cast<bool>();
  return out;
}

// `source`: a Dataset, the arrays of a graph, or a DATA argument of the command line.
MakeDataset maker_of(const py::object& source, Progress& progress) {
  if (py::isinstance<Dataset>(source))
    return [set = source.cast<std::shared_ptr<Dataset>>()](const LoadOptions& options) {
      if (options.fitted) check_treated_alike(*set, *options.fitted);
      return *set;
    };
  if (py::isinstance<py::dict>(source))
    return [arrays = arrays_of(source.cast<py::dict>())](const LoadOptions& options) {
      return dataset_from(arrays, options);
    };
  return [text = source.cast<Path>().string(), &progress](const LoadOptions& options) {
    return load_dataset(text, options, progress);
  };
}

std::shared_ptr<Dataset> make_dataset(const py::object& source, const std::string& options,
                                      int threads, const py::object& listener) {
  const LoadOptions load = run_options(options).load;
  const ThreadScope scope(threads);
  return with_progress(listener, [&](Progress& progress) {
    MakeDataset make;
    {
      const py::gil_scoped_acquire lock;
      make = maker_of(source, progress);
    }
    auto set = std::make_shared<Dataset>(make(load));
    progress.finish();
    return set;
  });
}

void write_dataset(const Dataset& data, const std::filesystem::path& folder, bool overwrite,
                   const std::vector<std::filesystem::path>& inputs, const py::object& listener) {
  with_progress(listener, [&](Progress& progress) {
    check_dataset_output(folder, overwrite, inputs);
    save_dataset(data, folder, overwrite, progress);
    return 0;
  });
}

struct TrainArguments {
  Path data, folder, init;
  std::string options;
  bool resume, overwrite;
  int64_t until;
  int threads;
};

std::string train_dataset(const std::shared_ptr<Dataset>& data, const TrainArguments& arguments,
                          const py::object& listener) {
  TrainRequest request;
  request.data = arguments.data.string();
  request.run = arguments.folder, request.init = arguments.init;
  request.options = run_options(arguments.options);
  request.resume = arguments.resume, request.overwrite = arguments.overwrite;
  request.until = arguments.until;
  request.threads = arguments.threads;
  const TrainResult result = with_progress(listener, [&](PythonProgress& progress) {
    request.stop = progress.stop();
    return run(request, *data, progress);
  });
  return dumped(to_json(result));
}

py::array embed(const Path& folder, const py::object& source, int threads,
                const py::object& listener, const std::optional<std::vector<std::string>>& nodes) {
  const std::string name = py::isinstance<py::str>(source) ? source.cast<Path>().string() : "";
  return numpy_of(with_progress(listener, [&](Progress& progress) {
    MakeDataset make;
    {
      const py::gil_scoped_acquire lock;
      make = maker_of(source, progress);
    }
    return embed_with(folder, name, make, nodes, threads, progress);
  }));
}

DenseMatrix matrix_of(const py::array_t<float, py::array::c_style>& z) {
  return {z.shape(0), z.shape(1), view_of_numpy(z)};
}

// Translates a gs::Error with errors.from_core(), given its exit code, message and hint.
void register_errors() {
  py::register_exception_translator(
      [](std::exception_ptr thrown) {  // NOLINT(performance-unnecessary-value-param): its type
        try {
          if (thrown) std::rethrow_exception(thrown);
        } catch (const Error& error) {
          const py::object make = py::module_::import("graphsurgeon.errors").attr("from_core");
          const py::object made =
              make(error.exit_code(), text_of(error.what()), text_of(error.hint()));
          PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
        }
      });
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  register_errors();
  module.attr("version") = GS_VERSION;
  module.attr("torch_version") = GS_TORCH_VERSION;
  py::class_<Dataset, std::shared_ptr<Dataset>>(module, "Dataset",
                                                "A graph that is loaded, checked and treated.")
      .def_property_readonly("name", [](const Dataset& d) { return text_of(d.name); })
      .def_readonly("format", &Dataset::format)
      .def_readonly("treatment", &Dataset::treatment)
      .def_property_readonly("notes",
                             [](const Dataset& d) {
                               std::vector<py::str> out;
                               for (const std::string& note : d.notes) out.push_back(text_of(note));
                               return out;
                             })
      .def_readonly("node_ids", &Dataset::node_ids)
      .def_readonly("class_names", &Dataset::class_names)
      .def_readonly("feature_names", &Dataset::feature_names)
      .def_property_readonly("recipe", [](const Dataset& d) { return d.feature_treatment.recipe; })
      .def_property_readonly("nodes", &Dataset::nodes)
      .def_property_readonly("edges", [](const Dataset& d) { return d.graph.edges(); })
      .def_property_readonly("features", [](const Dataset& d) { return d.features.width(); })
      .def_property_readonly("sparse", [](const Dataset& d) { return d.features.sparse(); })
      .def_property_readonly("classes", [](const Dataset& d) { return d.labels.classes; })
      .def_property_readonly("task",
                             [](const Dataset& d) { return std::string(task_name(d.labels.task)); })
      .def_property_readonly("labels", labels_of)
      .def_property_readonly("degrees", degrees_of)
      .def_property_readonly("splits", [](const Dataset& d) { return d.splits.size(); })
      .def("__repr__", [](const Dataset& d) {
        return text_of(fmt::format("Dataset({}: {} nodes, {} edges, {} features)", d.name,
                                   d.nodes(), d.graph.edges(), d.features.width()));
      });
  module.def(
      "main",
      [](std::vector<std::string> words, bool reports_usage) {
        std::vector<char*> arguments;
        for (std::string& word : words) arguments.push_back(word.data());
        const py::gil_scoped_release unlocked;
        return cli::run_program(static_cast<int>(arguments.size()), arguments.data(),
                                reports_usage);
      },
      py::arg("words"), py::arg("reports_usage"));
  module.def("options", [] { return option_table().dump(); });
  module.def("presets", [] { return preset_table().dump(); });
  module.def("methods", [] { return method_table().dump(); });
  module.def("nearest", [](const std::string& name, const std::vector<std::string>& candidates) {
    return nearest(name, candidates);
  });
  module.def("resolve",
             [](const std::string& options) { return resolved_options(options).dump(); });
  module.def("chosen_method", chosen_method, py::arg("given"));
  module.def("model", model_of, py::arg("file"));
  const auto file = [](std::filesystem::path (RunFolder::*name)() const) {
    return [name](const RunFolder& run) { return text_of((run.*name)().string()); };
  };
  py::class_<RunFolder>(module, "RunFolder", "The files of a run.")
      .def(py::init<Path>(), py::arg("path"))
      .def_property_readonly("path",
                             [](const RunFolder& run) { return text_of(run.path().string()); })
      .def_property_readonly("options", file(&RunFolder::options))
      .def_property_readonly("metrics", file(&RunFolder::metrics))
      .def_property_readonly("model", file(&RunFolder::model))
      .def_property_readonly("embeddings", file(&RunFolder::embeddings))
      .def_property_readonly("ids", file(&RunFolder::ids))
      .def_property_readonly("scores", file(&RunFolder::scores))
      .def_property_readonly("state", file(&RunFolder::state))
      .def_property_readonly("record", file(&RunFolder::record))
      .def_property_readonly("unfinished", unfinished_text)
      .def_property_readonly("split_models", split_models_of)
      .def_property_readonly("exists", &RunFolder::exists)
      .def_property_readonly("holds_run", &RunFolder::holds_run)
      .def_property_readonly("finished", &RunFolder::finished)
      .def_static("owns", [](const std::string& name) { return RunFolder::owns(name); })
      .def("files", &RunFolder::files)
      .def("info", info_of);
  module.def("dataset", make_dataset, py::arg("source"), py::arg("options"), py::arg("threads"),
             py::arg("listener"));
  module.def("write_dataset", write_dataset, py::arg("dataset"), py::arg("folder"),
             py::arg("overwrite"), py::arg("inputs"), py::arg("listener"));
  module.def(
      "train",
      [](const std::shared_ptr<Dataset>& dataset, Path data, Path folder, Path init,
         std::string options, bool resume, bool overwrite, int threads, const py::object& listener,
         int64_t until) {
        return train_dataset(dataset,
                             {std::move(data), std::move(folder), std::move(init),
                              std::move(options), resume, overwrite, until, threads},
                             listener);
      },
      py::arg("dataset"), py::arg("data"), py::arg("folder"), py::arg("init"), py::arg("options"),
      py::arg("resume"), py::arg("overwrite"), py::arg("threads"), py::arg("listener"),
      py::arg("until") = 0);
  module.def("embed", embed, py::arg("folder"), py::arg("source"), py::arg("threads"),
             py::arg("listener"), py::arg("nodes") = py::none());
  module.def(
      "validation",
      [](const py::array_t<float, py::array::c_style>& z, const std::shared_ptr<Dataset>& data,
         const std::string& options, int threads) {
        const DenseMatrix matrix = matrix_of(z);
        const RunOptions values = run_options(options);
        const py::gil_scoped_release unlocked;
        return validation_of(matrix, *data, values, threads);
      },
      py::arg("z"), py::arg("dataset"), py::arg("options"), py::arg("threads"));
  module.def(
      "effective_rank",
      [](const py::array_t<float, py::array::c_style>& z, int threads) {
        const DenseMatrix matrix = matrix_of(z);
        const py::gil_scoped_release unlocked;
        return effective_rank_of(matrix, threads);
      },
      py::arg("z"), py::arg("threads"));
}

}  // namespace gs
