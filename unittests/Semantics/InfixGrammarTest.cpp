//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TestUtil/Locales.h"
#include "kexpr/Infix.h"

#include <gtest/gtest.h>

#include <fstream>

using namespace kexpr;

/// The expression of a text whose operands are f32 to PyTorch, or its error.
static std::string lowered(std::string_view text,
                           const InfixOptions &options = {}) {
  const auto program = InfixProgram::parse(text, options);
  if (!program)
    return program.error().render();
  const auto expression = program->lower({}, Semantics::Torch);
  return expression ? expression->canonical() : expression.error().render();
}

static std::string canonical(std::string_view text) {
  const auto expression = Expression::parse(text);
  return expression ? expression->canonical() : expression.error().render();
}

/// What Python's own parser makes of random texts, by
/// utils/infix_expectations.py.
TEST(InfixGrammar, IsPythons) {
  std::ifstream file(KEXPR_TEST_DATA "/infix_grammar.tsv");
  std::size_t count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    const std::size_t tab = line.find('\t');
    const std::string text = line.substr(0, tab);
    EXPECT_EQ(lowered(text), canonical(line.substr(tab + 1))) << text;
  }
  EXPECT_EQ(count, 500u);
}

TEST(InfixGrammar, Precedence) {
  EXPECT_EQ(lowered("a + b*c"), "add(@0,mul(@1,@2))");
  EXPECT_EQ(lowered("-a**b"), "neg(pow(@0,@1))");
  EXPECT_EQ(lowered("a**-b**c"), "pow(@0,neg(pow(@1,@2)))");
  EXPECT_EQ(lowered("a - b - c"), "sub(sub(@0,@1),@2)");
  EXPECT_EQ(lowered("not a < b"), "logical_not(lt(@0,@1))");
  EXPECT_EQ(lowered("a | b & c"), "or(@0,and(@1,@2))");
  EXPECT_EQ(lowered("a or b and c"), "logical_or(@0,logical_and(@1,@2))");
}

TEST(InfixGrammar, ChainsAndConditions) {
  EXPECT_EQ(lowered("a < b <= c"), "logical_and(lt(@0,@1),le(@1,@2))");
  EXPECT_EQ(lowered("a < b*c == d"),
            "%0=mul(@1,@2);logical_and(lt(@0,%0),eq(%0,@3))");
  EXPECT_EQ(lowered("a if b < c else d"), "where(lt(@1,@2),@0,@3)");
  EXPECT_EQ(lowered("a if b < c else d if b > c else b"),
            "where(lt(@1,@2),@0,where(gt(@1,@2),@3,@1))");
  EXPECT_EQ(lowered("a if b else c"), "where(torch.bool(@1),@0,@2)");
}

TEST(InfixGrammar, Literals) {
  const auto number = [](std::string_view text) {
    const std::string sum = lowered("a + " + std::string(text));
    return sum.starts_with("add(@0,") ? sum.substr(7, sum.size() - 8) : sum;
  };
  EXPECT_EQ(number("1_000"), "1000");
  EXPECT_EQ(number("0x1F"), "31");
  EXPECT_EQ(number("0b101"), "5");
  EXPECT_EQ(number("0xffff_ffff_ffff_ffff"), "18446744073709551615");
  EXPECT_EQ(number("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(number("0o17"), "15");
  EXPECT_EQ(number(".5"), "0.5");
  EXPECT_EQ(number("1."), "1.0");
  EXPECT_EQ(number("1e3"), "1000.0");
  EXPECT_EQ(number("1_0.0_1e-1_0"), "1.001e-09");
  EXPECT_EQ(number("1e999"), "inf");
  EXPECT_EQ(number("1e-999"), "0.0");
  EXPECT_EQ(number("-2"), "-2");
  EXPECT_EQ(number("True"), "True");
  EXPECT_EQ(number("pi"), "3.141592653589793");
  EXPECT_EQ(number("-inf"), "-inf");
  EXPECT_EQ(number("2**10/3"), "341.3333333333333");
  for (const char *text : {"007", "1__0", "1_", "0x", "0xg", "1.2.3", "12ab",
                           "18446744073709551616", "2j", "0b2"})
    EXPECT_NE(number(text).find("error: "), std::string::npos) << text;
}

TEST(InfixGrammar, Statements) {
  EXPECT_EQ(lowered("t = a*b; t + t"), "%0=mul(@0,@1);add(%0,%0)");
  EXPECT_EQ(lowered("\n  t = a\n\n  t += b  # a comment; really\n t\n"),
            "add(@0,@1)");
  EXPECT_EQ(lowered("x = x + 1; x = x*2\nx"), "mul(add(@0,1),2)");
  EXPECT_EQ(lowered("s = a+b; d = a-b; [s*d, s/d]"),
            "%0=add(@0,@1);%1=sub(@0,@1);[mul(%0,%1),div(%0,%1)]");
  EXPECT_EQ(lowered("a, b,"), "[@0,@1]");
  EXPECT_EQ(lowered("(a,\n b)"), "[@0,@1]");
  EXPECT_EQ(lowered("a + \\\n b"), "add(@0,@1)");
  EXPECT_EQ(lowered("(a +\n b)"), "add(@0,@1)");
  EXPECT_EQ(lowered("t = a; t **= 2; t"), "pow(@0,2)");
  EXPECT_EQ(lowered("unused = a; b"), "@1");
}

TEST(InfixGrammar, ListsSayThatTheyAre) {
  EXPECT_FALSE(InfixProgram::parse("a")->isList());
  EXPECT_TRUE(InfixProgram::parse("[a]")->isList());
  EXPECT_TRUE(InfixProgram::parse("a,")->isList());
  EXPECT_EQ(InfixProgram::parse("a, b")->outputCount(), 2u);
}

TEST(InfixGrammar, OperandsAreTheTextsNames) {
  const auto program = InfixProgram::parse("y*x + y*\u03b1_2 + exp(z)");
  ASSERT_TRUE(program);
  const auto names = program->operands();
  EXPECT_EQ(std::vector<std::string>(names.begin(), names.end()),
            (std::vector<std::string>{"y", "x", "\u03b1_2", "z"}));
  EXPECT_EQ(lowered("a - b", {.operands = {"b", "c", "a"}}), "sub(@2,@0)");
  // What is announced hides constants and functions.
  EXPECT_EQ(lowered("e*max + max(e)", {.operands = {"e", "max"}}),
            "add(mul(@0,@1),amax(@0))");
}

TEST(InfixGrammar, NamesOfOptionsAreChecked) {
  for (const std::string name :
       {"", "a b", "1a", "a.b", "__a", "for", "a\n", "True", "\xff"}) {
    const auto program = InfixProgram::parse("1", {.operands = {name}});
    ASSERT_FALSE(program) << name;
    EXPECT_EQ(program.error().code(), ErrorCode::InvalidArgument) << name;
  }
  EXPECT_FALSE(InfixProgram::parse("a", {.operands = {"a", "a"}}));
}

static ErrorCode codeOf(std::string_view text,
                        const InfixOptions &options = {}) {
  const auto program = InfixProgram::parse(text, options);
  return program ? ErrorCode() : program.error().code();
}

/// The list of docs/infix.md.
TEST(InfixGrammar, RefusesWhatUntrustedTextTries) {
  for (const char *text : {"x.sum()",      "np.sin(x)",   "x.__class__",
                           "().__class__", "__import__",  "__import__('os')",
                           "x[0]",         "x[1:2]",      "'text'",
                           "\"text\"",     "f'{x}'",      "b'x'",
                           "lambda: 0",    "lambda x: x", "[x for x in y]",
                           "x in y",       "x is y",      "x not in y",
                           "(y := x)",     "x @ y",       "{x}",
                           "{x: y}",       "import x",    "def f(): x",
                           "yield x",      "await x",     "@0",
                           "1j",           "x if y",      "del x",
                           "while x: y",   "assert x",    "global x",
                           "return x",     "x.real"})
    EXPECT_NE(codeOf(text), ErrorCode()) << text;
  // A word that is no function is a name, and nothing is behind it.
  EXPECT_EQ(codeOf("exec"), ErrorCode());
  EXPECT_EQ(lowered("exec(x)"),
            "error: unknown function 'exec'; did you mean 'exp'?\n"
            "  exec(x)\n"
            "  ^~~~");
}

TEST(InfixGrammar, ErrorsPointAtTheirPlace) {
  EXPECT_EQ(lowered("a + * b"), "error: expected an operand before '*'\n"
                                "  a + * b\n"
                                "      ^");
  EXPECT_EQ(lowered("a b"), "error: expected an operator before 'b'\n"
                            "  a b\n"
                            "    ^");
  EXPECT_EQ(lowered("exp(a"), "error: a bracket that nothing closes\n"
                              "  exp(a\n"
                              "  ^~~");
  EXPECT_EQ(lowered("a)"), "error: nothing before ')' opens it\n"
                           "  a)\n"
                           "   ^");
  EXPECT_EQ(lowered("a + not b"),
            "error: 'not' binds less tightly than '+' before it: put it into "
            "brackets\n"
            "  a + not b\n"
            "      ^~~");
  EXPECT_EQ(lowered("a == b if c\n"), "error: 'if' without an 'else' after it\n"
                                      "  a == b if c\n"
                                      "         ^~");
  EXPECT_EQ(lowered("expm(x)"),
            "error: unknown function 'expm'; did you mean 'expm1'?\n"
            "  expm(x)\n"
            "  ^~~~");
  EXPECT_EQ(lowered("hight*2", {.operands = {"height", "width"}}),
            "error: no operand is called 'hight'; did you mean 'height'?\n"
            "  hight*2\n"
            "  ^~~~~");
  EXPECT_EQ(lowered("max(x, 1)"),
            "error: 'max' of two arguments has two meanings: maximum(x, 1) or "
            "amax(x, axis=1)\n"
            "  max(x, 1)\n"
            "  ^~~~~~~~~");
  EXPECT_EQ(lowered("exp + 1"),
            "error: 'exp' is a function: write exp(...); an operand of that "
            "name must be announced\n"
            "  exp + 1\n"
            "  ^~~");
  EXPECT_EQ(lowered("a+b; a"),
            "error: the value before has no use: give it a name, or write all "
            "results into one list at the end\n"
            "  a+b; a\n"
            "       ^");
  EXPECT_EQ(lowered("y = a"),
            "error: the last statement gives the results: write the name of "
            "the value\n"
            "  y = a\n"
            "       ^");
  EXPECT_EQ(lowered("a + [b, c]"),
            "error: a list is not a value; only the results may be one\n"
            "  a + [b, c]\n"
            "      ^~~~~~");
  EXPECT_EQ(lowered("a \u00d7 b"), "error: unexpected '\u00d7'\n"
                                   "  a \u00d7 b\n"
                                   "    ^~");
  EXPECT_EQ(codeOf(std::string_view("a\0b", 3)), ErrorCode::InvalidSyntax);
  EXPECT_EQ(codeOf("a\xff"), ErrorCode::InvalidSyntax);
  // Marks that change the direction of writing, and blanks that are none.
  EXPECT_EQ(codeOf("a\u202eb"), ErrorCode::InvalidSyntax);
  EXPECT_EQ(codeOf("a\u00a0+b"), ErrorCode::InvalidSyntax);
}

TEST(InfixGrammar, BlanksAloneAreNoText) {
  for (const char *text : {"", " ", "\n;\n", "# a comment"})
    EXPECT_EQ(codeOf(text), ErrorCode::InvalidSyntax) << text;
}

static std::string repeated(std::string_view part, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += part;
  return text;
}

TEST(InfixGrammar, LimitsHoldAndNothingRecurses) {
  constexpr std::size_t many = 100000;
  const auto LimitExceeded = ErrorCode::LimitExceeded;
  EXPECT_EQ(codeOf(std::string((1 << 20) + 1, ' ')), LimitExceeded);
  for (const char *part :
       {"(", "[", "-", "not ", "exp(", "x**", "x if x else ", "f(k="})
    EXPECT_EQ(
        codeOf(repeated(part, many) + "x", {.limits = {.maxNodes = many * 4}}),
        LimitExceeded)
        << part;
  EXPECT_EQ(codeOf(repeated("x+", many) + "x"), LimitExceeded);
  EXPECT_EQ(codeOf(repeated("x;", many) + "x"), ErrorCode::InvalidSyntax);
  EXPECT_EQ(codeOf(repeated("(", many)), LimitExceeded);
  // As deep and as long as an expression may be.
  EXPECT_EQ(lowered(repeated("(", 4000) + "x" + repeated(")", 4000)), "@0");
  EXPECT_NE(lowered(repeated("x+", 4000) + "x").find("add("),
            std::string::npos);
  EXPECT_EQ(codeOf("a+b", {.limits = {.maxOperands = 1}}), LimitExceeded);
  EXPECT_EQ(codeOf("1+2", {.limits = {.maxLiterals = 1}}), LimitExceeded);
  EXPECT_EQ(codeOf("a+b*c", {.limits = {.maxNodes = 4}}), LimitExceeded);
  EXPECT_EQ(codeOf("a+b*c", {.limits = {.maxDepth = 1}}), LimitExceeded);
  EXPECT_EQ(codeOf("a+b*c", {.limits = {.maxLength = 4}}), LimitExceeded);
  EXPECT_EQ(codeOf("a+b*c", {.limits = {5, 2, 5, 3, 0}}), ErrorCode());
}

/// A value that doubles a hundred times is a hundred nodes, and its leaves.
TEST(InfixGrammar, NamedValuesAreShared) {
  std::string text = "t = x\n";
  for (int i = 0; i < 100; ++i)
    text += "t = t*t\n";
  const auto program = InfixProgram::parse(text + "t");
  ASSERT_TRUE(program);
  const auto expression = program->lower();
  ASSERT_TRUE(expression);
  EXPECT_EQ(expression->nodes().size(), 102u);
}

TEST(InfixGrammar, KnowsNoLocale) {
  const test::GroupingLocale locale;
  EXPECT_EQ(lowered("x*1234.5 + 0.25"), "add(mul(@0,1234.5),0.25)");
}
