"""Compare systems in several domains, each with human texts of its own: compare_domains."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import sqrt
from statistics import fmean
from typing import Any

import numpy as np

from mauve.calls import parameter
from mauve.comparison.comparison import Comparison
from mauve.comparison.run import compare
from mauve.embed.naming import SystemsLike
from mauve.embed.samples import SampleLike
from mauve.errors import InvalidParameterError
from mauve.escape import escaped
from mauve.formatting import format_level, format_score
from mauve.frontier.score import deviance_of, score_at
from mauve.inference.intervals import normal_quantile
from mauve.tables import (
    as_html,
    as_latex,
    as_markdown,
    as_text,
    titles_and_cells,
    warnings_as_html,
)

_LEFT_OUT = ("ceiling", "type I", "type II")  # of the columns of a comparison, by domain


@dataclass(frozen=True)
class DomainMean:
    """The mean score of a system over domains, with its interval.

    Attributes
    ----------
    mauve : float
    interval : tuple of float
    domains : tuple of str
        Those that the system has texts in.
    """

    mauve: float
    interval: tuple[float, float]
    domains: tuple[str, ...]


@dataclass(frozen=True)
class Domains(Mapping[str, Comparison]):
    """Comparisons by domain, such as a language or a kind of text.

    Attributes
    ----------
    comparisons : dict from str to Comparison
    """

    comparisons: dict[str, Comparison]

    def __getitem__(self, domain: str) -> Comparison:
        return self.comparisons[domain]

    def __iter__(self) -> Iterator[str]:
        return iter(self.comparisons)

    def __len__(self) -> int:
        return len(self.comparisons)

    @property
    def systems(self) -> tuple[str, ...]:
        """All systems, in the order in which they first stand in a domain."""
        return tuple(dict.fromkeys(name for each in self.comparisons.values() for name in each))

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of all domains, each with its domain."""
        return tuple(
            f"{escaped(domain)}: {message}"
            for domain, comparison in self.comparisons.items()
            for message in comparison.warnings
        )

    def mean(self, system: str) -> DomainMean:
        r"""Return the mean score of a system over its domains.

        Parameters
        ----------
        system : str

        Notes
        -----
        Domains count equally, whatever their numbers of texts. Their texts are independent, so
        the mean of the deviances :math:`\sqrt{-\log \text{score}}`, whose errors are about
        symmetric, has the standard error :math:`\sqrt{\sum_d s_d^2} / D`. Its interval is turned
        back into scores, and moved by the difference of the mean score and the score of the mean
        deviance.
        """
        results = {d: each[system] for d, each in self.comparisons.items() if system in each}
        if not results:
            names = ", ".join(f"'{escaped(name)}'" for name in self.systems)
            raise InvalidParameterError(
                f"{parameter('system')} must be one of {names}. Got '{escaped(system)}' instead."
            )
        scores = [result.mauve for result in results.values()]
        deviances = deviance_of(np.array(scores))
        error = sqrt(sum(result.deviance_error**2 for result in results.values())) / len(results)
        level = next(iter(results.values())).confidence
        reach, middle, mean = normal_quantile(level) * error, float(deviances.mean()), fmean(scores)
        moved = mean - float(score_at(middle))
        low, high = (float(score_at(middle + side * reach)) + moved for side in (1, -1))
        return DomainMean(mean, (max(0.0, low), min(1.0, high)), (*results,))

    def rows(self) -> tuple[list[str], list[list[str]]]:
        """Return titles and cells: a row for each system, a column for each domain."""
        confidence = next(iter(next(iter(self.comparisons.values())).values())).confidence
        titles = ["system", *self.comparisons, "mean", f"{format_level(confidence)} interval"]
        rows = []
        for name in self.systems:
            mean = self.mean(name)
            low, high = map(format_score, mean.interval)
            scores = [
                format_score(each[name].mauve) if name in each else "--"
                for each in self.comparisons.values()
            ]
            rows.append([name, *scores, format_score(mean.mauve), f"{low} - {high}"])
        return titles, rows

    def details(self) -> list[dict[str, str]]:
        """Return a row for each domain and system, by column title: interval, test and size."""
        rows = []
        for domain, comparison in self.comparisons.items():
            for row in comparison.rows():
                kept = {title: cell for title, cell in row.items() if title not in _LEFT_OUT}
                rows.append({"domain": domain, **kept})
        return rows

    def table(self) -> str:
        """Return the scores as plain text."""
        return as_text(*self.rows())

    def to_markdown(self) -> str:
        """Return the scores as a Markdown table."""
        return as_markdown(*self.rows())

    def to_latex(self) -> str:
        """Return the scores as a LaTeX table."""
        return as_latex(*self.rows())

    def __str__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        tables = as_html(*self.rows()) + as_html(*titles_and_cells(self.details()))
        return tables + warnings_as_html(self.warnings)

    def to_dict(self) -> dict[str, Any]:
        """Return all domains and means as plain Python objects."""
        means = {name: self.mean(name) for name in self.systems}
        return {
            "domains": {domain: each.to_dict() for domain, each in self.comparisons.items()},
            "means": {
                name: {
                    "mauve": mean.mauve,
                    "interval": [*mean.interval],
                    "domains": [*mean.domains],
                }
                for name, mean in means.items()
            },
        }


def compare_domains(
    domains: Mapping[str, tuple[SampleLike, SystemsLike]], **options: Any
) -> Domains:
    """Compare systems in several domains, each against human texts of its own.

    Parameters
    ----------
    domains : mapping from domain to a pair of human texts and systems
        Each pair as for :func:`mauve.compare`. A system may be absent from a domain.
    **options
        As for :func:`mauve.compare`, the same for all domains; `prompts` may be a mapping from
        domain to those of the domain.

    Returns
    -------
    Domains
        A mapping from domain to :class:`mauve.Comparison`.

    See Also
    --------
    mauve.comparison.by_field.domains_by_field : Divide files by a field such as the language.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> news, poems = (rng.normal(size=(200, 4)) + shift for shift in (0, 3))
    >>> of_news, of_poems = (news, {"a": news + 0.5}), (poems, {"a": news})
    >>> compared = compare_domains({"news": of_news, "poems": of_poems}, n_permutations=0)
    >>> compared["news"]["a"].mauve > compared["poems"]["a"].mauve
    True
    """
    if not isinstance(domains, Mapping) or not domains:
        raise InvalidParameterError(
            f"{parameter('domains')} must be a mapping from at least one domain to a pair of human "
            f"texts and systems. Got {escaped(repr(domains)[:80])} instead."
        )
    for domain, pair in domains.items():
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise InvalidParameterError(
                f"{parameter('domains')} must have a pair of human texts and systems for "
                f"'{escaped(str(domain))}'. Got {type(pair).__name__} instead."
            )
    prompts = options.pop("prompts", None)
    comparisons = {}
    for domain, (human, systems) in domains.items():
        of_domain = prompts[domain] if isinstance(prompts, Mapping) else prompts
        try:
            comparisons[str(domain)] = compare(human, systems, prompts=of_domain, **options)
        except InvalidParameterError as error:
            raise InvalidParameterError(f"{escaped(str(domain))}: {error}") from error
    return Domains(comparisons)
