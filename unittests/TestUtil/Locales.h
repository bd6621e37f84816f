//===- TestUtil/Locales.h - Hosts that write numbers their own way --------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TESTUTIL_LOCALES_H
#define KEXPR_TESTUTIL_LOCALES_H

#include <clocale>
#include <locale>
#include <string>

namespace kexpr::test {

/// While one exists, C++'s global locale writes 12345.5 as 1.23.45,5, and C's
/// has a comma before fractions too, where the system has such a locale.
class GroupingLocale {
public:
  GroupingLocale()
      : before(std::locale::global(std::locale(std::locale(), new Groups))) {
    for (const char *name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"})
      if (std::setlocale(LC_ALL, name))
        break;
  }
  ~GroupingLocale() {
    std::locale::global(before);
    std::setlocale(LC_ALL, "C");
  }
  GroupingLocale(const GroupingLocale &) = delete;
  GroupingLocale &operator=(const GroupingLocale &) = delete;

private:
  struct Groups final : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\2\2\1"; }
  };
  const std::locale before;
};

} // namespace kexpr::test

#endif // KEXPR_TESTUTIL_LOCALES_H
