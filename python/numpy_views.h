// Conversions between numpy arrays and ours that share memory, in both directions.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <vector>

#include "dataset/dataset.h"

namespace gs {

namespace py = pybind11;

// Keeps a Python object alive. May be released by a thread that does not hold the lock.
inline std::shared_ptr<const void> kept_alive(py::object object) {
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

inline py::array numpy_of(const DenseMatrix& m) {
  const float* data = m.values.data();
  return numpy_of<float>({m.rows, m.columns}, std::make_shared<Array<float>>(m.values), data);
}

}  // namespace gs
