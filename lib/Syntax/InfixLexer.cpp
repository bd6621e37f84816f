//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Syntax/InfixLexer.h"

#include "Support/FromChars.h"
#include "Support/Quote.h"
#include "Support/Text.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <system_error>

using namespace kexpr;
using namespace kexpr::syntax;

using Kind = InfixTokenKind;

static bool isDecimal(char c) { return c >= '0' && c <= '9'; }
static bool isAsciiLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// A character outside of ASCII that is no letter of any script: blanks, marks
/// that change the direction of writing, punctuation, symbols.
static bool isNoLetter(char32_t c) {
  constexpr struct {
    char32_t first, last;
  } ranges[] = {{0x80, 0xA9},       {0xAB, 0xB4},     {0xB6, 0xB9},
                {0xBB, 0xBF},       {0xD7, 0xD7},     {0xF7, 0xF7},
                {0x61C, 0x61C},     {0x1680, 0x1680}, {0x180E, 0x180E},
                {0x2000, 0x207E},   {0x208A, 0x208F}, {0x20A0, 0x20FF},
                {0x2190, 0x2BFF},   {0x3000, 0x3004}, {0x3008, 0x3020},
                {0xD800, 0xF8FF},   {0xFE00, 0xFE6F}, {0xFEFF, 0xFEFF},
                {0xFF00, 0xFF0F},   {0xFFF0, 0xFFFF}, {0x1F000, 0x1FAFF},
                {0xE0000, 0x10FFFF}};
  return std::any_of(std::begin(ranges), std::end(ranges), [c](auto range) {
    return c >= range.first && c <= range.last;
  });
}

/// The bytes of the character at `place` if it is UTF-8 in its one right form,
/// else 0.
static std::size_t decode(std::string_view text, std::size_t place,
                          char32_t &character) {
  const auto byte = [&](std::size_t i) {
    return place + i < text.size() ? static_cast<unsigned char>(text[place + i])
                                   : 0u;
  };
  const unsigned first = byte(0);
  const std::size_t size = first < 0xC2   ? 0
                           : first < 0xE0 ? 2
                           : first < 0xF0 ? 3
                           : first < 0xF5 ? 4
                                          : 0;
  if (size == 0)
    return 0;
  character = first & (0x7Fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80)
      return 0;
    character = character << 6 | (byte(i) & 0x3F);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  return character >= least[size] && character <= 0x10FFFF ? size : 0;
}

/// The bytes of the letter at `position`, 0 if there is none.
std::size_t InfixLexer::letter() const {
  if (isAsciiLetter(at(position)))
    return 1;
  char32_t character = 0;
  const std::size_t size = decode(text, position, character);
  return size && !isNoLetter(character) ? size : 0;
}

Error InfixLexer::fault(ErrorCode code, std::string message) const {
  return {code,
          std::move(message),
          std::string(text),
          {start, std::max(position, start + 1)}};
}

Status InfixLexer::skipBlanks(bool isInBrackets) {
  for (;; ++position) {
    const char c = at(position);
    if (c == '#') {
      while (position < text.size() && text[position] != '\n')
        ++position;
      --position;
    } else if (c == '\\') {
      start = position++;
      position += at(position) == '\r';
      if (at(position) != '\n')
        return fault(ErrorCode::InvalidSyntax,
                     "a backslash stands at the end of a line alone");
    } else if (c != ' ' && c != '\t' && c != '\r' && c != '\f' &&
               !(c == '\n' && isInBrackets)) {
      return {};
    }
  }
}

/// Words of Python that would mean something else there than a name.
static constexpr std::string_view ReservedWords[] = {
    "as",     "assert", "async", "await",  "break",  "class",    "continue",
    "def",    "del",    "elif",  "except", "for",    "finally",  "from",
    "global", "import", "in",    "is",     "lambda", "nonlocal", "pass",
    "raise",  "return", "try",   "while",  "with",   "yield"};

Expected<InfixToken> InfixLexer::name() {
  for (std::size_t size = 1; size;) {
    size = isDecimal(at(position)) ? 1 : letter();
    position += size;
  }
  InfixToken result = token(Kind::Name);
  const std::string_view word = result.text;
  if (at(position) == '"' || at(position) == '\'')
    return fault(ErrorCode::Unsupported, "text in quotes has no meaning here");
  if (word == "True" || word == "False") {
    result.kind = Kind::Bool;
    result.integer = word == "True";
  } else if (word == "None") {
    result.kind = Kind::None;
  } else if (word == "and" || word == "or" || word == "not" || word == "if" ||
             word == "else") {
    result.kind = Kind::Word;
  } else if (std::find(std::begin(ReservedWords), std::end(ReservedWords),
                       word) != std::end(ReservedWords)) {
    return fault(ErrorCode::Unsupported,
                 concat(quote(word), " of Python has no meaning here"));
  } else if (word.starts_with("__")) {
    return fault(ErrorCode::Unsupported,
                 concat("names that begin with two underscores, as ",
                        quote(word), ", are refused"));
  }
  return result;
}

/// Skips digits with single underscores between them; how many digits.
std::size_t InfixLexer::digits(std::string_view of) {
  const auto isOf = [&](std::size_t place) {
    return place < text.size() &&
           of.find(text[place]) != std::string_view::npos;
  };
  std::size_t count = 0;
  for (; isOf(position); ++count)
    position += 1 + (at(position + 1) == '_' && isOf(position + 2));
  return count;
}

/// The text without underscores.
static std::string withoutUnderscores(std::string_view text) {
  std::string digits(text);
  std::erase(digits, '_');
  return digits;
}

static constexpr std::string_view Decimals = "0123456789";

/// Whether the digits are an integer below 2^64, which the token gets.
static bool readInteger(const std::string &digits, int base,
                        InfixToken &token) {
  std::uint64_t value = 0;
  const char *end = digits.data() + digits.size();
  if (std::from_chars(digits.data(), end, value, base).ec != std::errc())
    return false;
  token.integer = static_cast<std::int64_t>(value);
  token.isUnsigned = token.integer < 0;
  token.number = static_cast<double>(value);
  return true;
}

/// An integer of a prefix, as 0x1f.
Expected<InfixToken> InfixLexer::based(int base) {
  position += 2 + (at(position + 2) == '_');
  const std::size_t count = digits(base == 16  ? "0123456789abcdefABCDEF"
                                   : base == 8 ? "01234567"
                                               : "01");
  if (count == 0 || letter() || isDecimal(at(position)))
    return fault(ErrorCode::InvalidSyntax,
                 concat(quote(token(Kind::Integer).text), " is no number"));
  InfixToken result = token(Kind::Integer);
  if (!readInteger(withoutUnderscores(result.text.substr(2)), base, result))
    return fault(ErrorCode::InvalidSyntax, "the integer is beyond 64 bits");
  return result;
}

/// A double of decimal digits; what is too large is an infinity, as in Python.
static double readDouble(const std::string &digits) {
  double value = 0;
  const auto [end, error] =
      fromChars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc::result_out_of_range)
    return value;
  // Too large or too small, which the exponent says: there is one, or hundreds
  // of digits before the point or of zeros after it.
  const std::size_t mark = digits.find_first_of("eE");
  const bool isSmall = mark != std::string::npos
                           ? digits[mark + 1] == '-'
                           : digits.find_first_not_of("0.") > digits.find('.');
  return isSmall ? 0.0 : std::numeric_limits<double>::infinity();
}

Expected<InfixToken> InfixLexer::number() {
  const char second = static_cast<char>(at(position + 1) | 0x20);
  if (at(position) == '0' && (second == 'x' || second == 'o' || second == 'b'))
    return based(second == 'x' ? 16 : second == 'o' ? 8 : 2);
  const std::size_t whole = digits(Decimals);
  bool isFloat = false;
  if (at(position) == '.') {
    isFloat = true;
    ++position;
    digits(Decimals);
  }
  if ((at(position) | 0x20) == 'e') {
    const std::size_t before = position++;
    position += at(position) == '+' || at(position) == '-';
    if (digits(Decimals) == 0)
      position = before;
    else
      isFloat = true;
  }
  if ((at(position) | 0x20) == 'j') {
    ++position;
    return fault(ErrorCode::Unsupported, "complex numbers have no type here");
  }
  if (letter() || isDecimal(at(position)) || at(position) == '.') {
    while (letter() || isDecimal(at(position)) || at(position) == '.')
      position += std::max<std::size_t>(letter(), 1);
    return fault(ErrorCode::InvalidSyntax,
                 concat(quote(token(Kind::Float).text), " is no number"));
  }
  InfixToken result = token(isFloat ? Kind::Float : Kind::Integer);
  const std::string plain = withoutUnderscores(result.text);
  if (isFloat) {
    result.number = readDouble(plain);
    return result;
  }
  if (whole > 1 && plain[0] == '0' &&
      plain.find_first_not_of('0') != std::string::npos)
    return fault(ErrorCode::InvalidSyntax,
                 "an integer does not begin with 0; octal ones begin with 0o");
  if (!readInteger(plain, 10, result))
    return fault(ErrorCode::InvalidSyntax,
                 "the integer is beyond 64 bits; with a point it is a float");
  return result;
}

/// Operators and brackets, longer ones first.
static constexpr std::string_view Marks[] = {
    "**=", "//=", "<<=", ">>=", "**", "//", "<<", ">>", "<=", ">=",
    "==",  "!=",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=",
    "+",   "-",   "*",   "/",   "%",  "&",  "|",  "^",  "~",  "<",
    ">",   "=",   "(",   ")",   "[",  "]",  ",",  ";"};

/// Why a character of Python, or of no language, has no meaning.
static std::string refusal(std::string_view rest) {
  const char c = rest[0];
  if (c == '.')
    return "attributes are refused; write 'sin(x)' for 'np.sin(x)'";
  if (c == '"' || c == '\'')
    return "text in quotes has no meaning here";
  if (c == '@')
    return "'@' has no meaning here: operands have names, and there are no "
           "matrix products";
  if (rest.starts_with(":="))
    return "':=' has no meaning here; write 'name = value;' before";
  if (c == ':' || c == '{' || c == '}')
    return concat("'", c,
                  "' has no meaning here: there are no slices, "
                  "functions or dictionaries");
  return {};
}

Expected<InfixToken> InfixLexer::mark() {
  const std::string_view rest = text.substr(position);
  for (std::string_view mark : Marks)
    if (rest[0] == mark[0] && rest.starts_with(mark)) {
      position += mark.size();
      return token(Kind::Mark);
    }
  std::string reason = refusal(rest);
  if (!reason.empty())
    return fault(ErrorCode::Unsupported, std::move(reason));
  char32_t character = 0;
  const std::size_t size = decode(text, position, character);
  position += std::max<std::size_t>(size, 1);
  const char c = rest[0];
  if (size || (c > ' ' && c < 0x7f))
    return fault(ErrorCode::InvalidSyntax,
                 concat("unexpected ", quote(token(Kind::Mark).text)));
  constexpr char hex[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  return fault(ErrorCode::InvalidSyntax,
               concat("unexpected byte 0x", hex[byte >> 4], hex[byte & 15]));
}

Expected<InfixToken> InfixLexer::next(bool isInBrackets) {
  if (auto status = skipBlanks(isInBrackets); !status)
    return status.error();
  start = position;
  if (position >= text.size())
    return token(Kind::End);
  const char c = text[position];
  if (c == '\n') {
    ++position;
    return token(Kind::Newline);
  }
  if (isDecimal(c) || (c == '.' && isDecimal(at(position + 1))))
    return number();
  return letter() ? name() : mark();
}

bool syntax::isInfixName(std::string_view name) {
  constexpr std::size_t longest = 256;
  if (name.empty() || name.size() > longest)
    return false;
  auto token = InfixLexer(name).next(false);
  return token && token->kind == Kind::Name && token->text == name;
}
