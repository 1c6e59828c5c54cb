#include "options/run.h"

#include "options/methods.h"
#include "options/preset.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/errors.h"
#include "support/files.h"

namespace gs {
namespace {

// Runs `action` and expects a usage Error whose message or hint contains `part`.
void expect_usage_error(const std::function<void()>& action, const std::string& part) {
  EXPECT_THAT(test::usage_error(action), testing::HasSubstr(part));
}

struct Session {
  RunOptions options;
  OptionList list = describe(options);

  void type(const char* name, const char* value) {  // as the command line does
    list.find_option(name)->set(value);
    list.find_option(name)->given = true;
  }
};

TEST(Presets, AllParseAndSayWhereTheyComeFrom) {
  ASSERT_GE(presets().size(), 14);
  for (const Preset& preset : presets()) {
    Session s;
    EXPECT_NO_THROW(apply_preset(s.list, preset.name)) << preset.name;
    EXPECT_FALSE(preset.origin.empty()) << preset.name;
    EXPECT_NO_THROW(s.options.loss.similarity_factor(10, 2)) << preset.name;
    // Every option in it was applied.
    const auto values = nlohmann::json::parse(preset.options_json);
    const auto now = s.list.json();
    for (const auto& [key, value] : values.items())
      EXPECT_EQ(now.at(key), value) << preset.name << " " << key;
  }
}

TEST(Presets, HoldTheAuthorsValues) {
  struct Row {
    const char* name;
    AugmentMode mode;
    int64_t aug_dim;
    double dropout, gamma, lr;
    int64_t epochs;
  };
  for (const Row& row : {Row{"corafull", AugmentMode::pre, 807, .2333, .2622, .000655, 150},
                         {"dblp", AugmentMode::post, 255, .4266, .6614, .00825, 50},
                         {"pubmed", AugmentMode::pre, 379, .2209, .2625, .00277, 50},
                         {"physics", AugmentMode::pre, 185, .2133, .5382, .00428, 100},
                         {"cs", AugmentMode::post, 354, .3085, .0961, .00202, 50},
                         {"computers", AugmentMode::pre, 590, .3221, .4939, .00035, 50},
                         {"photo", AugmentMode::post, 417, .4124, .7274, .000795, 50},
                         {"actor", AugmentMode::post, 326, .6348, .6786, .00732, 150},
                         {"wikics", AugmentMode::pre, 474, .2041, .4911, .00184, 50},
                         {"facebook", AugmentMode::post, 398, .8390, .2758, .00864, 50},
                         {"flickr", AugmentMode::post, 218, .2038, .4329, .00129, 300},
                         {"github", AugmentMode::pre, 71, .8422, .000138, .000101, 100},
                         {"yelp", AugmentMode::pre, 236, .7547, .7562, .0613, 100},
                         {"reddit", AugmentMode::pre, 787, .7762, .8008, .000133, 10}}) {
    Session s;
    apply_preset(s.list, row.name);
    EXPECT_EQ(s.options.model.mode, row.mode) << row.name;
    EXPECT_EQ(s.options.model.aug_dim, row.aug_dim) << row.name;
    EXPECT_EQ(s.options.model.dim, 128) << row.name;
    EXPECT_EQ(s.options.model.layers, 2) << row.name;
    EXPECT_EQ(s.options.model.norm, NormKind::none) << row.name;
    EXPECT_EQ(s.options.model.dropout, row.dropout) << row.name;
    EXPECT_EQ(s.options.loss.gamma, row.gamma) << row.name;
    EXPECT_EQ(s.options.loss.constraint, Constraint::columns) << row.name;
    EXPECT_EQ(s.options.loss.similarity_factor(10, 2), 1000) << row.name;
    EXPECT_EQ(s.options.train.lr, row.lr) << row.name;
    EXPECT_EQ(s.options.train.epochs, row.epochs) << row.name;
  }
}

TEST(Presets, AnUnknownNameReportsTheNearest) {
  Session s;
  expect_usage_error([&] { apply_preset(s.list, "phot"); }, "photo");
}

TEST(Precedence, CommandLineThenConfigThenPresetThenDefault) {
  const test::TempFolder folder;
  test::write_text(folder / "c.json", R"({"epochs": 7, "lr": 0.5})");
  for (const bool preset_first : {false, true}) {  // in either order
    Session s;
    s.type("epochs", "3");
    if (preset_first) apply_preset(s.list, "photo");
    apply_config(s.list, folder / "c.json");
    if (!preset_first) apply_preset(s.list, "photo");
    EXPECT_EQ(s.options.train.epochs, 3) << "command line over config and preset";
    EXPECT_EQ(s.options.train.lr, 0.5) << "config over preset";
    EXPECT_EQ(s.options.model.aug_dim, 417) << "preset over default";
    EXPECT_EQ(s.options.model.head_layers, 1) << "default";
  }
}

TEST(Precedence, WhatTheUserGivesAsTheDefaultStays) {
  Session s;
  s.type("epochs", "50");
  apply_preset(s.list, "flickr");
  EXPECT_EQ(s.options.train.epochs, 50);
}

TEST(Config, ReadsARunsOptionsToo) {
  const test::TempFolder folder;
  test::write_text(folder / "c.json",
                   R"({"data": "photo", "options": {"mode": "pre", "asymmetric": true}})");
  Session s;
  apply_config(s.list, folder / "c.json");
  EXPECT_EQ(s.options.model.mode, AugmentMode::pre);
  EXPECT_TRUE(s.options.model.asymmetric);
}

TEST(Config, AllOptionsGoThroughJsonUnchanged) {
  const test::TempFolder folder;
  Session before, after;
  apply_preset(before.list, "github");
  before.type("constraint", "scaled");
  before.type("skip", "linear");
  test::write_text(folder / "c.json", before.list.json().dump());
  apply_config(after.list, folder / "c.json");
  EXPECT_EQ(after.list.json(), before.list.json());
}

TEST(Config, UnknownKeysAndWrongValuesAreErrors) {
  const test::TempFolder folder;
  const auto apply = [&](const std::string& text) {
    test::write_text(folder / "c.json", text);
    Session s;
    apply_config(s.list, folder / "c.json");
  };
  expect_usage_error([&] { apply(R"({"epoch": 7})"); }, "epochs");
  expect_usage_error([&] { apply(R"({"options": {"gama": 7}})"); }, "gamma");
  expect_usage_error([&] { apply(R"({"epochs": "many"})"); }, "whole number");
  expect_usage_error([&] { apply(R"({"epochs": -1})"); }, "at least 0");
  expect_usage_error([&] { apply(R"({"dropout": 1.5})"); }, "0.99");
  expect_usage_error([&] { apply(R"({"mode": "both"})"); }, "post");
  expect_usage_error([&] { apply(R"([1, 2])"); }, "object");
  test::expect_data_error([&] { apply("{epochs: 7"); }, "not valid JSON");
  Session s;
  EXPECT_THROW(apply_config(s.list, folder / "absent.json"), Error);
}

TEST(Config, ASimilarityWeightMayBeANumber) {
  const test::TempFolder folder;
  for (const auto& [text, factor] : {std::pair{"1000", 1000.0}, {"2.5", 2.5}, {"\"sum\"", 50.0}}) {
    test::write_text(folder / "c.json", fmt::format(R"({{"similarity-weight": {}}})", text));
    Session s;
    apply_config(s.list, folder / "c.json");
    EXPECT_EQ(s.options.loss.similarity_factor(50, 4), factor) << text;
  }
  test::write_text(folder / "c.json", R"({"splits": 3})");  // any other string stays a string
  Session s;
  expect_usage_error([&] { apply_config(s.list, folder / "c.json"); }, "a text");
}

TEST(Config, KeysBesideTheOptionsAreKnownOnes) {
  const test::TempFolder folder;
  const auto apply = [&](const std::string& text) {
    test::write_text(folder / "c.json", text);
    Session s;
    apply_config(s.list, folder / "c.json");
    return s.options.train.epochs;
  };
  EXPECT_EQ(apply(R"({"origin": "a study", "options": {"epochs": 7}})"), 7);
  EXPECT_EQ(apply(R"({"graphsurgeon": "0.1.0", "data": "d", "features": 3, "nodes": 4, "edges": 5,
                      "options": {"epochs": 7}})"),
            7);
  expect_usage_error([&] { apply(R"({"orgin": "a study", "options": {"epochs": 7}})"); },
                     "did you mean 'origin'");
  expect_usage_error([&] { apply(R"({"origin": "a study", "option": {"epochs": 7}})"); },
                     "did you mean 'options'");
  expect_usage_error([&] { apply(R"({"gamma": 1, "options": {"epochs": 7}})"); },
                     "move it into \"options\"");
  expect_usage_error([&] { apply(R"({"origin": "a study", "epochs": 7})"); }, "no \"options\"");
}

// What a preset holds, in a file of its own, as `tune` writes one.
TEST(Config, EveryPresetIsAConfigToo) {
  const test::TempFolder folder;
  ASSERT_GT(presets().size(), 30);
  for (const Preset& known : presets()) {
    Session preset, config;
    const fs::path file = folder / (std::string(known.name) + ".json");
    const auto options = nlohmann::json::parse(known.options_json);
    test::write_text(file, nlohmann::json{{"origin", known.origin}, {"options", options}}.dump());
    apply_preset(preset.list, std::string(known.name));
    apply_config(config.list, file);
    EXPECT_EQ(config.list.json(), preset.list.json()) << known.name;
  }
}

TEST(Config, AnUnknownKeyIsAnErrorEvenBesideAGivenOne) {
  const test::TempFolder folder;
  test::write_text(folder / "c.json", R"({"epochs": 7, "epochz": 7})");
  Session s;
  s.type("epochs", "3");
  expect_usage_error([&] { apply_config(s.list, folder / "c.json"); }, "epochs");
}

TEST(Protocol, PaperSetsEpochsAndSelectionUnlessGiven) {
  Session plain;
  plain.options.protocol = Protocol::paper;
  apply_preset(plain.list, "photo");
  plain.options.apply_protocol(plain.list);
  EXPECT_EQ(plain.options.train.epochs, 500);
  EXPECT_EQ(plain.options.train.select, Select::val);

  Session given;
  given.type("protocol", "paper");
  given.type("epochs", "9");
  given.type("select", "last");
  given.options.apply_protocol(given.list);
  EXPECT_EQ(given.options.train.epochs, 9);
  EXPECT_EQ(given.options.train.select, Select::last);

  Session authors;
  apply_preset(authors.list, "flickr");
  authors.options.apply_protocol(authors.list);
  EXPECT_EQ(authors.options.train.epochs, 300);
}

TEST(Protocol, ThePaperProbesAHundredStepsButOnYelpAndReddit) {
  int datasets = 0;
  for (const Preset& preset : presets()) {
    // Ours for a dataset, such as photo-tuned.
    if (preset.name.find('-') != std::string::npos) continue;
    const bool large = preset.name == "yelp" || preset.name == "reddit";
    EXPECT_EQ(probe_epochs(Protocol::paper, preset.name), large ? 500 : 100) << preset.name;
    EXPECT_EQ(probe_epochs(Protocol::authors, preset.name), 500) << preset.name;
    ++datasets;
  }
  EXPECT_EQ(datasets, 14);
  EXPECT_EQ(probe_epochs(Protocol::paper, "my own"), 100);
}

TEST(RunOptions, CheckFindsAWrongSimilarityWeightWithoutData) {
  Session s;
  EXPECT_NO_THROW(s.options.check());
  s.type("similarity-weight", "foo");
  expect_usage_error([&] { s.options.check(); }, "similarity-weight");
}

TEST(LossOptions, SimilarityFactorIsANumberSumOrElement) {
  LossOptions loss;
  EXPECT_EQ(loss.similarity_factor(50, 4), 1000);
  loss.similarity_weight = "sum";
  EXPECT_EQ(loss.similarity_factor(50, 4), 50);
  loss.similarity_weight = "element";
  EXPECT_EQ(loss.similarity_factor(50, 4), 0.25);
  loss.similarity_weight = "2.5e1";
  EXPECT_EQ(loss.similarity_factor(50, 4), 25);
  for (const char* wrong : {"", "much", "-1", "nan", "inf", "10x"}) {
    loss.similarity_weight = wrong;
    expect_usage_error([&] { loss.similarity_factor(50, 4); }, "similarity-weight");
  }
}

TEST(ModelOptions, EmbeddingWidthFollowsTheCombination) {
  ModelOptions model;
  model.dim = 128;
  EXPECT_EQ(model.embedding_width(), 256);
  for (const Combine rule : {Combine::mean, Combine::sum, Combine::first}) {
    model.combine = rule;
    EXPECT_EQ(model.embedding_width(), 128);
  }
}

}  // namespace
}  // namespace gs
