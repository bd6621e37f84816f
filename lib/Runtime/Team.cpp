//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Team.h"

#include "Support/DefaultFloats.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::runtime;

void runtime::relax(unsigned spins) {
  constexpr unsigned many = 1 << 12;
  if (spins >= many)
    return std::this_thread::yield();
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb");
#endif
}

Ranges::Ranges(Team &team, unsigned share)
    : team(&team), interrupt(team.interrupt), share(share),
      byCaller(std::this_thread::get_id() == team.caller) {}

bool Ranges::next(std::int64_t &begin, std::int64_t &end) {
  if (team)
    return nextOfTeam(begin, end);
  begin = sum;
  ended = ended || (begin < count && endsHere());
  end = sum = ended ? sum : std::min(count, sum + chunk);
  return begin < end;
}

bool Ranges::nextOfTeam(std::int64_t &begin, std::int64_t &end) {
  if (endsHere())
    team->ended.store(true, std::memory_order_relaxed);
  if (team->isEnded())
    return false;
  for (; tried < team->shareCount; ++tried) {
    auto &own = team->shares[(share + tried) % team->shareCount];
    if (own.next.load(std::memory_order_relaxed) >= own.end)
      continue;
    begin = own.next.fetch_add(team->chunk);
    if (begin >= own.end)
      continue;
    end = std::min(begin + team->chunk, own.end);
    sum += end - begin;
    return true;
  }
  return false;
}

void Team::open(std::int64_t all, std::int64_t most, unsigned threads,
                PartFn work, const Interrupt &host) {
  count = all;
  chunk = most;
  shareCount = std::clamp(threads, 1u, MostShares);
  caller = std::this_thread::get_id();
  part = work;
  interrupt = host;
  done = 0;
  joined = 0;
  lacks = ended = false;
  const std::int64_t each = all / shareCount;
  for (unsigned i = 0; i < shareCount; ++i) {
    shares[i].next.store(i * each, std::memory_order_relaxed);
    shares[i].end = i + 1 < shareCount ? (i + 1) * each : all;
  }
  isOpen = true;
}

bool Team::takePart(std::uint64_t share) noexcept {
  Ranges ranges(*this, static_cast<unsigned>(share % shareCount));
  try {
    const DefaultFloats floats;
    part(ranges);
  } catch (...) {
    // The caller, whose memory is there, does this thread's part.
    lacks = true;
  }
  done.fetch_add(ranges.taken());
  return ranges.taken() > 0;
}

bool Team::enter() noexcept {
  active.fetch_add(1);
  if (isOpen.load())
    return true;
  active.fetch_sub(1);
  return false;
}

void Team::close() noexcept {
  isOpen.store(false);
  for (unsigned spins = 0; active.load() != 0; ++spins)
    relax(spins);
}
