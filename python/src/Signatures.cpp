//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What kernels are made of: a text or a function, for each combination of
/// types.
///
//===----------------------------------------------------------------------===//
#include "Given.h"
#include "Raise.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::python;

//===-- Sources -----------------------------------------------------------===//

Status Source::read() {
  if (syntax == Syntax::Infix) {
    InfixOptions options;
    options.operands = names;
    auto read = InfixProgram::parse(text, options);
    if (!read)
      return read.error();
    if (names.empty())
      names.assign(read->operands().begin(), read->operands().end());
    program = std::move(*read);
    return {};
  }
  auto read = Expression::parse(text);
  if (!read)
    return read.error();
  const std::size_t count = read->operandCount();
  if (names.empty())
    for (std::size_t i = 0; i < count; ++i)
      names.push_back("@" + std::to_string(i));
  if (names.size() < count)
    return Error(ErrorCode::WrongArity,
                 std::to_string(names.size()) + " names for " +
                     std::to_string(count) + " operands");
  expression = std::move(*read);
  return {};
}

std::size_t Source::outputCount() const {
  if (program)
    return program->outputCount();
  if (!expression)
    return 0;
  const Node &root = expression->root();
  return root.kind == NodeKind::List ? root.children.size() : 1;
}

bool Source::hasTuple() const {
  return program ? program->isList()
                 : expression && expression->root().kind == NodeKind::List;
}

//===-- Signatures --------------------------------------------------------===//

KernelState::KernelState(Engine engine, Source given)
    : engine(std::move(engine)), source(std::move(given)),
      results(source.outputCount() << 1 | std::size_t(source.hasTuple())) {
  for (const std::string &name : source.names)
    nameObjects.emplace_back(PyUnicode_InternFromString(name.c_str()));
}

/// The type that a number of Python is passed in beside tensors of PNNX's text:
/// it widens none of its category (PyTorch's wrapped numbers). Infix knows
/// numbers.
static DType storedType(DType number, bool anyDouble) {
  if (number != DType::F64)
    return number;
  return anyDouble ? DType::F64 : DType::F32;
}

namespace {
/// What signatures are known by: a type, whether it is a number, and whether
/// there are no axes.
struct Kind {
  explicit Kind(std::int64_t bits)
      : type(static_cast<DType>((bits & 0xff) >> 1)), isNumber(bits & 1),
        isZeroDim(bits & 0x100) {}
  static std::int64_t of(const Argument &argument) {
    return std::int64_t(argument.rank == 0) << 8 | (argument.kind() & 0xff);
  }

  DType type;
  bool isNumber, isZeroDim;
};
} // namespace

const Signature *KernelState::find(const Given &given) {
  const Precision precision =
      given.options.precision.value_or(source.precision);
  const std::size_t count = given.operands;
  const auto fits = [&](const Signature &one) {
    std::size_t at = 0;
    while (at < count && one.kinds[at] == Kind::of(given.tensors[at]))
      ++at;
    return at == count && one.precision == precision;
  };
  if (const Signature *known = signatures.find(fits))
    return known;
  std::vector<std::int64_t> kinds(count);
  for (std::size_t i = 0; i < count; ++i)
    kinds[i] = Kind::of(given.tensors[i]);
  auto made = compile(std::move(kinds), precision);
  if (!made)
    return nullptr;
  constexpr std::size_t most = 4096;
  if (const Signature *kept = signatures.add(made, most, fits))
    return kept;
  raise(Errors::Value, "a kernel with more than 4096 combinations of types; "
                       "compile the expression again for others");
  return nullptr;
}

/// A reference to the item of a tuple, as UTF-8; false with an exception.
static bool textFrom(PyObject *object, std::string &text) {
  Py_ssize_t size = 0;
  const char *bytes = PyUnicode_AsUTF8AndSize(object, &size);
  if (bytes)
    text.assign(bytes, std::size_t(size));
  return bytes;
}

/// Has the tracer add to the exception which line of the function it is about.
static void noteTrace(PyObject *tracer) {
  PyObject *type = nullptr, *value = nullptr, *place = nullptr;
  PyErr_Fetch(&type, &value, &place);
  PyErr_NormalizeException(&type, &value, &place);
  const Ref<> noted(PyObject_CallMethod(tracer, "note", "O", value));
  PyErr_Clear();
  PyErr_Restore(type, value, place);
}

bool KernelState::trace(Signature &signature, Source &traced) const {
  Ref<> types(PyTuple_New(Py_ssize_t(signature.kinds.size())));
  for (std::size_t i = 0; types && i < signature.kinds.size(); ++i) {
    const Kind kind(signature.kinds[i]);
    auto *type = reinterpret_cast<PyObject *>(describeInNumpy(kind.type));
    if (!type) { // of PyTorch, and nobody has ml_dtypes
      PyErr_Clear();
      type = PyUnicode_FromString(nameInNumpy(kind.type));
    }
    if (!type)
      return false;
    PyTuple_SetItem(types.get(), Py_ssize_t(i), type);
  }
  // The text, names of all operands, and the arrays of the last of them.
  Ref<> result(types ? PyObject_CallMethod(source.tracer.get(), "trace", "(O)",
                                           types.get())
                     : nullptr);
  PyObject *text = nullptr, *names = nullptr, *arrays = nullptr;
  if (!result ||
      !PyArg_ParseTuple(result.get(), "UO!O!", &text, &PyTuple_Type, &names,
                        &PyTuple_Type, &arrays) ||
      !textFrom(text, traced.text))
    return false;
  traced.semantics = source.semantics;
  for (Py_ssize_t i = 0; i < PyTuple_Size(names); ++i)
    if (!textFrom(PyTuple_GetItem(names, i), traced.names.emplace_back()))
      return false;
  Arguments reader;
  for (Py_ssize_t i = 0; i < PyTuple_Size(arrays); ++i) {
    Signature::Captured &one = signature.captured.emplace_back();
    PyObject *array = PyTuple_GetItem(arrays, i);
    if (!reader.readInput(array, one.argument))
      return false;
    one.memory = freeze(one.argument, one.layout);
  }
  if (auto status = traced.read(); !status) {
    raise(status.error());
    noteTrace(source.tracer.get());
    return false;
  }
  return true;
}

Expected<Kernel> KernelState::compile(Signature &signature,
                                      const Source &text) const {
  CompileOptions options;
  options.mode = source.mode;
  options.precision = signature.precision;
  std::vector<Kind> kinds;
  for (std::int64_t bits : signature.kinds)
    kinds.emplace_back(bits);
  for (const Signature::Captured &one : signature.captured)
    kinds.emplace_back(Kind::of(one.argument));
  const bool anyDouble =
      std::any_of(kinds.begin(), kinds.end(), [](const Kind &kind) {
        return kind.type == DType::F64 && !kind.isNumber;
      });
  std::vector<InfixOperand> &operands = signature.operands;
  for (const Kind &kind : kinds) {
    signature.stored.push_back(!text.program && kind.isNumber
                                   ? storedType(kind.type, anyDouble)
                                   : kind.type);
    operands.push_back({kind.type, kind.isNumber    ? OperandKind::Number
                                   : kind.isZeroDim ? OperandKind::ZeroDim
                                                    : OperandKind::Tensor});
    const auto isTorch = source.semantics == Semantics::Torch || !text.program;
    if (kind.isZeroDim && isTorch)
      options.zeroDimOperands.push_back(
          std::uint32_t(signature.stored.size() - 1));
  }
  options.operandTypes = signature.stored;
  signature.program = text.program;
  if (!text.program)
    return engine.compile(*text.expression, options);
  auto lowered =
      text.program->lower({operands.data(), operands.size()}, source.semantics);
  if (!lowered)
    return lowered.error();
  const auto isInteger = [](const InfixOperand &one) {
    return one.kind == OperandKind::Number && one.type == DType::I64;
  };
  if (std::any_of(operands.begin(), operands.end(), isInteger)) {
    auto ranges = text.program->numberRanges({operands.data(), operands.size()},
                                             source.semantics);
    if (!ranges)
      return ranges.error();
    signature.ranges = std::move(*ranges);
  }
  return engine.compile(*lowered, options);
}

/// A message in which "operand @0" is "operand 'a'".
static std::string withNames(const std::string &message,
                             const std::vector<std::string> &names) {
  static constexpr std::string_view word = "operand @";
  std::string result;
  std::size_t from = 0;
  for (std::size_t at; (at = message.find(word, from)) != message.npos;) {
    std::size_t index = 0, end = at + word.size();
    while (end < message.size() && message[end] >= '0' && message[end] <= '9' &&
           index < names.size())
      index = 10 * index + std::size_t(message[end++] - '0');
    const bool isNamed = end > at + word.size() && index < names.size() &&
                         names[index][0] != '@';
    result += message.substr(from, (isNamed ? at : end) - from);
    if (isNamed)
      result += "operand '" + names[index] + "'";
    from = end;
  }
  return result + message.substr(from);
}

PyObject *KernelState::fail(const Signature &signature,
                            const Error &error) const {
  if (signature.program) {
    raise(signature.program->placed(
        error, {signature.operands.data(), signature.operands.size()},
        source.semantics));
  } else {
    const std::string message = withNames(error.message(), source.names);
    raise(error.hasRange()
              ? Error(error.code(), message, error.source(), error.range())
              : Error(error.code(), message));
  }
  if (source.tracer)
    noteTrace(source.tracer.get());
  return nullptr;
}

/// Whether a trace has results as the first one had.
bool KernelState::agree(const Source &traced) {
  const std::size_t own =
      traced.outputCount() << 1 | std::size_t(traced.hasTuple());
  std::size_t known = 0;
  if (results.compare_exchange_strong(known, own) || known == own)
    return true;
  raise(Errors::Unsupported,
        "a traced function whose number of results depends on types");
  return false;
}

std::unique_ptr<Signature> KernelState::compile(std::vector<std::int64_t> kinds,
                                                Precision precision) {
  for (std::size_t i = 0; i < source.types.size(); ++i)
    if (const Kind kind(kinds[i]);
        source.types[i] != kind.type && !kind.isNumber) {
      raise(Errors::DType, "operand '%s' is %s; the kernel was made for %s",
            source.names[i].c_str(), nameInNumpy(kind.type),
            nameInNumpy(source.types[i]));
      return nullptr;
    }
  Signature made{std::move(kinds), precision,   {}, {}, {}, {},
                 Kernel(nullptr),  source.text, {}};
  Source traced;
  if (source.tracer && !trace(made, traced))
    return nullptr;
  const Source &text = source.tracer ? traced : source;
  made.text = text.text;
  auto kernel = [&] {
    const WithoutGil without;
    return compile(made, text);
  }();
  if (!kernel) {
    fail(made, kernel.error());
    return nullptr;
  }
  made.kernel = std::move(*kernel);
  if (source.tracer && !agree(text))
    return nullptr;
  return std::make_unique<Signature>(std::move(made));
}

const Signature *KernelState::signatureOf(const std::vector<DType> &types) {
  Given given(operandCount(), 0);
  if (types.size() != operandCount()) {
    raise(Errors::Arity, "%zd types for %zd operands", Py_ssize_t(types.size()),
          Py_ssize_t(operandCount()));
    return nullptr;
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    given.tensors[i].type = types[i];
    given.tensors[i].rank = 1;
  }
  return find(given);
}
