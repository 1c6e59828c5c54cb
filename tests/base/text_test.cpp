#include "base/text.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "support/files.h"

namespace gs::test {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows rows(std::string_view text, char separator = ',', bool comments = true) {
  TableReader reader(text, "t.csv", separator, comments);
  Rows out;
  while (reader.next()) out.emplace_back(reader.fields().begin(), reader.fields().end());
  return out;
}

TEST(TextFile, ReadsPlainTextWithoutItsByteOrderMark) {
  const TempFolder folder;
  write_text(folder / "a.csv", "a,b\n");
  write_text(folder / "bom.csv",
             "\xEF\xBB\xBF"
             "a,b\n");
  write_text(folder / "empty.csv", "");
  EXPECT_EQ(TextFile(folder / "a.csv").text(), "a,b\n");
  EXPECT_EQ(TextFile(folder / "bom.csv").text(), "a,b\n");
  EXPECT_EQ(TextFile(folder / "empty.csv").text(), "");
  expect_data_error([&] { TextFile(folder / "b.csv"); }, "no such file");
}

TEST(TextFile, InflatesGzipOfSeveralMembers) {
  const TempFolder folder;
  run_python(folder.path(), R"(
open('a.csv.gz', 'wb').write(gzip.compress(b'\xef\xbb\xbf1,2\n') + gzip.compress(b'3,4\n'))
open('hidden.csv', 'wb').write(gzip.compress(b'x'))
open('big.gz', 'wb').write(gzip.compress(b'0123456789' * 300000))
open('none.gz', 'wb').write(gzip.compress(b''))
)");
  EXPECT_EQ(TextFile(folder / "a.csv.gz").text(), "1,2\n3,4\n");
  EXPECT_EQ(TextFile(folder / "hidden.csv").text(), "x");
  EXPECT_EQ(TextFile(folder / "none.gz").text(), "");
  const TextFile big(folder / "big.gz");
  ASSERT_EQ(big.text().size(), 3'000'000u);
  EXPECT_EQ(big.text().substr(2'999'990), "0123456789");
}

TEST(TextFile, CopyKeepsTheInflatedText) {
  const TempFolder folder;
  run_python(folder.path(), "open('a.gz', 'wb').write(gzip.compress(b'abc'))");
  auto first = std::make_unique<TextFile>(folder / "a.gz");
  const TextFile copy = *first;
  first.reset();
  EXPECT_EQ(copy.text(), "abc");
}

TEST(TextFile, GzipBombStopsAtTheLimit) {
  const TempFolder folder;
  run_python(folder.path(), "open('a.gz', 'wb').write(gzip.compress(b'0' * 50_000_000))");
  expect_data_error([&] { TextFile(folder / "a.gz", 1'000'000); },
                    "unpacks to more than 1000000 bytes");
  EXPECT_EQ(TextFile(folder / "a.gz", 50'000'000).text().size(), 50'000'000u);
}

TEST(TextFile, GzipCutOrDamagedAtAnyByteIsADataError) {
  const TempFolder folder;
  run_python(folder.path(),
             "open('a.gz', 'wb').write(gzip.compress(b'hello hello hello 123456', mtime=0))");
  const std::string whole = read_text(folder / "a.gz");
  for (size_t size = 0; size < whole.size(); ++size) {
    write_text(folder / "cut.gz", whole.substr(0, size));
    expect_data_error([&] { TextFile(folder / "cut.gz"); }, "gzip");
  }
  for (size_t at = 10; at < whole.size(); ++at) {  // after the header every byte counts
    std::string damaged = whole;
    damaged[at] = static_cast<char>(~damaged[at]);
    write_text(folder / "cut.gz", damaged);
    expect_data_error([&] { TextFile(folder / "cut.gz"); }, "gzip");
  }
  write_text(folder / "cut.gz", whole + "garbage");
  expect_data_error([&] { TextFile(folder / "cut.gz"); }, "damaged gzip data");
}

TEST(TableReader, SplitsRowsAndFields) {
  EXPECT_EQ(rows("a,b\n1,2\n"), (Rows{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(rows("a,b\r\n1,2\r\n"), (Rows{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(rows("a,b"), (Rows{{"a", "b"}}));
  EXPECT_EQ(rows("a\tb c\n", '\t'), (Rows{{"a", "b c"}}));
  EXPECT_EQ(rows("a;b\r", ';'), (Rows{{"a", "b"}}));
  EXPECT_EQ(rows(""), Rows{});
}

TEST(TableReader, KeepsEmptyFields) {
  EXPECT_EQ(rows(",\n,a,\n"), (Rows{{"", ""}, {"", "a", ""}}));
  EXPECT_EQ(rows("\t\n", '\t'), (Rows{{"", ""}}));
  EXPECT_EQ(rows("a,\r\nb,\r\n"), (Rows{{"a", ""}, {"b", ""}}));
}

TEST(TableReader, SkipsBlankRowsAndComments) {
  EXPECT_EQ(rows("# head\n\n  \n1,2\n \t\n#3,4\n\r\n5,6\n\n"), (Rows{{"1", "2"}, {"5", "6"}}));
  EXPECT_EQ(rows("#1,2\n", ',', false), (Rows{{"#1", "2"}}));
  EXPECT_EQ(rows("# only"), Rows{});
  EXPECT_EQ(rows("1,#2\n"), (Rows{{"1", "#2"}}));
}

TEST(TableReader, BlankSeparatorMeansRunsOfBlanks) {
  EXPECT_EQ(rows("  1   2\t3  \r\n4 5\n", ' '), (Rows{{"1", "2", "3"}, {"4", "5"}}));
  EXPECT_EQ(rows("1 \"a b\"  3", ' '), (Rows{{"1", "a b", "3"}}));
  EXPECT_EQ(rows("\n \n1", ' '), (Rows{{"1"}}));
}

TEST(TableReader, UnquotesFields) {
  EXPECT_EQ(rows("\"a,b\",c\n"), (Rows{{"a,b", "c"}}));
  EXPECT_EQ(rows("\"say \"\"hi\"\"\",\"\"\n"), (Rows{{"say \"hi\"", ""}}));
  EXPECT_EQ(rows("\"\"\"\"\r\n1"), (Rows{{"\""}, {"1"}}));
  EXPECT_EQ(rows("x,\"a\""), (Rows{{"x", "a"}}));
  EXPECT_EQ(rows("a\"b,c\n"), (Rows{{"a\"b", "c"}}));  // a quote inside a bare field is a letter
}

TEST(TableReader, ManyQuotedFieldsOfARowStayValid) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += (i ? ",\"q\"\"" : "\"q\"\"") + std::to_string(i) + "\"";
  const Rows got = rows(text);
  ASSERT_EQ(got.size(), 1u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(got[0][i], "q\"" + std::to_string(i));
}

TEST(TableReader, CountsLinesThroughQuotedNewlines) {
  TableReader reader("# c\n\"a\nb\nc\",1\n\n2,3\n", "t.csv", ',');
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.fields()[0], "a\nb\nc");
  EXPECT_EQ(reader.place(), "t.csv:2");
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), 6);
  EXPECT_FALSE(reader.next());
}

TEST(TableReader, RefusesBadQuotesWithTheirLine) {
  expect_data_error([] { rows("a,b\n1,\"2\n3,4\n"); }, "t.csv:2: a quote is never closed");
  expect_data_error([] { rows("\""); }, "t.csv:1: a quote is never closed");
  expect_data_error([] { rows("\"a\"b,c\n"); }, "t.csv:1: text follows a closing quote");
}

TEST(TableReader, NumbersAreCheckedWithTheirPlace) {
  TableReader reader("1,x\n 2 ,2.5\n", "t.csv", ',');
  reader.next();
  reader.require_fields(2);
  EXPECT_EQ(reader.integer(0), 1);
  expect_data_error([&] { reader.integer(1); }, "t.csv:1: column 2 is 'x', not an integer");
  expect_data_error([&] { reader.number(1); }, "t.csv:1: column 2 is 'x', not a number");
  expect_data_error([&] { reader.number(2); }, "t.csv:1: column 3 is missing");
  expect_data_error([&] { reader.require_fields(3); }, "t.csv:1: expected 3 fields, found 2");
  reader.next();
  EXPECT_EQ(reader.integer(0), 2);
  EXPECT_EQ(reader.number(1), 2.5);
  expect_data_error([&] { reader.integer(1); }, "t.csv:2: column 2 is '2.5'");
}

TEST(DetectSeparator, TakesTheOneThatSplitsTheFirstRow) {
  EXPECT_EQ(detect_separator("a,b\n"), ',');
  EXPECT_EQ(detect_separator("a\tb c\n"), '\t');
  EXPECT_EQ(detect_separator("a;b\n"), ';');
  EXPECT_EQ(detect_separator("12 13\n"), ' ');
  EXPECT_EQ(detect_separator("a, b\n"), ',');
  EXPECT_EQ(detect_separator("# a b\n\n1\t2\n"), '\t');
  EXPECT_EQ(detect_separator("\"a,b\";c\n"), ';');
  EXPECT_EQ(detect_separator("  alone  \n1,2"), ',');
  EXPECT_EQ(detect_separator(""), ',');
  EXPECT_EQ(detect_separator("# x\n"), ',');
}

TEST(ParseInteger, TakesWholeNumbersOnly) {
  EXPECT_EQ(parse_integer("42"), 42);
  EXPECT_EQ(parse_integer(" -7\r"), -7);
  EXPECT_EQ(parse_integer("+7"), 7);
  EXPECT_EQ(parse_integer("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parse_integer("-9223372036854775808"), INT64_MIN);
  for (const char* bad : {"", " ", "+", "-", "+-7", "--7", "++7", "4 2", "4.0", "1e3", "0x10",
                          "9223372036854775808", "7a"})
    EXPECT_EQ(parse_integer(bad), std::nullopt) << bad;
}

TEST(ParseNumber, TakesDecimalNumbersOnly) {
  EXPECT_EQ(parse_number("2.5"), 2.5);
  EXPECT_EQ(parse_number(" +1e-3 "), 1e-3);
  EXPECT_EQ(parse_number("-.5"), -0.5);
  EXPECT_EQ(parse_number("3"), 3.0);
  EXPECT_EQ(parse_number("1e-400"), 0.0);
  EXPECT_EQ(parse_number("4.9e-324"), 4.9e-324);
  EXPECT_TRUE(std::isnan(parse_number("nan").value()));
  EXPECT_EQ(parse_number("-inf"), -INFINITY);
  for (const char* bad : {"", "+", ".", "e5", "+-1", "1,5", "1.5x", "0x1p3", "1e400", "1 2"})
    EXPECT_EQ(parse_number(bad), std::nullopt) << bad;
}

TEST(Trimmed, CutsBlanksAtBothEnds) {
  EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(IsUtf8, AcceptsTextAndRefusesBrokenSequences) {
  for (const char* good : {"", "plain ASCII, more than eight", "\u00fc", "\u20ac", "\U0001F600",
                           "abcdefg\u00fc", "\uD7FF\uE000", "\xF4\x8F\xBF\xBF"})
    EXPECT_TRUE(is_utf8(good)) << good;
  for (const char* bad :
       {"\xfc", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\x80", "\xc0\xaf", "\xc1\xbf", "\xe0\x80\xaf",
        "\xed\xa0\x80", "\xf0\x80\x80\xaf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff",
        "abcdefgh\xfc", "\xc3(", "\xe2(\xa1", "\xe2\x82("})
    EXPECT_FALSE(is_utf8(bad)) << testing::PrintToString(bad);
}

TEST(IsUtf8, AgreesWithPythonOnRandomBytes) {
  const TempFolder folder;
  run_python(folder.path(), R"(
import random
random.seed(1)
pool = [0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef, 0xf0, 0xf1, 0xf4, 0xf5, 0xff]
with open('cases', 'wb') as f:
    for i in range(20000):
        b = bytes(random.choice(pool) for _ in range(5))
        try: b.decode(); ok = 1
        except UnicodeDecodeError: ok = 0
        f.write(b + bytes([ok]))
)");
  const std::string cases = read_text(folder / "cases");
  ASSERT_EQ(cases.size(), 120'000u);
  for (size_t i = 0; i < cases.size(); i += 6)
    ASSERT_EQ(is_utf8(std::string_view(cases).substr(i, 5)), cases[i + 5] == 1) << i / 6;
}

TEST(TextFile, LinesMayEndInCarriageReturnsAlone) {
  const TempFolder folder;
  write_text(folder / "mac.csv", "id,label\r0,1\r1,0\r");
  EXPECT_EQ(TextFile(folder / "mac.csv").text(), "id,label\n0,1\n1,0\n");
  write_text(folder / "dos.csv", "0,1\r\n");
  EXPECT_EQ(TextFile(folder / "dos.csv").text(), "0,1\r\n");
}

TEST(TableReader, ACarriageReturnWithinARowIsAnError) {
  for (const char separator : {',', ' '})
    expect_data_error([&] { rows("a\r1\nb\n", separator); }, "carriage return");
  EXPECT_EQ(rows("\"a\rb\",1\n"), (Rows{{"a\rb", "1"}}));
  EXPECT_EQ(rows("1 2\r\r\n", ' '), (Rows{{"1", "2"}}));
}

}  // namespace
}  // namespace gs::test
