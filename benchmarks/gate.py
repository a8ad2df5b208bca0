"""How often `mauve check` gives each outcome, where the true loss is known.

    python benchmarks/gate.py [--cases 200] [--n 500 2000]

Human texts are draws of a Gaussian in 16 dimensions, new ones in each case. The baseline and the
checked sample are draws of it with a shifted mean, the second one farther away so that the score
is lower by about the wanted loss (calibrated on 20,000 + 20,000 texts).
"""

import argparse
import warnings

import numpy as np
from numpy.typing import NDArray

import mauve
from mauve.comparison.gate import Outcome, check

_DIMENSION, _SHIFT, _MARGIN = 16, 0.6, 0.05
_LOSSES = (0.0, _MARGIN, 2 * _MARGIN)


def draw(rng: np.random.Generator, n: int, shift: float) -> NDArray[np.float64]:
    """Draw features whose first coordinate is shifted."""
    features = rng.normal(size=(n, _DIMENSION))
    features[:, 0] += shift
    return features


def score(human: NDArray[np.float64], shift: float, n: int) -> mauve.MauveResult:
    """Return the score of many draws."""
    rng = np.random.default_rng(1)
    return mauve.compare(human, {"m": draw(rng, n, shift)}, n_permutations=0, progress=False)["m"]


def calibrated(human: NDArray[np.float64], loss: float) -> float:
    """Return the shift whose score is lower by `loss`, by bisection."""
    target = score(human, _SHIFT, 20_000).mauve - loss
    low, high = _SHIFT, 3.0
    for _ in range(10):
        middle = (low + high) / 2
        low, high = (middle, high) if score(human, middle, 20_000).mauve > target else (low, middle)
    return (low + high) / 2


def main() -> None:
    """Print the share of each outcome by number of texts and true loss."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--n", type=int, nargs="+", default=[500, 2000])
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", mauve.MauveWarning)
    print(f"margin {_MARGIN}, alpha 0.05, {arguments.cases} cases")
    print(f"{'texts':>6}{'true loss':>11}" + "".join(f"{outcome:>24}" for outcome in Outcome))
    many = draw(np.random.default_rng(0), 20_000, 0.0)
    shifts = {loss: calibrated(many, loss) if loss else _SHIFT for loss in _LOSSES}
    for n in arguments.n:
        for loss, shift in shifts.items():
            outcomes = []
            for case in range(arguments.cases):
                rng = np.random.default_rng(100 + case)
                human, before, after = (draw(rng, n, by) for by in (0.0, _SHIFT, shift))
                both = mauve.compare(
                    human, {"b": before, "m": after}, n_permutations=0, progress=False
                )
                [checked] = check({"m": both["m"]}, {"m": both["b"]}, margin=_MARGIN)
                outcomes.append(checked.outcome)
            shares = [outcomes.count(outcome) / len(outcomes) for outcome in Outcome]
            print(f"{n:6}{loss:11.2f}" + "".join(f"{share:24.3f}" for share in shares), flush=True)


if __name__ == "__main__":
    main()
