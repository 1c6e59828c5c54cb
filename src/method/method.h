// The interface of a method to the trainer, the evaluator and the run folder: weights, a loss on a
// batch, and an output per node. A method is one file here and one row in
// options/method_rows.h. A Method belongs to one thread at a time.
#pragma once

#include <memory>
#include <optional>

#include "nn/batch.h"
#include "nn/inference.h"
#include "nn/parameters.h"
#include "objective/loss.h"
#include "options/methods.h"
#include "options/run.h"

namespace gs {

// Everything needed to build a method, without the data.
struct MethodSetting {
  int64_t features = 0;    // F
  Task task = Task::none;  // kind of labels; classes is 0 without labels
  int64_t classes = 0;
  const RunOptions& options;
  Device device;
  Random random;  // stream of the initial weights
};

// The memory plan's questions to a method, answered before one is made.
struct StepCost {
  double floats_per_node = 0;    // held by a step: layer outputs, and as much again backward
  bool aggregates_once = false;  // keeps A x of dense features for the whole training
  double square_matrices = 0;    // matrices of rows x rows that a step holds at once
};

// One step of training.
struct Step {
  Random random;      // stream of its masks and drops
  int64_t index = 0;  // number of steps before it
  int64_t count = 1;  // number of steps in the whole training
};

class Method {
 public:
  virtual ~Method() = default;

  // Called once before the first step, with the data to train on; `split` is the one whose training
  // labels may be read, and nullptr for methods without labels. Only GraphSurgeon is given a share
  // that is not the whole graph.
  virtual void prepare(const Share& /*share*/, const Split* /*split*/) {}
  // Sets the weights of a method that is solved at once instead of trained in steps (its row says
  // `solved`); called once, after prepare(). Returns what embed() of the same graph returns, to the
  // bit; undefined if there is nothing to solve.
  virtual at::Tensor solve(const Batch& /*whole*/, const InferenceOptions& /*options*/,
                           Progress& /*progress*/) {
    return {};
  }
  // One line for the user about the prepared training, or nothing.
  virtual std::string note() const { return {}; }
  // The loss that a step minimizes.
  virtual Loss loss(const Batch& batch, const Step& step) = 0;
  // Called after the step has changed the weights.
  virtual void after(const Step& /*step*/) {}

  // The exact output for every node of a whole graph, in blocks of rows: the embeddings, or scores
  // per class for a method that learns from labels. No gradients.
  virtual at::Tensor embed(const Batch& whole, const InferenceOptions& options = {},
                           Progress& progress = no_progress()) const = 0;
  // embed() of some nodes, one row for each, up to rounding; `nodes`: their numbers, K of int64.
  virtual at::Tensor embed_rows(const Batch& whole, const at::Tensor& nodes,
                                const InferenceOptions& options = {},
                                Progress& progress = no_progress()) const {
    return embed(whole, options, progress).index_select(0, nodes);
  }
  // embed() for a batch's target nodes, through the layers of a training step without its noise.
  virtual at::Tensor output(const Batch& batch) const = 0;

  // The mean cosine of a node's two views, of a method that combines two learned ones. `embeddings`
  // are what embed() returned for the same graph.
  virtual std::optional<double> view_agreement(const Batch& /*whole*/,
                                               const at::Tensor& /*embeddings*/,
                                               const InferenceOptions& /*options*/) const {
    return {};
  }

  // How many hops away the output of a node reads, of a method that treats the whole graph as one
  // batch and does so row by row; nothing for others.
  virtual std::optional<int64_t> hops() const { return {}; }

  // Width of a first layer that reads the features as they are, so that A x can be computed once; 0
  // if there is none.
  virtual int64_t first_width() const { return 0; }

  // An upper bound: two networks and two views. A method that knows better defines its own.
  static StepCost step_cost(const RunOptions& options);

  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }
  int64_t features() const { return features_; }

 protected:
  Method(int64_t features, const Device& device, Random random)
      : parameters_(device, random), features_(features) {}
  explicit Method(const MethodSetting& s) : Method(s.features, s.device, s.random) {}

  Parameters parameters_;

 private:
  int64_t features_;
};

// The entry points of one method. Each source instantiates it for its own class, with
// method/maker.h: template MethodMaker method_maker<Dgi>();
struct MethodMaker {
  std::unique_ptr<Method> (*make)(const MethodSetting&);
  StepCost (*step_cost)(const RunOptions&);
};
template <class M>
MethodMaker method_maker();

// The maker of a name in options/methods.h.
MethodMaker method_maker(std::string_view name);
// The method that setting.options names.
std::unique_ptr<Method> make_method(const MethodSetting& setting);

}  // namespace gs
