//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/LoopStates.h"

#include "Ops/Reductions.h"

#include <array>
#include <bit>
#include <cassert>
#include <utility>

using namespace kexpr;
using namespace kexpr::codegen;

namespace {
using EmitStepFn = void (*)(const LaneBuilder &lanes, StateParts &state,
                            llvm::Value *elements);
using EmitIdentityFn = llvm::Value *(*)(const LaneBuilder &lanes, unsigned part,
                                        std::int64_t index);
using EmitFinishFn = llvm::Value *(*)(const LaneBuilder &lanes,
                                      const StateParts &state,
                                      std::int64_t elements);

/// What is emitted for a reduction in a form.
struct StateEmitters {
  EmitStepFn step = nullptr;
  /// Makes states those of two parts of the elements; the others stand second.
  void (*combine)(const LaneBuilder &lanes, StateParts &state,
                  const StateParts &later) = nullptr;
  /// Joins what became of elements such as one with the state of no elements
  /// that was left out: a sum of -0 alone is 0.
  void (*settle)(const LaneBuilder &lanes, StateParts &state,
                 const llvm::Value *element) = nullptr;
  /// Of a state whose first element has that index.
  EmitIdentityFn identity = nullptr;
  EmitFinishFn finish = nullptr;
  /// See `LoopStates::chooses`.
  bool chooses = false;
};
using StepRow = std::array<StateEmitters, std::size(ops::AllTypes)>;
} // namespace

/// The lanes that a reduction computes in, and its states of these.
template <class R, DType Form>
using LanesOf = Lanes<typename R::template Element<ops::Element<Form>>>;
template <class R, DType Form>
using StatesOf =
    ops::Several<LanesOf<R, Form>, R::template parts<ops::Element<Form>>>;

template <class R, DType Form>
static StatesOf<R, Form> read(const LaneBuilder &lanes,
                              const StateParts &state) {
  StatesOf<R, Form> states;
  for (unsigned p = 0; p < R::template parts<ops::Element<Form>>; ++p)
    states.each[p] = {{&lanes, state[p]}};
  return states;
}

template <class States>
static void write(StateParts &state, const States &states) {
  for (std::size_t p = 0; p < state.size(); ++p)
    state[p] = states.each[p].rep.value;
}

/// Whether it was f32.
static bool isConverted(const llvm::Value *value) {
  const auto *wide = llvm::dyn_cast<llvm::FPExtInst>(value);
  return wide && wide->getType()->getScalarType()->isDoubleTy();
}

/// Whether it is a product of two numbers with less than half the digits, which
/// is exact.
static bool isExactProduct(const llvm::Value *value) {
  const auto *product = llvm::dyn_cast<llvm::BinaryOperator>(value);
  return product && product->getOpcode() == llvm::Instruction::FMul &&
         llvm::all_of(product->operands(), isConverted);
}

/// 1, of which LLVM does not know that it is.
static llvm::Value *hiddenOne(const LaneBuilder &lanes, llvm::Type *type) {
  llvm::BasicBlock &entry =
      lanes.ir.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> before(&entry, entry.getFirstInsertionPt());
  return before.CreateIntrinsic(llvm::Intrinsic::arithmetic_fence, {type},
                                {llvm::ConstantFP::get(type, 1)}, nullptr,
                                "one");
}

/// Adds an exact product in one instruction, and so a number by itself where
/// that is of use: the bits are those of a sum.
static void fuseSum(const LaneBuilder &lanes, llvm::Value *&sum) {
  auto *added = llvm::dyn_cast<llvm::BinaryOperator>(sum);
  if (!added)
    return;
  llvm::Value *element = added->getOperand(1);
  llvm::Value *factors[] = {element, nullptr};
  if (isExactProduct(element)) {
    const auto *product = llvm::cast<llvm::BinaryOperator>(element);
    factors[0] = product->getOperand(0);
    factors[1] = product->getOperand(1);
  } else if (lanes.multipliesToAdd && isConverted(element)) {
    factors[1] = hiddenOne(lanes, element->getType());
  } else {
    return;
  }
  sum =
      lanes.ir.CreateIntrinsic(llvm::Intrinsic::fma, {sum->getType()},
                               {factors[0], factors[1], added->getOperand(0)});
  added->eraseFromParent();
}

/// Has a sum or difference computed as a multiply-add, which gives the same
/// bits.
static void multiplyToAdd(const LaneBuilder &lanes, llvm::Value *value) {
  auto *sum = llvm::dyn_cast<llvm::BinaryOperator>(value);
  if (!sum)
    return;
  llvm::IRBuilder<> at(sum);
  llvm::Value *added = sum->getOperand(1);
  assert(sum->getOpcode() == llvm::Instruction::FAdd ||
         sum->getOpcode() == llvm::Instruction::FSub);
  if (sum->getOpcode() == llvm::Instruction::FSub)
    added = at.CreateFNeg(added);
  sum->replaceAllUsesWith(at.CreateIntrinsic(
      llvm::Intrinsic::fma, {sum->getType()},
      {sum->getOperand(0), hiddenOne(lanes, sum->getType()), added}));
  sum->eraseFromParent();
}

/// Spreads the additions of `Sum::twoSum`, as they stand there, over the units
/// that add and those that multiply.
static void spreadSum(const LaneBuilder &lanes, const llvm::Value *sumOfLost) {
  const auto operand = [](const llvm::Value *value,
                          unsigned number) -> llvm::Value * {
    const auto *sum = llvm::dyn_cast_if_present<llvm::BinaryOperator>(value);
    return sum ? sum->getOperand(number) : nullptr;
  };
  llvm::Value *lost = operand(sumOfLost, 1);
  llvm::Value *ofElement = operand(lost, 1);
  llvm::Value *ofSum = operand(operand(lost, 0), 1);
  for (llvm::Value *value : {ofElement, ofSum, lost})
    if (value)
      multiplyToAdd(lanes, value);
}

/// A number in all lanes that a reduction computes in.
template <class R, DType Form>
static LanesOf<R, Form> splat(const LaneBuilder &lanes, std::int64_t number) {
  using E = ops::ElementOf<LanesOf<R, Form>>;
  return {{&lanes, lanes.splat(static_cast<E>(number))}};
}

template <class R, DType Form>
static llvm::Value *emitIdentity(const LaneBuilder &lanes, unsigned part,
                                 std::int64_t index) {
  return R::identity(part, splat<R, Form>(lanes, index)).rep.value;
}

template <class R> static constexpr bool hasNeutralIdentity() {
  if constexpr (requires { R::hasNeutralIdentity; })
    return R::hasNeutralIdentity;
  else
    return false;
}

/// Whether a state is one of no elements, which is then left out: `emitSettled`
/// has it instead. A product is as quick with it.
template <class R, DType Form>
static bool isNone(const LaneBuilder &lanes, const StateParts &state) {
  for (unsigned part = 0; part < state.size(); ++part)
    if (!hasNeutralIdentity<R>() ||
        state[part] != emitIdentity<R, Form>(lanes, part, 0))
      return false;
  return true;
}

template <class R>
static void fuse(const LaneBuilder &lanes, StateParts &state) {
  if constexpr (std::is_base_of_v<ops::Sum, R>) {
    if (state.size() == 1)
      fuseSum(lanes, state[0]);
    else if (state.size() == 2 && lanes.multipliesToAdd)
      spreadSum(lanes, state[1]);
  }
}

template <class R, DType Form>
static void emitStep(const LaneBuilder &lanes, StateParts &state,
                     llvm::Value *elements) {
  if (isNone<R, Form>(lanes, state) && !isExactProduct(elements)) {
    state[0] = elements;
    return;
  }
  write(state, R::step(read<R, Form>(lanes, state),
                       LanesOf<R, Form>{{&lanes, elements}}));
  fuse<R>(lanes, state);
}

template <class R, DType Form>
static void emitCombine(const LaneBuilder &lanes, StateParts &state,
                        const StateParts &later) {
  if (isNone<R, Form>(lanes, later))
    return;
  if (isNone<R, Form>(lanes, state)) {
    state = later;
    return;
  }
  write(state,
        R::combine(read<R, Form>(lanes, state), read<R, Form>(lanes, later)));
  fuse<R>(lanes, state);
}

template <class R, DType Form>
static void emitSettled(const LaneBuilder &lanes, StateParts &state,
                        const llvm::Value *element) {
  if constexpr (std::is_base_of_v<ops::Sum, R>) {
    if (isNone<R, Form>(lanes, state) || isExactProduct(element))
      return;
    StateParts none;
    for (unsigned part = 0; part < state.size(); ++part)
      none.push_back(emitIdentity<R, Form>(lanes, part, 0));
    write(state, R::combine(read<R, Form>(lanes, state),
                            read<R, Form>(lanes, none)));
  }
}

template <class R, DType Form>
static llvm::Value *emitFinish(const LaneBuilder &lanes,
                               const StateParts &state, std::int64_t elements) {
  return R::finish(read<R, Form>(lanes, state), splat<R, Form>(lanes, elements))
      .rep.value;
}

template <class R> static constexpr bool chooses() {
  return requires { R::chooses; };
}

template <class R, DType Form> static constexpr StateEmitters stepEmitterOf() {
  if constexpr (ops::worksIn(R::info.types, Form)) {
    constexpr DType served = ops::servingForm<R, Form>;
    return {emitStep<R, served>,    emitCombine<R, served>,
            emitSettled<R, served>, emitIdentity<R, served>,
            emitFinish<R, served>,  chooses<R>()};
  } else {
    return {};
  }
}

template <class R, std::size_t... K>
static constexpr StepRow makeStepRow(std::index_sequence<K...>) {
  return {stepEmitterOf<R, ops::AllTypes[K]>()...};
}

template <class... R> static constexpr auto makeStepTable(ops::OpList<R...>) {
  constexpr auto types = std::make_index_sequence<std::size(ops::AllTypes)>{};
  return std::array{makeStepRow<R>(types)...};
}

static const StateEmitters &emittersOf(const semantics::Reducing &reducing) {
  static constexpr auto table = makeStepTable(ops::AllReductions{});
  return table[reducing.reduction][ops::positionOf(reducing.form)];
}

LoopStates::LoopStates(const LaneBuilder &lanes,
                       const semantics::Access &access,
                       const LoopArrays &arrays, unsigned number,
                       std::string statesName)
    : name(std::move(statesName)), access(access),
      type(lanes.elementType(access.type)) {
  llvm::IRBuilderBase &ir = lanes.ir;
  pointer = arrays.pointer(ir, number, name);
  if (access.pattern == semantics::AccessPattern::Constant)
    stride = ir.getInt64(ops::ReductionLanes * sizeOf(access.type));
  else
    stride = arrays.stride(ir, number, llvm::Twine(name) + ".stride");
}

bool LoopStates::chooses() const {
  return emittersOf(*access.reducing).chooses;
}

std::string_view LoopStates::reduction() const {
  return ops::allReductions()[access.reducing->reduction].info.name;
}

StateAddresses LoopStates::addresses(const LaneBuilder &lanes,
                                     llvm::Value *index) const {
  llvm::IRBuilderBase &ir = lanes.ir;
  if (isInLanes())
    index = ir.CreateAnd(index, ir.getInt64(ops::ReductionLanes - 1),
                         llvm::Twine(name) + ".lane");
  llvm::Value *address = ir.CreateInBoundsGEP(type, pointer, index,
                                              llvm::Twine(name) + ".address");
  StateAddresses result = {address};
  while (result.size() < access.reducing->loops().parts)
    result.push_back(address = ir.CreateGEP(ir.getInt8Ty(), address, stride,
                                            llvm::Twine(name) + ".address"));
  return result;
}

StateParts LoopStates::load(const LaneBuilder &lanes,
                            const StateAddresses &from) const {
  llvm::Type *vectorType = llvm::FixedVectorType::get(type, lanes.lanes);
  StateParts state;
  for (llvm::Value *address : from)
    state.push_back(lanes.ir.CreateAlignedLoad(vectorType, address, AnyAddress,
                                               llvm::Twine(name) + ".state"));
  return state;
}

void LoopStates::store(const LaneBuilder &lanes, const StateAddresses &to,
                       const StateParts &state) const {
  for (auto [part, address] : llvm::zip_equal(state, to))
    lanes.ir.CreateAlignedStore(part, address, AnyAddress);
}

StateParts LoopStates::step(const LaneBuilder &lanes, StateParts state,
                            llvm::Value *elements) const {
  const semantics::Reducing &reducing = *access.reducing;
  emittersOf(reducing).step(lanes, state, elements);
  return state;
}

void LoopStates::open(const LaneBuilder &lanes) {
  llvm::IRBuilderBase &ir = lanes.ir;
  const unsigned parts = access.reducing->loops().parts;
  result = pointer;
  resultStride = stride;
  llvm::BasicBlock &entry = ir.GetInsertBlock()->getParent()->getEntryBlock();
  auto *memory =
      llvm::IRBuilder<>(&entry, entry.begin())
          .CreateAlloca(llvm::ArrayType::get(type, parts * ops::ReductionLanes),
                        nullptr, llvm::Twine(name) + ".lanes");
  constexpr std::uint64_t line = 64;
  memory->setAlignment(llvm::Align(line));
  pointer = memory;
  stride = ir.getInt64(ops::ReductionLanes * sizeOf(access.type));
}

/// The state of no elements, the first of which will have that index.
static StateParts noneOf(const LaneBuilder &lanes,
                         const semantics::Reducing &reducing,
                         std::size_t first = 0) {
  StateParts state;
  for (unsigned part = 0; part < reducing.loops().parts; ++part)
    state.push_back(emittersOf(reducing).identity(
        lanes, part, static_cast<std::int64_t>(first)));
  return state;
}

StateParts LoopStates::identity(const LaneBuilder &lanes) const {
  return noneOf(lanes, *access.reducing);
}

void LoopStates::reset(const LaneBuilder &lanes) const {
  for (unsigned lane = 0; lane < ops::ReductionLanes; lane += lanes.lanes)
    store(lanes, addresses(lanes, lanes.ir.getInt64(lane)), identity(lanes));
}

static unsigned lanesIn(const llvm::Value *vector) {
  return llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
}

/// How many elements of a vector are in 16 bytes.
static unsigned inPart(const llvm::Value *vector) {
  return 128 / vector->getType()->getScalarSizeInBits();
}

/// Combines halves of each row's lanes, which are so many, and joins the rows
/// of two states, or leaves half as many lanes of one. Elements stay in their
/// 16 bytes where they can.
static StateParts foldHalves(LaneBuilder lanes,
                             const semantics::Reducing &reducing,
                             const StateParts &state, const StateParts *other,
                             unsigned perRow) {
  const unsigned size = lanesIn(state[0]), last = other ? size : 0;
  const unsigned unit = std::max(perRow, std::min(inPart(state[0]), size));
  llvm::SmallVector<int> halves[2];
  for (unsigned first = 0; first < size; first += unit)
    for (unsigned from = first; from <= first + last; from += size)
      for (unsigned k = 0; k < unit; ++k)
        halves[k % perRow / (perRow / 2)].push_back(static_cast<int>(from + k));
  StateParts folded, later;
  for (std::size_t p = 0; p < state.size(); ++p) {
    llvm::Value *second = other ? (*other)[p] : state[p];
    folded.push_back(lanes.ir.CreateShuffleVector(state[p], second, halves[0]));
    later.push_back(lanes.ir.CreateShuffleVector(state[p], second, halves[1]));
  }
  lanes.lanes = static_cast<unsigned>(halves[0].size());
  emittersOf(reducing).combine(lanes, folded, later);
  return folded;
}

/// Folds states of rows to one with a lane for each, in their order.
static StateParts foldRows(const LaneBuilder &lanes,
                           const semantics::Reducing &reducing,
                           llvm::SmallVector<StateParts> states) {
  for (unsigned perRow = lanes.lanes; perRow > 1; perRow /= 2) {
    const std::size_t pairs = states.size() / 2;
    // Of rows that come to lie in the same 16 bytes neighbors are joined.
    const bool areNeighbors = perRow <= inPart(states[0][0]);
    for (std::size_t i = 0; i < pairs; ++i) {
      const std::size_t first = areNeighbors ? 2 * i : i;
      const std::size_t second = areNeighbors ? first + 1 : i + pairs;
      states[i] =
          foldHalves(lanes, reducing, states[first], &states[second], perRow);
    }
    if (pairs == 0)
      states[0] = foldHalves(lanes, reducing, states[0], nullptr, perRow);
    states.truncate(std::max<std::size_t>(pairs, 1));
  }
  return states[0];
}

/// The state of each lane of a block's first vectors; others have no elements.
static StateParts foldVectors(const LaneBuilder &lanes,
                              const semantics::Reducing &reducing,
                              llvm::MutableArrayRef<StateParts> vectors) {
  for (std::size_t half = std::bit_ceil(vectors.size()) / 2; half > 0;
       half /= 2)
    for (std::size_t i = half; i < std::min(2 * half, vectors.size()); ++i)
      emittersOf(reducing).combine(lanes, vectors[i - half], vectors[i]);
  return vectors[0];
}

void LoopStates::close(const LaneBuilder &lanes,
                       llvm::MutableArrayRef<StateParts> vectors) const {
  llvm::IRBuilderBase &ir = lanes.ir;
  llvm::Value *to = result;
  const StateParts state = foldVectors(lanes, *access.reducing, vectors);
  for (llvm::Value *part : foldRows(lanes, *access.reducing, {state})) {
    ir.CreateAlignedStore(ir.CreateExtractElement(part, std::uint64_t{0}), to,
                          AnyAddress);
    to = ir.CreateGEP(ir.getInt8Ty(), to, resultStride);
  }
}

/// The states that every `step`-th lane folds to, from one on, of the elements
/// of a block: as a tree is walked few of its states are there.
static StateParts ofLanes(const LaneBuilder &lanes,
                          const semantics::Reducing &reducing,
                          llvm::ArrayRef<llvm::Value *> elements,
                          std::size_t first, std::size_t step) {
  assert(elements.size() <= ops::ReductionBlock);
  const StateEmitters &emitters = emittersOf(reducing);
  if (step == ops::ReductionLanes) {
    StateParts state = noneOf(lanes, reducing, first);
    for (; first < elements.size(); first += step)
      emitters.step(lanes, state, elements[first]);
    return state;
  }
  StateParts state = ofLanes(lanes, reducing, elements, first, 2 * step);
  if (first + step < elements.size())
    emitters.combine(
        lanes, state,
        ofLanes(lanes, reducing, elements, first + step, 2 * step));
  return state;
}

/// The state of elements in their order, where no order matters.
static StateParts inOrder(const LaneBuilder &lanes,
                          const semantics::Reducing &reducing,
                          llvm::ArrayRef<llvm::Value *> elements) {
  const StateEmitters &emitters = emittersOf(reducing);
  StateParts state = noneOf(lanes, reducing);
  for (std::size_t k = 0; k < elements.size(); ++k) {
    state.back() = noneOf(lanes, reducing, k).back(); // The element's index.
    emitters.step(lanes, state, elements[k]);
  }
  return state;
}

static StateParts ofRows(const LaneBuilder &lanes,
                         const semantics::Reducing &reducing,
                         llvm::ArrayRef<llvm::Value *> elements) {
  if (reducing.isIndex())
    return inOrder(lanes, reducing, elements);
  StateParts state = ofLanes(lanes, reducing, elements, 0, 1);
  emittersOf(reducing).settle(lanes, state, elements[0]);
  return state;
}

llvm::Value *codegen::emitFold(const LaneBuilder &lanes,
                               const semantics::Reducing &reducing,
                               llvm::ArrayRef<llvm::Value *> elements,
                               std::int64_t count) {
  return emittersOf(reducing).finish(lanes, ofRows(lanes, reducing, elements),
                                     count);
}

StateParts codegen::emitIdentity(const LaneBuilder &lanes,
                                 const semantics::Reducing &reducing) {
  return noneOf(lanes, reducing);
}

void codegen::emitStep(const LaneBuilder &lanes,
                       const semantics::Reducing &reducing, StateParts &state,
                       llvm::Value *elements) {
  emittersOf(reducing).step(lanes, state, elements);
}

StateParts codegen::emitFoldVectors(const LaneBuilder &lanes,
                                    const semantics::Reducing &reducing,
                                    llvm::ArrayRef<StateParts> states) {
  assert(!reducing.isIndex()); // Lanes have the same identity.
  llvm::SmallVector<StateParts> folded(states);
  return foldVectors(lanes, reducing, folded);
}

StateParts codegen::emitFoldLanes(const LaneBuilder &lanes,
                                  const semantics::Reducing &reducing,
                                  const StateParts &state) {
  return foldRows(lanes, reducing, {state});
}

StateParts codegen::emitTree(const LaneBuilder &lanes,
                             const semantics::Reducing &reducing,
                             llvm::ArrayRef<StateParts> blocks) {
  if (blocks.size() == 1)
    return blocks[0];
  const std::size_t half = std::bit_ceil(blocks.size()) / 2;
  StateParts state = emitTree(lanes, reducing, blocks.take_front(half));
  emittersOf(reducing).combine(
      lanes, state, emitTree(lanes, reducing, blocks.drop_front(half)));
  return state;
}

llvm::Value *codegen::emitFinish(const LaneBuilder &lanes,
                                 const semantics::Reducing &reducing,
                                 const StateParts &state, std::int64_t count) {
  return emittersOf(reducing).finish(lanes, state, count);
}

llvm::Value *codegen::lanesBelow(const LaneBuilder &lanes, unsigned number) {
  llvm::SmallVector<llvm::Constant *> exist;
  for (unsigned lane = 0; lane < lanes.lanes; ++lane)
    exist.push_back(lanes.ir.getInt1(lane < number));
  return llvm::ConstantVector::get(exist);
}

/// The state of each lane of a row's vectors, of which `left` are in the last.
static StateParts alongRow(const LaneBuilder &lanes,
                           const semantics::Reducing &reducing,
                           llvm::ArrayRef<llvm::Value *> elements,
                           unsigned left) {
  const std::size_t most = ops::ReductionLanes / lanes.lanes;
  llvm::SmallVector<StateParts> vectors(std::min(elements.size(), most),
                                        noneOf(lanes, reducing));
  for (std::size_t k = 0; k < elements.size(); ++k) {
    StateParts &state = vectors[k % most];
    const StateParts old = state;
    emittersOf(reducing).step(lanes, state, elements[k]);
    if (k + 1 == elements.size() && left < lanes.lanes)
      for (std::size_t p = 0; p < state.size(); ++p)
        state[p] =
            lanes.ir.CreateSelect(lanesBelow(lanes, left), state[p], old[p]);
  }
  return foldVectors(lanes, reducing, vectors);
}

llvm::Value *codegen::emitFoldAlong(LaneBuilder &lanes,
                                    const semantics::Reducing &reducing,
                                    llvm::ArrayRef<llvm::Value *> elements,
                                    unsigned rows, unsigned left,
                                    std::int64_t count) {
  assert(!reducing.isIndex()); // Lanes have the same identity.
  const StateEmitters &emitters = emittersOf(reducing);
  const std::size_t vectors = elements.size() / rows;
  llvm::SmallVector<StateParts> states;
  for (unsigned r = 0; r < rows; ++r)
    states.push_back(
        alongRow(lanes, reducing, elements.slice(r * vectors, vectors), left));
  StateParts state = foldRows(lanes, reducing, std::move(states));
  const unsigned before = std::exchange(lanes.lanes, rows);
  emitters.settle(lanes, state, elements[0]);
  llvm::Value *result = emitters.finish(lanes, state, count);
  lanes.lanes = before;
  return result;
}

void LoopStates::take(const LaneBuilder &lanes, const Position &at,
                      llvm::ArrayRef<llvm::Value *> elements) const {
  const StateAddresses where = addresses(lanes, at.index);
  if (access.reducing->takesRows) {
    store(lanes, where, ofRows(lanes, *access.reducing, elements));
    return;
  }
  const StateParts old = load(lanes, where);
  StateParts state = old;
  for (llvm::Value *row : elements)
    state = step(lanes, state, row);
  if (at.mask)
    for (std::size_t p = 0; p < state.size(); ++p)
      state[p] = lanes.ir.CreateSelect(at.mask, state[p], old[p]);
  store(lanes, where, state);
}
