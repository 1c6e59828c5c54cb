#include "dataset/folder/description.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"

namespace gs {

namespace {

constexpr int64_t kMostJsonBytes = int64_t{16} << 20;

}  // namespace

Description::Description(const fs::path& path, std::string_view format, int64_t version,
                         std::string_view what)
    : path_(path.string()) {
  const MappedFile file(path);
  if (std::ssize(file.bytes()) > kMostJsonBytes)
    fail_data(path_, "is too large for a description", kDamagedFolder);
  try {
    json_ = parse_json(file.text());
  } catch (const nlohmann::json::exception& error) {
    fail_data(path_, fmt::format("is not valid JSON ({})", printable(error.what(), 120)),
              kDamagedFolder);
  }
  if (!json_.is_object() || text("/format") != format)
    fail_data(path_, fmt::format("does not describe a graphsurgeon {}", what),
              fmt::format("its \"format\" must be \"{}\"", format));
  if (const int64_t found = number("/version"); found > version)
    fail_data(path_, fmt::format("has version {}; this program reads up to {}", found, version),
              "use a newer graphsurgeon");
}

int64_t Description::number(const std::string& key) const {
  const nlohmann::json& value = at(key);
  const bool fits =
      value.is_number_unsigned() && value.get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX);
  if (!fits) wrong(key, "a whole number of 0 or more");
  return value.get<int64_t>();
}

std::vector<int64_t> Description::numbers(const std::string& key) const {
  std::vector<int64_t> out;
  for (const auto& value : list(key)) {
    if (!value.is_number_unsigned() || value.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
      wrong(key, "a list of whole numbers of 0 or more");
    out.push_back(value.get<int64_t>());
  }
  return out;
}

std::string Description::text(const std::string& key) const {
  const nlohmann::json& value = at(key);
  if (!value.is_string()) wrong(key, "a text");
  return value.get<std::string>();
}

bool Description::flag(const std::string& key) const {
  const nlohmann::json& value = at(key);
  if (!value.is_boolean()) wrong(key, "true or false");
  return value.get<bool>();
}

bool Description::lists(const std::string& key, std::string_view item) const {
  return std::ranges::any_of(list(key),
                             [&](const auto& entry) { return entry.is_string() && entry == item; });
}

const nlohmann::json& Description::list(const std::string& key) const {
  const nlohmann::json& value = at(key);
  if (!value.is_array()) wrong(key, "a list");
  return value;
}

const nlohmann::json& Description::object(const std::string& key) const {
  const nlohmann::json& value = at(key);
  if (!value.is_object()) wrong(key, "an object");
  return value;
}

const nlohmann::json& Description::at(const std::string& key) const {
  if (!has(key)) fail_data(path_, fmt::format("lacks \"{}\"", key.substr(1)), kDamagedFolder);
  return json_.at(nlohmann::json::json_pointer(key));
}

void Description::wrong(const std::string& key, std::string_view wanted) const {
  fail_data(path_, fmt::format("\"{}\" is not {}", key.substr(1), wanted), kDamagedFolder);
}

Task task_of(const Description& about) {
  const std::string name = about.text("/labels/task");
  for (const Task task : {Task::none, Task::binary, Task::multiclass, Task::multilabel})
    if (name == task_name(task)) return task;
  fail_data(about.path(), fmt::format("unknown task '{}'", printable(name)),
            "known tasks: none, bc, mcc, mlc");
}

bool describes(const fs::path& file, std::string_view format) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return false;
  try {
    return parse_json(MappedFile(file).text()).at("format") == std::string(format);
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

}  // namespace gs
