//===- Pnnx/Order.h - Producers before consumers --------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PNNX_ORDER_H
#define KEXPR_PNNX_ORDER_H

#include "Pnnx/Network.h"

namespace kexpr::pnnx {

/// All operators, producers before consumers, else by position. Those on a
/// cycle, and what depends on them, are left out.
std::vector<std::uint32_t> orderOf(const Network &network);

/// Operators of which each consumes what the one before it makes, the first
/// what the last makes. `network.order` leaves some operator out.
std::vector<std::uint32_t> cycleOf(const Network &network);

} // namespace kexpr::pnnx

#endif // KEXPR_PNNX_ORDER_H
