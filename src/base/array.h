// A read-only, cheaply copied array of T that keeps its storage alive: a vector it owns, or part of
// a mapped file. This is how graphs and features larger than memory look the same as small ones to
// everything that reads them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace gs {

template <class T>
class Array {
 public:
  Array() = default;
  Array(std::vector<T> values) {  // NOLINT(google-explicit-constructor): a vector is an array
    auto owned = std::make_shared<const std::vector<T>>(std::move(values));
    view_ = {owned->data(), owned->size()};
    owner_ = std::move(owned);
  }
  Array(std::shared_ptr<const void> owner, std::span<const T> view)
      : owner_(std::move(owner)), view_(view) {}

  int64_t size() const { return static_cast<int64_t>(view_.size()); }
  bool empty() const { return view_.empty(); }
  const T* data() const { return view_.data(); }
  const T* begin() const { return view_.data(); }
  const T* end() const { return view_.data() + view_.size(); }
  const T& operator[](int64_t i) const { return view_[static_cast<size_t>(i)]; }
  std::span<const T> span() const { return view_; }
  std::span<const T> slice(int64_t begin, int64_t end) const {
    return view_.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
  }
  int64_t bytes() const { return size() * static_cast<int64_t>(sizeof(T)); }

 private:
  std::shared_ptr<const void> owner_;
  std::span<const T> view_;
};

}  // namespace gs
