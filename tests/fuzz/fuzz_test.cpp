// The fuzzing targets without a fuzzer: their first inputs, and a few hundred changed ones.
#include "fuzz/targets.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/parallel.h"
#include "base/random.h"
#include "fuzz/bundle.h"

namespace gs::fuzz {
namespace {

Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

class Targets : public testing::TestWithParam<std::string> {};

TEST_P(Targets, TakeTheirFirstInputs) {
  const ThreadScope alone(1);
  const Target& target = *find_target(GetParam());
  const auto seeds = target.seeds(target);
  ASSERT_FALSE(seeds.empty());
  for (const std::string& seed : seeds) target.run(target, bytes_of(seed));
}

// One to four changes: a byte, a bit, a run of bytes taken out, put in twice or put in elsewhere.
std::string changed(std::string text, Random& random) {
  const auto at = [&] { return static_cast<size_t>(random.below(std::ssize(text))); };
  for (int64_t left = 1 + random.below(4); left > 0 && !text.empty(); --left) {
    const size_t begin = at(), length = std::min<size_t>(1 + at() % 32, text.size() - begin);
    switch (random.below(5)) {
      case 0:
        text[begin] = static_cast<char>(random.below(256));
        break;
      case 1:
        text[begin] ^= static_cast<char>(1 << random.below(8));
        break;
      case 2:
        text.erase(begin, length);
        break;
      case 3:
        text.insert(begin, text.substr(begin, length));
        break;
      default:
        text.insert(at(), text.substr(begin, length));
    }
  }
  return text;
}

TEST_P(Targets, TakeChangedInputs) {
  const ThreadScope alone(1);
  const Target& target = *find_target(GetParam());
  const auto seeds = target.seeds(target);
  for (uint64_t i = 0; i < 300; ++i) {
    Random random = Random(7).fork(target.name, i);
    const std::string input = changed(seeds[i % seeds.size()], random);
    EXPECT_NO_THROW(target.run(target, bytes_of(input))) << "input " << i;
  }
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const Target& target : targets()) out.push_back(target.name);
  return out;
}

INSTANTIATE_TEST_SUITE_P(, Targets, testing::ValuesIn(names()), [](const auto& info) {
  std::string name = info.param;
  std::ranges::replace_if(
      name, [](char c) { return c == ':' || c == '-'; }, '_');
  return name;
});

TEST(Bundle, IsWhatWasPacked) {
  const std::vector<std::string> names{"a", "b/c", "d"};
  const Files files{{"a", "1"}, {"d", std::string(300, 'x')}};
  EXPECT_EQ(unpack(bytes_of(pack(files, names)), names), files);
}

}  // namespace
}  // namespace gs::fuzz
