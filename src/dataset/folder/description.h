// A JSON file that describes the files beside it, with the place of every complaint. Keys are JSON
// pointers: "/features/width". All complaints are data Errors.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/dataset.h"

namespace gs {

inline constexpr const char* kDamagedFolder =
    "the folder is damaged or was edited; convert the data again";

class Description {
 public:
  // `what` the file describes ("dataset"), for messages.
  Description(const std::filesystem::path& path, std::string_view format, int64_t version,
              std::string_view what);

  bool has(const std::string& key) const {
    return json_.contains(nlohmann::json::json_pointer(key));
  }
  int64_t number(const std::string& key) const;  // of 0 or more
  std::vector<int64_t> numbers(const std::string& key) const;
  std::string text(const std::string& key) const;
  bool flag(const std::string& key) const;
  bool lists(const std::string& key, std::string_view item) const;
  const nlohmann::json& list(const std::string& key) const;
  const nlohmann::json& object(const std::string& key) const;
  const std::string& path() const { return path_; }

 private:
  const nlohmann::json& at(const std::string& key) const;
  [[noreturn]] void wrong(const std::string& key, std::string_view wanted) const;

  std::string path_;
  nlohmann::json json_;
};

// What its "labels" say.
Task task_of(const Description& about);

// Whether `file` is JSON whose "format" is `format`.
bool describes(const std::filesystem::path& file, std::string_view format);

}  // namespace gs
