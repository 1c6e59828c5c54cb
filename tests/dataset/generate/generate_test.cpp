#include "dataset/generate/generate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "dataset/summary.h"
#include "support/errors.h"
#include "support/graphs.h"

namespace gs {
namespace {

using test::to_vector;
using test::usage_error;

GenerateOptions small(Generator generator = Generator::sbm) {
  GenerateOptions options;
  options.generator = generator;
  options.nodes = 1000;
  options.edges = 12000;
  options.features = 8;
  return options;
}

void expect_sound(const Dataset& data) {
  EXPECT_NO_THROW(validate(data.graph, "generated"));
  EXPECT_TRUE(data.graph.symmetric);
  EXPECT_TRUE(is_symmetric(data.graph));
  for (int64_t v = 0; v < data.nodes(); ++v)
    for (const int32_t u : data.graph.row(v)) EXPECT_NE(u, v);
}

TEST(Generate, SbmStoresExactlyTheEdgesAskedFor) {
  const Dataset data = generate(small());
  EXPECT_EQ(data.nodes(), 1000);
  EXPECT_EQ(data.graph.edges(), 12000);
  expect_sound(data);
}

TEST(Generate, RmatStoresExactlyTheEdgesAskedFor) {
  GenerateOptions options = small(Generator::rmat);
  options.nodes = 700;  // not a power of two
  const Dataset data = generate(options);
  EXPECT_EQ(data.nodes(), 700);
  EXPECT_EQ(data.graph.edges(), 12000);
  expect_sound(data);
}

TEST(Generate, DegreeGivesTheEdgesWhereNoneAreSaid) {
  GenerateOptions options = small();
  options.edges = 0, options.degree = 7;
  EXPECT_EQ(generate(options).graph.edges(), 7000);
}

TEST(Generate, AnOddNumberOfEdgesLosesOne) {
  GenerateOptions options = small();
  options.edges = 12001;
  EXPECT_EQ(generate(options).graph.edges(), 12000);
}

TEST(Generate, HomophilyIsTheShareOfEdgesInsideClasses) {
  for (const double wanted : {0.0, 0.3, 0.8, 1.0}) {
    GenerateOptions options = small();
    options.homophily = wanted;
    EXPECT_DOUBLE_EQ(summarize(generate(options)).edge_homophily, wanted);
  }
}

TEST(Generate, ClassesHaveNearEqualSizes) {
  GenerateOptions options = small();
  options.classes = 7;
  const auto counts = summarize(generate(options)).class_counts;
  ASSERT_EQ(counts.size(), 7);
  for (const int64_t count : counts) EXPECT_TRUE(count == 142 || count == 143) << count;
}

TEST(Generate, AnIdTellsNothingOfTheClass) {
  const Dataset data = generate(small());
  int64_t first_half = 0;
  for (int64_t v = 0; v < 500; ++v) first_half += data.labels.single[v] == 0;
  EXPECT_NEAR(first_half, 100, 40);  // of 200 nodes in class 0; five deviations are 35
}

TEST(Generate, SbmDegreesFollowAPowerLaw) {
  GenerateOptions options = small();
  options.nodes = 20000, options.edges = 200000;
  const Summary skewed = summarize(generate(options));
  EXPECT_GT(skewed.max_degree, 300);
  EXPECT_LT(skewed.median_degree, 8);  // the mean is 10
  // Counted by doublings, a power law of exponent 2.5 loses a factor of 2^1.5 = 2.8 each time.
  ASSERT_GE(skewed.degree_histogram.size(), 8);
  for (size_t b = 5; b < 7; ++b)
    EXPECT_NEAR(static_cast<double>(skewed.degree_histogram[b]) / skewed.degree_histogram[b + 1],
                2.83, 0.7);

  options.degree_exponent = 0;
  const Summary even = summarize(generate(options));
  EXPECT_LT(even.max_degree, 35);  // Poisson of mean 10
}

TEST(Generate, HubsDoNotSaturateADenseGraph) {
  GenerateOptions options = small();
  options.nodes = 400, options.classes = 4, options.edges = 20000;  // 40 of a node's 99 classmates
  const Dataset data = generate(options);
  EXPECT_EQ(data.graph.edges(), 20000);
  EXPECT_LT(summarize(data).max_degree, 120);
}

TEST(Generate, AGraphMayBeComplete) {
  for (const Generator generator : {Generator::sbm, Generator::rmat}) {
    GenerateOptions options = small(generator);
    options.nodes = 20, options.edges = 20 * 19, options.classes = 1;
    const Dataset data = generate(options);
    for (int64_t v = 0; v < 20; ++v) EXPECT_EQ(data.graph.degree(v), 19);
  }
}

TEST(Generate, DenseBlocksAreDrawnByWhatStaysAway) {
  GenerateOptions options = small();
  options.nodes = 40, options.classes = 2, options.homophily = 0.6, options.edges = 2 * 500;
  const Dataset data = generate(options);  // 300 of 380 pairs inside, 200 of 400 between
  EXPECT_EQ(data.graph.edges(), 1000);
  EXPECT_DOUBLE_EQ(summarize(data).edge_homophily, 0.6);
  expect_sound(data);
}

TEST(Generate, RmatHasHubsAtScrambledIds) {
  GenerateOptions options = small(Generator::rmat);
  options.nodes = 4096, options.edges = 60000;
  const Dataset data = generate(options);
  const Summary summary = summarize(data);
  EXPECT_GT(summary.max_degree, 15 * summary.median_degree);
  int64_t low = 0;
  for (int64_t v = 0; v < 2048; ++v) low += data.graph.degree(v);
  EXPECT_NEAR(static_cast<double>(low) / 60000, 0.5, 0.08);  // unscrambled it would be .76
}

TEST(Generate, IsTheSameOnAnyNumberOfThreads) {
  for (const char* spec :
       {"sbm:nodes=3000,edges=700000,feature-kind=words,unlabeled=0.1",
        "rmat:nodes=3000,edges=600000", "sbm:nodes=2000,classes=6,labels-per-node=2"}) {
    const GenerateOptions options = parse_generator(spec);
    const auto run = [&](int count) {
      const ThreadScope scope(count);
      return generate(options);
    };
    const Dataset one = run(1);
    for (const int count : {2, 3}) {
      const Dataset other = run(count);
      EXPECT_EQ(to_vector(one.graph.offsets), to_vector(other.graph.offsets));
      EXPECT_EQ(to_vector(one.graph.neighbors), to_vector(other.graph.neighbors));
      EXPECT_EQ(to_vector(one.labels.single), to_vector(other.labels.single));
      EXPECT_EQ(to_vector(one.labels.multi), to_vector(other.labels.multi));
      ASSERT_EQ(one.features.sparse(), other.features.sparse());
      if (one.features.sparse()) {
        EXPECT_EQ(to_vector(one.features.sparse_matrix().offsets),
                  to_vector(other.features.sparse_matrix().offsets));
        EXPECT_EQ(to_vector(one.features.sparse_matrix().indices),
                  to_vector(other.features.sparse_matrix().indices));
      } else {
        EXPECT_EQ(to_vector(one.features.dense_matrix().values),
                  to_vector(other.features.dense_matrix().values));
      }
    }
  }
}

TEST(Generate, AnotherSeedGivesAnotherGraph) {
  GenerateOptions options = small();
  const Dataset first = generate(options), again = generate(options);
  options.seed = 1;
  const Dataset other = generate(options);
  EXPECT_EQ(to_vector(first.graph.neighbors), to_vector(again.graph.neighbors));
  EXPECT_NE(to_vector(first.graph.neighbors), to_vector(other.graph.neighbors));
  EXPECT_NE(to_vector(first.labels.single), to_vector(other.labels.single));
}

TEST(Generate, MultiLabelHasTheMeanNumberOfLabels) {
  GenerateOptions options = small();
  options.classes = 10, options.labels_per_node = 3;
  const Dataset data = generate(options);
  EXPECT_EQ(data.labels.task, Task::multilabel);
  ASSERT_EQ(data.labels.multi.size(), 10000);
  int64_t given = 0;
  for (int64_t v = 0; v < 1000; ++v) {
    int64_t own = 0;
    for (int64_t c = 0; c < 10; ++c) own += data.labels.multi[v * 10 + c];
    EXPECT_GE(own, 1);
    given += own;
  }
  EXPECT_NEAR(static_cast<double>(given) / 1000, 3, 0.25);
}

TEST(Generate, UnlabeledNodesAreTheShareAskedFor) {
  GenerateOptions options = small();
  options.unlabeled = 0.25;
  const Dataset single = generate(options);
  EXPECT_EQ(single.labels.known_count(), 750);
  options.labels_per_node = 2;
  const Dataset multi = generate(options);
  EXPECT_EQ(multi.labels.known_count(), 750);
  for (int64_t v = 0; v < 1000; ++v) {
    if (!multi.labels.known(v)) {
      EXPECT_EQ(multi.labels.multi[v * 5 + 4], Labels::kUnknown);
    }
  }
  // Hiding labels changes nothing else.
  options.unlabeled = 0;
  EXPECT_EQ(to_vector(generate(options).graph.neighbors), to_vector(multi.graph.neighbors));
}

TEST(Generate, TaskFollowsTheClasses) {
  GenerateOptions options = small();
  EXPECT_EQ(generate(options).labels.task, Task::multiclass);
  options.classes = 2;
  EXPECT_EQ(generate(options).labels.task, Task::binary);
  options.classes = 0;
  EXPECT_EQ(generate(options).labels.task, Task::none);
}

TEST(Generate, FeaturesMayBeLeftOut) {
  GenerateOptions options = small();
  options.features = 0;
  const Dataset data = generate(options);
  EXPECT_EQ(data.features.width(), 0);
  EXPECT_EQ(data.features.rows(), 1000);
}

TEST(Generate, RefusesWhatCannotBe) {
  const auto refused = [](const std::string& spec) {
    return usage_error([&] { generate(parse_generator(spec)); });
  };
  EXPECT_NE(refused("sbm:nodes=5").find("at most 20 edges"), std::string::npos);
  EXPECT_NE(refused("sbm:nodes=100,classes=50").find("only 50 pairs"), std::string::npos);
  EXPECT_NE(refused("sbm:nodes=3,classes=5,degree=1").find("5 classes need"), std::string::npos);
  EXPECT_NE(refused("sbm:labels-per-node=9").find("only 5 classes"), std::string::npos);
  EXPECT_NE(refused("sbm:feature-kind=words,signal=2").find("at most 1"), std::string::npos);
  EXPECT_NE(refused("rmat:nodes=2000000000,features=100000").find("memory"), std::string::npos);
  GenerateOptions options;
  options.homophily = 1.5;
  EXPECT_NE(usage_error([&] { generate(options); }).find("out of range"), std::string::npos);
}

TEST(Generate, TinyGraphsWork) {
  const Dataset lone = generate(parse_generator("rmat:nodes=1,degree=0,features=2"));
  EXPECT_EQ(lone.nodes(), 1);
  EXPECT_EQ(lone.graph.edges(), 0);
  const Dataset pair = generate(parse_generator("sbm:nodes=2,edges=2,classes=1,features=2"));
  EXPECT_EQ(pair.graph.edges(), 2);
}

TEST(Generate, ASpecSetsItsOptions) {
  const GenerateOptions options =
      parse_generator("sbm:nodes=123,classes=7,homophily=0.5,feature-kind=words");
  EXPECT_EQ(options.generator, Generator::sbm);
  EXPECT_EQ(options.nodes, 123);
  EXPECT_EQ(options.classes, 7);
  EXPECT_EQ(options.homophily, 0.5);
  EXPECT_EQ(options.feature_kind, FeatureKind::words);
  EXPECT_EQ(parse_generator("rmat").generator, Generator::rmat);
  EXPECT_EQ(parse_generator("rmat:").nodes, GenerateOptions().nodes);
}

TEST(Generate, TheTreatmentIsTheSpecToMakeItAgain) {
  const Dataset data = generate(parse_generator("sbm:nodes=300,classes=3,homophily=0.7,seed=5"));
  EXPECT_EQ(data.treatment, "generated by sbm:nodes=300,classes=3,homophily=0.7,seed=5");
  const Dataset again =
      generate(parse_generator(data.treatment.substr(std::string("generated by ").size())));
  EXPECT_EQ(to_vector(data.graph.neighbors), to_vector(again.graph.neighbors));
}

TEST(Generate, AWrongSpecIsExplained) {
  EXPECT_NE(usage_error([] { parse_generator("sbm:nods=5"); }).find("nodes"), std::string::npos);
  EXPECT_NE(usage_error([] { parse_generator("sbm:nodes"); }).find("key=value"), std::string::npos);
  EXPECT_NE(usage_error([] { parse_generator("sbm:nodes=many"); }).find("many"), std::string::npos);
  EXPECT_NE(usage_error([] { parse_generator("sbm:nodes=0"); }).find("out of range"),
            std::string::npos);
  EXPECT_NE(usage_error([] { parse_generator("sbn:nodes=5"); }).find("sbm"), std::string::npos);
}

TEST(Generate, KnowsAGeneratorWhenItSeesOne) {
  EXPECT_TRUE(is_generator("sbm"));
  EXPECT_TRUE(is_generator("sbm:nodes=5"));
  EXPECT_TRUE(is_generator("rmat:"));
  EXPECT_FALSE(is_generator("sbm.npz"));
  EXPECT_FALSE(is_generator("photo"));
  EXPECT_FALSE(is_generator("data/sbm:x"));
}

}  // namespace
}  // namespace gs
