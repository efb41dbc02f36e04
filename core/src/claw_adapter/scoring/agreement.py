"""Agreement of counts and samples with what was expected: G-test, Kolmogorov-Smirnov, binomial test, correlation."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from claw_adapter.scoring.rounds import ScoringError
from claw_adapter.scoring.stats import student_cdf

__all__ = ["Correlation", "Fit", "binomial_test", "chi_square_sf", "correlation", "g_test", "kolmogorov_test", "pool"]

ROUNDS = 500
"""Terms of a series, or steps of a continued fraction, before it counts as converged."""
LEAST_EXPECTED = 5.0
"""Classes expected to hold fewer are pooled with their neighbour (Cochran's rule)."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A test of fit.

    Attributes:
        name: which test.
        statistic: G, D, or the observed share.
        p: probability of so large a deviation by chance alone.
        effect: size of the deviation, independent of how much was observed: Cohen's w for counts, D for samples, Cohen's h
            (absolute) for a share.
        n: observations.
    """

    name: str
    statistic: float
    p: float
    effect: float
    n: int


def chi_square_sf(x: float, df: int) -> float:
    """P(X >= x) of chi-square with `df` degrees of freedom: the regularised upper incomplete gamma function Q(df/2, x/2).

    Series for x < df + 2, else Lentz's continued fraction (Abramowitz and Stegun 6.5.29 and 6.5.31).

    Raises:
        ScoringError: no degrees of freedom.
    """
    if df < 1:
        raise ScoringError(f"{df} degrees of freedom", remedy="at least one is needed")
    a, half = df / 2, x / 2
    if half <= 0:  # also where halving the least number there is gives 0
        return 1.0
    scale = math.exp(a * math.log(half) - half - math.lgamma(a))
    if half < a + 1:
        return max(0.0, 1.0 - scale * _series(a, half))
    return min(1.0, scale * _fraction(a, half))


def _series(a: float, x: float) -> float:
    term = total = 1 / a
    for step in range(1, ROUNDS):
        term *= x / (a + step)
        total += term
        if term < total * 1e-15:
            break
    return total


def _fraction(a: float, x: float) -> float:
    tiny = 1e-300
    b = x + 1 - a
    c, d = 1 / tiny, 1 / b
    value = d
    for step in range(1, ROUNDS):
        an = -step * (step - a)
        b += 2
        d = 1 / (an * d + b or tiny)
        c = b + an / c or tiny
        value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value


def pool(
    observed: Sequence[float], expected: Sequence[float], least: float = LEAST_EXPECTED
) -> tuple[list[float], list[float]]:
    """Neighbouring classes joined until each expects at least `least`; what is left over joins the last."""
    seen: list[float] = []
    hoped: list[float] = []
    at = due = 0.0
    for count, hope in zip(observed, expected, strict=True):
        at, due = at + count, due + hope
        if due >= least:
            seen.append(at)
            hoped.append(due)
            at = due = 0.0
    if due or at:
        if hoped:
            seen[-1], hoped[-1] = seen[-1] + at, hoped[-1] + due
        else:
            seen, hoped = [at], [due]
    return seen, hoped


def g_test(observed: Sequence[float], shares: Sequence[float]) -> Fit | None:
    """Counts against expected shares: G = 2 Σ O ln(O/E), with Williams' correction (Sokal and Rohlf, Biometry, 17.2).

    Classes are pooled first, see `pool`. The effect is Cohen's w = sqrt(Σ (o − e)²/e) over shares.

    Returns:
        None where fewer than two classes are left, so that nothing can be tested.

    Raises:
        ScoringError: shares that are negative or sum to nothing.
    """
    n, whole = sum(observed), sum(shares)
    if whole <= 0 or min(shares) < 0:
        raise ScoringError("expected shares must be positive", remedy="give at least one share above 0, none below")
    if n <= 0:
        return None
    seen, hoped = pool(observed, [n * share / whole for share in shares])
    if len(seen) < 2:
        return None
    g = 2 * sum(o * math.log(o / e) for o, e in zip(seen, hoped, strict=True) if o > 0)
    df = len(seen) - 1
    williams = 1 + (sum(n / e for e in hoped) - 1) / (6 * n * df)
    w = math.sqrt(sum((o - e) ** 2 / e for o, e in zip(seen, hoped, strict=True)) / n)
    return Fit("G", g / williams, chi_square_sf(g / williams, df), w, round(n))


def kolmogorov_test(sample: Sequence[float], cdf: Callable[[float], float]) -> Fit | None:
    """A sample against a fully specified continuous distribution: D, with Stephens' approximation of its p-value.

    D · (sqrt(n) + 0.12 + 0.11/sqrt(n)) follows Kolmogorov's distribution closely for n >= 5 (Stephens 1970, J. R. Stat.
    Soc. B 32:115-122).

    Returns:
        None for fewer than five values.
    """
    n = len(sample)
    if n < 5:
        return None
    d = 0.0
    for place, value in enumerate(sorted(sample)):
        at = cdf(value)
        d = max(d, at - place / n, (place + 1) / n - at)
    scaled = d * (math.sqrt(n) + 0.12 + 0.11 / math.sqrt(n))
    p = 2 * sum((-1) ** (k - 1) * math.exp(-2 * (k * scaled) ** 2) for k in range(1, 101))
    return Fit("KS", d, min(max(p, 0.0), 1.0) if scaled > 0.2 else 1.0, d, n)


def binomial_test(hits: int, n: int, share: float) -> Fit | None:
    """Exact two-sided test of `hits` in `n` against a share: the probability of all outcomes no likelier than this one.

    The effect is Cohen's h = |2 asin sqrt(p) − 2 asin sqrt(share)|.

    Returns:
        None for no trials.

    Raises:
        ScoringError: a share outside [0, 1], or more hits than trials.
    """
    if not 0 <= share <= 1 or not 0 <= hits <= n:
        raise ScoringError(f"{hits} of {n} against {share}", remedy="0 <= hits <= n and 0 <= share <= 1")
    if not n:
        return None
    chances = [_binomial(k, n, share) for k in range(n + 1)]
    limit = chances[hits] * (1 + 1e-9)
    effect = abs(2 * math.asin(math.sqrt(hits / n)) - 2 * math.asin(math.sqrt(share)))
    return Fit("binomial", hits / n, min(1.0, sum(chance for chance in chances if chance <= limit)), effect, n)


def _binomial(k: int, n: int, p: float) -> float:
    if p in (0.0, 1.0):
        return float(k == n * p)
    log = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(p) + (n - k) * math.log1p(-p)
    return math.exp(log)


@dataclass(frozen=True, slots=True)
class Correlation:
    """Pearson's r over `n` pairs, with its two-sided p-value (t with n − 2 degrees of freedom), and Spearman's rank r."""

    n: int
    r: float
    p: float
    rank: float


def correlation(first: Sequence[float], second: Sequence[float]) -> Correlation | None:
    """How two measures of the same things go together.

    Returns:
        None for fewer than three pairs, or where one measure never varies: then there is nothing to correlate.

    Raises:
        ScoringError: the measures have different lengths.
    """
    if len(first) != len(second):
        raise ScoringError(f"{len(first)} and {len(second)} values cannot be paired")
    n = len(first)
    r = _pearson(first, second) if n > 2 else None
    rank = _pearson(_ranks(first), _ranks(second)) if n > 2 else None
    if r is None or rank is None:
        return None
    t = math.inf if abs(r) >= 1 else abs(r) * math.sqrt((n - 2) / (1 - r * r))
    return Correlation(n, r, 0.0 if math.isinf(t) else 2 * (1 - student_cdf(t, n - 2)), rank)


def _pearson(first: Sequence[float], second: Sequence[float]) -> float | None:
    n = len(first)
    mean_a, mean_b = sum(first) / n, sum(second) / n
    a = [value - mean_a for value in first]
    b = [value - mean_b for value in second]
    spread = math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))
    if not spread:
        return None
    return max(-1.0, min(1.0, sum(x * y for x, y in zip(a, b, strict=True)) / spread))


def _ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1; equal values share the mean of their ranks."""
    order = sorted(values)
    first: dict[float, int] = {}
    count: dict[float, int] = {}
    for place, value in enumerate(order):
        first.setdefault(value, place)
        count[value] = count.get(value, 0) + 1
    return [first[value] + (count[value] + 1) / 2 for value in values]
