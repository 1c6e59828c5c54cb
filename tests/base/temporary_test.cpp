#include "base/temporary.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/file.h"
#include "support/files.h"

namespace gs::test {
namespace {

int64_t entries(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

// A process that writes under a temporary name, and is killed.
template <class Begin>
void killed_while_writing(const Begin& begin) {
  const pid_t child = fork();
  if (child == 0) {
    begin();
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
}

TEST(Leftovers, OfKilledProcessesGoWhenTheSameOutputIsWritten) {
  const TempFolder folder;
  killed_while_writing([&] {
    AtomicFile file(folder / "a");
    file.write(std::string(3 << 20, 'x'));
    ::raise(SIGKILL);
  });
  killed_while_writing([&] {
    AtomicFolder out(folder / "b", false);
    write_text(out.path() / "sub" / "c", "x");
    ::raise(SIGKILL);
  });
  write_text(folder / ".c.tmp-1-1", "of another output");
  EXPECT_EQ(entries(folder.path()), 3);
  write_file(folder / "a", "1");
  AtomicFolder out(folder / "b", false);
  out.commit();
  EXPECT_EQ(read_text(folder / "a"), "1");
  EXPECT_EQ(entries(folder.path()), 3);  // a, b, and what is not theirs
}

TEST(Leftovers, WhatIsBeingWrittenIsNone) {
  const TempFolder folder;
  AtomicFile first(folder / "a"), second(folder / "a");
  first.write("1"), second.write("2");
  second.commit(), first.commit();
  EXPECT_EQ(read_text(folder / "a"), "1");
  AtomicFolder out(folder / "b", true);
  expect_data_error([&] { AtomicFolder(folder / "b", true); }, "is being written by another");
  out.commit();
  AtomicFolder(folder / "b", true).commit();
}

}  // namespace
}  // namespace gs::test
