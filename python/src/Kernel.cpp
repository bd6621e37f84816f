//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Given.h"
#include "Interrupts.h"
#include "Raise.h"
#include "Results.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace kexpr;
using namespace kexpr::python;

//===-- What a call was given ---------------------------------------------===//

/// The names of arguments that calls know.
static PyObject *outName, *whereName, *threadsName;

bool python::internNames() {
  outName = PyUnicode_InternFromString("out");
  whereName = PyUnicode_InternFromString("where");
  threadsName = PyUnicode_InternFromString("threads");
  return outName && whereName && threadsName;
}

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
