// Thin helpers around simdjson's on-demand parser, which walks a file once and builds no tree. A
// file that is not UTF-8 or not JSON, a value of the wrong kind or one that is missing is a data
// Error at "file[key]" with the byte.
//
//   JsonFile json(path);
//   for (auto field : json.object()) {
//     auto f = json.get(field, "");                         // unwraps a result or throws
//     const std::string_view key = json.key(f);
//     json.each(json.get(f.value().get_array(), "{}", key), key, [&](auto value, int64_t i) {
//       use(json.get(value.get_int64(), "{}[{}]", key, i));
//     });
//   }
//   json.finish();
#pragma once

#include <fmt/format.h>
#include <simdjson.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace gs {

class JsonFile {
 public:
  explicit JsonFile(const std::filesystem::path& path);
  JsonFile(const JsonFile&) = delete;
  JsonFile& operator=(const JsonFile&) = delete;

  // The whole document; call one of the two, once.
  simdjson::ondemand::object object();
  simdjson::ondemand::array array();
  // After the last value: data Error when more text follows.
  void finish();

  // The value of `result`; on failure a data Error whose key path is formatted only then.
  template <class T, class... Args>
  T get(simdjson::simdjson_result<T> result, fmt::format_string<Args...> path, Args&&... args) {
    T value{};
    if (const auto error = std::move(result).get(value); error) {
      fail(error, fmt::format(path, std::forward<Args>(args)...), kind_name<T>());
    }
    return value;
  }
  std::string_view key(simdjson::ondemand::field& field);  // unescaped; valid until the file goes

  // Calls body(value, index) for every element; returns how many there were.
  template <class Body>
  int64_t each(simdjson::ondemand::array array, std::string_view path, Body&& body) {
    int64_t index = 0;
    for (auto element : array) {
      body(get(element, "{}[{}]", path, index), index);
      ++index;
    }
    return index;
  }

  // A key or number that must be a node id in [0, nodes).
  int64_t node(std::string_view text, int64_t nodes, std::string_view path);
  int64_t node(int64_t id, int64_t nodes, std::string_view path);

  std::string place(std::string_view path) const;  // "file[path]", or "file" for an empty path
  const std::string& path() const { return path_; }
  int64_t bytes() const { return static_cast<int64_t>(text_.size()); }

 private:
  template <class T>
  static constexpr std::string_view kind_name() {
    if constexpr (std::is_same_v<T, bool>) return "a boolean";
    else if constexpr (std::is_integral_v<T>) return "an integer";
    else if constexpr (std::is_floating_point_v<T>) return "a number";
    else if constexpr (std::is_same_v<T, std::string_view>) return "a string";
    else if constexpr (std::is_same_v<T, simdjson::ondemand::array>) return "an array";
    else if constexpr (std::is_same_v<T, simdjson::ondemand::object>) return "an object";
    else return "a value";
  }
  [[noreturn]] void fail(simdjson::error_code error, const std::string& path,
                         std::string_view expected);
  const char* here();  // the parser's position, or nullptr

  std::string path_;
  simdjson::padded_string text_;
  simdjson::ondemand::parser parser_;
  simdjson::ondemand::document document_;
  bool open_ = false;  // document_ has a position
};

}  // namespace gs
