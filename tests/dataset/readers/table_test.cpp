#include "dataset/readers/table.h"

#include <gmock/gmock.h>

#include "support/files.h"
#include "support/reader_laws.h"

namespace gs::test {
namespace {

TEST(ReaderTable, DetectsInThisOrder) {
  EXPECT_THAT(names(readers()), testing::ElementsAre("folder", "gnn-benchmark", "musae-npz",
                                                     "reddit", "heterophilous", "graphsaint", "ogb",
                                                     "geom-gcn", "musae", "wikics", "edge-list"));
}

TEST(ReaderTable, SaysWhyNothingIsRecognized) {
  TempFolder folder;
  run_python(folder.path(), "np.savez('other.npz', weights=np.ones(3), bias=np.ones(2))");
  write_text(folder / "empty.npz", "");
  write_text(folder / "cut.npz", read_text(folder / "other.npz").substr(0, 100));
  write_text(folder / "noise.bin", std::string("\x01\x02\x00\xff\x7f", 5));
  expect_data_error([&] { detect_reader(folder / "absent.npz"); },
                    "absent.npz: no such file or folder");
  expect_data_error([&] { detect_reader(folder / "other.npz/below"); }, "other.npz/below");
  expect_data_error([&] { detect_reader(folder / "empty.npz"); }, "empty.npz: the file is empty");
  expect_data_error([&] { detect_reader(folder / "cut.npz"); },
                    "cut.npz: truncated or damaged zip");
  expect_data_error([&] { detect_reader(folder / "other.npz"); },
                    "no known format is recognized in its members bias, weights");
  expect_data_error([&] { detect_reader(folder / "noise.bin"); },
                    "noise.bin: no known format is recognized");
  expect_data_error([&] { detect_reader(folder.path()); }, "no known format is recognized");
}

TEST(ReaderTable, NoReaderTakesRubbish) {
  for (const auto& reader : readers()) {
    SCOPED_TRACE(reader.name);
    expect_refuses_rubbish(reader.value);
  }
}

TEST(ReaderTable, NamesADatasetAfterItsFileOrFolder) {
  TempFolder folder;
  fs::create_directories(folder / "Flickr.v2/raw");
  EXPECT_EQ(dataset_name(folder / "photo.npz"), "photo");
  EXPECT_EQ(dataset_name(folder / "Flickr.v2"), "Flickr.v2");
  EXPECT_EQ(dataset_name(folder / "Flickr.v2/"), "Flickr.v2");
  EXPECT_EQ(dataset_name(folder / "Flickr.v2/raw"), "Flickr.v2");
  EXPECT_EQ(dataset_name(folder / "Flickr.v2/raw/"), "Flickr.v2");
}

}  // namespace
}  // namespace gs::test
