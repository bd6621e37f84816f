//===- Runtime/AppendList.h - A list that is read without a lock ----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_APPENDLIST_H
#define KEXPR_RUNTIME_APPENDLIST_H

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

namespace kexpr::runtime {

/// A list that only grows, the newest first. Its elements stay where they are
/// until it is destroyed. To read it takes no lock, nor does a fork wait for
/// one. All members may be called from any thread.
template <class T> class AppendList {
  struct Node {
    T value;
    Node *next = nullptr;
  };

public:
  class Iterator {
  public:
    explicit Iterator(const Node *node) : node(node) {}
    const T &operator*() const { return node->value; }
    Iterator &operator++() {
      node = node->next;
      return *this;
    }
    bool operator==(const Iterator &) const = default;

  private:
    const Node *node;
  };

  AppendList() = default;
  AppendList(const AppendList &) = delete;
  AppendList &operator=(const AppendList &) = delete;
  ~AppendList() {
    for (Node *node = first; node;)
      delete std::exchange(node, node->next);
  }

  Iterator begin() const { return Iterator(first.load()); }
  Iterator end() const { return Iterator(nullptr); }
  /// Takes a step for each element.
  std::size_t size() const {
    std::size_t count = 0;
    for (Iterator at = begin(); at != end(); ++at)
      ++count;
    return count;
  }

  /// Adds `T{arguments...}`.
  template <class... A> const T &push(A &&...arguments) {
    return pushUnless([](const T &) { return false; },
                      std::forward<A>(arguments)...);
  }
  /// The element that `isSame` is true of, or if there is none a new one.
  template <class F, class... A>
  const T &pushUnless(F isSame, A &&...arguments) {
    std::unique_ptr<Node> node(
        new Node{T{std::forward<A>(arguments)...}, first.load()});
    do {
      for (Iterator at(node->next); at != end(); ++at)
        if (isSame(*at))
          return *at;
    } while (!first.compare_exchange_weak(node->next, node.get()));
    return node.release()->value;
  }

private:
  std::atomic<Node *> first = nullptr;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_APPENDLIST_H
