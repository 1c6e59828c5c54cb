#include "base/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/error.h"
#include "support/files.h"

namespace gs::test {
namespace {

template <class T>
TensorView view(const std::string& dtype, std::vector<int64_t> shape,
                const std::vector<T>& values) {
  return {dtype, std::move(shape), std::as_bytes(std::span(values))};
}

const std::vector<float> kWeights{1, 2, 3, 4, 5, 6};
const std::vector<int64_t> kSteps{7};
const std::vector<uint8_t> kFlags{1, 0, 1};

SafeTensors sample() {
  SafeTensors out;
  out.tensors["encoder.weight"] = view("F32", {2, 3}, kWeights);
  out.tensors["a.flags"] = view("BOOL", {3}, kFlags);
  out.tensors["step"] = view("I64", {}, kSteps);
  out.tensors["none"] = view("F32", {0, 4}, std::vector<float>());
  out.metadata = {{"format", "pt"}, {"made by", "gr\u00fcn \"quoted\""}};
  return out;
}

std::string file_of(const std::string& header, const std::string& data) {
  const uint64_t size = header.size();
  return std::string(reinterpret_cast<const char*>(&size), 8) + header + data;
}

TEST(SafeTensors, ComesBackAsItWasWritten) {
  const TempFolder folder;
  save_safetensors(folder / "m.safetensors", sample());
  const SafeTensors back = load_safetensors(folder / "m.safetensors");
  EXPECT_EQ(back.metadata, sample().metadata);
  ASSERT_EQ(back.tensors.size(), 4u);
  for (const auto& [name, expected] : sample().tensors) {
    const TensorView& got = back.tensors.at(name);
    EXPECT_EQ(got.dtype, expected.dtype);
    EXPECT_EQ(got.shape, expected.shape);
    EXPECT_TRUE(
        std::equal(got.data.begin(), got.data.end(), expected.data.begin(), expected.data.end()))
        << name;
  }
}

TEST(SafeTensors, BytesAreTheSameEveryTime) {
  const TempFolder folder;
  save_safetensors(folder / "a", sample());
  save_safetensors(folder / "b", sample());
  EXPECT_EQ(read_text(folder / "a"), read_text(folder / "b"));
}

TEST(SafeTensors, EveryTensorIsAligned) {
  const TempFolder folder;
  save_safetensors(folder / "m", sample());
  const SafeTensors back = load_safetensors(folder / "m");
  EXPECT_EQ(reinterpret_cast<uintptr_t>(back.tensors.at("step").data.data()) % 8, 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(back.tensors.at("encoder.weight").data.data()) % 4, 0u);
}

TEST(SafeTensors, FollowsTheFormatByAnIndependentReading) {
  const TempFolder folder;
  save_safetensors(folder / "m.safetensors", sample());
  run_python(folder.path(), R"(
b = open('m.safetensors', 'rb').read()
n, = struct.unpack('<Q', b[:8])
assert n % 8 == 0
h = json.loads(b[8:8 + n]); data = b[8 + n:]
meta = h.pop('__metadata__')
assert len(meta.pop('xxh3')) == 32
assert meta == {'format': 'pt', 'made by': 'gr\u00fcn "quoted"'}, meta
end = 0
for name, t in sorted(h.items(), key=lambda kv: kv[1]['data_offsets']):
    assert t['data_offsets'][0] == end, name
    end = t['data_offsets'][1]
assert end == len(data)
types = {'F32': '<f4', 'I64': '<i8', 'BOOL': '?'}
def get(name):
    t = h[name]; a, e = t['data_offsets']
    return np.frombuffer(data[a:e], types[t['dtype']]).reshape(t['shape'])
assert (get('encoder.weight') == [[1, 2, 3], [4, 5, 6]]).all()
assert get('step') == 7 and get('step').shape == ()
assert (get('a.flags') == [True, False, True]).all()
assert get('none').shape == (0, 4)
)");
}

TEST(SafeTensors, ReadsWhatOthersWrite) {
  const TempFolder folder;
  run_python(folder.path(), R"(
h = json.dumps({'b': {'shape': [2], 'data_offsets': [4, 8], 'dtype': 'F16'}, 'a': {'dtype': 'I32', 'shape': [1], 'data_offsets': [0, 4]}}).encode()
h += b' ' * (-len(h) % 8)
open('m', 'wb').write(struct.pack('<Q', len(h)) + h + struct.pack('<i', -5) + np.array([1, 2], dtype='f2').tobytes())
)");
  const SafeTensors back = load_safetensors(folder / "m");
  int32_t value = 0;
  std::memcpy(&value, back.tensors.at("a").data.data(), 4);
  EXPECT_EQ(value, -5);
  EXPECT_EQ(back.tensors.at("b").dtype, "F16");
  EXPECT_TRUE(back.metadata.empty());
}

TEST(SafeTensors, NothingInsideIsFine) {
  const TempFolder folder;
  save_safetensors(folder / "m", {});
  EXPECT_TRUE(load_safetensors(folder / "m").tensors.empty());
}

TEST(SafeTensors, RefusesWhatIsNotOne) {
  const TempFolder folder;
  const auto check = [&](const std::string& content, const std::string& part) {
    write_text(folder / "m", content);
    expect_data_error([&] { load_safetensors(folder / "m"); }, part);
  };
  check("", "0 bytes are too few");
  check("1234567", "7 bytes are too few");
  check(std::string(8, '\xff'), "claims a header of 18446744073709551615 bytes");
  check(file_of("{}", "").substr(0, 9), "truncated: the header takes 2 bytes, 1 are there");
  check(file_of("[]", ""), "header is not JSON");
  check(file_of("{nope}", ""), "not valid JSON");
  check(file_of("{\"a\xff\":1}", ""), "not valid JSON");
  check(file_of("{}x", ""), "not valid JSON");
  check(file_of(std::string(100'000, '[').insert(0, "{\"a\":"), ""), "not valid JSON");
  check(file_of("{}", "x"), "1 bytes belong to no tensor");
  check(file_of("{\"a\":5}", ""), "m[a]: has no 'dtype'");
  check(file_of("{\"__metadata__\":{\"a\":1}}", ""), "metadata 'a' is not text");
  check(file_of("{\"__metadata__\":[]}", ""), "metadata is not an object");
}

TEST(SafeTensors, RefusesTensorsThatDoNotFit) {
  const TempFolder folder;
  const auto check = [&](const std::string& dtype, const std::string& shape,
                         const std::string& offsets, const std::string& part) {
    write_text(folder / "m", file_of("{\"t\":{\"dtype\":" + dtype + ",\"shape\":" + shape +
                                         ",\"data_offsets\":" + offsets + "}}",
                                     "12345678"));
    expect_data_error([&] { load_safetensors(folder / "m"); }, part);
  };
  check("\"F32\"", "[2]", "[0,12]", "m[t]: is at bytes 0 to 12 of 8");
  check("\"F32\"", "[2]", "[8,0]", "is at bytes 8 to 0");
  check("\"F32\"", "[3]", "[0,8]", "do not match its shape and type");
  check("\"F32\"", "[4611686018427387904,4]", "[0,8]", "do not match its shape and type");
  check("\"F32\"", "[-2]", "[0,8]", "'-2' is not a length");
  check("\"F32\"", "[2.0]", "[0,8]", "'2.0' is not a length");
  check("\"F32\"", "[2]", "[0,18446744073709551615]", "is not a length or offset");
  check("\"F32\"", "2", "[0,8]", "malformed");
  check("\"F32\"", "[2]", "[0]", "malformed");
  check("7", "[2]", "[0,8]", "malformed");
  check("\"Q4\"", "[2]", "[0,8]", "type 'Q4' is not known");
  check("\"F32\"", "[1]", "[4,8]", "leaves a gap");
  check("\"F32\"", "[1]", "[0,4]", "4 bytes belong to no tensor");
}

TEST(SafeTensors, RefusesOverlaps) {
  const TempFolder folder;
  write_text(
      folder / "m",
      file_of(
          R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})",
          "1234"));
  expect_data_error([&] { load_safetensors(folder / "m"); }, "m[b]: overlaps another tensor");
}

TEST(SafeTensors, CutOrDamagedAtAnyByteNeverCrashes) {
  const TempFolder folder;
  save_safetensors(folder / "m", sample());
  const std::string whole = read_text(folder / "m");
  for (size_t size = 0; size < whole.size(); ++size) {
    const fs::path path = folder / ("cut" + std::to_string(size));
    write_text(path, whole.substr(0, size));
    expect_data_error([&] { load_safetensors(path); }, "cut");
  }
  for (size_t at = 0; at < whole.size(); ++at)
    for (const char value : {'\0', '9', '"', '\xff'}) {
      std::string damaged = whole;
      damaged[at] = value;
      const fs::path path = folder / ("damaged" + std::to_string(at) + "-" + std::to_string(value));
      write_text(path, damaged);
      try {
        load_safetensors(path);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::data) << error.what();
      }
    }
}

TEST(SafeTensors, WritingAWrongTensorIsOurBug) {
  const TempFolder folder;
  SafeTensors wrong;
  wrong.tensors["a"] = view("F32", {5}, kWeights);
  EXPECT_THROW(save_safetensors(folder / "m", wrong), Error);
  wrong.tensors["a"] = view("X32", {6}, kWeights);
  EXPECT_THROW(save_safetensors(folder / "m", wrong), Error);
  EXPECT_FALSE(fs::exists(folder / "m"));
}

std::string with_header(const std::string& header, const std::string& data = "") {
  const uint64_t size = header.size();
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + header + data;
}

TEST(SafeTensors, RefusesJsonThatIsNestedDeep) {
  const TempFolder folder;
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  write_text(folder / "header", with_header("{\"a\":" + deep + "}"));
  expect_data_error([&] { load_safetensors(folder / "header"); }, "nested too deep");
  write_text(folder / "shape",
             with_header(R"({"a":{"dtype":"F32","data_offsets":[0,0],"shape":)" + deep + "}}"));
  expect_data_error([&] { load_safetensors(folder / "shape"); }, "nested too deep");
  write_text(folder / "text", with_header(R"({"__metadata__":{"state":")" + deep + "\"}}"));
  expect_data_error([&] { load_safetensors(folder / "text"); }, "metadata 'state'");
}

TEST(SafeTensors, RefusesEmptyTensorsOfImpossibleLengths) {
  const TempFolder folder;
  write_text(folder / "x", with_header(R"({"a":{"dtype":"F32","shape":[0,4611686018427387904,4],)"
                                       R"("data_offsets":[0,0]}})"));
  expect_data_error([&] { load_safetensors(folder / "x"); }, "do not match its shape");
}

}  // namespace
}  // namespace gs::test
