#include "eval/metrics.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"

namespace gs {

namespace {

constexpr double kChance = 0.5;
constexpr int64_t kScoresGrain = 1 << 15;  // scores that are worth a thread

// A float as an integer of the same order; both zeros are equal and NaN is lowest.
uint32_t rank_key(float value) {
  if (std::isnan(value)) return 0;
  const auto bits = std::bit_cast<uint32_t>(value + 0.0F);
  return bits & 0x80000000U ? ~bits : bits | 0x80000000U;
}

// Least significant digit first; `scratch` is grown as needed and kept by the caller.
void radix_sort(std::vector<uint32_t>& keys, std::vector<uint32_t>& scratch) {
  constexpr int kBits = 11;
  constexpr uint32_t kMask = (1U << kBits) - 1;
  if (keys.size() < 256) return std::sort(keys.begin(), keys.end());
  scratch.resize(keys.size());
  for (int shift = 0; shift < 32; shift += kBits) {
    std::array<size_t, kMask + 1> places{};
    for (const uint32_t key : keys) ++places[(key >> shift) & kMask];
    size_t total = 0;
    for (size_t& place : places) total += std::exchange(place, total);
    for (const uint32_t key : keys) scratch[places[(key >> shift) & kMask]++] = key;
    keys.swap(scratch);
  }
}

// Keys of the positives and of the negatives, each sorted.
struct Ranked {
  std::vector<uint32_t> positives, negatives, scratch;

  void add(std::span<const float> scores, std::span<const uint8_t> truth, bool with_positives,
           bool with_negatives) {
    for (size_t i = 0; i < scores.size(); ++i) {
      if (truth[i] == 1 && with_positives) positives.push_back(rank_key(scores[i]));
      if (truth[i] == 0 && with_negatives) negatives.push_back(rank_key(scores[i]));
    }
  }
  void sort() {
    radix_sort(positives, scratch);
    radix_sort(negatives, scratch);
  }
};

// Twice the number of (positive, negative) pairs in the right order, a tie counting once: an exact
// whole number.
int64_t doubled_wins(const std::vector<uint32_t>& positives,
                     const std::vector<uint32_t>& negatives) {
  int64_t wins = 0;
  size_t below = 0, not_above = 0;
  for (const uint32_t key : positives) {
    while (below < negatives.size() && negatives[below] < key) ++below;
    not_above = std::max(not_above, below);
    while (not_above < negatives.size() && negatives[not_above] == key) ++not_above;
    wins += static_cast<int64_t>(below + not_above);
  }
  return wins;
}

double area(int64_t wins, size_t positives, size_t negatives) {
  return static_cast<double>(wins) / 2 / static_cast<double>(positives) /
         static_cast<double>(negatives);
}

std::span<const uint8_t> truth_of(std::span<const uint8_t> truth, const ScoreTable& scores,
                                  int64_t c) {
  return truth.subspan(static_cast<size_t>(c * scores.nodes), static_cast<size_t>(scores.nodes));
}

}  // namespace

void predict(const ScoreTable& scores, std::span<int32_t> predicted) {
  GS_ASSERT(static_cast<int64_t>(predicted.size()) == scores.nodes);
  constexpr int64_t kBlock = 512;
  std::array<float, kBlock> best;
  for (int64_t begin = 0; begin < scores.nodes; begin += kBlock) {
    const int64_t count = std::min(kBlock, scores.nodes - begin);
    int32_t* out = predicted.data() + begin;
    std::fill_n(best.data(), count, -std::numeric_limits<float>::infinity());
    std::fill_n(out, count, -1);
    for (int64_t c = 0; c < scores.classes; ++c) {
      const float* row = scores.values + c * scores.stride + begin;
      for (int64_t i = 0; i < count; ++i) {
        const bool higher = row[i] > best[i];
        best[i] = higher ? row[i] : best[i];
        out[i] = higher ? static_cast<int32_t>(c) : out[i];
      }
    }
  }
}

std::vector<uint8_t> positive(const ScoreTable& scores) {
  std::vector<uint8_t> out(static_cast<size_t>(scores.nodes * scores.classes));
  for (int64_t c = 0; c < scores.classes; ++c)
    for (int64_t i = 0; i < scores.nodes; ++i)
      out[static_cast<size_t>(i * scores.classes + c)] = scores.of(c)[static_cast<size_t>(i)] > 0;
  return out;
}

double accuracy(std::span<const int32_t> predicted, std::span<const int32_t> truth) {
  GS_ASSERT(predicted.size() == truth.size());
  int64_t known = 0, right = 0;
  for (size_t i = 0; i < truth.size(); ++i) {
    known += truth[i] >= 0;
    right += truth[i] >= 0 && predicted[i] == truth[i];
  }
  return known == 0 ? 0 : static_cast<double>(right) / static_cast<double>(known);
}

F1 f1(std::span<const int32_t> predicted, std::span<const int32_t> truth, int64_t classes) {
  GS_ASSERT(predicted.size() == truth.size());
  struct Counts {
    int64_t right = 0, predicted = 0, actual = 0;
  };
  std::vector<Counts> counts(static_cast<size_t>(classes));
  Counts all;
  for (size_t i = 0; i < truth.size(); ++i) {
    const int32_t actual = truth[i], guess = predicted[i];
    if (actual < 0) continue;
    GS_ASSERT(actual < classes && guess < classes);
    ++counts[static_cast<size_t>(actual)].actual, ++all.actual;
    if (guess >= 0) ++counts[static_cast<size_t>(guess)].predicted, ++all.predicted;
    if (guess == actual) ++counts[static_cast<size_t>(actual)].right, ++all.right;
  }
  // The harmonic mean of precision and recall: 2 right / (predicted + actual).
  const auto score = [](const Counts& c) {
    const int64_t both = c.predicted + c.actual;
    return both == 0 ? 0 : 2 * static_cast<double>(c.right) / static_cast<double>(both);
  };
  double sum = 0;
  int64_t seen = 0;
  for (const Counts& c : counts) sum += score(c), seen += c.predicted + c.actual > 0;
  return {seen == 0 ? 0 : sum / static_cast<double>(seen), score(all)};
}

double roc_auc(std::span<const float> scores, std::span<const uint8_t> truth) {
  return macro_auc(
      {scores.data(), 1, static_cast<int64_t>(scores.size()), static_cast<int64_t>(scores.size())},
      truth);
}

double macro_auc(const ScoreTable& scores, std::span<const uint8_t> truth) {
  GS_ASSERT(static_cast<int64_t>(truth.size()) == scores.classes * scores.nodes);
  constexpr double kAbsent = -1;
  std::vector<double> areas(static_cast<size_t>(scores.classes), kAbsent);
  parallel_for(
      scores.classes, std::max<int64_t>(1, kScoresGrain / std::max<int64_t>(1, scores.nodes)),
      [&](int64_t begin, int64_t end) {
        Ranked ranked;
        for (int64_t c = begin; c < end; ++c) {
          ranked.positives.clear();
          ranked.negatives.clear();
          ranked.add(scores.of(c), truth_of(truth, scores, c), true, true);
          if (ranked.positives.empty() || ranked.negatives.empty()) continue;
          ranked.sort();
          areas[static_cast<size_t>(c)] = area(doubled_wins(ranked.positives, ranked.negatives),
                                               ranked.positives.size(), ranked.negatives.size());
        }
      });
  double sum = 0;
  int64_t counted = 0;
  for (const double a : areas)
    if (a != kAbsent) sum += a, ++counted;
  return counted == 0 ? kChance : sum / static_cast<double>(counted);
}

double micro_auc(const ScoreTable& scores, std::span<const uint8_t> truth) {
  GS_ASSERT(static_cast<int64_t>(truth.size()) == scores.classes * scores.nodes);
  // All positives at once, which are few in multi-label data; the negatives a class at a time.
  Ranked all;
  for (int64_t c = 0; c < scores.classes; ++c)
    all.add(scores.of(c), truth_of(truth, scores, c), true, false);
  all.sort();
  std::vector<int64_t> wins(static_cast<size_t>(scores.classes)), negatives(wins);
  parallel_for(
      scores.classes, std::max<int64_t>(1, kScoresGrain / std::max<int64_t>(1, scores.nodes)),
      [&](int64_t begin, int64_t end) {
        Ranked ranked;
        for (int64_t c = begin; c < end; ++c) {
          ranked.negatives.clear();
          ranked.add(scores.of(c), truth_of(truth, scores, c), false, true);
          ranked.sort();
          wins[static_cast<size_t>(c)] = doubled_wins(all.positives, ranked.negatives);
          negatives[static_cast<size_t>(c)] = static_cast<int64_t>(ranked.negatives.size());
        }
      });
  int64_t total_wins = 0, total_negatives = 0;
  for (int64_t c = 0; c < scores.classes; ++c)
    total_wins += wins[static_cast<size_t>(c)],
        total_negatives += negatives[static_cast<size_t>(c)];
  if (all.positives.empty() || total_negatives == 0) return kChance;
  return area(total_wins, all.positives.size(), static_cast<size_t>(total_negatives));
}

}  // namespace gs
