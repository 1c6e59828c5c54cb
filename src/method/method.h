// What every method is to the trainer, the evaluator and the run folder: weights, a loss on a
// batch, and an output for each node. A method is one file here, one row in method/table.cpp that
// makes it, and one in config/methods.cpp with its name and the values it starts from.
#pragma once

#include <memory>

#include "config/methods.h"
#include "config/run_options.h"
#include "method/batch.h"
#include "method/inference.h"
#include "nn/parameters.h"
#include "objective/loss.h"

namespace gs {

// What a method is made of: enough to build it again without the data.
struct MethodSetting {
  int64_t features = 0;    // F
  Task task = Task::none;  // of the labels; classes is 0 where there are none
  int64_t classes = 0;
  const RunOptions& options;
  Place place;
  Random random;  // of the initial weights
};

// One step of training.
struct Step {
  Random random;      // of its masks and drops
  int64_t index = 0;  // of all steps
  int64_t count = 1;  // of steps in the whole training
};

class Method {
 public:
  virtual ~Method() = default;

  // Called once before the first step, with the data to train on; `split` is the one whose training
  // labels may be read, and nullptr for methods without labels.
  virtual void prepare(const Dataset& /*data*/, const Split* /*split*/) {}
  // What a user should know of the training that prepare() was called for: a line, or nothing.
  virtual std::string note() const { return {}; }
  // What a step minimises.
  virtual Loss loss(const Batch& batch, const Step& step) = 0;
  // Called when the weights were changed by it.
  virtual void after(const Step& /*step*/) {}

  // Of every node of a whole graph, exact, in blocks of rows: its embedding, or of a method that
  // learns from labels, a score for each class. No gradients.
  virtual at::Tensor embed(const Batch& whole, const InferenceOptions& options = {},
                           Progress& progress = no_progress()) const = 0;
  // The same of a batch's seeds, through the layers of a training step without its noise.
  virtual at::Tensor output(const Batch& batch) const = 0;

  // Width of a first layer that reads the features as they are, so that A x may be made once; 0
  // where there is none.
  virtual int64_t first_width() const { return 0; }

  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }
  int64_t features() const { return features_; }

 protected:
  Method(int64_t features, const Place& place, Random random)
      : parameters_(place, random), features_(features) {}
  explicit Method(const MethodSetting& s) : Method(s.features, s.place, s.random) {}

  Parameters parameters_;

 private:
  int64_t features_;
};

// The method that setting.options name.
std::unique_ptr<Method> make_method(const MethodSetting& setting);

}  // namespace gs
