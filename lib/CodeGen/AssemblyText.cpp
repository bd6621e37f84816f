//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/AssemblyText.h"

#include "CodeGen/Generator.h"
#include "CodeGen/KernelEmitter.h"
#include "Support/Text.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/MC/MCAsmInfo.h>

using namespace kexpr;
using namespace kexpr::codegen;
using llvm::StringRef;
using Kind = AssemblyLine::Kind;

namespace {

/// Reads the text line by line.
class Reader {
public:
  explicit Reader(const llvm::MCAsmInfo &info)
      : mark(info.getCommentString()), prefix(info.getPrivateGlobalPrefix()) {}
  void read(StringRef line);

  std::vector<AssemblyLine> lines;

private:
  void readDirective(StringRef line, StringRef comment);
  void readComment(StringRef line);
  void readLabel(StringRef symbol, StringRef comment);
  /// A line without its comment, which is put in `comment`.
  StringRef cut(StringRef line, StringRef &comment) const;
  bool isTemporary(StringRef symbol) const {
    return symbol.consume_front(prefix) &&
           (symbol.starts_with("tmp") || symbol.starts_with("func_begin"));
  }

  StringRef mark, prefix;
  SourceLocation location;
  bool isDebugSection = false;
};

} // namespace

StringRef Reader::cut(StringRef line, StringRef &comment) const {
  for (std::size_t at = line.find(mark); at != line.npos;
       at = line.find(mark, at + 1))
    if (at == 0 || llvm::isSpace(line[at - 1])) {
      comment = line.drop_front(at + mark.size()).trim();
      return line.take_front(at).rtrim();
    }
  return line.rtrim();
}

void Reader::readLabel(StringRef symbol, StringRef comment) {
  if (isTemporary(symbol))
    return;
  // Of a block without a name LLVM says in which loop it is.
  const StringRef name = comment.consume_front("%") ? comment : "";
  if (symbol.empty() && name.empty())
    return;
  lines.push_back({Kind::Label, symbol.str(), name.str(), {}});
}

/// A line that is all comment: the name of a block that is fallen into, or more
/// of an instruction's. What is said of loops is left out.
void Reader::readComment(StringRef comment) {
  if (comment.starts_with("%bb.")) {
    StringRef name;
    cut(comment, name);
    readLabel("", name);
  } else if (!lines.empty() && lines.back().kind == Kind::Instruction &&
             !comment.contains("Loop")) {
    std::string &whole = lines.back().comment;
    whole += (whole.empty() ? "" : ", ") + comment.str();
  }
}

void Reader::readDirective(StringRef line, StringRef comment) {
  llvm::SmallVector<StringRef> words;
  llvm::SplitString(line, words);
  if (words[0] == ".section" || words[0] == ".text")
    isDebugSection = words.size() > 1 && (words[1].starts_with(".debug_") ||
                                          words[1].starts_with("__DWARF"));
  if (words[0] == ".loc" && words.size() > 3) {
    location = {};
    if (!words[2].getAsInteger(10, location.line) && location.line)
      words[3].getAsInteger(10, location.column);
    return;
  }
  // Line and unwind tables are of the text that is left out.
  if (isDebugSection || words[0].starts_with(".cfi_") ||
      (words[0] == ".file" && words.size() > 2))
    return;
  lines.push_back({Kind::Other, line.rtrim().str(), comment.str(), {}});
}

void Reader::read(StringRef line) {
  StringRef comment;
  const StringRef code = cut(line, comment);
  if (code.trim().empty())
    return readComment(comment);
  if (code.trim().starts_with(".") && !code.ends_with(":"))
    return readDirective(code, comment);
  if (isDebugSection)
    return;
  if (code.ends_with(":"))
    return readLabel(code.drop_back(), comment);
  lines.push_back(
      {Kind::Instruction, code.trim().str(), comment.str(), location});
}

/// "ymm1 = 2.0" of "ymm1 = [2.0,2.0]".
static std::string shortened(const std::string &comment) {
  const std::size_t open = comment.find('['), close = comment.find(']');
  if (open == comment.npos || close == comment.npos || close < open)
    return comment;
  llvm::SmallVector<StringRef> elements;
  StringRef(comment).slice(open + 1, close).split(elements, ',');
  return llvm::all_equal(elements)
             ? comment.substr(0, open) + elements[0].str() +
                   comment.substr(close + 1)
             : comment;
}

Expected<Assembly> codegen::assemble(const semantics::Plan &plan,
                                     const Target &target, OptLevel level) {
  auto generator = Generator::create(
      target, level,
      [](PassMachine &machine, llvm::raw_pwrite_stream &out,
         llvm::MCContext &context) {
        // What registers and constants hold is in LLVM's comments.
        machine.Options.MCOptions.AsmVerbose = true;
        return llvm::expectedToOptional(
                   machine.createMCStreamer(out, nullptr,
                                            llvm::CodeGenFileType::AssemblyFile,
                                            context))
            .value_or(nullptr);
      });
  if (!generator)
    return generator.error();
  llvm::LLVMContext context;
  auto module = emitKernel(context, plan, target, level).module;
  const llvm::MCAsmInfo &info = *(*generator)->targetMachine().getMCAsmInfo();
  Reader reader(info);
  llvm::SmallVector<StringRef> lines;
  const StringRef text = (*generator)->generate(*module);
  text.split(lines, '\n');
  for (StringRef line : lines)
    reader.read(line);
  return Assembly{std::move(reader.lines), info.getCommentString().str()};
}

/// "4 sigmoid".
static std::string wordsAt(const syntax::Listing &listing,
                           SourceLocation location) {
  if (!location)
    return {};
  return location.line == syntax::Listing::loop().line
             ? concat(location.line, " loop")
             : concat(location.line, ' ', listing.wordAt(location));
}

/// Columns that a text takes after a tab.
static std::size_t widthOf(StringRef text) {
  std::size_t width = 8;
  for (char c : text)
    width = c == '\t' ? (width / 8 + 1) * 8 : width + 1;
  return width;
}

/// An instruction and, in a column of their own, the words beside it.
static std::string besides(const std::string &code, const std::string &mark,
                           const std::string &note) {
  constexpr std::size_t column = 56;
  const std::size_t width = std::min(widthOf(code), column - 1);
  return note.empty() ? '\t' + code
                      : concat('\t', code, std::string(column - width, ' '),
                               mark, ' ', note);
}

std::string codegen::textOf(const Assembly &assembly,
                            const syntax::Listing &listing) {
  std::string text;
  for (const AssemblyLine &line : assembly.lines) {
    if (line.kind == Kind::Other) {
      text += line.text + '\n';
      continue;
    }
    if (line.kind == Kind::Label) {
      const std::string name =
          line.comment.empty() ? "" : assembly.comment + ' ' + line.comment;
      text += line.text.empty() ? name : line.text + ":\t" + name;
      text = StringRef(text).rtrim().str() + '\n';
      continue;
    }
    std::string note = wordsAt(listing, line.location);
    if (!line.comment.empty())
      note += concat(note.empty() ? "" : "; ", shortened(line.comment));
    text += besides(line.text, assembly.comment, note) + '\n';
  }
  return text;
}

/// An instruction that names blocks instead of labels.
static std::string withNames(const std::string &code,
                             const llvm::StringMap<std::string> &names) {
  const std::size_t last = code.find_last_of("\t ,") + 1;
  const auto found = names.find(StringRef(code).drop_front(last));
  return found == names.end() ? code : code.substr(0, last) + found->second;
}

/// The values of constants in memory that have one, by their labels.
static llvm::StringMap<std::string>
constantsOf(const std::vector<AssemblyLine> &lines) {
  llvm::StringMap<std::string> values;
  StringRef label;
  for (const AssemblyLine &line : lines) {
    // "@name" stands before what has that name.
    if (line.kind == Kind::Label)
      label = line.text;
    else if (line.kind == Kind::Other && !line.comment.empty() &&
             !line.comment.starts_with('@'))
      if (auto [at, isNew] = values.try_emplace(label, line.comment);
          !isNew && at->second != line.comment)
        at->second.clear();
  }
  return values;
}

/// The constant that an instruction names, or what LLVM says of it.
static std::string noteOf(const AssemblyLine &line,
                          const llvm::StringMap<std::string> &constants) {
  llvm::SmallVector<StringRef> words;
  llvm::SplitString(line.text, words, "\t ,()[]{}:");
  for (StringRef word : words)
    for (StringRef label : {word, word.rsplit('+').first})
      if (const auto found = constants.find(label);
          found != constants.end() && !found->second.empty())
        return found->second;
  return shortened(line.comment);
}

/// The first loop, from its label to the jump back to it: that is the main one.
static void markLoop(std::vector<CodeLine> &lines) {
  llvm::StringMap<std::size_t> labels;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const StringRef text = lines[i].text;
    if (lines[i].isLabel) {
      labels.try_emplace(text, i);
      continue;
    }
    const auto target =
        labels.find(text.drop_front(text.find_last_of("\t ,") + 1));
    if (target == labels.end())
      continue;
    for (std::size_t inside = target->second; inside <= i; ++inside)
      lines[inside].isInLoop = true;
    return;
  }
}

std::vector<CodeLine> codegen::linesOf(const Assembly &assembly) {
  llvm::StringMap<std::string> names;
  for (const AssemblyLine &line : assembly.lines)
    if (line.kind == Kind::Label && !line.text.empty())
      names[line.text] = line.comment;
  const auto constants = constantsOf(assembly.lines);
  std::vector<CodeLine> lines;
  bool isCode = false;
  for (const AssemblyLine &line : assembly.lines) {
    isCode |= line.kind == Kind::Label && line.text == KernelSymbol;
    if (!isCode || line.kind == Kind::Other || constants.contains(line.text))
      continue;
    if (line.kind == Kind::Label)
      lines.push_back(
          {line.comment.empty() ? line.text : line.comment, true, false, {}});
    else
      lines.push_back({withNames(line.text, names), false, false, line.location,
                       noteOf(line, constants)});
  }
  markLoop(lines);
  return lines;
}
