//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Arguments.h"

#include "Raise.h"

#include <atomic>
#include <cstring>

using namespace kexpr;
using namespace kexpr::python;

unsigned char Arguments::numpyTypes[NPY_NTYPES_LEGACY];
unsigned char Arguments::sizeOfNumber[32];

//===-- Types -------------------------------------------------------------===//

namespace {
struct TypeRow {
  DType type;
  int number; ///< NumPy's; -1 for bfloat16, which ml_dtypes gives one.
  const char *name;
  DLDataTypeCode code;
};
} // namespace

static constexpr TypeRow Types[] = {
    {DType::F32, NPY_FLOAT, "float32", kDLFloat},
    {DType::F64, NPY_DOUBLE, "float64", kDLFloat},
    {DType::F16, NPY_HALF, "float16", kDLFloat},
    {DType::BF16, -1, "bfloat16", kDLBfloat},
    {DType::I8, NPY_INT8, "int8", kDLInt},
    {DType::I16, NPY_INT16, "int16", kDLInt},
    {DType::I32, NPY_INT32, "int32", kDLInt},
    {DType::I64, NPY_INT64, "int64", kDLInt},
    {DType::U8, NPY_UINT8, "uint8", kDLUInt},
    {DType::U16, NPY_UINT16, "uint16", kDLUInt},
    {DType::U32, NPY_UINT32, "uint32", kDLUInt},
    {DType::U64, NPY_UINT64, "uint64", kDLUInt},
    {DType::Bool, NPY_BOOL, "bool", kDLBool},
};

/// Attributes of tensors that are looked up. Made beforehand: a thread that
/// waits for another's first use of a local static never stops for Python,
/// which the other may have to wait for.
static PyObject *gradientName, *negatedName;

bool python::prepareTypes() {
  gradientName = PyUnicode_InternFromString("requires_grad");
  negatedName = PyUnicode_InternFromString("is_neg");
  for (const TypeRow &row : Types) {
    if (row.number >= 0)
      Arguments::numpyTypes[row.number] = static_cast<unsigned char>(row.type);
    Arguments::sizeOfNumber[static_cast<int>(row.type)] =
        static_cast<unsigned char>(sizeOf(row.type));
  }
  // The others of C's 64-bit integers.
  Arguments::numpyTypes[NPY_LONGLONG] = static_cast<unsigned char>(DType::I64);
  Arguments::numpyTypes[NPY_ULONGLONG] = static_cast<unsigned char>(DType::U64);
  return gradientName && negatedName;
}

DLDataType python::dlpackType(DType type) {
  for (const TypeRow &row : Types)
    if (row.type == type)
      return {static_cast<std::uint8_t>(row.code),
              static_cast<std::uint8_t>(8 * sizeOf(type)), 1};
  return {};
}

const char *python::nameInNumpy(DType type) {
  for (const TypeRow &row : Types)
    if (row.type == type)
      return row.name;
  return "?";
}

/// NumPy's description of bfloat16: ml_dtypes', borrowed. Null without an
/// exception where the program has not imported it and `import` is false.
static PyArray_Descr *bfloat16(bool import) {
  static std::atomic<PyArray_Descr *> found = nullptr;
  if (PyArray_Descr *known = found.load())
    return known;
  Ref<> name(PyUnicode_FromString("ml_dtypes"));
  Ref<> module(name ? PyImport_GetModule(name.get()) : nullptr);
  if (!module && import)
    module.reset(PyImport_ImportModule("ml_dtypes"));
  if (!module)
    return nullptr;
  Ref<> type(PyObject_GetAttrString(module.get(), "bfloat16"));
  PyArray_Descr *description = nullptr;
  if (type && PyArray_DescrConverter(type.get(), &description))
    found = description;
  return description;
}

PyArray_Descr *python::describeInNumpy(DType type) {
  for (const TypeRow &row : Types)
    if (row.type == type && row.number >= 0)
      return PyArray_DescrFromType(row.number);
  PyArray_Descr *description = bfloat16(true);
  Py_XINCREF(reinterpret_cast<PyObject *>(description));
  return description;
}

bool python::typeOf(PyArray_Descr *description, DType &type) {
  if (!PyDataType_ISNOTSWAPPED(description))
    return false;
  const int number = description->type_num;
  if (number == NPY_LONGLONG || number == NPY_ULONGLONG) {
    type = number == NPY_LONGLONG ? DType::I64 : DType::U64;
    return true;
  }
  for (const TypeRow &row : Types)
    if (row.number == number) {
      type = row.type;
      return true;
    }
  type = DType::BF16;
  const PyArray_Descr *bf16 = bfloat16(false);
  PyErr_Clear();
  return bf16 && bf16->type_num == number;
}

TensorView Argument::view() const {
  const auto size = static_cast<std::int64_t>(sizeOf(type));
  Shape shape(extents, rank), steps(strides, rank);
  for (int axis = 0; axis < rank && steps.valid(); ++axis)
    steps[axis] /= size;
  return {data, type, shape, steps};
}

//===-- Arrays ------------------------------------------------------------===//

bool Arguments::readArray(PyArrayObject *array, Argument &argument,
                          bool writable) {
  PyArray_Descr *description = PyArray_DESCR(array);
  if (!PyDataType_ISNOTSWAPPED(description) && writable)
    return readSwappedOutput(array, argument);
  Ref<PyArrayObject> native;
  if (!PyDataType_ISNOTSWAPPED(description)) {
    PyArray_Descr *swapped = PyArray_DescrNewByteorder(description, NPY_NATIVE);
    native.reset(swapped ? reinterpret_cast<PyArrayObject *>(
                               PyArray_CastToType(array, swapped, 0))
                         : nullptr);
    if (!native)
      return false;
    array = native.get();
    description = PyArray_DESCR(array);
  }
  if (!typeOf(description, argument.type)) {
    raise(Errors::DType, "arrays of type %S are not supported", description);
    return false;
  }
  if (PyArray_NDIM(array) > static_cast<int>(MaxRank)) {
    raise(Errors::Shape, "an array of %d axes; at most %d are supported",
          PyArray_NDIM(array), static_cast<int>(MaxRank));
    return false;
  }
  argument.data = PyArray_DATA(array);
  argument.rank = PyArray_NDIM(array);
  argument.extents = PyArray_DIMS(array);
  argument.strides = PyArray_STRIDES(array);
  argument.weak = false;
  if (native)
    owned.push_back(reinterpret_cast<PyObject *>(native.release()));
  if (haveUsableStrides(argument))
    return true;
  // Strides that are no whole number of elements.
  auto *copy = reinterpret_cast<PyArrayObject *>(
      writable ? PyArray_NewLikeArray(array, NPY_KEEPORDER, nullptr, 0)
               : PyArray_NewCopy(array, NPY_KEEPORDER));
  if (!copy)
    return false;
  owned.push_back(reinterpret_cast<PyObject *>(copy));
  if (writable)
    copies.push_back({copy, array});
  argument.data = PyArray_DATA(copy);
  argument.extents = PyArray_DIMS(copy);
  argument.strides = PyArray_STRIDES(copy);
  return true;
}

bool Arguments::readSwappedOutput(PyArrayObject *array, Argument &argument) {
  PyArray_Descr *native =
      PyArray_DescrNewByteorder(PyArray_DESCR(array), NPY_NATIVE);
  auto *copy = reinterpret_cast<PyArrayObject *>(
      native ? PyArray_NewLikeArray(array, NPY_KEEPORDER, native, 0) : nullptr);
  if (!copy)
    return false;
  owned.push_back(reinterpret_cast<PyObject *>(copy));
  copies.push_back({copy, array});
  return readArray(copy, argument, true);
}

/// An attribute of a tensor; null without an exception where it has none.
static Ref<> attributeOf(PyObject *object, const char *name) {
  Ref<> found(PyObject_GetAttrString(object, name));
  PyErr_Clear();
  return found;
}

/// Raises what a tensor of PyTorch is that has no elements in memory. Returns
/// false.
static bool refuseTensor(PyObject *object) {
  PyErr_Clear();
  const Ref<> device(attributeOf(object, "device"));
  const Ref<> kind(device ? attributeOf(device.get(), "type") : nullptr);
  const Ref<> type(attributeOf(object, "dtype"));
  const Ref<> layout(attributeOf(object, "layout"));
  const Ref<> name(layout ? PyObject_Str(layout.get()) : nullptr);
  PyErr_Clear();
  if (kind && PyUnicode_Check(kind.get()) &&
      PyUnicode_CompareWithASCIIString(kind.get(), "cpu") != 0)
    raise(Errors::Unsupported,
          "a tensor on device %S; kexpr computes on the CPU", kind.get());
  else if (type && attributeOf(object, "is_quantized").get() == Py_True)
    raise(Errors::Unsupported,
          "a quantised tensor, of %S; pass dequantize() of it", type.get());
  else if (attributeOf(object, "is_nested").get() == Py_True)
    raise(Errors::Unsupported, "a nested tensor, which has no one shape");
  else if (name &&
           PyUnicode_CompareWithASCIIString(name.get(), "torch.strided") != 0)
    raise(Errors::Unsupported, "a tensor of layout %S; pass to_dense() of it",
          name.get());
  else
    raise(Errors::Unsupported,
          "a tensor without elements in memory, as those of vmap, jvp and "
          "FakeTensorMode");
  return false;
}

/// The same where functions of DLPack have set an exception that says less.
static bool refuseExchange(PyObject *object) {
  return (PyErr_ExceptionMatches(PyExc_RuntimeError) ||
          PyErr_ExceptionMatches(PyExc_BufferError)) &&
         refuseTensor(object);
}

bool Arguments::describe(PyObject *object, const DLTensor &tensor,
                         Argument &argument) {
  if (tensor.device.device_type != kDLCPU) {
    raise(Errors::Unsupported,
          "an array on device %d of DLPack's kind %d; kexpr computes on the "
          "CPU",
          tensor.device.device_id, tensor.device.device_type);
    return false;
  }
  const TypeRow *found = nullptr;
  for (const TypeRow &row : Types)
    if (row.code == tensor.dtype.code && tensor.dtype.lanes == 1 &&
        tensor.dtype.bits == 8 * sizeOf(row.type))
      found = &row;
  if (!found) {
    const Ref<> type(PyObject_GetAttrString(object, "dtype"));
    PyErr_Clear();
    if (type)
      raise(Errors::DType, "arrays of type %S are not supported", type.get());
    else
      raise(Errors::DType,
            "arrays of DLPack's type (%d, %d bits, %d lanes) are "
            "not supported",
            tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes);
    return false;
  }
  if (tensor.ndim > static_cast<std::int32_t>(MaxRank)) {
    raise(Errors::Shape, "an array of %d axes; at most %d are supported",
          tensor.ndim, static_cast<int>(MaxRank));
    return false;
  }
  argument.type = found->type;
  argument.weak = false;
  argument.data = static_cast<char *>(tensor.data) + tensor.byte_offset;
  argument.rank = tensor.ndim;
  std::int64_t *extents = storage(2 * std::size_t(tensor.ndim) + 1);
  std::int64_t *strides = extents + tensor.ndim;
  auto next = static_cast<std::int64_t>(sizeOf(found->type));
  for (int axis = tensor.ndim; axis-- > 0;) {
    extents[axis] = tensor.shape[axis];
    strides[axis] = tensor.strides ? tensor.strides[axis] *
                                         std::int64_t(sizeOf(found->type))
                                   : next;
    next *= extents[axis];
  }
  argument.extents = extents;
  argument.strides = strides;
  return tensor.data || next == 0 || refuseTensor(object);
}

bool Arguments::readExchange(PyObject *object, const DLPackExchangeAPI &api,
                             Argument &argument) {
  DLTensor tensor;
  if (api.dltensor_from_py_object_no_sync) {
    if (api.dltensor_from_py_object_no_sync(object, &tensor) != 0)
      return refuseExchange(object);
    return describe(object, tensor, argument);
  }
  DLManagedTensorVersioned *managed = nullptr;
  if (api.managed_tensor_from_py_object_no_sync(object, &managed) != 0)
    return refuseExchange(object);
  const bool described = describe(object, managed->dl_tensor, argument);
  // The object itself, which the caller holds, keeps the memory.
  managed->deleter(managed);
  return described;
}

bool Arguments::readNumber(PyObject *object, Argument &argument) {
  std::int64_t *value = storage(1);
  ++numberCount;
  if (PyBool_Check(object)) {
    argument.type = DType::Bool;
    *reinterpret_cast<bool *>(value) = object == Py_True;
  } else if (PyLong_Check(object)) {
    argument.type = DType::I64;
    *value = PyLong_AsLongLong(object);
    if (*value == -1 && PyErr_Occurred()) {
      PyErr_Clear();
      raise(Errors::Value, "an integer of Python beyond those of int64");
      return false;
    }
  } else {
    argument.type = DType::F64;
    const double number = PyFloat_AsDouble(object);
    std::memcpy(value, &number, sizeof number);
  }
  argument.data = value;
  argument.rank = 0;
  argument.extents = argument.strides = value;
  argument.weak = true;
  return true;
}

/// The exchange functions of the type of an object; null for other types.
static const DLPackExchangeAPI *exchangeOf(PyObject *object) {
  static PyTypeObject *lastType = nullptr; // kept alive
  static const DLPackExchangeAPI *last = nullptr;
  PyTypeObject *type = Py_TYPE(object);
  if (type == lastType)
    return last;
  Ref<> capsule(PyObject_GetAttrString(reinterpret_cast<PyObject *>(type),
                                       "__dlpack_c_exchange_api__"));
  if (!capsule) {
    PyErr_Clear();
    return nullptr;
  }
  auto *api = static_cast<DLPackExchangeAPI *>(
      PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"));
  while (api && api->header.version.major != 1)
    api = reinterpret_cast<DLPackExchangeAPI *>(api->header.prev_api);
  PyErr_Clear();
  if (!api)
    return nullptr;
#ifndef Py_GIL_DISABLED
  Py_INCREF(reinterpret_cast<PyObject *>(type));
  Py_XDECREF(reinterpret_cast<PyObject *>(lastType));
  lastType = type;
  last = api;
#endif
  return api;
}

/// Refuses tensors whose gradients PyTorch would have to compute, as results
/// have none, and those whose elements it negates when it reads them.
static bool isUnread(PyObject *object) {
  const Ref<> wants(PyObject_GetAttr(object, gradientName));
  if (wants.get() == Py_True) {
    raise(Errors::Unsupported,
          "a tensor that requires grad, which results do not have; pass "
          "detach() of it");
    return true;
  }
  PyErr_Clear();
  const Ref<> isNegated(
      PyObject_CallMethodObjArgs(object, negatedName, nullptr));
  PyErr_Clear();
  if (isNegated.get() != Py_True)
    return false;
  raise(Errors::Unsupported, "a tensor that is negated when it is read; pass "
                             "resolve_neg() of it");
  return true;
}

/// Refuses what is on another device, by what its method says.
static bool isOnCpu(PyObject *object) {
  Ref<> device(PyObject_CallMethod(object, "__dlpack_device__", nullptr));
  if (!device) {
    PyErr_Clear();
    return true;
  }
  long kind = 0, number = 0;
  if (!PyArg_ParseTuple(device.get(), "ll", &kind, &number)) {
    PyErr_Clear();
    return true;
  }
  if (kind == kDLCPU)
    return true;
  const Ref<> type(PyType_GetName(Py_TYPE(object)));
  raise(Errors::Unsupported,
        "an array of %S on device %ld of DLPack's kind %ld; kexpr computes on "
        "the CPU",
        type.get(), number, kind);
  return false;
}

static bool isMasked(PyObject *object) {
  static std::atomic<PyObject *> maskedType = nullptr;
  PyObject *type = maskedType.load();
  if (!type) {
    Ref<> module(PyImport_ImportModule("numpy.ma"));
    type =
        module ? PyObject_GetAttrString(module.get(), "MaskedArray") : nullptr;
    if (!type) {
      PyErr_Clear();
      return false;
    }
    maskedType = type;
  }
  return PyObject_IsInstance(object, type) == 1;
}

static bool refuseMasked() {
  raise(Errors::Unsupported, "masked arrays are not supported; pass `filled()` "
                             "or the data and the mask");
  return false;
}

/// Whether Dask is imported and says that it is one.
static bool isCollection(PyObject *object) {
  if (!PyObject_HasAttrString(object, "__dask_graph__"))
    return false;
  const Ref<> name(PyUnicode_FromString("dask.base"));
  const Ref<> dask(name ? PyImport_GetModule(name.get()) : nullptr);
  const Ref<> answer(
      dask ? PyObject_CallMethod(dask.get(), "is_dask_collection", "O", object)
           : nullptr);
  PyErr_Clear();
  return answer.get() == Py_True;
}

/// Whether it is an array of a function that is being traced.
static bool isTraced(PyObject *object) {
  const Ref<> answer(PyObject_GetAttrString(object, "_is_traced"));
  PyErr_Clear();
  return answer.get() == Py_True;
}

bool Arguments::readOther(PyObject *&object, Argument &argument) {
  if (PyArray_Check(object)) {
    if (!PyArray_CheckExact(object) && isMasked(object))
      return refuseMasked();
    return readArray(reinterpret_cast<PyArrayObject *>(object), argument,
                     false);
  }
  if (PyFloat_CheckExact(object) || PyLong_CheckExact(object) ||
      PyBool_Check(object))
    return readNumber(object, argument);
  if (const DLPackExchangeAPI *api = exchangeOf(object)) {
    from.exchange = api;
    return !isUnread(object) && readExchange(object, *api, argument);
  }
  ran = true;
  if (isCollection(object)) {
    other = "kexpr.dask";
    raise(Errors::Unsupported, "a collection of Dask has no memory yet");
    return false;
  }
  if (isTraced(object)) {
    other = "kexpr._trace";
    raise(Errors::Unsupported, "an argument of a traced function has no values "
                               "yet");
    return false;
  }
  const bool exports = PyObject_HasAttrString(object, "__dlpack_device__");
  if (exports && !isOnCpu(object))
    return false;
  PyObject *array = nullptr;
  if (exports) {
    Ref<> numpy(PyImport_ImportModule("numpy"));
    array = numpy ? PyObject_CallMethod(numpy.get(), "from_dlpack", "O", object)
                  : nullptr;
    // Of a type, perhaps, that NumPy has by other ways alone.
    if (!array && PyErr_ExceptionMatches(PyExc_Exception))
      PyErr_Clear();
    if (PyErr_Occurred())
      return false;
  }
  if (!array)
    array = PyArray_FromAny(object, nullptr, 0, 0, 0, nullptr);
  if (!array)
    return false;
  owned.push_back(array);
  object = array;
  if (isMasked(array))
    return refuseMasked();
  return readArray(reinterpret_cast<PyArrayObject *>(array), argument, false);
}

bool Arguments::readOutput(PyObject *object, Argument &argument) {
  if (PyArray_Check(object)) {
    auto *array = reinterpret_cast<PyArrayObject *>(object);
    if (!PyArray_CheckExact(object) && isMasked(object))
      return refuseMasked();
    if (!PyArray_ISWRITEABLE(array)) {
      raise(Errors::Value, "an output array is read-only");
      return false;
    }
    return readNumpy(object, argument) || readArray(array, argument, true);
  }
  if (const DLPackExchangeAPI *api = exchangeOf(object)) {
    from.exchange = api;
    return !isUnread(object) && readExchange(object, *api, argument);
  }
  const Ref<> type(PyType_GetName(Py_TYPE(object)));
  raise(Errors::DType, "an output must be an array, not %S", type.get());
  return false;
}

bool python::placeOf(PyObject *object, ArrayPlace &place) {
  if (PyArray_Check(object)) {
    auto *array = reinterpret_cast<PyArrayObject *>(object);
    place = {PyArray_DATA(array), PyArray_NBYTES(array)};
    return true;
  }
  const DLPackExchangeAPI *api = exchangeOf(object);
  DLTensor tensor;
  if (!api || !api->dltensor_from_py_object_no_sync)
    return true;
  if (api->dltensor_from_py_object_no_sync(object, &tensor) != 0)
    return false;
  std::int64_t elements = 1;
  for (int axis = 0; axis < tensor.ndim; ++axis)
    elements *= tensor.shape[axis];
  place = {static_cast<char *>(tensor.data) + tensor.byte_offset, elements};
  return true;
}

bool Arguments::writeBack() {
  for (const Copy &copy : copies)
    if (PyArray_CopyInto(copy.to, copy.from) != 0)
      return false;
  return true;
}

std::unique_ptr<char[]> python::freeze(Argument &argument,
                                       std::vector<std::int64_t> &storage) {
  const auto rank = std::size_t(argument.rank);
  const std::size_t size = sizeOf(argument.type);
  std::vector<std::int64_t> kept(2 * rank);
  std::int64_t count = 1;
  for (std::size_t axis = rank; axis-- > 0;) {
    kept[axis] = argument.extents[axis];
    kept[rank + axis] = count * std::int64_t(size);
    count *= argument.extents[axis];
  }
  auto memory = std::make_unique<char[]>(std::size_t(count) * size + 1);
  std::vector<std::int64_t> at(rank);
  const char *from = static_cast<const char *>(argument.data);
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(&memory[std::size_t(i) * size], from, size);
    for (std::size_t axis = rank; axis-- > 0;) {
      from += argument.strides[axis];
      if (++at[axis] < argument.extents[axis])
        break;
      from -= argument.strides[axis] * at[axis];
      at[axis] = 0;
    }
  }
  storage = std::move(kept);
  argument.data = memory.get();
  argument.extents = storage.data();
  argument.strides = storage.data() + rank;
  return memory;
}
