"""Wilson's interval: between what shares a share seen in some rows may lie."""

from __future__ import annotations

import math

Z95 = 1.959963984540054  # of a two-sided interval of 95 %


def wilson(share: float, n: float, z: float = Z95) -> tuple[float, float]:
    """Wilson's interval of a share seen in n rows.

    References
    ----------
    Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. JASA 22,
    209-212.

    >>> low, high = wilson(40 / 74, 74)
    >>> round(low, 3), round(high, 3)
    (0.428, 0.649)
    """
    if not n > 0:
        return math.nan, math.nan
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(middle - half, 0.0), min(middle + half, 1.0)
