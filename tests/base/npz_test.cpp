#include "base/npz.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"
#include "support/files.h"

namespace gs {
namespace {

using test::expect_data_error;
using test::read_text;
using test::run_python;
using test::shared_data;
using test::TempFolder;
using test::write_text;

template <class T>
std::vector<T> values(const NpyArray& array) {
  const Array<T> out = array.as<T>();
  return {out.begin(), out.end()};
}

void read_all(const fs::path& path) {
  const Npz npz(path);
  npz.get_all(npz.names());
}

TEST(Npz, ReadsStoredAndDeflatedMembersOfEveryType) {
  const TempFolder folder;
  run_python(folder.path(), R"(
arrays = {t: np.array([[1, 2, 3], [4, 5, 6]], dtype=t) for t in ['i1','i2','i4','i8','u1','u2','u4','u8','f2','f4','f8']}
arrays['fortran'] = np.asfortranarray(np.array([[1, 2, 3], [4, 5, 6]]))
np.savez('stored.npz', **arrays, words=np.array(['a', 'bc']), flags=np.array([True, False]))
np.savez_compressed('deflated.npz', **arrays, words=np.array(['a', 'bc']), flags=np.array([True, False]))
)");
  for (const char* name : {"stored.npz", "deflated.npz"}) {
    const Npz npz(folder / name);
    EXPECT_EQ(npz.names().size(), 14u);
    const auto arrays = npz.get_all(npz.names());
    for (const auto& [member, array] : arrays) {
      if (member == "words" || member == "flags") continue;
      EXPECT_EQ(values<int32_t>(array), (std::vector<int32_t>{1, 2, 3, 4, 5, 6}))
          << name << " " << member;
      EXPECT_EQ(array.shape, (std::vector<int64_t>{2, 3}));
    }
    EXPECT_EQ(npz.get("words").strings(), (std::vector<std::string>{"a", "bc"}));
    EXPECT_EQ(values<uint8_t>(npz.get("flags")), (std::vector<uint8_t>{1, 0}));
    EXPECT_TRUE(npz.has("f4"));
    EXPECT_FALSE(npz.has("f4.npy"));
  }
}

TEST(Npz, ArrayOutlivesTheFile) {
  const TempFolder folder;
  run_python(folder.path(), "np.savez('a.npz', x=np.arange(5))");
  const Array<int64_t> x = Npz(folder / "a.npz").get("x").as<int64_t>();
  EXPECT_EQ(x[4], 4);
}

TEST(Npz, SameTypeIsNotCopiedAfterInflating) {
  const TempFolder folder;
  run_python(folder.path(), "np.savez_compressed('a.npz', x=np.arange(500.))");
  const NpyArray x = Npz(folder / "a.npz").get("x");
  EXPECT_EQ(static_cast<const void*>(x.as<double>().data()), x.data.data());
}

TEST(Npz, ReadsZip64) {
  const TempFolder folder;
  run_python(folder.path(), R"(
zipfile.ZIP64_LIMIT = 10; zipfile.ZIP_FILECOUNT_LIMIT = 1
for name, method in [('stored.npz', zipfile.ZIP_STORED), ('deflated.npz', zipfile.ZIP_DEFLATED)]:
    with zipfile.ZipFile(name, 'w', method) as z:
        for key in ['x', 'y']:
            with z.open(key + '.npy', 'w', force_zip64=True) as f: np.lib.format.write_array(f, np.arange(100))
    assert b'PK\x06\x06' in open(name, 'rb').read()
)");
  for (const char* name : {"stored.npz", "deflated.npz"}) {
    const Npz npz(folder / name);
    EXPECT_EQ(npz.names(), (std::vector<std::string>{"x", "y"}));
    EXPECT_EQ(npz.get("y").as<int64_t>()[99], 99);
  }
}

TEST(Npz, OtherMembersAreIgnoredAndCommentsAllowed) {
  const TempFolder folder;
  run_python(folder.path(), R"(
np.savez('a.npz', x=np.arange(3))
with zipfile.ZipFile('a.npz', 'a') as z: z.writestr('readme.txt', 'hello'); z.writestr('folder/', ''); z.comment = b'made by hand'
)");
  EXPECT_EQ(Npz(folder / "a.npz").names(), std::vector<std::string>{"x"});
}

TEST(Npz, AbsentMemberListsWhatIsThere) {
  const TempFolder folder;
  run_python(folder.path(), "np.savez('a.npz', labels=np.arange(3), adj_data=np.arange(3))");
  const Npz npz(folder / "a.npz");
  expect_data_error([&] { npz.get("label"); },
                    "a.npz: has no array 'label'; did you mean 'labels'?");
  try {
    npz.get("label");
  } catch (const Error& error) {
    EXPECT_EQ(error.hint(), "it holds adj_data, labels");
  }
}

TEST(Npz, RefusesAPickleOnlyWhenItIsAskedFor) {
  const TempFolder folder;
  run_python(folder.path(), "np.savez('a.npz', x=np.arange(3), o=np.array([{}], dtype=object))");
  const Npz npz(folder / "a.npz");
  EXPECT_EQ(npz.get("x").count(), 3);
  expect_data_error([&] { npz.get("o"); }, "a.npz[o]: holds Python objects (pickle)");
}

TEST(Npz, RefusesWhatIsNotAZip) {
  const TempFolder folder;
  write_text(folder / "empty.npz", "");
  write_text(folder / "text.npz", "hello");
  write_text(folder / "cut.npz", "PK\3\4 but no more");
  expect_data_error([&] { Npz npz(folder / "empty.npz"); }, "is empty");
  expect_data_error([&] { Npz npz(folder / "text.npz"); }, "is not an .npz (zip) file");
  expect_data_error([&] { Npz npz(folder / "cut.npz"); }, "truncated or damaged zip");
  expect_data_error([&] { Npz npz(folder / "none.npz"); }, "no such file");
  expect_data_error([&] { Npz npz(folder.path()); }, "is a directory");
}

TEST(Npz, RefusesOtherCompressionEncryptionAndDuplicates) {
  const TempFolder folder;
  run_python(folder.path(), R"(
import warnings; warnings.simplefilter('ignore')
np.save('x.npy', np.arange(3))
for name, method in [('bzip2', zipfile.ZIP_BZIP2), ('lzma', zipfile.ZIP_LZMA)]:
    with zipfile.ZipFile(name + '.npz', 'w', method) as z: z.write('x.npy')
with zipfile.ZipFile('twice.npz', 'w') as z: z.write('x.npy'); z.write('x.npy')
np.savez('locked.npz', x=np.arange(3))
b = bytearray(open('locked.npz', 'rb').read())
b[6] |= 1; b[b.rfind(b'PK\x01\x02') + 8] |= 1
open('locked.npz', 'wb').write(b)
)");
  expect_data_error([&] { Npz npz(folder / "bzip2.npz"); },
                    "[x]: compression method bzip2 is not supported");
  expect_data_error([&] { Npz npz(folder / "lzma.npz"); }, "compression method lzma");
  expect_data_error([&] { Npz npz(folder / "twice.npz"); }, "[x]: is in the file twice");
  expect_data_error([&] { Npz npz(folder / "locked.npz"); }, "[x]: is encrypted");
}

TEST(Npz, RefusesABombBeforeAllocating) {
  const TempFolder folder;
  // Offsets in a central directory entry: 16 CRC, 20 packed size, 24 size.
  run_python(folder.path(), R"(
np.savez_compressed('a.npz', x=np.zeros(1000))
def patch(name, at, value):
    b = bytearray(open('a.npz', 'rb').read()); c = b.rfind(b'PK\x01\x02')
    b[c + at:c + at + 4] = struct.pack('<I', value); open(name, 'wb').write(b)
patch('bomb.npz', 24, 0xFFFFFFF0)
patch('more.npz', 24, 8129); patch('less.npz', 24, 8127)
patch('packed.npz', 20, 0x7FFFFFFF)
patch('crc.npz', 16, 12345)

# zip64: a terabyte from a megabyte, within deflate's ratio only by a lie about the packed size
zipfile.ZIP64_LIMIT = 10
with zipfile.ZipFile('a.npz', 'w', zipfile.ZIP_DEFLATED) as z:
    with z.open('x.npy', 'w', force_zip64=True) as f: np.lib.format.write_array(f, np.zeros(1000))
b = bytearray(open('a.npz', 'rb').read()); c = b.rfind(b'PK\x01\x02'); e = c + 46 + 5
assert struct.unpack('<HH', b[e:e + 4])[0] == 1
b[e + 4:e + 12] = struct.pack('<Q', 1 << 60); open('tera.npz', 'wb').write(b)
b[e + 4:e + 12] = struct.pack('<Q', (1 << 64) - 1); open('all.npz', 'wb').write(b)
b[e + 12:e + 20] = struct.pack('<Q', 1 << 62); open('both.npz', 'wb').write(b)
)");
  expect_data_error([&] { Npz npz(folder / "bomb.npz"); }, "claims to unpack from");
  expect_data_error([&] { Npz npz(folder / "tera.npz"); }, "claims to unpack from");
  expect_data_error([&] { Npz npz(folder / "all.npz"); }, "");
  expect_data_error([&] { Npz npz(folder / "both.npz"); }, "");
  expect_data_error([&] { Npz npz(folder / "packed.npz"); }, "stored bytes in a file of");
  expect_data_error([&] { Npz(folder / "more.npz").get("x"); }, "[x]: damaged deflate data");
  expect_data_error([&] { Npz(folder / "less.npz").get("x"); }, "[x]: damaged deflate data");
  expect_data_error([&] { Npz(folder / "crc.npz").get("x"); },
                    "[x]: its checksum (CRC-32) does not match");
}

class NpzDamage : public testing::Test {
 protected:
  NpzDamage() {
    run_python(folder_.path(), R"(
np.savez('stored.npz', x=np.arange(6, dtype='i4'), y=np.array([1.5, 2.5]))
np.savez_compressed('deflated.npz', x=np.arange(6, dtype='i4'), y=np.zeros(50))
zipfile.ZIP64_LIMIT = 10; zipfile.ZIP_FILECOUNT_LIMIT = 1
with zipfile.ZipFile('zip64.npz', 'w', zipfile.ZIP_DEFLATED) as z:
    for key in ['x', 'y']:
        with z.open(key + '.npy', 'w', force_zip64=True) as f: np.lib.format.write_array(f, np.arange(6))
)");
    for (const char* name : {"stored.npz", "deflated.npz", "zip64.npz"})
      images_.push_back(read_text(folder_ / name));
  }
  // Thousands of tiny reads: waking other threads would take most of the time.
  const ThreadScope one_thread_{1};
  // A new file each time: overwriting one makes some file systems wait for the disk.
  fs::path fresh(const std::string& image) {
    const fs::path path = folder_ / (std::to_string(count_++) + ".npz");
    write_text(path, image);
    return path;
  }
  // A clean data Error is right, and so is reading it when the damage was where nobody looks.
  void read_damaged(const std::string& image) {
    try {
      read_all(fresh(image));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data) << error.what();
      EXPECT_FALSE(error.hint().empty()) << error.what();
    }
  }
  const TempFolder folder_;
  std::vector<std::string> images_;
  int count_ = 0;
};

TEST_F(NpzDamage, TruncationAtEveryByteIsADataError) {
  for (const std::string& image : images_) {
    EXPECT_NO_THROW(read_all(fresh(image)));
    for (size_t size = 0; size < image.size(); ++size)
      expect_data_error([&] { read_all(fresh(image.substr(0, size))); }, ".npz");
  }
}

TEST_F(NpzDamage, ADamagedByteNeverCrashes) {
  for (const std::string& image : images_)
    for (size_t at = 0; at < image.size(); ++at)
      for (const int flip : {0xFF, 0x01, 0x80}) {
        std::string damaged = image;
        damaged[at] = static_cast<char>(damaged[at] ^ flip);
        read_damaged(damaged);
      }
}

TEST_F(NpzDamage, RandomDamageNeverCrashes) {
  Random random(1);
  for (int round = 0; round < 1000; ++round) {
    std::string damaged = images_[random.below(images_.size())];
    for (uint64_t i = 0, changes = 1 + random.below(8); i < changes; ++i)
      damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
    if (random.below(4) == 0) damaged.erase(random.below(damaged.size()), 1 + random.below(20));
    read_damaged(damaged);
  }
}

TEST_F(NpzDamage, DamagedElementsAreNoticed) {
  std::string image = images_[0];
  const size_t at = image.find(std::string("\3\0\0\0\4\0\0\0", 8));
  ASSERT_NE(at, std::string::npos);
  image[at] = 7;
  expect_data_error([&] { Npz(fresh(image)).get("x"); },
                    "[x]: its checksum (CRC-32) does not match");
}

TEST(Npz, RealFilesReadTheSameOnOneThreadAndTwo) {
  GS_NEEDS_SHARED_DATA();
  const Npz npz(shared_data() / "amazon_electronics_photo.npz");
  const auto two = npz.get_all(npz.names());
  const ThreadScope scope(1);
  const auto one = npz.get_all(npz.names());
  EXPECT_EQ(two.at("labels").rows(), 7650);
  EXPECT_EQ(values<int64_t>(two.at("attr_shape")), (std::vector<int64_t>{7650, 745}));
  EXPECT_EQ(two.at("attr_indices").count(), 1979909);
  for (const auto& [name, array] : one)
    EXPECT_TRUE(std::equal(array.data.begin(), array.data.end(), two.at(name).data.begin(),
                           two.at(name).data.end()))
        << name;
}

TEST(Npz, RealFilesHoldWhatNumpyReads) {
  GS_NEEDS_SHARED_DATA();
  for (const char* name :
       {"amazon_electronics_photo.npz", "ms_academic_cs.npz", "dblp.npz", "pubmed.npz"}) {
    const TempFolder folder;
    run_python(
        folder.path(),
        "z = np.load('" + fs::absolute(shared_data() / name).string() +
            "')\nfor k in z.files: np.save(k + '.npy', np.array([z[k].astype('f8').sum()]))");
    const Npz npz(shared_data() / name);
    for (const auto& [member, array] : npz.get_all(npz.names())) {
      double sum = 0;
      for (const double x : array.as<double>()) sum += x;
      const double expected = load_npy(folder / (member + ".npy")).as<double>()[0];
      EXPECT_NEAR(sum, expected, std::abs(expected) * 1e-12) << name << " " << member;
    }
  }
}

}  // namespace
}  // namespace gs
