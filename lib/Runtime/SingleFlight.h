//===- Runtime/SingleFlight.h - Values made by one thread for all ---------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_SINGLEFLIGHT_H
#define KEXPR_RUNTIME_SINGLEFLIGHT_H

#include "Support/Fork.h"
#include "Support/Hash.h"
#include "kexpr/Error.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>

namespace kexpr::runtime {

/// A map from texts that is searched without making a string.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return hashOf(text); }
};
template <class T>
using TextMap = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;

/// The making of a value by one thread, which others may wait for.
class Flight {
public:
  /// The calling thread is the maker.
  Flight() : maker(std::this_thread::get_id()), forks(forkCount()) {}

  /// Whether it has landed, or will while the caller waits: the maker is
  /// another thread, and was not left behind by a fork.
  bool isAwaitable() const {
    return hasLanded() ||
           (maker != std::this_thread::get_id() && forks == forkCount());
  }
  bool hasLanded() const { return landed.load() != 0; }
  void wait() const { landed.wait(0); }
  void land() {
    landed = 1;
    landed.notify_all();
  }

private:
  const std::thread::id maker;
  const std::uint32_t forks;
  std::atomic<std::uint32_t> landed = 0;
};

/// Keys whose values are being made. Of threads that ask for one key at once,
/// one makes its value and the others get it; if it fails, the next one tries.
/// A thread that asks for what it is making itself makes it once more, as does
/// a child of fork for what another thread of its parent was making. All
/// members may be called from any thread.
template <class Value> class SingleFlight {
public:
  /// What `find()` finds, a value or null, or else what `make()` gives, an
  /// Expected, which has put it where `find` finds it. `find` is called with a
  /// mutex held; neither may ask for a key of it there.
  template <class Find, class Make>
  Expected<Value> findOrMake(std::string_view key, Find find, Make make) {
    const auto own = std::make_shared<Making>();
    if (Value found = findOrClaim(key, own, find))
      return found;
    const Landing landing{*this, key, *own};
    Expected<Value> made = make();
    if (made)
      own->value = *made;
    return made;
  }

private:
  struct Making : Flight {
    Value value = nullptr; ///< Set before it lands; null after a failure.
  };

  /// Wakes the threads that wait, whatever was returned or thrown.
  struct Landing {
    SingleFlight &flights;
    std::string_view key;
    Making &own;
    ~Landing() {
      {
        std::lock_guard lock(flights.mutex);
        const auto found = flights.byKey.find(key);
        if (found != flights.byKey.end() && found->second.get() == &own)
          flights.byKey.erase(found);
      }
      own.land();
    }
  };

  /// Null if the value is for the caller to make.
  template <class Find>
  Value findOrClaim(std::string_view key, const std::shared_ptr<Making> &own,
                    Find find) {
    for (std::shared_ptr<Making> other;;) {
      {
        std::lock_guard lock(mutex);
        if (Value found = find())
          return found;
        // It may have been made and evicted already.
        if (other && other->value)
          return other->value;
        auto &current = byKey.try_emplace(std::string(key)).first->second;
        if (!current || !current->isAwaitable()) {
          current = own;
          return nullptr;
        }
        other = current;
      }
      other->wait();
    }
  }

  Mutex mutex;
  TextMap<std::shared_ptr<Making>> byKey;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_SINGLEFLIGHT_H
