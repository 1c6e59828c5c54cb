#include "dataset/readers/json.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace gs {

namespace {

constexpr const char* kDamaged = "the file is damaged or not JSON; download or write it again";
constexpr const char* kMoreMemory = "close other programs or use a machine with more memory";

// Where the first byte that is not UTF-8 lies; looked for only once there is known to be one.
size_t first_invalid_byte(std::string_view text) {
  const auto valid_up_to = [&](size_t end) {
    // A character cut by `end` is not an error of the text before it.
    for (int back = 0; back < 3 && end > 0 && end < text.size() && (text[end] & 0xC0) == 0x80;
         ++back)
      --end;
    return simdjson::validate_utf8(text.data(), end);
  };
  size_t good = 0, bad = text.size();
  while (bad - good > 1) {
    const size_t middle = good + (bad - good) / 2;
    (valid_up_to(middle) ? good : bad) = middle;
  }
  return good;
}

}  // namespace

JsonFile::JsonFile(const std::filesystem::path& path) : path_(path.string()) {
  {
    const MappedFile file(path);
    text_ = simdjson::padded_string(file.text());
    if (text_.size() != file.text().size()) {
      fail_data(path_, fmt::format("no memory for {} bytes of JSON", file.text().size()),
                kMoreMemory);
    }
  }
  if (const auto error = parser_.iterate(text_).get(document_); error) fail(error, "", "a value");
  open_ = true;
}

simdjson::ondemand::object JsonFile::object() { return get(document_.get_object(), ""); }

simdjson::ondemand::array JsonFile::array() { return get(document_.get_array(), ""); }

void JsonFile::finish() {
  if (const char* location = here()) {
    fail_data(path_,
              fmt::format("more text after the end of the JSON value, at byte {}",
                          location - text_.data()),
              kDamaged);
  }
}

std::string_view JsonFile::key(simdjson::ondemand::field& field) {
  return get(field.unescaped_key(), "a key");
}

int64_t JsonFile::node(std::string_view text, int64_t nodes, std::string_view path) {
  const auto id = parse_integer(text);
  if (!id) {
    fail_data(place(path), fmt::format("'{}' is not a node number", printable(text)),
              fmt::format("nodes are numbered 0 to {}", nodes - 1));
  }
  return node(*id, nodes, path);
}

int64_t JsonFile::node(int64_t id, int64_t nodes, std::string_view path) {
  if (id < 0 || id >= nodes) {
    fail_data(place(path), fmt::format("node {} does not exist", id),
              nodes > 0 ? fmt::format("nodes are numbered 0 to {}", nodes - 1)
                        : "the graph has no nodes");
  }
  return id;
}

std::string JsonFile::place(std::string_view path) const {
  return path.empty() ? path_ : fmt::format("{}[{}]", path_, printable(path));
}

const char* JsonFile::here() {
  const char* location = nullptr;
  if (!open_ || document_.current_location().get(location) != simdjson::SUCCESS) return nullptr;
  const bool inside = location >= text_.data() && location < text_.data() + text_.size();
  return inside ? location : nullptr;
}

void JsonFile::fail(simdjson::error_code error, const std::string& path,
                    std::string_view expected) {
  switch (error) {
    case simdjson::EMPTY:
      fail_data(path_, "the file is empty", kDamaged);
    case simdjson::UTF8_ERROR:
      fail_data(path_, fmt::format("not UTF-8 at byte {}", first_invalid_byte(text_)),
                "JSON is UTF-8 text; convert the file, or download it again");
    case simdjson::CAPACITY:
      fail_data(path_, "JSON larger than 4 GiB", "split the file, or convert it to .npy arrays");
    case simdjson::MEMALLOC:
      fail_data(path_, fmt::format("no memory to parse {} bytes of JSON", text_.size()),
                kMoreMemory);
    default:
      break;
  }
  const char* location = here();
  const std::string at = location ? fmt::format(" at byte {}", location - text_.data()) : "";
  const bool other_kind = error == simdjson::INCORRECT_TYPE || error == simdjson::NUMBER_ERROR ||
                          error == simdjson::NUMBER_OUT_OF_RANGE;
  if (location && other_kind) {
    const std::string_view rest(location, text_.data() + text_.size() - location);
    const std::string found = printable(rest.substr(0, rest.find_first_of(",:]}\n", 1)), 20);
    fail_data(place(path), fmt::format("expected {}, found '{}'{}", expected, found, at),
              "compare the file with the format's description, or download it again");
  }
  fail_data(place(path), fmt::format("JSON error{}: {}", at, simdjson::error_message(error)),
            kDamaged);
}

}  // namespace gs
