//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `kexpr.Kernel` and `kexpr.BoundKernel` as types of Python.
///
//===----------------------------------------------------------------------===//
#include "Given.h"
#include "Interrupts.h"
#include "Raise.h"

#include <cstddef>
#include <utility>

#include <structmember.h>

using namespace kexpr;
using namespace kexpr::python;

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
  return boundType && kernelType && internNames() &&
         PyModule_AddType(module, boundType) == 0 &&
         PyModule_AddType(module, kernelType) == 0;
}
