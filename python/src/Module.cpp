//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The module `kexpr._core`: what the package's files in Python stand on. Calls
/// of kernels pass by nanobind, which takes longer than a small kernel.
///
//===----------------------------------------------------------------------===//
#define KEXPR_IMPORTS_NUMPY
#include "Evaluate.h"
#include "Kernel.h"
#include "Network.h"
#include "Raise.h"
#include "Region.h"
#include "Sums.h"

#include "kexpr/Operators.h"
#include "kexpr/Version.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace kexpr;
using namespace kexpr::python;

/// For functions that nanobind calls: the exception that was set.
[[noreturn]] static void fail() { throw nb::python_error(); }

template <class T> static T valueOf(Expected<T> given) {
  if (given)
    return std::move(*given);
  raise(given.error());
  fail();
}

static KernelState &stateOf(nb::handle object) {
  if (KernelState *state = kernelState(object.ptr()))
    return *state;
  throw nb::type_error("not a kexpr.Kernel");
}

/// The engine of the process. It is never freed: kernels may outlive the
/// interpreter's modules.
static Engine &engine() {
  static Engine &one = *new Engine;
  return one;
}

static DType typeFrom(nb::handle object) {
  // A name that NumPy knows by ml_dtypes alone.
  if (nb::isinstance<nb::str>(object) &&
      nb::cast<std::string>(object) == "bfloat16")
    return DType::BF16;
  PyArray_Descr *description = nullptr;
  if (!PyArray_DescrConverter(object.ptr(), &description)) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) ||
        PyErr_ExceptionMatches(PyExc_ValueError)) {
      PyErr_Clear();
      raise(Errors::DType, "%R is no type of elements", object.ptr());
    }
    fail();
  }
  const Ref<PyArray_Descr> owned(description);
  DType type;
  if (!typeOf(description, type)) {
    raise(Errors::DType, "arrays of type %S are not supported", description);
    fail();
  }
  return type;
}

static std::vector<DType> typesFrom(nb::handle objects) {
  std::vector<DType> types;
  for (nb::handle object : objects)
    types.push_back(typeFrom(object));
  return types;
}

static nb::object makeOne(const std::string &text, nb::object names,
                          int precision, int mode, nb::object types, int syntax,
                          int semantics, nb::object tracer) {
  Source source;
  source.text = text;
  source.precision = static_cast<Precision>(precision);
  source.mode = static_cast<Mode>(mode);
  source.syntax = static_cast<Syntax>(syntax);
  source.semantics = semantics == 0 ? Semantics::Numpy : Semantics::Torch;
  if (!names.is_none())
    for (nb::handle name : names)
      source.names.push_back(nb::cast<std::string>(name));
  if (!tracer.is_none())
    source.tracer.reset(tracer.release().ptr());
  else if (const Status status = source.read(); !status) {
    raise(status.error());
    fail();
  }
  if (!types.is_none())
    source.types = typesFrom(types);
  const std::vector<DType> given = source.types;
  if (!given.empty() && given.size() != source.names.size()) {
    raise(Errors::Arity, "%zd types for %zd operands", Py_ssize_t(given.size()),
          Py_ssize_t(source.names.size()));
    fail();
  }
  PyObject *kernel = makeKernel(engine(), std::move(source));
  if (!kernel)
    fail();
  nb::object made = nb::steal(kernel);
  if (!given.empty() && !stateOf(made).signatureOf(given))
    fail();
  return made;
}

static const Signature &latestOf(nb::handle kernel) {
  if (const Signature *signature = stateOf(kernel).latest())
    return *signature;
  raise(Errors::Value, "the kernel has no types before its first call; give "
                       "compile dtypes=");
  fail();
}

static nb::object describe(DType type) {
  PyArray_Descr *description = describeInNumpy(type);
  if (!description)
    fail();
  return nb::steal(reinterpret_cast<PyObject *>(description));
}

static nb::object resultTypes(nb::handle kernel, nb::handle types) {
  const Signature *signature = stateOf(kernel).signatureOf(typesFrom(types));
  if (!signature)
    fail();
  nb::list all;
  for (std::size_t i = 0; i < signature->kernel.outputCount(); ++i)
    all.append(describe(signature->kernel.outputType(i)));
  return nb::tuple(all);
}

static nb::object dump(nb::handle kernel, const std::string &stage) {
  const Stage which = valueOf(parseStage(stage));
  const Signature &signature = latestOf(kernel);
  auto text = [&] {
    const WithoutGil without;
    return signature.kernel.dump(which);
  }();
  const std::string bytes = valueOf(std::move(text));
  if (which == Stage::Obj)
    return nb::bytes(bytes.data(), bytes.size());
  return nb::str(bytes.data(), bytes.size());
}

static nb::str textOf(std::string_view text) {
  return nb::str(text.data(), text.size());
}

static nb::dict factsOf(nb::handle kernel) {
  const Signature &signature = latestOf(kernel);
  const Kernel &one = signature.kernel;
  nb::dict facts;
  facts["canonical"] = one.expression().canonical();
  facts["tier"] = textOf(nameOf(one.tier()));
  facts["code_size"] = one.codeSize();
  facts["operations"] = one.operationsPerElement();
  facts["vector_bits"] = one.vectorBits();
  const CompileTimes times = one.compileTimes();
  nb::dict seconds;
  const auto add = [&](const char *name, std::chrono::nanoseconds time) {
    seconds[name] = 1e-9 * double(time.count());
  };
  add("parse", times.parse);
  add("plan", times.plan);
  add("emit", times.emit);
  add("codegen", times.codegen);
  add("link", times.link);
  facts["times"] = seconds;
  nb::list inputs, outputs;
  for (DType type : signature.stored)
    inputs.append(describe(type));
  for (std::size_t i = 0; i < one.outputCount(); ++i)
    outputs.append(describe(one.outputType(i)));
  facts["dtypes"] = nb::tuple(inputs);
  facts["output_dtypes"] = nb::tuple(outputs);
  return facts;
}

static nb::dict cacheFacts() {
  const EngineStats stats = engine().stats();
  nb::dict facts;
  facts["kernels"] = stats.kernels;
  facts["bytes"] = stats.bytes;
  facts["code_bytes"] = stats.codeBytes;
  facts["hits"] = stats.hits;
  facts["misses"] = stats.misses;
  facts["compiled"] = stats.compiled;
  facts["evictions"] = stats.evictions;
  facts["disk_hits"] = stats.diskHits;
  facts["disk_misses"] = stats.diskMisses;
  facts["disk_stored"] = stats.diskStored;
  const Status disk = engine().cacheStatus();
  facts["disk"] = disk ? std::string() : disk.error().message();
  return facts;
}

static nb::list operatorTable() {
  nb::list all;
  for (const OperatorInfo &one : operators())
    all.append(nb::make_tuple(textOf(one.name), textOf(one.aliases),
                              textOf(one.doc), textOf(one.types), one.maxUlp));
  for (const RowFunctionInfo &one : rowFunctions())
    all.append(nb::make_tuple(textOf(one.name), std::string(), textOf(one.doc),
                              std::string("rows"), one.maxUlp));
  return all;
}

static int importNumpy() {
  import_array1(-1);
  return 0;
}

NB_MODULE(_core, module) {
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
    PyErr_SetString(PyExc_ImportError,
                    "kexpr runs in the main interpreter of a process alone");
    fail();
  }
  if (importNumpy() != 0 || !prepareTypes() || !addKernelTypes(module.ptr()))
    fail();
  module.attr("__version__") = KEXPR_VERSION;
  // Kernels and networks may live as long as the process.
  nb::set_leak_warnings(false);
  addNetwork(module, engine());
  addRegion(module, engine());
  addSums(module);
  module.def("make_kernel", makeOne, nb::arg("text"), nb::arg("names").none(),
             nb::arg("precision"), nb::arg("mode"), nb::arg("types").none(),
             nb::arg("syntax"), nb::arg("semantics"),
             nb::arg("tracer").none() = nb::none());
  module.def("text", [](nb::handle k) {
    const KernelState &state = stateOf(k);
    return state.latest() ? state.latest()->text : state.from().text;
  });
  module.def("syntax", [](nb::handle k) {
    return static_cast<int>(stateOf(k).from().syntax);
  });
  module.def("semantics", [](nb::handle k) {
    return static_cast<int>(stateOf(k).from().semantics == Semantics::Torch);
  });
  module.def("tracer", [](nb::handle k) -> nb::object {
    PyObject *tracer = stateOf(k).from().tracer.get();
    return tracer ? nb::borrow(tracer) : nb::none();
  });
  module.def("names", [](nb::handle k) {
    nb::list names;
    for (const std::string &name : stateOf(k).from().names)
      names.append(name);
    return nb::tuple(names);
  });
  module.def("precision", [](nb::handle k) {
    return static_cast<int>(stateOf(k).from().precision);
  });
  module.def("mode", [](nb::handle k) {
    return static_cast<int>(stateOf(k).from().mode);
  });
  module.def("fixed_types", [](nb::handle k) {
    nb::list types;
    for (DType type : stateOf(k).from().types)
      types.append(describe(type));
    return nb::tuple(types);
  });
  module.def("output_count",
             [](nb::handle k) { return stateOf(k).outputCount(); });
  module.def("facts", factsOf);
  module.def("result_types", resultTypes);
  module.def("dump", dump);
  module.def("settle", [] {
    const WithoutGil without;
    engine().settle();
  });
  module.def("cache_facts", cacheFacts);
  module.def("operators", operatorTable);
  static PyMethodDef evaluateMethod = {
      "evaluate",
      reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(evaluate)),
      METH_FASTCALL | METH_KEYWORDS, nullptr};
  module.def("make_evaluate", [](nb::handle kernels, nb::handle function,
                                 const std::string &doc) {
    static const std::string &kept = *new std::string(doc);
    evaluateMethod.ml_doc = kept.c_str();
    setEvaluate(kernels.ptr(), function.ptr());
    return nb::steal(PyCFunction_NewEx(&evaluateMethod, nullptr,
                                       nb::str("kexpr").release().ptr()));
  });
  module.def("set_context",
             [](nb::handle variable) { setContextVariable(variable.ptr()); });
  module.def("code_status", [] {
    const Status status = engine().codeStatus();
    return status ? std::string() : status.error().message();
  });
  module.def("target_cpu", [] { return std::string(engine().targetCpu()); });
}
