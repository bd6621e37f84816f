//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Host/Calls.h"
#include "TestUtil/Skips.h"
#include "kexpr-c/kexpr.h"

#include <cstddef>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

using namespace kexpr;
using namespace kexpr::test;

// Hosts that forbid memory to become executable. What cannot be machine code is
// interpreted.

namespace {
/// What a process may not do any more.
enum class Forbidden { Changing, ChangingAndMapping };

/// Has memory protection fail with `error` where it asks for execution.
bool forbid(Forbidden what, unsigned error) {
  constexpr auto offsetOf = [](std::size_t argument) {
    return static_cast<unsigned>(offsetof(seccomp_data, args) + 8 * argument);
  };
  const unsigned mapping =
      what == Forbidden::ChangingAndMapping ? SYS_mmap : ~0u;
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pkey_mprotect, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, mapping, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetOf(2)),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter = {std::size(program), program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                 SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
}

struct HardenedCase {
  Forbidden what;
  bool isLoaded; ///< Whether the code generator was loaded before.
  unsigned error;
};
void PrintTo(const HardenedCase &c, std::ostream *out) {
  *out << (c.what == Forbidden::Changing ? "mprotect" : "mmap too")
       << (c.isLoaded ? ", loaded" : "") << ", error " << c.error;
}

class Hardened : public testing::TestWithParam<HardenedCase> {
protected:
  void SetUp() override {
    if (!endsWell([] { EXPECT_TRUE(forbid(Forbidden::Changing, EPERM)); }))
      GTEST_SKIP() << kexpr::test::skips::NoSeccomp;
  }
  /// Starts what the parameter says.
  static void start() {
    if (GetParam().isLoaded)
      (void)Engine().vectorBits();
    ASSERT_TRUE(forbid(GetParam().what, GetParam().error));
  }
};
} // namespace

/// Both interfaces say why kernels are interpreted.
static void expectReason(const Engine &engine) {
  const Status status = engine.codeStatus();
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message().find(' '), std::string::npos);
  kexpr_engine *made = nullptr;
  kexpr_error *error = nullptr;
  ASSERT_EQ(kexpr_engine_create(nullptr, &made, nullptr), KEXPR_OK);
  EXPECT_EQ(kexpr_engine_code_status(made, &error),
            static_cast<kexpr_code>(status.error().code()));
  EXPECT_EQ(kexpr_error_message(error), status.error().message());
  kexpr_error_free(error);
  kexpr_engine_free(made);
}

TEST_P(Hardened, KernelsWorkInEveryMode) {
  for (const Mode mode : AllModes)
    EXPECT_TRUE(endsWell([=] {
      start();
      const Engine engine;
      for (int i = 2; i < 5; ++i)
        EXPECT_TRUE(works(engine, i, mode, 400000));
      engine.settle();
      const auto kernel = engine.compile(numbered(2), in(mode));
      ASSERT_TRUE(kernel) << kernel.error().render();
      EXPECT_TRUE(Call(400000).works(*kernel));
      EXPECT_EQ(kernel->tier(), Tier::Interpreter);
      expectReason(engine);
    })) << nameOfMode(mode);
}

TEST_P(Hardened, WalksThatALaterCallNeedsWork) {
  for (const Mode mode : AllModes)
    EXPECT_TRUE(endsWell([=] {
      const Engine engine;
      const auto kernel = engine.compile(numbered(2), in(mode));
      ASSERT_TRUE(kernel) << kernel.error().render();
      ASSERT_TRUE(forbid(GetParam().what, GetParam().error));
      // The call requests machine code of this access pattern.
      const std::vector<float> a(600, 3), b(1, 4);
      std::vector<float> out(300);
      const TensorView x(a.data(), DType::F32, {300}, {2}), y(b.data(), {1});
      const Status status = kernel->run({x, y}, TensorView(out.data(), {300}));
      ASSERT_TRUE(status) << status.error().render();
      EXPECT_EQ(out, std::vector<float>(300, 10));
    })) << nameOfMode(mode);
}

INSTANTIATE_TEST_SUITE_P(
    Filters, Hardened,
    testing::Values(HardenedCase{Forbidden::Changing, false, EACCES},
                    HardenedCase{Forbidden::Changing, true, EACCES},
                    HardenedCase{Forbidden::ChangingAndMapping, false, EPERM},
                    HardenedCase{Forbidden::ChangingAndMapping, true, EPERM}));
