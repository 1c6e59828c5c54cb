// The core as a Python module, graphsurgeon._core: thin. Structured values cross as JSON text,
// arrays as numpy ones that share memory, and everything long runs without the interpreter's lock.
// What a Python user sees is made of this in python/graphsurgeon/.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/parallel.h"
#include "base/safetensors.h"
#include "config/methods.h"
#include "core/in_process.h"
#include "version.h"

namespace py = pybind11;

namespace gs {

namespace {

using nlohmann::json;
using SharedDataset = std::shared_ptr<const Dataset>;

// Keeps a Python object alive from a thread that may not hold the lock when it lets go.
std::shared_ptr<const void> kept_alive(py::object object) {
  return {new py::object(std::move(object)), [](py::object* held) {
            const py::gil_scoped_acquire lock;
            delete held;
          }};
}

// A view of a one-dimensional C-contiguous array (python/graphsurgeon/interop.py makes it one).
template <class T>
Array<T> view_of_numpy(const py::array_t<T, py::array::c_style>& array) {
  return {kept_alive(array), {array.data(), static_cast<size_t>(array.size())}};
}

template <class T>
py::array numpy_of(std::vector<py::ssize_t> shape, std::shared_ptr<const void> owner,
                   const T* data) {
  auto* held = new std::shared_ptr<const void>(std::move(owner));
  const py::capsule capsule(
      held, [](void* pointer) { delete static_cast<std::shared_ptr<const void>*>(pointer); });
  return py::array_t<T>(std::move(shape), data, capsule);
}

py::array numpy_of(const DenseMatrix& m) {
  const float* data = m.values.data();
  return numpy_of<float>({m.rows, m.columns}, std::make_shared<Array<float>>(m.values), data);
}

// Tells a Python object (start, advance, finish, say) how far the core is, a few times a
// second, and looks for Ctrl-C meanwhile. What Python raises, an interrupt or an error of the
// object's own, sets `stop` and is raised again by rethrow() once the core has come to rest.
class PythonProgress : public Progress {
 public:
  explicit PythonProgress(py::object listener)
      : listener_(std::move(listener)), owner_(std::this_thread::get_id()) {}

  const std::atomic<bool>* stop() const { return &stop_; }

  void start(std::string_view task, int64_t total, std::string_view unit) override {
    tell([&] { listener_.attr("start")(std::string(task), total, std::string(unit)); });
  }
  void advance(int64_t units) override {
    pending_ += units;
    if (std::this_thread::get_id() != owner_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - told_ < kPause) return;
    told_ = now;
    tell([&] { listener_.attr("advance")(pending_.exchange(0), note_); });
  }
  void note(std::string_view text) override {
    if (std::this_thread::get_id() == owner_) note_ = text;
  }
  void finish() override {
    tell([&] {
      listener_.attr("advance")(pending_.exchange(0), note_);
      listener_.attr("finish")();
    });
  }
  void say(std::string_view text) override {
    tell([&] { listener_.attr("say")(std::string(text)); });
  }

  void rethrow() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  // Often enough to see every epoch that takes any time, seldom enough to cost nothing.
  static constexpr std::chrono::milliseconds kPause{20};

  template <class Call>
  void tell(const Call& call) {
    if (raised_ || std::this_thread::get_id() != owner_) return;
    const py::gil_scoped_acquire lock;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      call();
    } catch (const py::error_already_set&) {
      raised_ = std::current_exception();
      stop_ = true;
    }
  }

  py::object listener_;
  std::thread::id owner_;
  std::atomic<int64_t> pending_ = 0;
  std::atomic<bool> stop_ = false;
  std::string note_;
  std::chrono::steady_clock::time_point told_;
  std::exception_ptr raised_;
};

// Runs `work(progress)` without the lock. An exception of Python's goes before the core's own,
// which is then only the echo of having been stopped.
template <class Work>
auto run(py::object listener, const Work& work) {
  PythonProgress progress(std::move(listener));
  const auto guarded = [&] {
    const py::gil_scoped_release unlocked;
    return work(progress);
  };
  try {
    auto result = guarded();
    progress.rethrow();
    return result;
  } catch (const Error&) {
    progress.rethrow();
    throw;
  }
}

RunOptions run_options(const std::string& text) {
  RunOptions options;
  OptionList list = describe(options);
  list.set_json(json::parse(text), "", true);
  options.resolve(list, "", "");
  options.load.seed = options.train.seed;
  return options;
}

json schema() {
  RunOptions options;
  json rows = json::array();
  const OptionList list = describe(options);
  for (const Option& option : list.options()) {
    json row{{"name", option.name},
             {"help", option.help},
             {"group", option.group},
             {"default", option.json()},
             {"type", option.type_name()}};
    if (const auto* field = std::get_if<EnumField>(&option.field)) row["choices"] = field->choices;
    if (option.minimum) row["minimum"] = *option.minimum;
    if (option.maximum) row["maximum"] = *option.maximum;
    if (option.tune)
      row["tune"] = {
          {"low", option.tune->low}, {"high", option.tune->high}, {"log", option.tune->log}};
    rows.push_back(std::move(row));
  }
  return rows;
}

// Class ids [N], or zeros and ones [N, C]; -1, or a row of 255, where unknown; None without labels.
// A view, maybe of a mapped file: read-only.
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

json preset_table() {
  json out = json::object();
  for (const Preset& preset : presets())
    out[preset.name] = {{"origin", preset.origin}, {"options", json::parse(preset.options_json)}};
  return out;
}

json method_table() {
  json out = json::object();
  for (const MethodInfo& info : methods())
    out[std::string(info.name)] = {{"summary", info.summary},
                                   {"supervised", info.supervised()},
                                   {"defaults", json::parse(info.defaults)}};
  return out;
}

py::dict tensors_of(const std::string& file) {
  const SafeTensors loaded = load_safetensors(file);
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
  out["tensors"] = tensors;
  out["metadata"] = loaded.metadata;
  return out;
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
  return out;
}

// `source`: a Dataset, the arrays of a graph, or what one would type on the command line.
MakeDataset maker_of(const py::object& source, Progress& progress) {
  if (py::isinstance<Dataset>(source))
    return [set = source.cast<std::shared_ptr<Dataset>>()](const LoadOptions&) { return *set; };
  if (py::isinstance<py::dict>(source))
    return [arrays = arrays_of(source.cast<py::dict>())](const LoadOptions& options) {
      return dataset_from(arrays, options);
    };
  return [text = source.cast<std::string>(), &progress](const LoadOptions& options) {
    return load_dataset(text, options, progress);
  };
}

std::shared_ptr<Dataset> make_dataset(const py::object& source, const std::string& options,
                                      int threads, const py::object& listener) {
  const LoadOptions load = run_options(options).load;
  set_threads(threads);
  return run(listener, [&](Progress& progress) {
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

struct TrainArguments {
  std::string data, folder, init, options;
  bool resume, overwrite;
  int64_t until;
  int threads;
};

std::string train_dataset(const std::shared_ptr<Dataset>& data, const TrainArguments& arguments,
                          const py::object& listener) {
  TrainCall call;
  call.data = arguments.data;
  call.run = arguments.folder, call.init = arguments.init;
  call.options = run_options(arguments.options);
  call.resume = arguments.resume, call.overwrite = arguments.overwrite;
  call.until = arguments.until;
  return run(listener,
             [&](PythonProgress& progress) {
               call.stop = progress.stop();
               return train_on(*data, call, arguments.threads, progress);
             })
      .dump();
}

py::array embed(const std::string& folder, const py::object& source, int threads,
                const py::object& listener) {
  return numpy_of(run(listener, [&](Progress& progress) {
    MakeDataset make;
    {
      const py::gil_scoped_acquire lock;
      make = maker_of(source, progress);
    }
    return embed_with(folder, make, threads, progress);
  }));
}

DenseMatrix matrix_of(const py::array_t<float, py::array::c_style>& z) {
  return {z.shape(0), z.shape(1), view_of_numpy(z)};
}

// A gs::Error as what errors.from_core() makes of its exit code, message and hint.
void register_errors() {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      const py::object make = py::module_::import("graphsurgeon.errors").attr("from_core");
      const py::object made = make(error.exit_code(), error.what(), error.hint());
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
      .def_readonly("name", &Dataset::name)
      .def_readonly("format", &Dataset::format)
      .def_readonly("treatment", &Dataset::treatment)
      .def_readonly("notes", &Dataset::notes)
      .def_readonly("node_ids", &Dataset::node_ids)
      .def_readonly("class_names", &Dataset::class_names)
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
        return fmt::format("Dataset({}: {} nodes, {} edges, {} features)", d.name, d.nodes(),
                           d.graph.edges(), d.features.width());
      });
  module.def("options", [] { return schema().dump(); });
  module.def("presets", [] { return preset_table().dump(); });
  module.def("methods", [] { return method_table().dump(); });
  module.def("nearest", [](const std::string& name, const std::vector<std::string>& candidates) {
    return nearest(name, candidates);
  });
  module.def("tensors", tensors_of, py::arg("file"));
  module.def("dataset", make_dataset, py::arg("source"), py::arg("options"), py::arg("threads"),
             py::arg("listener"));
  module.def(
      "train",
      [](const std::shared_ptr<Dataset>& dataset, std::string data, std::string folder,
         std::string init, std::string options, bool resume, bool overwrite, int threads,
         const py::object& listener, int64_t until) {
        return train_dataset(dataset,
                             {std::move(data), std::move(folder), std::move(init),
                              std::move(options), resume, overwrite, until, threads},
                             listener);
      },
      py::arg("dataset"), py::arg("data"), py::arg("folder"), py::arg("init"), py::arg("options"),
      py::arg("resume"), py::arg("overwrite"), py::arg("threads"), py::arg("listener"),
      py::arg("until") = 0);
  module.def("embed", embed, py::arg("folder"), py::arg("source"), py::arg("threads"),
             py::arg("listener"));
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
