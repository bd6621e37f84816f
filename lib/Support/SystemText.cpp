//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Support/SystemText.h"

#include "Support/Uncancelled.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

using namespace kexpr;

std::string_view kexpr::errorText(int number) {
#if defined(__GLIBC__)
  const char *text = strerrordesc_np(number);
#else
  const char *text = std::strerror(number);
#endif
  return text ? text : "unknown error";
}

std::string kexpr::systemText(const std::string &path) {
  const Uncancelled whole;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return {};
  std::string text(4096, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t count = read(file, text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      break;
    size += static_cast<std::size_t>(count);
  }
  close(file);
  text.resize(size);
  return text;
}
