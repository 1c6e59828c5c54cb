#include "base/npy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"
#include "support/files.h"

namespace gs::test {
namespace {

NpyArray parse(const std::string& image) {
  const auto owned = std::make_shared<const std::string>(image);
  return parse_npy(std::as_bytes(std::span(*owned)), owned, "x.npy");
}

// A version 1 image with the given dictionary and data.
std::string image(const std::string& dictionary, const std::string& data = "") {
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(dictionary.size() & 255);
  out += static_cast<char>(dictionary.size() >> 8);
  return out + dictionary + data;
}

std::string header(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }\n";
}

template <class T>
std::string raw(std::vector<T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

template <class T>
std::vector<T> values(const Array<T>& array) {
  return {array.begin(), array.end()};
}

TEST(Npy, ReadsEveryNumberTypeThatNumpyWrites) {
  const TempFolder folder;
  run_python(folder.path(), R"(
for t in ['i1','i2','i4','i8','u1','u2','u4','u8','f2','f4','f8']:
    np.save(t + '.npy', np.array([[1, 2, 3], [4, 5, 100]], dtype=t))
np.save('b1.npy', np.array([[True, False, True], [True, True, False]]))
)");
  for (const std::string type :
       {"i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"}) {
    const NpyArray array = load_npy(folder / (type + ".npy"));
    EXPECT_EQ(array.shape, (std::vector<int64_t>{2, 3})) << type;
    EXPECT_EQ(array.count(), 6);
    EXPECT_EQ(array.rows(), 2);
    EXPECT_EQ(values(array.as<uint8_t>()), (std::vector<uint8_t>{1, 2, 3, 4, 5, 100})) << type;
    EXPECT_EQ(values(array.as<int32_t>()), (std::vector<int32_t>{1, 2, 3, 4, 5, 100})) << type;
    EXPECT_EQ(values(array.as<int64_t>()), (std::vector<int64_t>{1, 2, 3, 4, 5, 100})) << type;
    EXPECT_EQ(values(array.as<float>()), (std::vector<float>{1, 2, 3, 4, 5, 100})) << type;
    EXPECT_EQ(values(array.as<double>()), (std::vector<double>{1, 2, 3, 4, 5, 100})) << type;
  }
  const NpyArray flags = load_npy(folder / "b1.npy");
  EXPECT_EQ(flags.type, DType::boolean);
  EXPECT_EQ(values(flags.as<uint8_t>()), (std::vector<uint8_t>{1, 0, 1, 1, 1, 0}));
  EXPECT_EQ(values(flags.as<float>()), (std::vector<float>{1, 0, 1, 1, 1, 0}));
}

TEST(Npy, ReadsExtremesExactly) {
  const TempFolder folder;
  run_python(folder.path(), R"(
np.save('i8.npy', np.array([-2**63, 2**63 - 1]))
np.save('f2.npy', np.array([0.5, -65504, 6e-8, 6.1e-5, -0.0, np.inf, np.nan], dtype='f2'))
)");
  EXPECT_EQ(values(load_npy(folder / "i8.npy").as<int64_t>()),
            (std::vector<int64_t>{INT64_MIN, INT64_MAX}));
  const auto half = load_npy(folder / "f2.npy").as<float>();
  EXPECT_EQ(half[0], 0.5f);
  EXPECT_EQ(half[1], -65504.0f);
  EXPECT_EQ(half[2], 0x1p-24f);      // the smallest subnormal
  EXPECT_EQ(half[3], 0x1.FF8p-15f);  // 6.1e-5 is just below 2^-14: a subnormal
  EXPECT_TRUE(half[4] == 0 && std::signbit(half[4]));
  EXPECT_TRUE(std::isinf(half[5]));
  EXPECT_TRUE(std::isnan(half[6]));
}

TEST(Npy, EveryHalfFloatIsWhatNumpySays) {
  const TempFolder folder;
  run_python(folder.path(), R"(
a = np.arange(65536, dtype='u2').view('f2')
np.save('half.npy', a); np.save('float.npy', a.astype('f4'))
)");
  const auto half = load_npy(folder / "half.npy").as<float>(),
             expected = load_npy(folder / "float.npy").as<float>();
  for (int64_t i = 0; i < 65536; ++i)
    ASSERT_TRUE(half[i] == expected[i] || (std::isnan(half[i]) && std::isnan(expected[i]))) << i;
}

TEST(Npy, FortranOrderComesOutInCOrder) {
  const TempFolder folder;
  run_python(folder.path(), R"(
np.save('two.npy', np.asfortranarray(np.arange(300 * 7).reshape(300, 7)))
np.save('four.npy', np.asfortranarray(np.arange(3 * 5 * 2 * 4).reshape(3, 5, 2, 4)))
np.save('same.npy', np.asfortranarray(np.arange(6, dtype='i4').reshape(1, 6)))
np.save('words.npy', np.asfortranarray(np.array([['a', 'bb'], ['c', 'd']])))
)");
  for (const std::string name : {"two", "four", "same"}) {
    const NpyArray array = load_npy(folder / (name + ".npy"));
    const auto got = array.as<int32_t>();
    for (int64_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], i) << name;
    EXPECT_EQ(values(array.as<int64_t>()).size(), array.count());
  }
  EXPECT_TRUE(load_npy(folder / "two.npy").fortran_order);
  EXPECT_EQ(load_npy(folder / "words.npy").strings(),
            (std::vector<std::string>{"a", "bb", "c", "d"}));
}

TEST(Npy, ReadsStringsAsUtf8) {
  const TempFolder folder;
  run_python(folder.path(), R"(
np.save('u.npy', np.array(['a', '', 'z\u00fc\u20ac\U0001F600', 'a\0b']))
np.save('s.npy', np.array([b'abc', b'', 'ü'.encode()]))
np.save('latin.npy', np.array([b'ok', b'\xfc']))
)");
  EXPECT_EQ(load_npy(folder / "u.npy").strings(),
            (std::vector<std::string>{"a", "", "z\u00fc\u20ac\U0001F600", std::string("a\0b", 3)}));
  EXPECT_EQ(load_npy(folder / "s.npy").strings(), (std::vector<std::string>{"abc", "", "ü"}));
  expect_data_error([&] { load_npy(folder / "latin.npy").strings(); },
                    "element 1 is not valid text");
  expect_data_error([&] { load_npy(folder / "s.npy").as<int64_t>(); },
                    "holds text (bytes), not numbers");
  expect_data_error([] { parse(image(header("<i4", "(1,)"), raw<int32_t>({1}))).strings(); },
                    "holds int32, not text");
  expect_data_error([] { parse(image(header("<U1", "(1,)"), raw<uint32_t>({0xD800}))).strings(); },
                    "not valid text");
}

TEST(Npy, ReadsScalarsEmptyArraysAndAllVersions) {
  const TempFolder folder;
  run_python(folder.path(), R"(
np.save('scalar.npy', np.float64(2.5))
np.save('empty.npy', np.zeros((0, 5), dtype='f4'))
a = np.arange(3, dtype='i4')
for v in [(1, 0), (2, 0), (3, 0)]:
    with open('v%d.npy' % v[0], 'wb') as f: np.lib.format.write_array(f, a, version=v)
)");
  const NpyArray scalar = load_npy(folder / "scalar.npy");
  EXPECT_TRUE(scalar.shape.empty());
  EXPECT_EQ(values(scalar.as<double>()), std::vector<double>{2.5});
  expect_data_error([&] { scalar.rows(); }, "is a single number");
  std::string columns = read_text(folder / "scalar.npy");
  columns.replace(columns.find("False"), 5, "True ");
  write_text(folder / "columns.npy", columns);
  EXPECT_EQ(values(load_npy(folder / "columns.npy").as<double>()), std::vector<double>{2.5});
  EXPECT_EQ(load_npy(folder / "empty.npy").as<float>().size(), 0);
  EXPECT_EQ(load_npy(folder / "empty.npy").as<int64_t>().size(), 0);
  for (const std::string version : {"v1", "v2", "v3"})
    EXPECT_EQ(values(load_npy(folder / (version + ".npy")).as<int32_t>()),
              (std::vector<int32_t>{0, 1, 2}))
        << version;
}

TEST(Npy, SameTypeIsNotCopied) {
  const TempFolder folder;
  run_python(folder.path(), "np.save('a.npy', np.arange(4, dtype='f4'))");
  Array<float> array;
  {
    const NpyArray npy = load_npy(folder / "a.npy");
    array = npy.as<float>();
    EXPECT_EQ(static_cast<const void*>(array.data()), npy.data.data());
  }
  EXPECT_EQ(values(array), (std::vector<float>{0, 1, 2, 3}));  // the mapping lives on
}

TEST(Npy, UnalignedDataIsCopied) {
  std::string dictionary = header("<f8", "(2,)");
  while ((10 + dictionary.size()) % 8 != 3) dictionary.insert(dictionary.size() - 1, " ");
  const NpyArray npy = parse(image(dictionary, raw<double>({1.5, 2.5})));
  const auto array = npy.as<double>();
  EXPECT_NE(static_cast<const void*>(array.data()), npy.data.data());
  EXPECT_EQ(values(array), (std::vector<double>{1.5, 2.5}));
}

TEST(Npy, BoolBytesOtherThanOneStillMeanTrue) {
  EXPECT_EQ(values(parse(image(header("|b1", "(3,)"), std::string("\2\0\xff", 3))).as<uint8_t>()),
            (std::vector<uint8_t>{1, 0, 1}));
}

TEST(Npy, ValuesThatDoNotFitAreNamedByIndex) {
  const NpyArray big = parse(image(header("<i8", "(3,)"), raw<int64_t>({1, int64_t{1} << 40, 2})));
  expect_data_error([&] { big.as<int32_t>(); },
                    "x.npy: element 1 is 1099511627776, which is no int32");
  EXPECT_EQ(big.as<double>()[1], 0x1p40);
  const NpyArray grid = parse(image(header("<f4", "(2, 2)"), raw<float>({0, 1, 2, 0.5f})));
  expect_data_error([&] { grid.as<int64_t>(); }, "element (1, 1) is 0.5, which is no int64");
  const NpyArray turned =
      parse(image(header("<f4", "(2, 3)", true), raw<float>({0, 1, 2, 0.5f, 3, 4})));
  expect_data_error([&] { turned.as<int64_t>(); }, "element (1, 1) is 0.5");
  for (const double bad : {std::nan(""), HUGE_VAL, 9223372036854775808.0, -1e30, 1e-9}) {
    const NpyArray array = parse(image(header("<f8", "(1,)"), raw<double>({bad})));
    expect_data_error([&] { array.as<int64_t>(); }, "element 0 is");
  }
  EXPECT_EQ(parse(image(header("<f8", "(1,)"), raw<double>({-0x1p63}))).as<int64_t>()[0],
            INT64_MIN);
  expect_data_error([] { parse(image(header("|i1", "(1,)"), "\xff")).as<uint8_t>(); }, "is -1");
  expect_data_error(
      [] { parse(image(header("<u8", "(1,)"), raw<uint64_t>({UINT64_MAX}))).as<int64_t>(); },
      "no int64");
  expect_data_error([] { parse(image(header("<f8", "(1,)"), raw<double>({1e300}))).as<float>(); },
                    "no float32");
  EXPECT_TRUE(
      std::isinf(parse(image(header("<f8", "(1,)"), raw<double>({INFINITY}))).as<float>()[0]));
  EXPECT_TRUE(
      std::isnan(parse(image(header("<f8", "(1,)"), raw<double>({std::nan("")}))).as<float>()[0]));
}

TEST(Npy, LargeArraysConvertTheSameOnAnyThreads) {
  std::vector<int64_t> numbers(500'000);
  std::iota(numbers.begin(), numbers.end(), -250'000);
  const NpyArray array = parse(image(header("<i8", "(500000,)"), raw(numbers)));
  for (const int count : {1, 4}) {
    const ThreadScope scope(count);
    const auto narrow = array.as<int32_t>();
    for (int64_t i = 0; i < narrow.size(); ++i) ASSERT_EQ(narrow[i], i - 250'000);
  }
}

TEST(Npy, HeaderMayHaveAnyKeyOrderBlanksAndQuotes) {
  const std::string data = raw<int32_t>({7, 8});
  for (const std::string dictionary : {
           "{'shape': (2,), 'fortran_order': False, 'descr': '<i4'}",
           "  {\"descr\":\"<i4\",\"fortran_order\":False,\"shape\":(2,)}",
           "{ 'descr' : '<i4' , 'fortran_order' : True , 'shape' : ( 2 , ) , }\n\n",
           "{'descr': '=i4', 'fortran_order': False, 'shape': (2L,), }",
           "{'descr': '<i4', 'fortran_order': False, 'shape': (1, 2,), }",
       })
    EXPECT_EQ(values(parse(image(dictionary, data)).as<int32_t>()), (std::vector<int32_t>{7, 8}))
        << dictionary;
}

TEST(Npy, RefusesMalformedHeaders) {
  for (const std::string dictionary : {
           "",
           "{",
           "{}",
           "[]",
           "{'descr'",
           "{'descr': '<i4",
           "{'descr': '<i4'}",
           "{'descr': '<i4', 'fortran_order': False, 'shape': (2)}",
           "{'descr': '<i4', 'fortran_order': False, 'shape': (-2,)}",
           "{'descr': '<i4', 'fortran_order': False, 'shape': (2,",
           "{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
           "{'descr': '<i4', 'fortran_order': False, 'shape': (2.0,)}",
           "{'descr': '<i4', 'fortran_order': 1, 'shape': (2,)}",
           "{'descr': '<i4', 'fortran_order': False, 'shape': (2,)} x",
           "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), 'extra': 'x'}",
           "{'descr': '<i4', 'descr': '<i4', 'fortran_order': False, 'shape': (2,)}",
           "{'descr': '\\x3ci4', 'fortran_order': False, 'shape': (2,)}",
           "{'descr': '?i4', 'fortran_order': False, 'shape': (2,)}",
           "{'descr': '<U', 'fortran_order': False, 'shape': (2,)}",
           "{'descr': '<U-4', 'fortran_order': False, 'shape': (2,)}",
           "{'descr': '<U9999999999', 'fortran_order': False, 'shape': (2,)}",
           "{'descr': '<i4', 'fortran_order': False, 'shape': (2,)",
       })
    expect_data_error([&] { parse(image(dictionary, raw<int32_t>({7, 8}))); }, "bad .npy header");
}

TEST(Npy, RefusesAPickle) {
  const TempFolder folder;
  run_python(folder.path(), "np.save('o.npy', np.array([{'a': 1}, None], dtype=object))");
  expect_data_error([&] { load_npy(folder / "o.npy"); },
                    "holds Python objects (pickle), which are never read");
}

TEST(Npy, RefusesTypesItDoesNotKnowByName) {
  const TempFolder folder;
  run_python(folder.path(), R"(
np.save('c.npy', np.zeros(2, dtype='c8'))
np.save('m.npy', np.zeros(2, dtype='M8[s]'))
np.save('r.npy', np.zeros(2, dtype=[('a', 'i4'), ('b', 'f4')]))
np.save('be.npy', np.zeros(2, dtype='>i4'))
np.save('beu.npy', np.array(['a']).astype('>U1'))
)");
  expect_data_error([&] { load_npy(folder / "c.npy"); }, "'<c8' are not supported");
  expect_data_error([&] { load_npy(folder / "m.npy"); }, "'<M8[s]' are not supported");
  expect_data_error([&] { load_npy(folder / "r.npy"); }, "holds records");
  expect_data_error([&] { load_npy(folder / "be.npy"); }, "is big-endian");
  expect_data_error([&] { load_npy(folder / "beu.npy"); }, "is big-endian");
  EXPECT_EQ(parse(image(header(">u1", "(1,)"), "a")).as<int32_t>()[0], 'a');
}

TEST(Npy, RefusesShapesThatOverflow) {
  const auto check = [](const std::string& descr, const std::string& shape,
                        const std::string& part) {
    expect_data_error([&] { parse(image(header(descr, shape))); }, part);
  };
  check("<f8", "(4611686018427387904, 4)", "is too large");
  check("<f8", "(1152921504606846976,)", "is too large");  // elements fit, bytes do not
  check("<f8", "(9223372036854775807, 9223372036854775807, 0)", "is too large");
  check("<f8", "(1000000000000,)",
        "truncated: float64 of shape (1000000000000,) takes 8000000000000 bytes, 0 are there");
  check("|S0", "(1000000000000,)", "width 0");
}

TEST(Npy, TruncationAtEveryByteIsADataError) {
  std::string whole = image(header("<i4", "(3, 2)"), raw<int32_t>({1, 2, 3, 4, 5, 6}));
  ASSERT_EQ(parse(whole).count(), 6);
  for (size_t size = 0; size < whole.size(); ++size)
    expect_data_error([&] { parse(whole.substr(0, size)); }, "x.npy: ");
  expect_data_error([&] { parse(whole.substr(0, whole.size() - 1)); },
                    "int32 of shape (3, 2) takes 24 bytes, 23 are there");
  expect_data_error([&] { parse(whole + "x"); }, "1 bytes follow the array");
}

TEST(Npy, AnyDamagedByteIsReadOrRefusedButNeverCrashes) {
  const std::string whole = image(header("<f4", "(3, 2)"), raw<float>({1, 2, 3, 4, 5, 6}));
  for (size_t at = 0; at < whole.size(); ++at)
    for (const char value : {'\0', '\1', '9', '(', '\'', '\xff'}) {
      std::string damaged = whole;
      damaged[at] = value;
      try {
        const NpyArray array = parse(damaged);
        if (array.type != DType::bytes && array.type != DType::unicode) array.as<double>();
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::data) << error.what();
      }
    }
}

TEST(Npy, RefusesOtherFilesAndNewerVersions) {
  expect_data_error([] { parse(""); }, "is empty");
  expect_data_error([] { parse("PK\3\4 this is a zip"); }, "is not an .npy array");
  std::string newer = image(header("<i4", "()"), raw<int32_t>({1}));
  newer[6] = 4;
  expect_data_error([&] { parse(newer); }, "version 4 is not known");
}

TEST(Npy, RequireDimsTellsTheShape) {
  const NpyArray array = parse(image(header("<i4", "(2, 1)"), raw<int32_t>({1, 2})));
  array.require_dims(2);
  expect_data_error([&] { array.require_dims(1); }, "has shape (2, 1); 1 dimension is needed");
}

TEST(Npy, WritesWhatNumpyReads) {
  const TempFolder folder;
  const std::vector<float> f{1.5f, -2, 3, 4, 5, 6};
  const int64_t two_three[] = {2, 3};
  save_npy(folder / "f.npy", std::span<const float>(f), two_three);
  save_npy(folder / "d.npy", std::span<const double>(std::vector<double>{0.1}));
  save_npy(folder / "i.npy", std::span<const int32_t>(std::vector<int32_t>{-1, 2}));
  save_npy(folder / "l.npy", std::span<const int64_t>(std::vector<int64_t>{INT64_MIN}));
  save_npy(folder / "u.npy", std::span<const uint8_t>(std::vector<uint8_t>{255, 0, 1}));
  save_npy(folder / "none.npy", std::span<const float>());
  const int64_t scalar[] = {0};
  save_npy(folder / "scalar.npy", std::span<const double>(std::vector<double>{7}),
           std::span<const int64_t>(scalar, 0));
  run_python(folder.path(), R"(
def check(name, value, dtype):
    a = np.load(name + '.npy')
    assert a.dtype == dtype and a.shape == np.shape(value) and (a == np.array(value, dtype=dtype)).all(), (name, a)
check('f', [[1.5, -2, 3], [4, 5, 6]], 'f4'); check('d', [0.1], 'f8'); check('i', [-1, 2], 'i4')
check('l', [-2**63], 'i8'); check('u', [255, 0, 1], 'u1'); check('none', [], 'f4'); check('scalar', 7, 'f8')
assert np.load('f.npy', mmap_mode='r').offset % 64 == 0
)");
  EXPECT_EQ(values(load_npy(folder / "f.npy").as<float>()), f);
}

TEST(Npy, HeaderIsTheOneNumpyWrites) {
  const TempFolder folder;
  run_python(folder.path(), "np.save('a.npy', np.zeros((12, 3), dtype='f4'))");
  const int64_t shape[] = {12, 3};
  EXPECT_EQ(npy_header<float>(shape), read_text(folder / "a.npy").substr(0, 128));
}

TEST(Npy, SavingAWrongShapeIsOurBug) {
  const TempFolder folder;
  const int64_t shape[] = {2, 2};
  const std::vector<float> three{1, 2, 3};
  EXPECT_THROW(save_npy(folder / "a.npy", std::span<const float>(three), shape), Error);
  EXPECT_FALSE(fs::exists(folder / "a.npy"));
}

TEST(Npy, AScalarMayClaimFortranOrder) {
  const NpyArray number = parse(image(header("<f8", "()", true), raw<double>({2.5})));
  EXPECT_EQ(values(number.as<float>()), (std::vector<float>{2.5f}));
  EXPECT_EQ(parse(image(header("|S2", "()", true), "ab")).strings(),
            (std::vector<std::string>{"ab"}));
}

}  // namespace
}  // namespace gs::test
