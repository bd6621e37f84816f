//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Common/Npy.h"
#include "Tools/Command.h"

#include <random>

using namespace kexpr;
using namespace kexpr::tools;

namespace {
class Npy : public testing::Test {
protected:
  Expected<Array> readBytes(const std::string &bytes) {
    test::writeFile(path, bytes);
    return readNpy(path);
  }
  /// What `readNpy` has against a file.
  std::string fault(const std::string &bytes) {
    const auto array = readBytes(bytes);
    EXPECT_FALSE(array);
    return array ? "" : array.error().message();
  }

  test::TemporaryDirectory directory;
  std::string path = directory.path("a.npy");
};
} // namespace

/// A version 1 file.
static std::string fileOf(const std::string &header,
                          const std::string &elements = {}) {
  const char lead[] = {1, 0, static_cast<char>(header.size() & 255),
                       static_cast<char>(header.size() >> 8)};
  return "\x93NUMPY" + std::string(lead, 4) + header + elements;
}

static std::string plainHeader(const std::string &shape,
                               const std::string &type = "<f4",
                               const std::string &order = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + order +
         ", 'shape': " + shape + ", }\n";
}

static std::string bytesOf(const std::vector<float> &values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * 4};
}

TEST_F(Npy, RoundTripsEveryType) {
  for (DType type : {DType::F32, DType::F64, DType::F16, DType::I64, DType::I32,
                     DType::I16, DType::I8, DType::U8, DType::Bool}) {
    auto array = Array::make(type, {2, 3});
    ASSERT_TRUE(array);
    for (int i = 0; i < 6; ++i)
      array->set(i, i % 3);
    const Status status = writeNpy(path, *array);
    ASSERT_TRUE(status) << status.error().render();
    const auto back = readNpy(path);
    ASSERT_TRUE(back) << back.error().render();
    EXPECT_EQ(back->type(), type);
    EXPECT_EQ(back->shape(), (Shape{2, 3}));
    for (int i = 0; i < 6; ++i)
      EXPECT_EQ(back->at(i), array->at(i)) << nameOf(type);
  }
}

TEST_F(Npy, RoundTripsEveryRank) {
  for (const Shape &shape :
       {Shape{}, Shape{5}, Shape{0}, Shape{1, 0, 3}, Shape{2, 1, 2, 1}}) {
    auto array = Array::make(DType::F32, shape);
    ASSERT_TRUE(array);
    for (std::int64_t i = 0; i < array->count(); ++i)
      array->set(i, 1);
    ASSERT_TRUE(writeNpy(path, *array));
    const auto back = readNpy(path);
    ASSERT_TRUE(back) << back.error().render();
    EXPECT_EQ(back->shape(), shape);
  }
}

TEST_F(Npy, WritesWhatNumPyWrites) {
  auto array = Array::make(DType::F32, {3});
  ASSERT_TRUE(array);
  for (int i = 0; i < 3; ++i)
    array->set(i, i);
  ASSERT_TRUE(writeNpy(path, *array));
  const std::string bytes = test::readFile(path);
  EXPECT_EQ(bytes.substr(0, 6), "\x93NUMPY");
  EXPECT_EQ(bytes.find('\n') % 64, 63u);
  EXPECT_NE(bytes.find("{'descr': '<f4', 'fortran_order': False, "
                       "'shape': (3,), }"),
            std::string::npos);
  EXPECT_EQ(bytes.substr(bytes.find('\n') + 1), bytesOf({0, 1, 2}));
}

TEST_F(Npy, RefusesToWriteBFloat16) {
  auto array = Array::make(DType::BF16, {1});
  ASSERT_TRUE(array);
  EXPECT_FALSE(writeNpy(path, *array));
}

TEST_F(Npy, ReadsColumnMajorOrder) {
  const auto array = readBytes(fileOf(plainHeader("(2, 3)", "<f4", "True"),
                                      bytesOf({0, 3, 1, 4, 2, 5})));
  ASSERT_TRUE(array) << array.error().render();
  EXPECT_EQ(array->strides(), (Shape{1, 2}));
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(array->at(i), i);
}

TEST_F(Npy, ReadsKeysInAnyOrderAndOtherSpellings) {
  const auto array = readBytes(
      fileOf("{\"shape\":(1,),\"descr\":\"<f4\",'fortran_order':False}",
             bytesOf({7})));
  ASSERT_TRUE(array) << array.error().render();
  EXPECT_EQ(array->at(0), 7);
}

TEST_F(Npy, ReadsVersions2And3) {
  const std::string header = plainHeader("(1,)");
  for (char version : {'\2', '\3'}) {
    const std::string bytes = std::string("\x93NUMPY") + version + '\0' +
                              static_cast<char>(header.size()) +
                              std::string(3, '\0') + header + bytesOf({7});
    const auto array = readBytes(bytes);
    ASSERT_TRUE(array) << array.error().render();
    EXPECT_EQ(array->at(0), 7);
  }
}

TEST_F(Npy, ReadsAnyTruthValueAsOne) {
  const auto array =
      readBytes(fileOf(plainHeader("(2,)", "|b1"), std::string("\xff\0", 2)));
  ASSERT_TRUE(array) << array.error().render();
  EXPECT_EQ(array->at(0), 1);
  EXPECT_EQ(array->at(1), 0);
}

TEST_F(Npy, NamesTheFile) {
  const auto array = readNpy(directory.path("missing.npy"));
  ASSERT_FALSE(array);
  EXPECT_NE(array.error().message().find("missing.npy"), std::string::npos);
  EXPECT_FALSE(readNpy(directory.path(""))); // A directory.
}

TEST_F(Npy, RefusesWhatIsNoNpyFile) {
  EXPECT_NE(fault("").find("not a .npy file"), std::string::npos);
  EXPECT_NE(fault("\x93NUMPX\1").find("not a .npy file"), std::string::npos);
  EXPECT_NE(fault("PK\3\4 something else").find("not a .npy file"),
            std::string::npos);
  EXPECT_NE(fault(std::string("\x93NUMPY\x09\0\0\0", 10)).find("version 9"),
            std::string::npos);
}

TEST_F(Npy, RefusesTruncatedFilesAtEveryByte) {
  const std::string whole = fileOf(plainHeader("(2,)"), bytesOf({1, 2}));
  ASSERT_TRUE(readBytes(whole));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(readBytes(whole.substr(0, size))) << size;
}

TEST_F(Npy, RefusesHugeClaimsWithoutTakingTheMemory) {
  EXPECT_NE(fault(fileOf(plainHeader("(1000000000000,)")))
                .find("announces 4000000000000"),
            std::string::npos);
  for (const char *shape :
       {"(4611686018427387904,)", "(9223372036854775807, 2)",
        "(99999999999999999999,)", "(4294967296, 4294967296, 4294967296)",
        "(-1,)", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"})
    EXPECT_FALSE(readBytes(fileOf(plainHeader(shape)))) << shape;
  const std::string longHeader("\x93NUMPY\2\0\xff\xff\xff\x7f", 12);
  EXPECT_NE(fault(longHeader).find("too long"), std::string::npos);
}

TEST_F(Npy, RefusesForeignTypes) {
  for (const char *type :
       {">f4", "<c8", "<U3", "|O", "<f16", "f4", "", "<M8[ns]", "<u3"})
    EXPECT_FALSE(readBytes(fileOf(plainHeader("(1,)", type), bytesOf({1}))))
        << type;
}

TEST(NpyHeader, RefusesEverythingElse) {
  for (const char *text :
       {"", "{", "}", "{}", "{}}", "[]", "{'descr'", "{'descr'}",
        "{'descr':", "{'descr': '<f4'}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, "
        "'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}"})
    EXPECT_FALSE(parseNpyHeader(text)) << text;
}

TEST(NpyHeader, SurvivesRandomChanges) {
  std::mt19937 random(1);
  const std::string whole = plainHeader("(2, 3)");
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = whole;
    for (unsigned change = random() % 3; change-- > 0;)
      text[random() % text.size()] = static_cast<char>(random() % 256);
    text.resize(text.size() - random() % 2 * (random() % text.size()));
    const auto header = parseNpyHeader(text);
    accepted += header ? 1 : 0;
  }
  // Those without a change at least.
  EXPECT_GT(accepted, 20000 / 6);
}
