//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kexpr-dump --emit=json: a kernel as data, in which the same operator is the
// same part everywhere.
//
//===----------------------------------------------------------------------===//
#include "Tools/Command.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>

using namespace kexpr;
using namespace kexpr::test;
using nlohmann::json;

static const std::string example =
    "add(sin(@0),mul(cos(@1),exp(neg(mul(@0,@0)))))";

/// The text that describes an expression for a CPU.
static std::string textOf(const std::string &expression, const std::string &cpu,
                          const std::string &more = "--no-measure") {
  const auto result = run(
      {KEXPR_DUMP, "-", "--emit=json", "--mcpu=" + cpu, "--no-measure", more},
      expression);
  EXPECT_EQ(result.code, 0) << result.err;
  return result.out;
}

static json kernelOf(const std::string &expression,
                     const std::string &cpu = "znver3",
                     const std::string &more = "--no-measure") {
  return json::parse(textOf(expression, cpu, more));
}

/// What all parts have together.
static double sumOf(const json &kernel, const char *key) {
  double sum = 0;
  for (const json &part : kernel["parts"])
    sum += part[key].get<double>();
  return sum;
}

/// The parts that a list refers to.
static std::set<std::string> partsOf(const json &kernel, const json &list) {
  std::set<std::string> ids;
  for (const json &item : list)
    if (!item.value("is_label", false))
      ids.insert(kernel["parts"].at(item["part"].get<std::size_t>())["id"]);
  return ids;
}

static std::set<std::string> partsOfListing(const json &kernel) {
  std::set<std::string> ids;
  for (const json &line : kernel["listing"])
    ids.merge(partsOf(kernel, line["words"]));
  return ids;
}

static bool isPartOf(const std::set<std::string> &some,
                     const std::set<std::string> &all) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

/// What holds for every kernel.
static void expectSound(const json &kernel) {
  EXPECT_EQ(kernel["format"], 1);
  const auto listing = partsOfListing(kernel);
  const auto ir = partsOf(kernel, kernel["ir"]);
  EXPECT_TRUE(isPartOf(partsOf(kernel, kernel["nodes"]), listing));
  EXPECT_TRUE(isPartOf(ir, listing));
  EXPECT_TRUE(isPartOf(partsOf(kernel, kernel["assembly"]), ir));
  const json &loop = kernel["loop"], &prediction = kernel["prediction"];
  EXPECT_EQ(loop["code"].size(), loop["instructions"]);
  EXPECT_EQ(sumOf(kernel, "instructions"), loop["instructions"]);
  if (!prediction.is_null()) {
    EXPECT_EQ(sumOf(kernel, "micro_ops"), prediction["micro_ops"]);
    EXPECT_EQ(sumOf(kernel, "chain"), prediction["chain"]);
    for (std::size_t i = 1; i < prediction["bounds"].size(); ++i)
      EXPECT_LE(prediction["bounds"][i]["cycles"],
                prediction["bounds"][i - 1]["cycles"]);
  }
}

TEST(DumpJson, TheSamePartIsTheSameEverywhere) {
  const json kernel = kernelOf(example);
  expectSound(kernel);
  // Eleven nodes, of which the three @0 are one; the store; the loop.
  EXPECT_EQ(kernel["nodes"].size(), 11u);
  EXPECT_EQ(kernel["parts"].size(), 11u);
  EXPECT_EQ(partsOfListing(kernel).size(), 11u);
  for (const char *list : {"ir", "assembly"})
    for (const char *id : {"n0", "n1", "n2", "n3", "n6", "n8", "out0"})
      EXPECT_TRUE(partsOf(kernel, kernel[list]).contains(id)) << list << id;
  for (const json &line : kernel["listing"])
    for (const json &word : line["words"]) {
      const std::string text = line["text"];
      const json &part = kernel["parts"][word["part"].get<std::size_t>()];
      if (part["id"].get<std::string>().starts_with('n')) {
        EXPECT_EQ(
            text.substr(word["column"].get<std::size_t>() - 1, word["size"]),
            part["name"].get<std::string>());
      }
    }
}

TEST(DumpJson, LinesOfTheLoopKnowTheirInstruction) {
  const json kernel = kernelOf(example);
  std::size_t next = 0;
  for (const json &line : kernel["assembly"])
    if (line["in_loop"] && !line["is_label"]) {
      ASSERT_EQ(line["instruction"], next);
      EXPECT_EQ(kernel["loop"]["code"][next++]["part"], line["part"]);
    }
  EXPECT_EQ(next, kernel["loop"]["instructions"]);
}

TEST(DumpJson, EqualPartsAreOne) {
  json kernel = kernelOf("mul(add(@0,@1),add(@0,@1))");
  EXPECT_EQ(partsOf(kernel, kernel["nodes"]),
            (std::set<std::string>{"n0", "n1", "n2", "n6"}));
  EXPECT_EQ(kernel["parts"][3]["nodes"], 2);
  // Another name of an operator is the same operator.
  kernel = kernelOf("add(max(@0,@1),maximum(@0,@1))");
  EXPECT_EQ(kernel["nodes"][2]["part"], kernel["nodes"][5]["part"]);
}

TEST(DumpJson, IsTheSameFromRunToRun) {
  EXPECT_EQ(textOf(example, "znver3"), textOf(example, "znver3"));
}

TEST(DumpJson, WorksForOtherMachines) {
  for (const char *cpu :
       {"neoverse-n1", "apple-m1", "sapphirerapids", "cortex-a55", "haswell"}) {
    SCOPED_TRACE(cpu);
    for (const char *text : {example.c_str(), "add(mul(@0,sigmoid(@0)),@1)"}) {
      const json kernel = kernelOf(text, cpu);
      expectSound(kernel);
      EXPECT_GT(kernel["prediction"]["cycles"], 0);
      EXPECT_EQ(kernel["not_measured"], "measuring was turned off");
    }
  }
  // LLVM has no model of it.
  const json kernel = kernelOf(example, "carmel");
  expectSound(kernel);
  EXPECT_TRUE(kernel["prediction"].is_null());
  EXPECT_EQ(kernel["limit"]["kind"], "unknown");
  EXPECT_FALSE(kernelOf("@0", "x86-64")["is_used"]);
  EXPECT_TRUE(kernel["is_used"]);
}

TEST(DumpJson, ShowsWhatItIsGiven) {
  const std::vector<std::vector<std::string>> cases = {
      {"tanh(add(@0,@1))", "--types=f16[n],f32"},
      {"add(mul(@0,3),remainder(@1,7))", "--types=i64[n],i64[n]"},
      {"where(@2,sin(@0),@1)", "--types=f32[n],f32[n],bool[n]"},
      {"exp(@0)", "--types=f32[n:s]"},
      {"[add(@0,@1),sub(@0,@1),@1]", "--baseline"},
      {"div(@0,size(@0,2))", "--precision=accurate"},
      {"pow(@0,@1)", "--types=f64[n],f64"},
      {"2.0", "--vector-bits=256"},
      {"add( @0 ,\n\tmul(@0,\n nan.0) )", "--no-measure"}};
  for (const auto &words : cases) {
    SCOPED_TRACE(words[0]);
    expectSound(kernelOf(words[0], "znver3", words[1]));
  }
  const json kernel = kernelOf(cases[4][0], "znver3", cases[4][1]);
  EXPECT_EQ(kernel["level"], "baseline");
  EXPECT_EQ(kernel["outputs"].size(), 3u);
  for (const char *id : {"out0", "out1", "out2"})
    EXPECT_TRUE(partsOf(kernel, kernel["assembly"]).contains(id)) << id;
}

TEST(DumpJson, MeasuresHere) {
  const auto result =
      run({KEXPR_DUMP, "add(@0,@1)", "--emit=json", "--elements=40"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json kernel = json::parse(result.out);
  // Where code is never generated there is nothing to time.
  if (kernel["not_measured"] == "") {
    ASSERT_EQ(kernel["times"].size(), 1u);
    EXPECT_EQ(kernel["times"][0]["elements"], 40);
    EXPECT_GT(kernel["times"][0]["median"], 0);
  }
}

/// Says where a key of some data is missing in a text that names them.
static void expectKeysIn(const std::string &text, const json &data) {
  for (const auto &[key, value] : data.items()) {
    if (data.is_object()) {
      EXPECT_NE(text.find('`' + key + '`'), text.npos) << key;
    }
    if (value.is_structured())
      expectKeysIn(text, value);
  }
}

TEST(DumpJson, EveryKeyIsDocumented) {
  const std::string page = readFile(KEXPR_INSPECTION_PAGE);
  const auto begin = page.find("## A kernel as data");
  ASSERT_NE(begin, page.npos);
  const std::string text =
      page.substr(begin, page.find("\n## ", begin + 1) - begin);
  expectKeysIn(text, kernelOf(example));
  expectKeysIn(
      text,
      json::parse(run({KEXPR_DUMP, "@0", "--emit=json", "--elements=40"}).out));
}
