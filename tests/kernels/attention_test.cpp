// Graph attention against softmax and sums written out entry by entry, without libtorch: these run
// under the sanitizers.
#include "kernels/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/graphs.h"

namespace gs {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

Floats random_floats(int64_t count, uint64_t seed, double scale = 1) {
  Random random(seed);
  Floats out(static_cast<size_t>(count));
  for (float& x : out) x = static_cast<float>(scale * (2 * random.uniform() - 1));
  return out;
}

struct Matrix {
  int64_t rows, columns;
  std::vector<int64_t> offsets;
  std::vector<int32_t> indices;

  // Row 0 is empty, row 1 a hub that hears from everyone, itself too; the others hear from random
  // ones, in no order, twice from some.
  static Matrix random(int64_t rows, int64_t columns, int64_t per_row) {
    Matrix out{rows, columns, {0}, {}};
    Random random(3);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t i = 0; i < (r == 0 ? 0 : r == 1 ? columns : per_row); ++i)
        out.indices.push_back(static_cast<int32_t>(r == 1 ? i : random.below(columns)));
      out.offsets.push_back(static_cast<int64_t>(out.indices.size()));
    }
    return out;
  }
  Matrix transposed() const {
    Matrix out{columns, rows, {0}, {}};
    for (int64_t c = 0; c < columns; ++c) {
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t e = offsets[r]; e < offsets[r + 1]; ++e)
          if (indices[e] == c) out.indices.push_back(static_cast<int32_t>(r));
      out.offsets.push_back(static_cast<int64_t>(out.indices.size()));
    }
    return out;
  }
  SparseRows view() const { return {rows, columns, offsets.data(), indices.data(), nullptr}; }
  // Of row r, itself among them once at least.
  std::vector<int64_t> sources(int64_t r) const {
    std::vector<int64_t> out(indices.begin() + offsets[r], indices.begin() + offsets[r + 1]);
    if (std::find(out.begin(), out.end(), r) == out.end()) out.push_back(r);
    return out;
  }
};

struct Gradients {
  Floats messages, source, target;
  bool operator==(const Gradients&) const = default;
};

struct Example {
  Matrix matrix, transpose;
  int64_t heads, width;
  std::vector<DropoutRule> dropout;
  Floats messages, source, target, gradient;

  Example(Matrix m, int64_t heads, int64_t width, std::vector<DropoutRule> dropout = {},
          double score_scale = 2)
      : matrix(std::move(m)),
        transpose(matrix.transposed()),
        heads(heads),
        width(width),
        dropout(std::move(dropout)),
        messages(random_floats(matrix.columns * heads * width, 5)),
        source(random_floats(matrix.columns * heads, 6, score_scale)),
        target(random_floats(matrix.rows * heads, 7, score_scale)),
        gradient(random_floats(matrix.rows * heads * width, 8)) {}

  Attention call() const {
    Attention out;
    out.rows = matrix.view();
    out.heads = heads, out.width = width;
    out.dropout = dropout;
    out.messages = messages.data();
    out.source_scores = source.data(), out.target_scores = target.data();
    return out;
  }
  Floats forward() const {
    Floats out(gradient.size(), -99);
    attention(call(), out.data(), nullptr, nullptr);
    return out;
  }
  Gradients backward() const {
    Floats out(gradient.size(), -99), positive(gradient.size(), -99);
    std::vector<AttentionRow> kept(static_cast<size_t>(matrix.rows * heads));
    attention(call(), out.data(), positive.data(), kept.data());
    EXPECT_EQ(out, forward());
    Gradients d{Floats(messages.size(), -99), Floats(source.size(), -99),
                Floats(target.size(), -99)};
    AttentionBackward back;
    back.transpose = transpose.view();
    back.out = out.data(), back.positive = positive.data(), back.kept = kept.data();
    back.gradient = gradient.data();
    back.messages = d.messages.data();
    back.source_scores = d.source.data(), back.target_scores = d.target.data();
    attention_backward(call(), back);
    return d;
  }
  double mask(int64_t i, int64_t j, int64_t h) const {
    if (dropout.empty()) return 1;
    const int64_t of_view = heads / static_cast<int64_t>(dropout.size());
    Doubles row(static_cast<size_t>(of_view));
    attention_mask(dropout[static_cast<size_t>(h / of_view)], std::span(&i, 1), std::span(&j, 1),
                   of_view, row.data());
    return row[static_cast<size_t>(h % of_view)];
  }
};

// The definition, in double, with one number an entry.
struct Expected {
  Doubles out, messages, source, target;

  explicit Expected(const Example& x)
      : out(x.gradient.size()),
        messages(x.messages.size()),
        source(x.source.size()),
        target(x.target.size()) {
    for (int64_t i = 0; i < x.matrix.rows; ++i)
      for (int64_t h = 0; h < x.heads; ++h) add(x, i, h);
  }
  void add(const Example& x, int64_t i, int64_t h) {
    const std::vector<int64_t> sources = x.matrix.sources(i);
    const auto at = [&](int64_t row, int64_t c) { return (row * x.heads + h) * x.width + c; };
    Doubles z, a, p;
    double sum = 0, mean = 0;
    for (const int64_t j : sources) {
      z.push_back(static_cast<double>(x.target[i * x.heads + h]) + x.source[j * x.heads + h]);
      a.push_back(std::exp(z.back() > 0 ? z.back() : static_cast<double>(0.2f) * z.back()));
      sum += a.back();
    }
    for (size_t k = 0; k < sources.size(); ++k) {
      const int64_t j = sources[k];
      const double m = x.mask(i, j, h);
      a[k] /= sum;
      p.push_back(0);
      for (int64_t c = 0; c < x.width; ++c) {
        out[at(i, c)] += m * a[k] * x.messages[at(j, c)];
        messages[at(j, c)] += m * a[k] * x.gradient[at(i, c)];
        p[k] += m * static_cast<double>(x.gradient[at(i, c)]) * x.messages[at(j, c)];
      }
      mean += a[k] * p[k];
    }
    for (size_t k = 0; k < sources.size(); ++k) {
      const double d = a[k] * (p[k] - mean) * (z[k] > 0 ? 1 : static_cast<double>(0.2f));
      source[sources[k] * x.heads + h] += d;
      target[i * x.heads + h] += d;
    }
  }
};

void expect_near(const Floats& ours, const Doubles& theirs, const char* what) {
  ASSERT_EQ(ours.size(), theirs.size());
  for (size_t i = 0; i < ours.size(); ++i)
    ASSERT_NEAR(ours[i], theirs[i], 2e-5 * std::max(1.0, std::abs(theirs[i])))
        << what << " at " << i;
}

std::vector<DropoutRule> rules(int64_t views, double probability) {
  std::vector<DropoutRule> out;
  for (int64_t v = 0; v < views; ++v)
    out.push_back(dropout_rule(40 + static_cast<uint64_t>(v), probability));
  return out;
}

TEST(Attention, IsTheSoftmaxAndItsGradientWrittenOut) {
  for (const auto& [rows, columns, per_row] :
       {std::tuple{1, 1, 0}, {2, 2, 1}, {5, 9, 3}, {40, 40, 20}, {3, 700, 2}})
    for (const auto& [heads, width] :
         {std::pair{1, 1}, {1, 150}, {3, 7}, {8, 16}, {2, 33}, {12, 5}, {1, 64}})
      for (const int64_t views : {0, 1, 2}) {
        if (views == 2 && heads % 2 != 0) continue;
        const Example x(Matrix::random(rows, columns, per_row), heads, width, rules(views, 0.4));
        const Expected expected(x);
        SCOPED_TRACE(testing::Message() << rows << " x " << columns << ", " << heads << " heads of "
                                        << width << ", dropout of " << views << " views");
        expect_near(x.forward(), expected.out, "forward");
        const Gradients d = x.backward();
        expect_near(d.messages, expected.messages, "messages");
        expect_near(d.source, expected.source, "source scores");
        expect_near(d.target, expected.target, "target scores");
        if (testing::Test::HasFatalFailure()) return;
      }
}

// Node 0 hears from 1 with scores that make it e times as loud as itself.
TEST(Attention, WeighsByHand) {
  Example x({2, 2, {0, 1, 1}, {1}}, 1, 1);
  x.messages = {10, 20}, x.source = {0.5f, 1.5f}, x.target = {0, 0};
  const double e = std::exp(1.0);
  const Floats out = x.forward();
  EXPECT_NEAR(out[0], (10 + 20 * e) / (1 + e), 1e-5);
  EXPECT_EQ(out[1], 20);  // alone with itself
}

TEST(Attention, StoredLoopIsNotAddedAgain) {
  Example without({2, 2, {0, 1, 1}, {1}}, 1, 3), with({2, 2, {0, 2, 3}, {1, 0, 1}}, 1, 3);
  EXPECT_EQ(without.forward(), with.forward());
  EXPECT_EQ(without.backward(), with.backward());
}

TEST(Attention, LargeScoresStayFinite) {
  const Example x(Matrix::random(40, 40, 20), 3, 7, {}, 1e5);
  const Gradients d = x.backward();
  for (const Floats& values : {x.forward(), d.messages, d.source, d.target})
    for (const float value : values) ASSERT_TRUE(std::isfinite(value));
}

TEST(Attention, SameBitsOnAnyNumberOfThreads) {
  const Example x(Matrix::random(500, 600, 40), 3, 37, rules(1, 0.3));
  Floats out;
  Gradients d;
  for (const int count : test::kThreadCounts) {
    const ThreadScope with(count);
    if (out.empty()) out = x.forward(), d = x.backward();
    EXPECT_EQ(x.forward(), out) << count << " threads";
    EXPECT_TRUE(x.backward() == d) << count << " threads";
  }
}

TEST(Attention, BlocksOfRowsGiveTheBitsOfAll) {
  const Example x(Matrix::random(50, 60, 8), 3, 10, rules(1, 0.3));
  const Floats all = x.forward();
  for (const auto& [begin, end] : {std::pair{0, 1}, {1, 2}, {7, 50}}) {
    Attention call = x.call();
    call.rows.rows = end - begin, call.rows.offsets += begin, call.first_row = begin;
    call.target_scores += begin * x.heads;
    Floats out(static_cast<size_t>((end - begin) * call.columns()));
    attention(call, out.data(), nullptr, nullptr);
    EXPECT_TRUE(std::equal(out.begin(), out.end(), all.begin() + begin * call.columns()));
  }
}

TEST(AttentionScores, AreInnerProductsAndTheirGradientsWrittenOut) {
  for (const int64_t rows : {1, 30, 2500})
    for (const auto& [heads, width] : {std::pair{1, 1}, {3, 7}, {2, 40}}) {
      const int64_t targets = (rows + 1) / 2, columns = heads * width;
      const Floats h = random_floats(rows * columns, 1), a = random_floats(columns, 2),
                   b = random_floats(columns, 3), ds = random_floats(rows * heads, 4),
                   dt = random_floats(targets * heads, 5),
                   before = random_floats(rows * columns, 6);
      AttentionScores call{rows, targets, heads, width, h.data(), a.data(), b.data()};
      Floats s(ds.size()), t(dt.size()), dh = before;
      Doubles da(a.size(), 9), db(b.size(), 9);
      attention_scores(call, s.data(), t.data());
      attention_scores_backward(call, ds.data(), dt.data(), dh.data(), da.data(), db.data());

      Doubles es(s.size()), et(t.size()), eh(before.begin(), before.end()), ea(a.size()),
          eb(b.size());
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < columns; ++c) {
          const int64_t at = r * heads + c / width;
          const double x = h[r * columns + c];
          es[at] += x * a[c], ea[c] += x * ds[at], eh[r * columns + c] += ds[at] * a[c];
          if (r >= targets) continue;
          et[at] += x * b[c], eb[c] += x * dt[at], eh[r * columns + c] += dt[at] * b[c];
        }
      expect_near(s, es, "source scores");
      expect_near(t, et, "target scores");
      expect_near(dh, eh, "messages");
      expect_near(Floats(da.begin(), da.end()), ea, "source vector");
      expect_near(Floats(db.begin(), db.end()), eb, "target vector");
    }
}

TEST(AttentionMask, DropsAsOftenAsItShouldInEveryHead) {
  constexpr int64_t kEntries = 20000, kHeads = 11;
  std::vector<int64_t> targets, sources;
  for (int64_t e = 0; e < kEntries; ++e) targets.push_back(e % 100), sources.push_back(e / 100);
  const DropoutRule rule = dropout_rule(5, 0.25);
  Doubles mask(kEntries * kHeads), turned(mask.size());
  attention_mask(rule, targets, sources, kHeads, mask.data());
  attention_mask(rule, sources, targets, kHeads, turned.data());
  EXPECT_NE(mask, turned);
  for (int64_t h = 0; h < kHeads; ++h) {
    int64_t kept = 0, like_next = 0;
    for (int64_t e = 0; e < kEntries; ++e) {
      const double value = mask[e * kHeads + h];
      kept += value != 0;
      EXPECT_TRUE(value == 0 || value == rule.scale);
      like_next += value == mask[e * kHeads + (h + 1) % kHeads];
    }
    EXPECT_NEAR(kept / static_cast<double>(kEntries), 0.75, 0.02);  // six standard deviations
    EXPECT_NEAR(like_next / static_cast<double>(kEntries), 0.625, 0.021);
  }
}

}  // namespace
}  // namespace gs
