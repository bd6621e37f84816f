//===- Ops/Trigonometry.h - sin, cos, tan and their inverses --------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// All in double lanes: single precision would need every step twice, once for
/// what it loses, and be no quicker. Polynomials are in utils/minimax.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_TRIGONOMETRY_H
#define KEXPR_OPS_TRIGONOMETRY_H

#include "Ops/Double/InverseTrigonometry.h"
#include "Ops/Double/Trigonometry.h"
#include "Ops/Fast.h"
#include "Ops/HalfTurns.h"
#include "Ops/HugeTurns.h"
#include "Ops/Operator.h"
#include "Ops/Polynomial.h"

#include <math.h>

namespace kexpr::ops {

/// sin(x), or cos(x) if Quarter, in double lanes. Infinities give NaN by
/// themselves.
template <bool Quarter, class V> V wideSine(V x) {
  auto wide = x.template to<double>();
  auto rest = turns::alternate(
      rarely(isBeyond(x, turns::ReduceLimit), turns::reduce<Quarter>(wide),
             [wide] { return turns::reduceHuge<Quarter>(wide); }));
  auto ratio = horner(rest * rest, 0x1.ffffffffd15fdp-1, -0x1.555555416b4abp-3,
                      0x1.11110b725c011p-7, -0x1.a017a844f90a7p-13,
                      0x1.716b8d9b2e89bp-19, -0x1.9a0c0b12760ap-26);
  return (rest * ratio).template to<float>();
}

/// x = n pi / 2 + r - low, |r| <= pi / 4 but for rounding, with n in the low
/// bits of the third; if Quarter, that is one more, which makes a cosine of a
/// sine.
template <class V> using QuarterTurns = Several<V, 3>;

/// pi / 2 in three parts, of which the products of the first two are exact, and
/// so is the first difference; needs |x| <= 800, or an infinity, which gives
/// NaN. Signs are such that -0 stays.
template <bool Quarter, class V> QuarterTurns<V> reduceNear(V x) {
  constexpr float rounder = 0x1.8p23f + (Quarter ? 1 : 0);
  V shifted = fma(x, 0x1.45f306p-1f, rounder);
  V n = shifted - rounder;
  V first = fma(n, -0x1.921fb4p0f, x);
  V r = fma(n, -0x1.444p-24f, first);
  V low = fma(n, 0x1.68c234p-39f, fma(n, 0x1.444p-24f, r - first));
  return {{r, low, shifted}};
}

/// The same for 2 <= |x| < infinity. Next to a multiple of pi / 2 the rest
/// takes longer; of random numbers that is one in 4,000.
template <bool Quarter, class V>
QuarterTurns<V> reduceFar(V x, typename V::Mask isFar) {
  auto turns = turns::hugeTurns<2, Quarter>(x);
  auto rest = turns::narrowRest(turns);
  auto isSmall = abs(rest.high) < 0x1p19f;
  auto [high, tail] =
      rarely(isSmall & isFar, Several<V, 2>{{rest.high, rest.low}}, [turns] {
        auto [high, low] = turns::smallRest(turns);
        return Several<V, 2>{{high, low}};
      }).each;
  auto [r, low] = turns::angleOf(turns::TwoParts<V>{high, tail});
  return {{r, low, (turns.top >> 30).template bits<float>()}};
}

/// sin(x), or cos(x) if Quarter, in single precision.
template <bool Quarter, class V> V sineOf(V argument) {
  // Where the sum differs from its first term a cosine is 1, and a sine nearly
  // its argument.
  auto isLinear = abs(argument) < single::Linear;
  V x = Quarter ? argument + single::Linear : select(isLinear, 0.0f, argument);
  auto isFar = isBeyond(x, 800);
  auto [r, low, turns] = rarely(isFar, reduceNear<Quarter>(x), [=] {
                           return reduceFar<Quarter>(x, isFar);
                         }).each;
  V z = fma(r, r, 0x1p-100f); // which shows nowhere, and is never subnormal
  V sine =
      r -
      fma(r * z, horner(z, 0x1.555552p-3, -0x1.110be4p-7, 0x1.9ab2b6p-13), low);
  // Here the square of r - low is needed, and late enough to wait for it.
  V square = fma(r, r, (r + r) * -low);
  V cosine = fma(
      square,
      horner(z, -0x1p-1, 0x1.555554p-5, -0x1.6c129cp-10, 0x1.9bc62cp-16), 1.0f);
  auto count = turns.template bits<std::int32_t>();
  V result = select((count << 31) < 0, cosine, sine);
  auto sign = (count << 30) & static_cast<std::int32_t>(0x80000000);
  result = (result.template bits<std::int32_t>() ^ sign).template bits<float>();
  return Quarter ? result : select(isLinear, argument, result);
}

/// The rest in two parts, whose error a sine bears, and a tangent, which rounds
/// more often, does not.
template <int Parts, class V>
turns::TwoParts<V> restOf(const turns::HugeTurns<Parts, V> &turns) {
  if constexpr (Parts == 1)
    return turns::shortRest(turns);
  else
    return turns::narrowRest(turns);
}

/// fast::turn for any finite x. Next to a multiple of pi / Parts what is left
/// takes longer; it is the same in halves and quarters of a turn.
template <int Parts, bool Quarter, class V> fast::Turned<V> turnAny(V x) {
  auto near = fast::turn<Parts, Quarter>(x);
  auto isFar = isBeyond(x, fast::TurnsLimit);
  auto far = [=] {
    auto turns = turns::hugeTurns<Parts, Quarter>(x);
    auto [high, low] = restOf(turns);
    V angle = fma(high, -0x1.777a5cp-57f * turns.Unit, low * 0x1.921fb6p-32f);
    angle = fma(high, 0x1.921fb6p-32f * turns.Unit, angle);
    auto isSmall = abs(angle) < 0x1p-15f;
    angle = rarely(isSmall & isFar, angle, [x] {
      auto rest = turns::smallRest(turns::hugeTurns<2, Quarter>(x));
      return turns::angleOf(rest).high;
    });
    auto odd = turns.top << (Parts - 1);
    return Several<V, 2>{{angle, odd.template bits<float>()}};
  };
  auto [rest, odd] =
      rarely(isFar, Several<V, 2>{{near.rest, near.odd.template bits<float>()}},
             far)
          .each;
  return {rest, odd.template bits<std::int32_t>()};
}

struct Sin {
  static constexpr OpInfo info{
      .name = "sin", .doc = "sin(x)", .ulp = {0.99, 0.51, 0.92, 3}};

  template <class R> static R reference(R x) { return sin(x); }

  template <class V> static V formula(V x) { return sineOf<false>(x); }
  template <class V> static V accurate(V x) { return wideSine<false>(x); }
  template <class V> static V fast(V x) {
    return fast::sine(turnAny<1, false>(x));
  }

  template <IsDouble V> static V formula(V x) { return f64::sin(x); }
};

struct Cos {
  static constexpr OpInfo info{
      .name = "cos", .doc = "cos(x)", .ulp = {0.98, 0.51, 0.92, 3}};

  template <class R> static R reference(R x) { return cos(x); }

  template <class V> static V formula(V x) { return sineOf<true>(x); }
  template <class V> static V accurate(V x) { return wideSine<true>(x); }
  template <class V> static V fast(V x) {
    return fast::sine(turnAny<1, true>(x + single::Tiny));
  }

  template <IsDouble V> static V formula(V x) { return f64::cos(x); }
};

struct Tan {
  static constexpr OpInfo info{
      .name = "tan", .doc = "tan(x)", .ulp = {0.51, 0.51, 0.85, 4}};

  template <class R> static R reference(R x) { return tan(x); }

  template <class V> static V formula(V x) {
    // A quarter turn is half a turn of twice the angle.
    auto wide = x.template to<double>();
    auto tangent = ratio(rarely(isBeyond(x, turns::ReduceLimit / 2),
                                turns::reduce<false>(wide * 2.0), [wide] {
                                  auto far = turns::reduceHuge<false, 2>(wide);
                                  far.each[0] = far.each[0] * 2.0;
                                  return far;
                                }));
    return tangent.template to<float>();
  }

  template <class V> static V fast(V x) {
    return fast::tan(turnAny<2, false>(x));
  }

  template <IsDouble V> static V formula(V x) { return f64::tan(x); }

private:
  /// tan(r) = sin(r) / cos(r), and tan(r + pi / 2) = -cos(r) / sin(r).
  template <class D> static D ratio(turns::Reduced<D> reduced) {
    D r = reduced.each[0] * 0.5;
    D z = r * r;
    D sine = r * horner(z, 0x1.fffffffff5ea4p-1, -0x1.55555548cefffp-3,
                        0x1.1111070c42d35p-7, -0x1.a00ebdfc383cfp-13,
                        0x1.6cae904db95e3p-19);
    D cosine = horner(z, 0x1.ffffffff83b46p-1, -0x1.ffffffb5ea15dp-2,
                      0x1.55553881dc3e5p-5, -0x1.6c06de5c28389p-10,
                      0x1.98e4e936f558dp-16);
    // By way of a sign: GCC finds no vector form of a test of one bit.
    auto odd = turns::alternate<D>({{r.like(1.0), reduced.each[1]}}) < 0.0;
    return select(odd, -cosine, sine) / select(odd, sine, cosine);
  }
};

/// asin(x) in double; above 1/2 by way of
/// asin(a) = pi / 2 - 2 * asin(sqrt((1 - a) / 2)).
template <class D> D wideAsin(D x) {
  D a = abs(x);
  auto steep = a > 0.5;
  D half = (1.0 - a) * 0.5;
  D z = select(steep, half, a * a);
  D s = select(steep, sqrt(half), a);
  D angle = s * horner(z, 0x1.ffffffffdecd3p-1, 0x1.55555658c08b5p-3,
                       0x1.33328d4d92658p-4, 0x1.6ddf13d1dc269p-5,
                       0x1.ed07de22f1508p-6, 0x1.94dfc22401e03p-6,
                       0x1.d96b4d9b49d67p-8, 0x1.1e52c8905b389p-5);
  return copySign(select(steep, fma(angle, -2.0, turns::Pi / 2), angle), x);
}

namespace single {
/// base + t + tail rounded once, nearly: base is a multiple of pi / 4 in f32,
/// and 0 or the larger.
template <class V> V angleFrom(V base, V t, V tail) {
  V high = base + t;
  V low = fma(base, -0x1.de12cap-26f, (base - high) + t);
  return high + (low + tail);
}

/// asin(a), or (pi / 2 - asin(a)) / 2 where a is above 1/2, as t + tail.
template <class V> struct Arcsine {
  V t, tail;
  typename V::Mask isSteep;
};

template <class V> Arcsine<V> arcsine(V a) {
  auto isSteep = a > 0.5f;
  V half = fma(a, -0.5f, 0.5f), root = sqrt(half);
  // What the root has lost, over twice the root: that by its bits, within an
  // eighth.
  auto bits = root.template bits<std::int32_t>();
  V inverse = (bits.like(0x7e7311c3) - bits).template bits<float>();
  V lost = fma(-root, root, half) * inverse;
  V z = select(isSteep, half, a * a), t = select(isSteep, root, a);
  V tail = fma(t * z, arcsineTail(z), select(isSteep, lost, 0));
  return {t, tail, isSteep};
}
} // namespace single

struct Asin {
  static constexpr OpInfo info{.name = "asin",
                               .doc = "arc sine of x",
                               .ulp = {0.75, 0.51, 0.8, 4},
                               .domain = {-1, 1}};

  template <class R> static R reference(R x) { return asin(x); }

  template <class V> static V formula(V x) {
    V a = abs(x);
    auto [t, tail, isSteep] = single::arcsine(atLeast(a, single::Linear));
    V factor = select(isSteep, -2, a.like(1));
    V base = select(isSteep, fast::HalfPi, a.like(0));
    V angle = single::angleFrom(base, t * factor, tail * factor);
    return copySign(select(a < single::Linear, a, angle), x);
  }

  template <class V> static V accurate(V x) {
    return wideAsin(x.template to<double>()).template to<float>();
  }

  template <class V> static V fast(V x) { return fast::asin(x); }

  template <IsDouble V> static V formula(V x) { return f64::asin(x); }
};

struct Acos {
  static constexpr OpInfo info{.name = "acos",
                               .doc = "arc cosine of x",
                               .ulp = {0.75, 0.51, 0.75, 3},
                               .domain = {-1, 1}};

  template <class R> static R reference(R x) { return acos(x); }

  template <class V> static V formula(V x) {
    auto [t, tail, isSteep] = single::arcsine(atLeast(abs(x), single::Linear));
    V factor = copySign(x.like(1), x) * select(isSteep, 2, x.like(-1));
    V steep = select(x < 0, fast::Pi, x.like(0));
    V base = select(isSteep, steep, fast::HalfPi);
    return single::angleFrom(base, t * factor, tail * factor);
  }

  template <class V> static V accurate(V x) {
    // Near 1 what cancels is the same constant; some 40 bits are left.
    auto wide = turns::Pi / 2 - wideAsin(x.template to<double>());
    return wide.template to<float>();
  }

  template <class V> static V fast(V x) { return fast::acos(x); }

  template <IsDouble V> static V formula(V x) { return f64::acos(x); }
};

/// atan(t) for 0 <= t <= 1.
template <class D> D atanToOne(D t) {
  return t * horner(t * t, 0x1.fffffffcce78bp-1, -0x1.55554f06c171dp-2,
                    0x1.999786f3a24f1p-3, -0x1.246feba3aaa6fp-3,
                    0x1.c4cad8f1c7b71p-4, -0x1.6865d180727aep-4,
                    0x1.131783ab59775p-4, -0x1.6b607e872276bp-5,
                    0x1.6cf19656e60f4p-6, -0x1.d7d1fbcdd7875p-8,
                    0x1.1e0786341a49p-10);
}

struct Atan {
  static constexpr OpInfo info{
      .name = "atan", .doc = "arc tangent of x", .ulp = {0.75, 0.51, 0.75, 4}};

  template <class R> static R reference(R x) { return atan(x); }

  /// The angle of the point (1, a), a = |x|, is 0, an eighth or a quarter of a
  /// turn and a rest of at most pi / 8, for which the point is turned back.
  /// What the divisor and the quotient lose goes into the rest.
  template <class V> static V formula(V x) {
    V a = abs(x), normal = atMost(atLeast(a, single::Linear), 0x1p40f);
    auto isTurned = a > 0.5f, isSteep = a > 0x1.3504f4p1f;
    V across = select(isSteep, 0, a.like(1));
    V up = select(isTurned, 1, a.like(0));
    V dividend = fma(normal, across, -up), divisor = fma(normal, up, across);
    V lost = fma(normal, up, across - divisor);
    V t = dividend / divisor;
    // Where nothing is turned nothing is lost.
    V inverse = select(isSteep, -t, fma(t, -0.5f, 0.5f));
    V rest = fma(-t, lost, fma(-t, divisor, dividend)) * inverse;
    V z = t * t;
    V p = horner(z, -0x1.555512p-2, 0x1.997b14p-3, -0x1.224af2p-3,
                 0x1.a00c5cp-4, -0x1.a41f44p-5);
    V tail = fma(t * z, p, rest);
    V back = select(isSteep, fast::HalfPi, up * (fast::HalfPi / 2));
    V angle = single::angleFrom(back, t, tail);
    return copySign(select(angle < a, angle, a), x);
  }

  template <class V> static V accurate(V x) {
    auto wide = x.template to<double>();
    auto a = abs(wide);
    auto steep = a > 1.0;
    auto angle = atanToOne(select(steep, 1.0 / a, a));
    angle = select(steep, turns::Pi / 2 - angle, angle);
    return copySign(angle, wide).template to<float>();
  }

  template <class V> static V fast(V x) { return fast::atan(x); }

  template <IsDouble V> static V formula(V x) { return f64::atan(x); }
};

struct Atan2 {
  static constexpr OpInfo info{.name = "atan2",
                               .doc = "angle of the point with ordinate x and "
                                      "abscissa y",
                               .ulp = {0.51, 0.51, 0.75, 4}};

  template <class R> static R reference(R x, R y) { return atan2(x, y); }

  template <class V> static V formula(V ordinate, V abscissa) {
    auto y = ordinate.template to<double>();
    auto x = abscissa.template to<double>();
    // Infinity over infinity is to be 1: a number that dwarfs every f32 does.
    auto up = atMost(abs(y), 0x1p300), across = atMost(abs(x), 0x1p300);
    auto steep = up > across;
    auto low = select(steep, across, up), high = select(steep, up, across);
    // And 0 over 0 is to be 0: so does one that every f32 dwarfs.
    auto angle = atanToOne(low / atLeast(high, 0x1p-300));
    angle = select(steep, turns::Pi / 2 - angle, angle);
    // By its sign bit: (0, -0) is half a turn.
    auto behind = copySign(1.0, x) < 0.0;
    angle = select(behind, turns::Pi - angle, angle);
    return copySign(angle, y).template to<float>();
  }

  template <class V> static V fast(V ordinate, V abscissa) {
    return fast::atan2(ordinate, abscissa);
  }

  template <IsDouble V> static V formula(V ordinate, V abscissa) {
    return f64::atan2(ordinate, abscissa);
  }
};

struct Deg2rad {
  static constexpr OpInfo info{.name = "deg2rad",
                               .doc = "x * pi / 180",
                               .ulp = {0.64, 0.51, 0.66},
                               .domain = {-360, 360},
                               .pnnx = false};

  template <class R> static R reference(R x) {
    return x * R(acos(R(-1))) / 180;
  }

  template <class V> static V formula(V x) {
    return x * static_cast<ElementOf<V>>(0x1.1df46a2529d39p-6);
  }

  template <class V> static V accurate(V x) {
    return formula(x.template to<double>()).template to<float>();
  }
};

struct Rad2deg {
  static constexpr OpInfo info{.name = "rad2deg",
                               .doc = "x * 180 / pi",
                               .ulp = {0.7, 0.51, 0.82},
                               .pnnx = false};

  template <class R> static R reference(R x) {
    return x / R(acos(R(-1))) * 180;
  }

  template <class V> static V formula(V x) {
    return x * static_cast<ElementOf<V>>(0x1.ca5dc1a63c1f8p+5);
  }

  template <class V> static V accurate(V x) {
    return formula(x.template to<double>()).template to<float>();
  }
};

} // namespace kexpr::ops

#endif // KEXPR_OPS_TRIGONOMETRY_H
