//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/Debugger.h"

#include "Support/Fork.h"

#include <cstring>

#include <elf.h>

using namespace kexpr;
using namespace kexpr::code;

// Not nameless: variables of nameless types have no names for others.
namespace kexpr::code::debugger {
enum class Action : std::uint32_t { None, Register, Unregister };

/// An object file of the list, as debuggers read it.
struct Entry {
  Entry *next = nullptr, *previous = nullptr;
  const char *file = nullptr;
  std::uint64_t size = 0;
};

struct List {
  std::uint32_t version = 1;
  Action action = Action::None;
  Entry *relevant = nullptr;
  Entry *first = nullptr;
};
} // namespace kexpr::code::debugger

using namespace kexpr::code::debugger;

// Debuggers look for these names in every library and program. They leave the
// shared library, since a stripped one has no others. `protected` keeps this
// code with its own list where another library of the process has one, which it
// changes under a lock of its own; `weak` lets a program link a library that
// defines the same, such as LLVM, beside the static kexpr.
#define KEXPR_DEBUGGER_SYMBOL(name)                                            \
  __asm__(name) __attribute__((weak, visibility("protected")))

extern List debuggerList KEXPR_DEBUGGER_SYMBOL("__jit_debug_descriptor");
List debuggerList;

extern "C" void kexprTellDebugger()
    KEXPR_DEBUGGER_SYMBOL("__jit_debug_register_code");
extern "C" __attribute__((noinline)) void kexprTellDebugger() {
  // Not to be left out, nor moved before the list is changed.
  __asm__ volatile("" ::: "memory");
}

/// Of the list. Never destroyed: code may go after statics are gone.
static constinit Mutex listMutex;

static void tell(Action action, Entry &entry) {
  debuggerList.relevant = &entry;
  debuggerList.action = action;
  kexprTellDebugger();
  debuggerList.action = Action::None;
  debuggerList.relevant = nullptr;
}

namespace {
class Registration final : public Announcement {
public:
  explicit Registration(std::vector<char> file) : object(std::move(file)) {
    entry.file = object.data();
    entry.size = object.size();
    std::lock_guard lock(listMutex);
    entry.next = debuggerList.first;
    if (entry.next)
      entry.next->previous = &entry;
    debuggerList.first = &entry;
    tell(Action::Register, entry);
  }
  ~Registration() override {
    std::lock_guard lock(listMutex);
    (entry.previous ? entry.previous->next : debuggerList.first) = entry.next;
    if (entry.next)
      entry.next->previous = entry.previous;
    tell(Action::Unregister, entry);
  }

private:
  std::vector<char> object;
  Entry entry;
};
} // namespace

// Code may come, and go, after statics are gone.
static constinit Once<const std::shared_ptr<Debugger>> theDebugger;

const std::shared_ptr<Debugger> &Debugger::ofProcess() {
  return theDebugger.get([] { return std::make_shared<Debugger>(); });
}

/// The object file with `address` for that of its code. Its data is marked as
/// not loaded: it lies elsewhere in the image. Empty for anything but an ELF
/// file.
static std::vector<char> placed(std::vector<char> object,
                                std::uint64_t address) {
  Elf64_Ehdr header;
  Elf64_Shdr section;
  if (object.size() < sizeof header)
    return {};
  std::memcpy(&header, object.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_shoff > object.size() ||
      object.size() - header.e_shoff < header.e_shnum * sizeof section)
    return {};
  char *at = object.data() + header.e_shoff;
  for (unsigned i = 0; i < header.e_shnum; ++i, at += sizeof section) {
    std::memcpy(&section, at, sizeof section);
    if (section.sh_flags & SHF_EXECINSTR)
      section.sh_addr = address;
    else
      section.sh_flags &= ~std::uint64_t{SHF_ALLOC};
    std::memcpy(at, &section, sizeof section);
  }
  return object;
}

std::unique_ptr<Announcement> Debugger::announce(const NamedCode &code) {
  auto object = placed(code.symbols.object,
                       reinterpret_cast<std::uint64_t>(code.bytes.data()));
  if (object.empty())
    return nullptr;
  return std::make_unique<Registration>(std::move(object));
}
