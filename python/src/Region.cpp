//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Region.h"

#include "Interrupts.h"
#include "Raise.h"

#include "kexpr/Regions.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <structmember.h>

namespace nb = nanobind;
using namespace kexpr;
using namespace kexpr::python;

using Extents = std::vector<std::int64_t>;

static Shape shapeFrom(const Extents &extents) {
  return {extents.data(), extents.size()};
}

template <class T> static T valueOf(Expected<T> given) {
  if (given)
    return std::move(*given);
  raise(given.error());
  throw nb::python_error();
}

//===-- Calls -------------------------------------------------------------===//

namespace {
/// Where a tensor of the kernel begins: in which argument of the call, and how
/// many bytes after that.
struct Place {
  std::size_t argument;
  std::int64_t offset;
};

/// How the host's tensors and threads are reached.
struct Host {
  /// The address of a tensor's first element; null to ask its `data_ptr`.
  void *(*dataOf)(PyObject *tensor) = nullptr;
  /// Calls tasks for parts of [begin, end) on the host's threads; null for the
  /// engine's own.
  int (*parallelFor)(std::int64_t begin, std::int64_t end, std::int64_t grain,
                     Executor::Tasks tasks, void *call) = nullptr;
};

struct RegionState {
  std::vector<Place> inputs, outputs;
  std::size_t arguments;
  PreparedCall prepared;
  bool isLong;
  Host host;
};

struct RegionObject {
  PyObject_HEAD vectorcallfunc call;
  RegionState *state;
};

/// A tensor of a region: its argument, offset in elements, type, extents and
/// strides.
using TensorSpec =
    std::tuple<std::size_t, std::int64_t, std::string, Extents, Extents>;
} // namespace

static PyTypeObject *regionType;

static bool readAddress(const Host &host, PyObject *tensor, void *&address) {
  if (host.dataOf) {
    address = host.dataOf(tensor);
    return true;
  }
  const Ref<> number(PyObject_CallMethod(tensor, "data_ptr", nullptr));
  if (!number)
    return false;
  address = PyLong_AsVoidPtr(number.get());
  return !PyErr_Occurred();
}

/// `may_share(output, operand)`.
static PyObject *mayShare(PyObject *self, PyObject *arguments) {
  Py_ssize_t output, operand;
  if (!PyArg_ParseTuple(arguments, "nn", &output, &operand))
    return nullptr;
  const RegionState &region = *reinterpret_cast<RegionObject *>(self)->state;
  return PyBool_FromLong(
      region.prepared.mayShare(std::size_t(output), std::size_t(operand)));
}

static PyObject *callRegion(PyObject *self, PyObject *const *arguments,
                            size_t count, PyObject *names) {
  const RegionState &region = *reinterpret_cast<RegionObject *>(self)->state;
  if (std::size_t(PyVectorcall_NARGS(count)) != region.arguments ||
      (names && PyTuple_Size(names)))
    return raise(Errors::Arity, "a region takes %zd tensors",
                 Py_ssize_t(region.arguments));
  return guarded([&]() -> PyObject * {
    constexpr std::size_t few = 24;
    void *fewBases[few], *fewPointers[few];
    std::vector<void *> many;
    void **bases = fewBases, **pointers = fewPointers;
    const std::size_t inputs = region.inputs.size(),
                      all = inputs + region.outputs.size();
    if (region.arguments > few || all > few) {
      many.resize(region.arguments + all);
      bases = many.data();
      pointers = bases + region.arguments;
    }
    for (std::size_t i = 0; i < region.arguments; ++i)
      if (!readAddress(region.host, arguments[i], bases[i]))
        return nullptr;
    for (std::size_t i = 0; i < all; ++i) {
      const Place &place =
          i < inputs ? region.inputs[i] : region.outputs[i - inputs];
      pointers[i] = static_cast<char *>(bases[place.argument]) + place.offset;
    }
    const Status status = runInterruptibly(region.isLong, [&] {
      return region.prepared.run({pointers, inputs},
                                 {pointers + inputs, region.outputs.size()});
    });
    return status ? newRef(Py_None) : raise(status.error());
  });
}

static void freeRegion(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  delete reinterpret_cast<RegionObject *>(self)->state;
  PyObject_Free(self);
  Py_DECREF(type);
}

static void runOnHost(void *context, std::int64_t count, Executor::Tasks tasks,
                      void *call) {
  reinterpret_cast<decltype(Host::parallelFor)>(context)(0, count, 1, tasks,
                                                         call);
}

/// A tensor without memory, and its place.
static TensorView viewOf(const TensorSpec &spec, std::vector<Place> &places) {
  const auto &[argument, offset, name, extents, strides] = spec;
  const DType type = valueOf(parseDType(name));
  places.push_back({argument, offset * std::int64_t(sizeOf(type))});
  return {static_cast<void *>(nullptr), type, shapeFrom(extents),
          shapeFrom(strides)};
}

static nb::object makeRegion(const Engine &engine, const std::string &text,
                             int precision, int mode,
                             const std::vector<TensorSpec> &inputs,
                             const std::vector<TensorSpec> &outputs,
                             std::size_t arguments, unsigned threads,
                             std::size_t dataOf, std::size_t parallelFor) {
  std::vector<Place> inputPlaces, outputPlaces;
  std::vector<TensorView> inputViews, outputViews;
  CompileOptions options;
  options.mode = static_cast<Mode>(mode);
  options.precision = static_cast<Precision>(precision);
  double elements = 0;
  for (const TensorSpec &spec : inputs) {
    const TensorView view = viewOf(spec, inputPlaces);
    if (view.shape().rank() == 0)
      options.zeroDimOperands.push_back(std::uint32_t(inputViews.size()));
    options.operandTypes.push_back(view.type());
    inputViews.push_back(view);
    elements += double(view.shape().elementCount());
  }
  for (const TensorSpec &spec : outputs) {
    outputViews.push_back(viewOf(spec, outputPlaces));
    elements += double(outputViews.back().shape().elementCount());
  }
  for (const auto *places : {&inputPlaces, &outputPlaces})
    for (const Place &place : *places)
      if (place.argument >= arguments)
        throw nb::index_error("a tensor of no argument");
  const Kernel kernel = valueOf(engine.compile(text, options));
  const Host host{reinterpret_cast<decltype(Host::dataOf)>(dataOf),
                  reinterpret_cast<decltype(Host::parallelFor)>(parallelFor)};
  RunOptions run;
  run.maxThreads = threads;
  run.interrupt = Interrupts::option();
  if (threads != 1 && host.parallelFor)
    run.executor = {runOnHost, reinterpret_cast<void *>(parallelFor), threads};
  auto state = std::make_unique<RegionState>(
      RegionState{std::move(inputPlaces), std::move(outputPlaces), arguments,
                  valueOf(kernel.prepare(inputViews, outputViews, run)),
                  elements * kernel.operationsPerElement() > 200'000, host});
  auto *object = PyObject_New(RegionObject, regionType);
  if (!object)
    throw nb::python_error();
  object->call = callRegion;
  object->state = state.release();
  return nb::steal(reinterpret_cast<PyObject *>(object));
}

static void addType() {
  static PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET,
                                   offsetof(RegionObject, call), READONLY,
                                   nullptr},
                                  {}};
  static PyMethodDef methods[] = {
      {"may_share", mayShare, METH_VARARGS,
       "may_share(output, operand)\n--\n\n"
       "Whether an output may be where an operand is."},
      {}};
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void *>(freeRegion)},
      {Py_tp_methods, methods},
      {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
      {Py_tp_members, members},
      {Py_tp_doc, const_cast<char *>("A kernel for tensors of known types,\n"
                                     "shapes and strides.")},
      {}};
  static PyType_Spec spec = {"kexpr.Region", sizeof(RegionObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
                                 Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             slots};
  regionType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  if (!regionType)
    throw nb::python_error();
}

//===-- What becomes a region ---------------------------------------------===//

namespace {
/// Of a unit: inputs, outputs, operations, and for one that reduces the
/// extents and axes it goes over. A layer has no operations.
using UnitSpec = std::tuple<std::vector<std::uint32_t>,
                            std::vector<std::uint32_t>, std::optional<unsigned>,
                            std::optional<std::tuple<Extents, std::uint32_t>>>;
} // namespace

static nb::list regionsOf(const std::vector<Extents> &shapes,
                          const std::vector<UnitSpec> &units,
                          std::vector<std::uint32_t> outputs) {
  RegionGraph graph;
  for (const Extents &extents : shapes)
    graph.shapes.push_back(shapeFrom(extents));
  for (const auto &[takes, gives, operations, rows] : units) {
    RegionUnit unit;
    unit.inputs = takes;
    unit.outputs = gives;
    unit.isFormula = operations.has_value();
    unit.operations = operations.value_or(0);
    if (rows)
      unit.rows = {shapeFrom(std::get<0>(*rows)), std::get<1>(*rows)};
    graph.units.push_back(std::move(unit));
  }
  graph.outputs = std::move(outputs);
  nb::list regions;
  for (const kexpr::Region &region : valueOf(makeRegions(graph)))
    regions.append(nb::make_tuple(region.units, region.outputs));
  return regions;
}

void python::addRegion(nb::module_ &module, const Engine &engine) {
  addType();
  module.attr("Region") = nb::borrow(reinterpret_cast<PyObject *>(regionType));
  module.def("make_region",
             [engine](const std::string &text, int precision, int mode,
                      const std::vector<TensorSpec> &inputs,
                      const std::vector<TensorSpec> &outputs,
                      std::size_t arguments, unsigned threads,
                      std::size_t dataOf, std::size_t parallelFor) {
               return makeRegion(engine, text, precision, mode, inputs, outputs,
                                 arguments, threads, dataOf, parallelFor);
             });
  module.def("make_regions", regionsOf);
}
