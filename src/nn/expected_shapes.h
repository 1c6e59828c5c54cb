// What Parameters ask before they make a tensor: the shapes that a model file has, for the model
// that is made to take its weights, and whether shapes are all that is wanted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gs {

// While it exists, Parameters that are made in this thread must have these shapes: otherwise a data
// Error at `where`, before memory is taken. The metadata of a file may claim any width.
class ExpectedShapes {
 public:
  using Shapes = std::map<std::string, std::vector<int64_t>>;

  ExpectedShapes(Shapes shapes, std::string where);
  ~ExpectedShapes();
  ExpectedShapes(const ExpectedShapes&) = delete;
  ExpectedShapes& operator=(const ExpectedShapes&) = delete;

  // Checks one tensor that is about to be made; does nothing where no shapes are expected.
  static void check(const std::string& name, const int64_t* shape, size_t dimensions);

 private:
  Shapes shapes_;
  std::string where_;
  const ExpectedShapes* before_;
};

// While it exists, the tensors of Parameters that are made in this thread have no memory (device
// meta): for counting them.
class ShapesOnly {
 public:
  ShapesOnly();
  ~ShapesOnly();
  ShapesOnly(const ShapesOnly&) = delete;
  ShapesOnly& operator=(const ShapesOnly&) = delete;

  static bool wanted();

 private:
  bool before_;
};

}  // namespace gs
