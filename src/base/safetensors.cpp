#include "base/safetensors.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"

namespace gs {

namespace {

using Json = nlohmann::json;

constexpr uint64_t kMostHeaderBytes = 100'000'000;  // the format's own limit
constexpr std::string_view kMetadata = "__metadata__";
constexpr const char* kChecksum = "xxh3";  // among the metadata, of everything else
constexpr std::string_view kHint =
    "the file is damaged, or was not written by a safetensors library";

struct TypeRow {
  std::string_view name;
  int64_t bytes;
};
constexpr TypeRow kTypes[] = {{"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E4M3", 1}, {"F8_E5M2", 1},
                              {"U16", 2},  {"I16", 2}, {"F16", 2}, {"BF16", 2},    {"U32", 4},
                              {"I32", 4},  {"F32", 4}, {"U64", 8}, {"I64", 8},     {"F64", 8}};

int64_t bytes_of(std::string_view dtype) {  // 0 when it is not known
  for (const TypeRow& row : kTypes)
    if (row.name == dtype) return row.bytes;
  return 0;
}

// Bytes of a whole tensor, or -1 when they do not fit 63 bits.
int64_t tensor_bytes(const std::vector<int64_t>& shape, int64_t item) {
  int64_t bytes = item;
  int64_t stride = item;  // as of the longest row: an empty tensor may have long ones
  for (const int64_t length : shape)
    if (length < 0 || __builtin_mul_overflow(bytes, length, &bytes) ||
        __builtin_mul_overflow(stride, std::max<int64_t>(1, length), &stride))
      return -1;
  return bytes;
}

int64_t length_in(const Json& value, const std::string& where) {
  if (!value.is_number_unsigned() ||
      value.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    fail_data(where,
              fmt::format("'{}' is not a length or offset", printable(value.dump(-1, ' ', true))),
              std::string(kHint));
  return value.get<int64_t>();
}

const Json& entry_of(const Json& tensor, const char* key, const std::string& where) {
  const auto found = tensor.is_object() ? tensor.find(key) : tensor.end();
  if (!tensor.is_object() || found == tensor.end())
    fail_data(where, fmt::format("has no '{}' in the header", key), std::string(kHint));
  return *found;
}

struct Placed {
  int64_t begin = 0, end = 0;
  std::string name;
};

Placed read_tensor(const std::string& name, const Json& json, std::span<const std::byte> data,
                   const std::string& where, TensorView& out) {
  const Json &dtype = entry_of(json, "dtype", where), &shape = entry_of(json, "shape", where),
             &offsets = entry_of(json, "data_offsets", where);
  if (!dtype.is_string() || !shape.is_array() || !offsets.is_array() || offsets.size() != 2)
    fail_data(where, "its header entry is malformed", std::string(kHint));
  out.dtype = dtype.get<std::string>();
  const int64_t item = bytes_of(out.dtype);
  if (item == 0)
    fail_data(where, fmt::format("type '{}' is not known", printable(out.dtype)),
              "convert it to F32 or another plain type");
  for (const Json& length : shape) out.shape.push_back(length_in(length, where));
  Placed placed{length_in(offsets[0], where), length_in(offsets[1], where), name};
  if (placed.begin > placed.end || placed.end > static_cast<int64_t>(data.size()))
    fail_data(where,
              fmt::format("is at bytes {} to {} of {}", placed.begin, placed.end, data.size()),
              "the file was cut short; copy it again");
  if (tensor_bytes(out.shape, item) != placed.end - placed.begin)
    fail_data(
        where,
        fmt::format("its {} bytes do not match its shape and type", placed.end - placed.begin),
        std::string(kHint));
  out.data = data.subspan(static_cast<size_t>(placed.begin),
                          static_cast<size_t>(placed.end - placed.begin));
  return placed;
}

std::string checksum_of(const SafeTensors& file) {
  Hasher hasher;
  for (const auto& [key, text] : file.metadata)
    if (key != kChecksum) hasher.add(key), hasher.add(text);
  for (const auto& [name, tensor] : file.tensors) {
    hasher.add(name), hasher.add(tensor.dtype);
    hasher.add(std::span<const int64_t>(tensor.shape));
    hasher.add(tensor.data);
  }
  return hasher.result().hex();
}

Json parse_header(std::string_view text, const std::string& where) {
  if (!text.starts_with('{')) fail_data(where, "its header is not JSON", std::string(kHint));
  if (nested_too_deep(text))
    fail_data(where, "its header is not valid JSON: it is nested too deep", std::string(kHint));
  Json header = Json::parse(text, nullptr, false);
  if (header.is_discarded() || !header.is_object())
    fail_data(where, "its header is not valid JSON", std::string(kHint));
  return header;
}

}  // namespace

SafeTensors load_safetensors(const fs::path& path) {
  const MappedFile file(path);
  const std::string& where = file.path();
  uint64_t header_bytes = 0;
  if (file.bytes().size() < sizeof header_bytes)
    fail_data(where,
              fmt::format("{} bytes are too few for a safetensors file", file.bytes().size()),
              std::string(kHint));
  std::memcpy(&header_bytes, file.bytes().data(), sizeof header_bytes);
  if (header_bytes > kMostHeaderBytes)
    fail_data(where, fmt::format("claims a header of {} bytes", header_bytes), std::string(kHint));
  if (header_bytes > file.bytes().size() - sizeof header_bytes)
    fail_data(where,
              fmt::format("truncated: the header takes {} bytes, {} are there", header_bytes,
                          file.bytes().size() - sizeof header_bytes),
              "the file was cut short; copy it again");
  const Json header = parse_header(file.text().substr(sizeof header_bytes, header_bytes), where);
  const auto data = file.bytes().subspan(sizeof header_bytes + header_bytes);

  SafeTensors out;
  out.owner = file.owner();
  std::vector<Placed> placed;
  for (const auto& [name, value] : header.items()) {
    if (name == kMetadata) {
      if (!value.is_object()) fail_data(where, "its metadata is not an object", std::string(kHint));
      for (const auto& [key, text] : value.items()) {
        if (!text.is_string())
          fail_data(where, fmt::format("metadata '{}' is not text", printable(key)),
                    std::string(kHint));
        out.metadata[key] = text.get<std::string>();
        if (nested_too_deep(out.metadata[key]))  // our own metadata is JSON
          fail_data(where, fmt::format("metadata '{}' is nested too deep", printable(key)),
                    std::string(kHint));
      }
      continue;
    }
    const std::string place = fmt::format("{}[{}]", where, printable(name));
    TensorView tensor;
    placed.push_back(read_tensor(name, value, data, place, tensor));
    if (!out.tensors.emplace(name, std::move(tensor)).second)
      fail_data(place, "is in the header twice", std::string(kHint));
  }
  std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  int64_t next = 0;
  for (const Placed& one : placed) {
    if (one.begin != next)
      fail_data(fmt::format("{}[{}]", where, printable(one.name)),
                "overlaps another tensor or leaves a gap", std::string(kHint));
    next = one.end;
  }
  if (next != static_cast<int64_t>(data.size()))
    fail_data(where, fmt::format("{} bytes belong to no tensor", data.size() - next),
              std::string(kHint));
  if (const auto found = out.metadata.find(kChecksum); found != out.metadata.end()) {
    if (found->second != checksum_of(out))
      fail_data(where, "is damaged: its checksum differs",
                "copy it again from where it was made; who edits one removes \"xxh3\" from its "
                "metadata");
    out.checked = true;
    out.metadata.erase(found);
  }
  return out;
}

void save_safetensors(const fs::path& path, const SafeTensors& tensors) {
  std::vector<std::pair<const std::string, TensorView> const*> order;
  for (const auto& entry : tensors.tensors) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(), [](auto* a, auto* b) {
    return bytes_of(a->second.dtype) > bytes_of(b->second.dtype);
  });

  auto header = nlohmann::ordered_json::object();  // the tensors in the order of their data
  for (const auto& [key, text] : tensors.metadata) {
    GS_ASSERT(is_utf8(key) && is_utf8(text));
    if (key != kChecksum) header[std::string(kMetadata)][key] = text;
  }
  header[std::string(kMetadata)][kChecksum] = checksum_of(tensors);
  size_t offset = 0;
  for (const auto* entry : order) {
    const auto& [name, tensor] = *entry;
    const int64_t item = bytes_of(tensor.dtype);
    GS_ASSERT(item > 0 && name != kMetadata && is_utf8(name));
    GS_ASSERT(tensor_bytes(tensor.shape, item) == static_cast<int64_t>(tensor.data.size()));
    header[name] = {{"dtype", tensor.dtype},
                    {"shape", tensor.shape},
                    {"data_offsets", {offset, offset + tensor.data.size()}}};
    offset += tensor.data.size();
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // so that the data after it is aligned
  const uint64_t header_bytes = text.size();
  GS_ASSERT(header_bytes <= kMostHeaderBytes);

  AtomicFile file(path);
  file.write(std::as_bytes(std::span(&header_bytes, 1)));
  file.write(text);
  for (const auto* entry : order) file.write(entry->second.data);
  file.commit();
}

}  // namespace gs
