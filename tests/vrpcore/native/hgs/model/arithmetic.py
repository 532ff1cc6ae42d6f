"""Logarithm and power as the search computes them: the same doubles, bit for bit."""

import math

LOG_OF_2 = 0.6931471805599453
ROOT_OF_2 = 1.4142135623730951


def rounded(value):
    """The nearest whole number, halves to even."""
    return float(round(value))


def log_of(value):
    """Natural logarithm: 2 atanh((m - 1) / (m + 1)) of the mantissa, and its exponent."""
    mantissa, exponent = math.frexp(value)
    mantissa, exponent = 2.0 * mantissa, exponent - 1
    if mantissa > ROOT_OF_2:
        mantissa, exponent = mantissa / 2.0, exponent + 1
    ratio = (mantissa - 1.0) / (mantissa + 1.0)
    square = ratio * ratio
    series = 0.0
    for odd in (15, 13, 11, 9, 7, 5, 3, 1):
        series = series * square + 1.0 / odd
    return exponent * LOG_OF_2 + 2.0 * ratio * series


def exp_of(power):
    """e to a power: a power of two times a series of 14 terms."""
    twos = round(power * 1.4426950408889634)
    rest = power - twos * LOG_OF_2
    series = 1.0
    for term in range(14, 0, -1):
        series = 1.0 + rest / term * series
    return math.ldexp(series, twos)
