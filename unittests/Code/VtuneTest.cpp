//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/Vtune.h"
#include "Code/NamedImages.h"

#include <sstream>
#include <thread>

#include <dlfcn.h>

using namespace kexpr;
using namespace kexpr::code;
using namespace kexpr::test;

static std::string told() {
  void *library = dlopen(KEXPR_FAKE_VTUNE, RTLD_LAZY);
  EXPECT_TRUE(library) << dlerror();
  using Function = const char *();
  auto *ask = reinterpret_cast<Function *>(dlsym(library, "toldSoFar"));
  return ask ? ask() : "";
}

TEST(Vtune, IsToldOfCodeAndItsLines) {
  const auto vtune = std::make_shared<Vtune>(KEXPR_FAKE_VTUNE);
  ASSERT_TRUE(vtune->status());
  auto code = load(namedImage("mul(@0,@1)"), onlyListener(vtune));
  std::ostringstream expected;
  expected << "initialized\n13 1 mul(@0,@1) " << code->address() << ' '
           << ReturningBytes << " /where/mul(@0,@1).kexpr 5:1 "
           << ReturningBytes << ":2\n";
  EXPECT_EQ(told(), expected.str());
  code.reset();
  EXPECT_EQ(told(), expected.str() + "14 1\n");
}

TEST(Vtune, IsNobodyWithoutItsLibrary) {
  const auto none = std::make_shared<Vtune>("");
  EXPECT_TRUE(load(namedImage("name"), onlyListener(none)));
  EXPECT_TRUE(none->status());
  for (const char *wrong : {"/no/such/library.so", "libm.so.6"}) {
    const auto vtune = std::make_shared<Vtune>(wrong);
    EXPECT_TRUE(load(namedImage("name"), onlyListener(vtune)));
    EXPECT_FALSE(vtune->status()) << wrong;
  }
}

TEST(Vtune, TakesManyThreads) {
  const Listeners listeners =
      onlyListener(std::make_shared<Vtune>(KEXPR_FAKE_VTUNE));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i)
        load(namedImage("threads"), listeners);
    });
  for (std::thread &thread : threads)
    thread.join();
  std::istringstream lines(told());
  int loads = 0;
  for (std::string line; std::getline(lines, line);)
    loads += line.starts_with("13 1 threads ");
  EXPECT_EQ(loads, 200);
}
