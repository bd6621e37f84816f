//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Kernel.h"

#include "Interrupts.h"
#include "Options.h"
#include "Raise.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <utility>

#include <structmember.h>

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

//===-- What a call was given ---------------------------------------------===//

/// Arguments that need no memory of their own.
static constexpr std::size_t Few = 12;

struct KernelState::Given {
  explicit Given(std::size_t operands, std::size_t outputs)
      : operands(operands), outputs(outputs) {
    if (operands + outputs > Few) {
      manyObjects.resize(operands + outputs);
      manyTensors.resize(operands + outputs);
      objects = manyObjects.data();
      tensors = manyTensors.data();
    }
  }
  Given(const Given &) = delete;
  Given &operator=(const Given &) = delete;

  PyObject *output(std::size_t i) const { return objects[operands + i]; }
  /// What the key of a known call begins with.
  std::int64_t mode() const {
    return std::int64_t(options.threads) << 8 |
           std::int64_t(options.precision ? int(*options.precision) + 1 : 0)
               << 2 |
           std::int64_t(reader.library().exchange != nullptr) << 1 |
           std::int64_t(hasOutputs);
  }

  const std::size_t operands, outputs;
  PyObject *fewObjects[Few] = {};
  Argument fewTensors[Few];
  std::vector<PyObject *> manyObjects;
  std::vector<Argument> manyTensors;
  /// Operands, then outputs; borrowed.
  PyObject **objects = fewObjects;
  Argument *tensors = fewTensors;
  bool hasOutputs = false;
  PyObject *where = nullptr;
  CallOptions options;
  Arguments reader;
};

/// The names of arguments that calls know.
static PyObject *outName, *whereName, *threadsName;

static bool isName(PyObject *given, PyObject *name) {
  return given == name || PyUnicode_Compare(given, name) == 0;
}

bool KernelState::parse(Given &given, PyObject *const *arguments,
                        std::size_t count, PyObject *names) {
  if (count > given.operands) {
    raise(Errors::Arity, "%zd arrays for %zd operands", Py_ssize_t(count),
          Py_ssize_t(given.operands));
    return false;
  }
  std::copy_n(arguments, count, given.objects);
  if (!readContext(given.options))
    return false;
  if (names && !parseNames(given, arguments + count, names))
    return false;
  for (std::size_t i = count; i < given.operands; ++i)
    if (!given.objects[i]) {
      raise(Errors::Arity, "operand '%s' is missing", source.names[i].c_str());
      return false;
    }
  return true;
}

/// The arrays of `out=`: one, or a tuple with one for each output.
static bool parseOutputs(PyObject *value, std::size_t count,
                         PyObject **outputs) {
  if (!PyTuple_Check(value)) {
    if (count != 1) {
      raise(Errors::Arity, "one output array for %zd outputs",
            Py_ssize_t(count));
      return false;
    }
    *outputs = value;
    return true;
  }
  if (PyTuple_Size(value) != Py_ssize_t(count)) {
    raise(Errors::Arity, "%zd output arrays for %zd outputs",
          PyTuple_Size(value), Py_ssize_t(count));
    return false;
  }
  for (std::size_t i = 0; i < count; ++i)
    outputs[i] = PyTuple_GetItem(value, Py_ssize_t(i));
  return true;
}

bool KernelState::parseNames(Given &given, PyObject *const *values,
                             PyObject *names) {
  for (Py_ssize_t i = 0; i < PyTuple_Size(names); ++i) {
    PyObject *name = PyTuple_GetItem(names, i), *value = values[i];
    if (isName(name, outName)) {
      if (value == Py_None || given.outputs == 0)
        continue;
      given.hasOutputs = true;
      // What is in a list may go while inputs are read.
      if (PyList_Check(value)) {
        value = PySequence_Tuple(value);
        if (!value)
          return false;
        given.reader.keep(value);
      }
      if (!parseOutputs(value, given.outputs, given.objects + given.operands))
        return false;
      continue;
    }
    if (isName(name, whereName)) {
      given.where = value == Py_True ? nullptr : value;
      continue;
    }
    if (isName(name, threadsName)) {
      if (value == Py_None)
        continue;
      const long threads = PyLong_AsLong(value);
      if (threads < 0 || threads > 65535) {
        if (!PyErr_Occurred())
          raise(Errors::Value, "threads=%ld", threads);
        return false;
      }
      given.options.threads = unsigned(threads);
      continue;
    }
    const char *text = PyUnicode_AsUTF8AndSize(name, nullptr);
    const auto found =
        text ? std::find(source.names.begin(), source.names.end(), text)
             : source.names.end();
    if (found == source.names.end()) {
      if (!PyErr_Occurred())
        raise(Errors::Arity, "no operand is named %R", name);
      return false;
    }
    PyObject *&place = given.objects[found - source.names.begin()];
    if (place) {
      raise(Errors::Arity, "operand %R is given twice", name);
      return false;
    }
    place = value;
  }
  return true;
}

bool KernelState::readArguments(Given &given) {
  // Arrays that were read before others ran code may have changed.
  return readAll(given) && (!given.reader.ranPython() || readAll(given));
}

bool KernelState::readAll(Given &given) {
  for (std::size_t i = 0; i < given.operands; ++i)
    if (!given.reader.readInput(given.objects[i], given.tensors[i]))
      return isAbout("operand '" + source.names[i] + "'");
  if (given.hasOutputs)
    for (std::size_t i = 0; i < given.outputs; ++i)
      if (!given.reader.readOutput(given.output(i),
                                   given.tensors[given.operands + i]))
        return isAbout(given.outputs == 1 ? std::string("out")
                                          : "out[" + std::to_string(i) + "]");
  return true;
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

//===-- Known calls -------------------------------------------------------===//

/// Calls `visit` with every number of a key, as long as it returns true.
template <class Visit>
static bool visitKey(std::int64_t mode, const Argument *arguments,
                     std::size_t count, const Visit &visit) {
  if (!visit(mode))
    return false;
  for (std::size_t i = 0; i < count; ++i) {
    const Argument &one = arguments[i];
    if (!visit(one.kind()))
      return false;
    for (int axis = 0; axis < one.rank; ++axis)
      if (!visit(one.extents[axis]) || !visit(one.strides[axis]))
        return false;
  }
  return true;
}

const KnownCall *KernelState::findCall(const Given &given) const {
  const std::size_t count =
      given.operands + (given.hasOutputs ? given.outputs : 0);
  const std::int64_t mode = given.mode();
  const auto fits = [&](const KnownCall &call) {
    const std::int64_t *next = call.key.data();
    return visitKey(mode, given.tensors, count,
                    [&next](std::int64_t number) { return *next++ == number; });
  };
  const KnownCall *last = lastCall.load(std::memory_order_acquire);
  if (last && fits(*last))
    return last;
  const KnownCall *known = calls.find(fits);
  if (known)
    lastCall.store(known, std::memory_order_release);
  return known;
}

/// The axes of an output from the outermost in memory to the innermost: as
/// those operands lie that have all of its axes, the first first. As in NumPy,
/// an axis along which an operand stays where it is has no place in its order.
static std::vector<int>
memoryOrder(const Shape &shape, const Argument *operands, std::size_t count) {
  enum class Order { Unknown, Inside, Outside };
  const auto orderOf = [&](int a, int b) {
    for (std::size_t i = 0; i < count; ++i) {
      const Argument &one = operands[i];
      if (one.rank != int(shape.rank()) || one.extents[a] != shape[a] ||
          one.extents[b] != shape[b] || shape[a] == 1 || shape[b] == 1)
        continue;
      // Backwards or not: results lie forwards.
      const auto stride = std::abs(one.strides[a]);
      const auto other = std::abs(one.strides[b]);
      if (stride != other && stride != 0 && other != 0)
        return stride < other ? Order::Inside : Order::Outside;
    }
    return Order::Unknown;
  };
  // By insertion, from the innermost on: the order of axes need not be one that
  // sorting could rely on.
  std::vector<int> axes;
  for (int axis = int(shape.rank()); axis-- > 0;) {
    std::size_t place = axes.size();
    for (std::size_t i = axes.size(); i-- > 0;) {
      const Order order = orderOf(axis, axes[i]);
      if (order == Order::Outside)
        break;
      if (order == Order::Inside)
        place = i;
    }
    axes.insert(axes.begin() + std::ptrdiff_t(place), axis);
  }
  std::reverse(axes.begin(), axes.end());
  return axes;
}

static bool isShape(const Argument &argument, const Shape &shape) {
  return std::size_t(argument.rank) == shape.rank() &&
         std::equal(shape.begin(), shape.end(), argument.extents);
}

std::unique_ptr<KnownCall> KernelState::makeCall(const Given &given) {
  const Signature *signature = find(given);
  if (!signature)
    return nullptr;
  const Kernel &kernel = signature->kernel;
  std::vector<TensorView> inputs, outputs;
  for (std::size_t i = 0; i < given.operands; ++i) {
    Argument argument = given.tensors[i];
    argument.type = signature->stored[i];
    inputs.push_back(argument.view());
  }
  for (const Signature::Captured &one : signature->captured)
    inputs.push_back(one.argument.view());
  auto made = std::make_unique<KnownCall>(
      KnownCall{{}, signature, PreparedCall(nullptr), {}, false, false});
  double work = 0;
  for (std::size_t i = 0; i < given.outputs; ++i) {
    auto shape = kernel.outputShape(inputs, i);
    if (!shape) {
      fail(*signature, shape.error());
      return nullptr;
    }
    KnownCall::Output output;
    output.type = kernel.outputType(i);
    output.extents.assign(shape->begin(), shape->end());
    output.strides.resize(shape->rank());
    const auto elements = shape->elementCount();
    output.bytes = std::size_t(elements) * sizeOf(output.type);
    work += double(elements) * (kernel.operationsPerElement() + 4);
    const auto axes = memoryOrder(*shape, given.tensors, given.operands);
    auto stride = std::int64_t(sizeOf(output.type));
    for (std::size_t axis = axes.size(); axis-- > 0;) {
      output.strides[axes[axis]] = stride;
      stride *= std::max<std::int64_t>(1, (*shape)[axes[axis]]);
    }
    output.isRowMajor = std::is_sorted(axes.begin(), axes.end());
    if (given.hasOutputs) {
      const Argument &out = given.tensors[given.operands + i];
      if (out.type != output.type || !isShape(out, *shape))
        made->copies = true;
    }
    if (!given.reader.library().exchange) {
      output.description.reset(describeInNumpy(output.type));
      if (!output.description)
        return nullptr;
    }
    made->outputs.push_back(std::move(output));
  }
  for (std::size_t i = 0; i < given.outputs; ++i) {
    const KnownCall::Output &output = made->outputs[i];
    Argument argument;
    argument.type = output.type;
    argument.rank = int(output.extents.size());
    argument.extents = output.extents.data();
    argument.strides = given.hasOutputs && !made->copies
                           ? given.tensors[given.operands + i].strides
                           : output.strides.data();
    outputs.push_back(argument.view());
  }
  for (const TensorView &input : inputs)
    work += double(input.shape().elementCount());
  made->isLong = work > 20'000;
  RunOptions options;
  options.maxThreads = given.options.threads;
  options.interrupt = Interrupts::option();
  auto prepared = kernel.prepare(inputs, outputs, options);
  if (!prepared) {
    fail(*signature, prepared.error());
    return nullptr;
  }
  made->prepared = std::move(*prepared);
  visitKey(given.mode(), given.tensors,
           given.operands + (given.hasOutputs ? given.outputs : 0),
           [&](std::int64_t number) {
             made->key.push_back(number);
             return true;
           });
  return made;
}

//===-- Running -----------------------------------------------------------===//

/// A number of Python in the type that the kernel reads.
static void storeNumber(const Argument &number, DType type, void *to) {
  if (type == DType::F32 && number.type == DType::F64) {
    double value;
    std::memcpy(&value, number.data, sizeof value);
    const auto narrow = static_cast<float>(value);
    std::memcpy(to, &narrow, sizeof narrow);
  } else {
    std::memcpy(to, number.data, sizeof(std::int64_t));
  }
}

bool KernelState::numbersFit(const Given &given,
                             const Signature &signature) const {
  for (std::size_t i = 0; i < signature.ranges.size() && i < given.operands;
       ++i) {
    const Argument &one = given.tensors[i];
    if (!one.weak || one.type != DType::I64)
      continue;
    std::int64_t value;
    std::memcpy(&value, one.data, sizeof value);
    const auto [least, greatest] = signature.ranges[i];
    if (least <= value && value <= greatest)
      continue;
    raise(Errors::Value,
          "operand '%s' is %lld and meets a type of %lld to %lld",
          source.names[i].c_str(), static_cast<long long>(value),
          static_cast<long long>(least), static_cast<long long>(greatest));
    return false;
  }
  return true;
}

/// Bytes from which arrays begin at a cache line. NumPy's own begin at 16.
static constexpr std::size_t AlignedBytes = std::size_t{1} << 15;

/// A new array for an output; null with an exception.
static PyObject *newArray(const KnownCall::Output &output) {
  const AlignedArrays aligned(output.bytes >= AlignedBytes);
  PyArray_Descr *description = output.description.get();
  Py_INCREF(reinterpret_cast<PyObject *>(description));
  return PyArray_NewFromDescr(
      &PyArray_Type, description, int(output.extents.size()),
      output.extents.data(),
      output.isRowMajor ? nullptr : output.strides.data(), nullptr, 0, nullptr);
}

namespace {
/// A tensor of DLPack that lies in the memory of another, row-major one.
struct OrderedTensor {
  DLManagedTensorVersioned tensor;
  DLManagedTensorVersioned *memory;
  std::vector<std::int64_t> extents, strides;

  static DLManagedTensorVersioned *make(DLManagedTensorVersioned *memory,
                                        const KnownCall::Output &output) {
    auto *made = new OrderedTensor{*memory, memory, output.extents, {}};
    for (const std::int64_t stride : output.strides)
      made->strides.push_back(stride / std::int64_t(sizeOf(output.type)));
    made->tensor.dl_tensor.shape = made->extents.data();
    made->tensor.dl_tensor.strides = made->strides.data();
    made->tensor.manager_ctx = made;
    made->tensor.deleter = [](DLManagedTensorVersioned *self) {
      const std::unique_ptr<OrderedTensor> owned(
          static_cast<OrderedTensor *>(self->manager_ctx));
      owned->memory->deleter(owned->memory);
    };
    return &made->tensor;
  }
};

/// The outputs of one call that are made for it.
class Results {
public:
  Results(const KnownCall &call, const DLPackExchangeAPI *exchange)
      : call(call), exchange(exchange) {}
  Results(const Results &) = delete;
  Results &operator=(const Results &) = delete;
  ~Results() {
    for (std::size_t i = 0; i < made; ++i)
      if (exchange) {
        if (tensors[i])
          tensors[i]->deleter(tensors[i]);
      } else {
        Py_XDECREF(arrays[i]);
      }
  }

  /// Makes all, and says where each begins; false with an exception.
  bool make(void **pointers) {
    const std::size_t count = call.outputs.size();
    if (count > 1) {
      manyArrays.resize(count);
      manyTensors.resize(count);
      arrays = manyArrays.data();
      tensors = manyTensors.data();
    }
    for (; made < count; ++made)
      if (!(exchange ? makeTensor(pointers[made]) : makeArray(pointers[made])))
        return false;
    return true;
  }
  /// Output `i` as an object; null with an exception.
  PyObject *take(std::size_t i) {
    if (!exchange)
      return PyArray_Return(
          reinterpret_cast<PyArrayObject *>(std::exchange(arrays[i], nullptr)));
    void *object = nullptr;
    if (exchange->managed_tensor_to_py_object_no_sync(
            std::exchange(tensors[i], nullptr), &object) != 0)
      return nullptr;
    return static_cast<PyObject *>(object);
  }

private:
  bool makeArray(void *&pointer) {
    const KnownCall::Output &output = call.outputs[made];
    arrays[made] = newArray(output);
    if (!arrays[made])
      return false;
    pointer = PyArray_DATA(reinterpret_cast<PyArrayObject *>(arrays[made]));
    return true;
  }
  bool makeTensor(void *&pointer) {
    const KnownCall::Output &output = call.outputs[made];
    DLTensor prototype = {};
    prototype.device = {kDLCPU, 0};
    prototype.ndim = int(output.extents.size());
    prototype.shape = const_cast<std::int64_t *>(output.extents.data());
    prototype.dtype = dlpackType(output.type);
    const auto fail = [](void *, const char *, const char *message) {
      raise(Errors::Value, "%s", message);
    };
    if (exchange->managed_tensor_allocator(&prototype, &tensors[made], nullptr,
                                           fail) != 0)
      return false;
    if (!output.isRowMajor)
      tensors[made] = OrderedTensor::make(tensors[made], output);
    const DLTensor &tensor = tensors[made]->dl_tensor;
    pointer = static_cast<char *>(tensor.data) + tensor.byte_offset;
    return true;
  }

  const KnownCall &call;
  const DLPackExchangeAPI *exchange;
  std::size_t made = 0;
  PyObject *oneArray = nullptr;
  DLManagedTensorVersioned *oneTensor = nullptr;
  std::vector<PyObject *> manyArrays;
  std::vector<DLManagedTensorVersioned *> manyTensors;
  PyObject **arrays = &oneArray;
  DLManagedTensorVersioned **tensors = &oneTensor;
};

} // namespace

/// Where the tensors of a call are, and its numbers in the types wanted.
class KernelState::Pointers {
public:
  Pointers(const Argument *tensors, std::size_t operands, std::size_t outputs,
           const Signature &signature)
      : operands(operands + signature.captured.size()), outputs(outputs) {
    if (this->operands + outputs > Few) {
      many.resize(this->operands + outputs);
      all = many.data();
    }
    for (std::size_t i = 0; i < signature.captured.size(); ++i)
      all[operands + i] = signature.captured[i].argument.data;
    for (std::size_t i = 0; i < operands; ++i) {
      all[i] = tensors[i].data;
      if (tensors[i].weak) {
        if (numbers.empty())
          numbers.resize(operands);
        storeNumber(tensors[i], signature.stored[i], &numbers[i]);
        all[i] = &numbers[i];
      }
    }
  }
  Pointers(const Pointers &) = delete;
  Pointers &operator=(const Pointers &) = delete;

  void *read(std::size_t operand) const { return all[operand]; }
  void **written() { return all + operands; }
  Status run(const KnownCall &call) const {
    return runInterruptibly(call.isLong, [&] {
      return call.prepared.run({all, operands}, {all + operands, outputs});
    });
  }

private:
  const std::size_t operands, outputs;
  void *few[Few];
  std::vector<void *> many;
  std::vector<std::int64_t> numbers;
  void **all = few;
};

/// Makes an exception of NumPy or PyTorch about an output one of kexpr.
static bool refuseOutput() {
  const bool isOfType = PyErr_ExceptionMatches(PyExc_TypeError);
  if (!isOfType && !PyErr_ExceptionMatches(PyExc_ValueError) &&
      !PyErr_ExceptionMatches(PyExc_RuntimeError))
    return false;
  PyObject *type = nullptr, *value = nullptr, *place = nullptr;
  PyErr_Fetch(&type, &value, &place);
  raise(isOfType ? Errors::DType : Errors::Shape, "out: %S", value);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(place);
  return false;
}

/// A tensor of bfloat16, of which NumPy has no array, in float32.
static PyObject *readableByNumpy(PyObject *tensor) {
  const Ref<> type(PyObject_GetAttrString(tensor, "dtype"));
  const Ref<> name(type ? PyObject_Str(type.get()) : nullptr);
  if (!name)
    return nullptr;
  return PyUnicode_CompareWithASCIIString(name.get(), "torch.bfloat16") == 0
             ? PyObject_CallMethod(tensor, "float", nullptr)
             : newRef(tensor);
}

/// Stores a result to an output of another type, shape or place.
static bool copyResult(PyObject *to, PyObject *from, PyObject *where) {
  Ref<> source(from);
  if (!source)
    return false;
  if (!PyArray_Check(to)) {
    Ref<> torch(PyImport_ImportModule("torch"));
    Ref<> tensor(
        torch ? PyObject_CallMethod(torch.get(), "as_tensor", "O", source.get())
              : nullptr);
    if (tensor && where) {
      Ref<> mask(PyObject_CallMethod(torch.get(), "as_tensor", "O", where));
      tensor.reset(mask ? PyObject_CallMethod(torch.get(), "where", "OOO",
                                              mask.get(), tensor.get(), to)
                        : nullptr);
    }
    Ref<> done(tensor ? PyObject_CallMethod(to, "copy_", "O", tensor.get())
                      : nullptr);
    return done || refuseOutput();
  }
  if (!PyArray_Check(from) && !PyArray_CheckScalar(from))
    source.reset(readableByNumpy(from));
  if (!source)
    return false;
  const Ref<> numpy(PyImport_ImportModule("numpy"));
  const Ref<> copy(numpy ? PyObject_GetAttrString(numpy.get(), "copyto")
                         : nullptr);
  PyObject *function = copy.get();
  if (!function)
    return false;
  Ref<> done(where ? PyObject_CallFunction(function, "OOsO", to, source.get(),
                                           "same_kind", where)
                   : PyObject_CallFunction(function, "OOs", to, source.get(),
                                           "same_kind"));
  return done || refuseOutput();
}

/// The outputs that a call was given: one, or a tuple.
PyObject *KernelState::given(PyObject *const *objects) const {
  if (!hasTuple())
    return newRef(objects[0]);
  const std::size_t count = outputCount();
  PyObject *tuple = PyTuple_New(Py_ssize_t(count));
  for (std::size_t i = 0; tuple && i < count; ++i)
    PyTuple_SetItem(tuple, Py_ssize_t(i), newRef(objects[i]));
  return tuple;
}

const KnownCall *KernelState::callFor(const Given &given,
                                      std::unique_ptr<KnownCall> &own) {
  if (const KnownCall *known = findCall(given))
    return known;
  own = makeCall(given);
  if (!own)
    return nullptr;
  constexpr std::size_t most = 64;
  const auto isSame = [&](const KnownCall &other) {
    return other.key == own->key;
  };
  const KnownCall *kept = calls.add(own, most, isSame);
  return kept ? kept : own.get();
}

PyObject *KernelState::run(Given &given) {
  if (given.where)
    return runCopied(given);
  std::unique_ptr<KnownCall> own;
  const KnownCall *call = callFor(given, own);
  if (!call)
    return nullptr;
  if (call->copies)
    return runCopied(given);
  if (!numbersFit(given, *call->signature))
    return nullptr;
  Pointers pointers(given.tensors, given.operands, given.outputs,
                    *call->signature);
  if (!given.hasOutputs)
    return runFresh(given, *call, pointers);
  for (std::size_t i = 0; i < given.outputs; ++i)
    pointers.written()[i] = given.tensors[given.operands + i].data;
  const Status status = pointers.run(*call);
  if (status)
    return given.reader.writeBack()
               ? this->given(given.objects + given.operands)
               : nullptr;
  return status.error().code() == ErrorCode::OverlappingOutput
             ? runCopied(given)
             : fail(*call->signature, status.error());
}

PyObject *KernelState::runFresh(const Given &given, const KnownCall &call,
                                Pointers &pointers) {
  Results results(call, given.reader.library().exchange);
  if (!results.make(pointers.written()))
    return nullptr;
  if (const Status status = pointers.run(call); !status)
    return fail(*call.signature, status.error());
  if (!hasTuple())
    return results.take(0);
  Ref<> tuple(PyTuple_New(Py_ssize_t(given.outputs)));
  for (std::size_t i = 0; tuple && i < given.outputs; ++i) {
    PyObject *output = results.take(i);
    if (!output)
      return nullptr;
    PyTuple_SetItem(tuple.get(), Py_ssize_t(i), output);
  }
  return tuple.release();
}

/// Bool, integers, floating point: what a cast may not go down in.
static int kindOf(DType type) {
  switch (type) {
  case DType::Bool:
    return 0;
  case DType::I8:
  case DType::I16:
  case DType::I32:
  case DType::I64:
  case DType::U8:
  case DType::U16:
  case DType::U32:
  case DType::U64:
    return 1;
  default:
    return 2;
  }
}

bool KernelState::mayCast(const Given &given) {
  const Signature *signature = find(given);
  for (std::size_t i = 0; signature && i < given.outputs; ++i)
    if (const DType to = given.tensors[given.operands + i].type,
        from = signature->kernel.outputType(i);
        kindOf(from) > kindOf(to)) {
      raise(Errors::DType, "out: a result of %s cannot be cast to %s",
            nameInNumpy(from), nameInNumpy(to));
      return false;
    }
  return signature;
}

PyObject *KernelState::runCopied(Given &given) {
  const bool hadOutputs = std::exchange(given.hasOutputs, false);
  if (hadOutputs && given.reader.library().exchange && !mayCast(given))
    return nullptr;
  PyObject *where = std::exchange(given.where, nullptr);
  Ref<> results(run(given));
  if (!results || !hadOutputs)
    return results.release();
  for (std::size_t i = 0; i < given.outputs; ++i) {
    PyObject *result = hasTuple()
                           ? PyTuple_GetItem(results.get(), Py_ssize_t(i))
                           : newRef(results.get());
    if (hasTuple())
      Py_INCREF(result);
    if (!copyResult(given.output(i), result, where))
      return nullptr;
  }
  return this->given(given.objects + given.operands);
}

bool KernelState::traceFirst(PyObject *const *arguments, std::size_t count,
                             PyObject *names, const char *&applier) {
  Given given(operandCount(), 0);
  const bool isTraced = parse(given, arguments, count, names) &&
                        readArguments(given) && find(given);
  applier = given.reader.applier();
  return isTraced;
}

PyObject *KernelState::callArrays(PyObject *const *arguments, std::size_t count,
                                  PyObject *names, const char *&applier) {
  if (outputCount() == 0 && !traceFirst(arguments, count, names, applier))
    return nullptr;
  Given given(operandCount(), outputCount());
  if (!parse(given, arguments, count, names) || !readArguments(given)) {
    applier = given.reader.applier();
    return nullptr;
  }
  return run(given);
}

PyObject *KernelState::call(PyObject *self, PyObject *const *arguments,
                            std::size_t count, PyObject *names) {
  const char *applier = nullptr;
  PyObject *result = callArrays(arguments, count, names, applier);
  if (!applier)
    return result;
  PyErr_Clear();
  const Ref<> module(PyImport_ImportModule(applier));
  const Ref<> apply(module ? PyObject_GetAttrString(module.get(), "_apply")
                           : nullptr);
  if (!apply)
    return nullptr;
  std::vector<PyObject *> all{self};
  all.insert(all.end(), arguments,
             arguments + count +
                 (names ? std::size_t(PyTuple_Size(names)) : 0));
  return PyObject_Vectorcall(apply.get(), all.data(), count + 1, names);
}

std::optional<SumState> KernelState::sumState(PyObject *const *arguments,
                                              std::size_t count) {
  Given given(operandCount(), 0);
  if (!parse(given, arguments, count, nullptr) || !readArguments(given))
    return std::nullopt;
  const Signature *signature = find(given);
  if (!signature)
    return std::nullopt;
  if (!numbersFit(given, *signature))
    return std::nullopt;
  const Pointers pointers(given.tensors, given.operands, 0, *signature);
  std::vector<TensorView> inputs;
  for (std::size_t i = 0; i < given.operands; ++i) {
    Argument argument = given.tensors[i];
    argument.type = signature->stored[i];
    argument.data = pointers.read(i);
    inputs.push_back(argument.view());
  }
  for (const Signature::Captured &one : signature->captured)
    inputs.push_back(one.argument.view());
  RunOptions options;
  options.maxThreads = given.options.threads;
  options.interrupt = Interrupts::option();
  auto state = [&] {
    const Interrupts interrupts;
    return signature->kernel.sumState(inputs, options);
  }();
  if (state)
    return std::move(*state);
  fail(*signature, state.error());
  return std::nullopt;
}

//===-- Bound calls -------------------------------------------------------===//

namespace {
struct BoundObject {
  PyObject_HEAD vectorcallfunc call;
  BoundKernel *kernel;
  PyObject *arrays; ///< All that it reads and writes, and the kernel.
  std::vector<ArrayPlace> *places; ///< Of the arrays, as they were bound.
  PyObject *result;
  bool isLong;
};

struct KernelObject {
  PyObject_HEAD vectorcallfunc call;
  KernelState *state;
};
} // namespace

static PyTypeObject *boundType, *kernelType;

/// Whether all arrays are where they were; false with an exception. PyTorch's
/// `resize_` and NumPy's `resize` free the memory that a kernel is bound to.
static bool areInPlace(const BoundObject &bound) {
  for (std::size_t i = 0; bound.arrays && i < bound.places->size(); ++i) {
    ArrayPlace now;
    if (!placeOf(PyTuple_GetItem(bound.arrays, Py_ssize_t(i)), now))
      return false;
    if (now == (*bound.places)[i])
      continue;
    raise(Errors::Value, "an array of a bound kernel was resized or got other "
                         "memory; bind it again");
    return false;
  }
  return true;
}

static PyObject *callBound(PyObject *self, PyObject *const *, size_t count,
                           PyObject *names) {
  const auto *bound = reinterpret_cast<BoundObject *>(self);
  if (PyVectorcall_NARGS(count) != 0 || (names && PyTuple_Size(names)))
    return raise(Errors::Arity, "a bound kernel has its arrays already");
  return guarded([&]() -> PyObject * {
    if (!areInPlace(*bound))
      return nullptr;
    const Status status =
        runInterruptibly(bound->isLong, [&] { return bound->kernel->run(); });
    return status ? newRef(bound->result) : raise(status.error());
  });
}

PyObject *KernelState::bind(PyObject *self, PyObject *const *arguments,
                            std::size_t count, PyObject *names) {
  const char *applier = nullptr;
  if (outputCount() == 0 && !traceFirst(arguments, count, names, applier))
    return nullptr;
  Given given(operandCount(), outputCount());
  if (!parse(given, arguments, count, names) || !readArguments(given))
    return nullptr;
  if (given.reader.copiesAny())
    return raise(Errors::Value, "arrays that are read by way of a copy, or "
                                "numbers, cannot be bound");
  if (given.where)
    return raise(Errors::Value, "a call with where= cannot be bound");
  Ref<> result;
  if (!given.hasOutputs) {
    result.reset(run(given));
    if (!result)
      return nullptr;
    for (std::size_t i = 0; i < given.outputs; ++i)
      given.objects[given.operands + i] =
          hasTuple() ? PyTuple_GetItem(result.get(), Py_ssize_t(i))
                     : result.get();
    for (std::size_t i = 0; i < given.outputs; ++i)
      if (PyArray_IsScalar(given.output(i), Generic))
        return raise(Errors::Value, "a call without axes needs out= to be "
                                    "bound");
      else if (!given.reader.readOutput(given.output(i),
                                        given.tensors[given.operands + i]))
        return nullptr;
    given.hasOutputs = true;
  } else {
    result.reset(this->given(given.objects + given.operands));
  }
  std::unique_ptr<KnownCall> own;
  const KnownCall *call = callFor(given, own);
  if (!call)
    return nullptr;
  if (call->copies)
    return raise(Errors::Value, "outputs of another type or shape cannot be "
                                "bound");
  std::vector<TensorView> inputs, outputs;
  for (std::size_t i = 0; i < given.operands + given.outputs; ++i)
    (i < given.operands ? inputs : outputs).push_back(given.tensors[i].view());
  for (const Signature::Captured &one : call->signature->captured)
    inputs.push_back(one.argument.view());
  RunOptions options;
  options.maxThreads = given.options.threads;
  options.interrupt = Interrupts::option();
  auto bound = call->signature->kernel.bind(inputs, outputs, options);
  if (!bound)
    return fail(*call->signature, bound.error());
  const std::size_t all = given.operands + given.outputs;
  Ref<> arrays(PyTuple_New(Py_ssize_t(all + 1)));
  if (!arrays)
    return nullptr;
  for (std::size_t i = 0; i < all; ++i)
    PyTuple_SetItem(arrays.get(), Py_ssize_t(i), newRef(given.objects[i]));
  auto places = std::make_unique<std::vector<ArrayPlace>>(all);
  for (std::size_t i = 0; i < all; ++i)
    if (!placeOf(given.objects[i], (*places)[i]))
      return nullptr;
  // Arrays that a traced function took are the kernel's.
  PyTuple_SetItem(arrays.get(), Py_ssize_t(all), newRef(self));
  auto kernel = std::make_unique<BoundKernel>(std::move(*bound));
  auto *object = PyObject_GC_New(BoundObject, boundType);
  if (!object)
    return nullptr;
  object->call = callBound;
  object->kernel = kernel.release();
  object->arrays = arrays.release();
  object->places = places.release();
  object->result = result.release();
  object->isLong = call->isLong;
  PyObject_GC_Track(object);
  return reinterpret_cast<PyObject *>(object);
}

static int visitBound(PyObject *self, visitproc visit, void *arg) {
  auto *bound = reinterpret_cast<BoundObject *>(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(bound->arrays);
  Py_VISIT(bound->result);
  return 0;
}

static int clearBound(PyObject *self) {
  auto *bound = reinterpret_cast<BoundObject *>(self);
  Py_CLEAR(bound->arrays);
  return 0;
}

static void freeBound(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  auto *bound = reinterpret_cast<BoundObject *>(self);
  Py_CLEAR(bound->arrays);
  Py_CLEAR(bound->result);
  delete bound->kernel;
  delete bound->places;
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

//===-- The types ---------------------------------------------------------===//

static KernelState &stateOf(PyObject *self) {
  return *reinterpret_cast<KernelObject *>(self)->state;
}

KernelState *python::kernelState(PyObject *object) {
  return Py_TYPE(object) == kernelType ? &stateOf(object) : nullptr;
}

static PyObject *callKernel(PyObject *self, PyObject *const *arguments,
                            size_t count, PyObject *names) {
  return guarded([&] {
    return stateOf(self).call(self, arguments, PyVectorcall_NARGS(count),
                              names);
  });
}

static PyObject *bindKernel(PyObject *self, PyObject *const *arguments,
                            Py_ssize_t count, PyObject *names) {
  return guarded([&] {
    return stateOf(self).bind(self, arguments, std::size_t(count), names);
  });
}

PyObject *python::makeKernel(Engine engine, Source source) {
  auto state =
      std::make_unique<KernelState>(std::move(engine), std::move(source));
  auto *object = PyObject_GC_New(KernelObject, kernelType);
  if (!object)
    return nullptr;
  object->call = callKernel;
  object->state = state.release();
  PyObject_GC_Track(object);
  return reinterpret_cast<PyObject *>(object);
}

static void freeKernel(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  delete reinterpret_cast<KernelObject *>(self)->state;
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

static int visitKernel(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(stateOf(self).from().tracer.get());
  return 0;
}

/// What hosts name tasks by: that of the traced function, if there is one.
static PyObject *nameOfKernel(PyObject *self, void *) {
  if (PyObject *tracer = stateOf(self).from().tracer.get()) {
    const Ref<> function(PyObject_GetAttrString(tracer, "function"));
    PyObject *name =
        function ? PyObject_GetAttrString(function.get(), "__name__") : nullptr;
    if (name)
      return name;
    PyErr_Clear();
  }
  return PyUnicode_FromString("kexpr");
}

bool python::addKernelTypes(PyObject *module) {
  outName = PyUnicode_InternFromString("out");
  whereName = PyUnicode_InternFromString("where");
  threadsName = PyUnicode_InternFromString("threads");
  static PyMemberDef boundMembers[] = {{"__vectorcalloffset__", T_PYSSIZET,
                                        offsetof(BoundObject, call), READONLY,
                                        nullptr},
                                       {}};
  static PyMemberDef kernelMembers[] = {{"__vectorcalloffset__", T_PYSSIZET,
                                         offsetof(KernelObject, call), READONLY,
                                         nullptr},
                                        {}};
  static PyMethodDef kernelMethods[] = {
      {"bind",
       reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(bindKernel)),
       METH_FASTCALL | METH_KEYWORDS,
       "bind($self, /, *arrays, out=None, threads=None, **named)\n--\n\n"
       "A call that is checked once: a BoundKernel, which computes into the\n"
       "same arrays each time it is called, from what they hold then."},
      {}};
  static PyGetSetDef kernelGetters[] = {
      {"__name__", nameOfKernel, nullptr, nullptr, nullptr}, {}};
  static PyType_Slot boundSlots[] = {
      {Py_tp_dealloc, reinterpret_cast<void *>(freeBound)},
      {Py_tp_traverse, reinterpret_cast<void *>(visitBound)},
      {Py_tp_clear, reinterpret_cast<void *>(clearBound)},
      {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
      {Py_tp_members, boundMembers},
      {Py_tp_doc,
       const_cast<char *>("A kernel with its arrays (Kernel.bind). Calling it\n"
                          "returns the outputs; by one thread at a time.")},
      {}};
  static PyType_Slot kernelSlots[] = {
      {Py_tp_dealloc, reinterpret_cast<void *>(freeKernel)},
      {Py_tp_traverse, reinterpret_cast<void *>(visitKernel)},
      {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
      {Py_tp_members, kernelMembers},
      {Py_tp_methods, kernelMethods},
      {Py_tp_getset, kernelGetters},
      {}};
  constexpr unsigned flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
                             Py_TPFLAGS_DISALLOW_INSTANTIATION;
  static PyType_Spec boundSpec = {"kexpr.BoundKernel", sizeof(BoundObject), 0,
                                  flags | Py_TPFLAGS_HAVE_GC, boundSlots};
  static PyType_Spec kernelSpec = {"kexpr.Kernel", sizeof(KernelObject), 0,
                                   flags | Py_TPFLAGS_HAVE_GC, kernelSlots};
  boundType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&boundSpec));
  kernelType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&kernelSpec));
  return boundType && kernelType && outName && whereName && threadsName &&
         PyModule_AddType(module, boundType) == 0 &&
         PyModule_AddType(module, kernelType) == 0;
}
