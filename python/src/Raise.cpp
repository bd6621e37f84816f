//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Raise.h"

#include <cstdarg>

using namespace kexpr;
using namespace kexpr::python;

/// The code of kexpr whose exception a class is.
static ErrorCode codeOf(Errors kind) {
  switch (kind) {
  case Errors::DType:
    return ErrorCode::TypeMismatch;
  case Errors::Shape:
    return ErrorCode::ShapeMismatch;
  case Errors::Value:
    return ErrorCode::InvalidArgument;
  case Errors::Unsupported:
    return ErrorCode::Unsupported;
  case Errors::Arity:
    return ErrorCode::WrongArity;
  }
  return ErrorCode::InvalidArgument;
}

/// `kexpr._errors.make` has the classes, which are Python's own.
static PyObject *set(ErrorCode code, PyObject *message, const Error *error) {
  Ref<> sentence(message);
  Ref<> module(PyImport_ImportModule("kexpr._errors"));
  if (!module || !sentence)
    return nullptr;
  const bool ranged = error && error->hasRange();
  const std::string source = ranged ? error->source() : std::string();
  Ref<> text(ranged ? PyUnicode_DecodeUTF8(
                          source.data(), static_cast<Py_ssize_t>(source.size()),
                          "replace")
                    : newRef(Py_None));
  if (!text)
    return nullptr;
  // Python counts characters where kexpr counts bytes.
  const auto characters = [&source](std::size_t bytes) {
    Py_ssize_t count = 0;
    for (std::size_t i = 0; i < bytes && i < source.size(); ++i)
      count += (source[i] & 0xc0) != 0x80;
    return count;
  };
  const SourceRange range = ranged ? error->range() : SourceRange();
  Ref<> exception(PyObject_CallMethod(
      module.get(), "make", "iOOnn", static_cast<int>(code), sentence.get(),
      text.get(), characters(range.begin), characters(range.end)));
  if (exception)
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.get())),
                    exception.get());
  return nullptr;
}

PyObject *python::raise(Errors kind, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  PyObject *message = PyUnicode_FromFormatV(format, arguments);
  va_end(arguments);
  return set(codeOf(kind), message, nullptr);
}

PyObject *python::raise(const Error &error) {
  // What a handler of a signal raised, which ended the call.
  if (PyErr_Occurred())
    return nullptr;
  if (error.code() == ErrorCode::OutOfMemory)
    return PyErr_NoMemory();
  const std::string &message = error.message();
  return set(error.code(),
             PyUnicode_DecodeUTF8(message.data(),
                                  static_cast<Py_ssize_t>(message.size()),
                                  "replace"),
             &error);
}

bool python::isAbout(const std::string &what) {
  PyObject *type = nullptr, *value = nullptr, *place = nullptr;
  PyErr_Fetch(&type, &value, &place);
  PyErr_NormalizeException(&type, &value, &place);
  const Ref<> module(PyImport_ImportModule("kexpr._errors"));
  const Ref<> done(module ? PyObject_CallMethod(module.get(), "about", "Os",
                                                value, what.c_str())
                          : nullptr);
  PyErr_Clear();
  PyErr_Restore(type, value, place);
  return false;
}
