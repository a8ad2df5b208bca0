"""Divide samples into domains by a field of their records: domains_by_field."""

from collections.abc import Mapping

import numpy as np

from mauve.calls import parameter
from mauve.embed.naming import SystemsLike, name_samples
from mauve.embed.samples import FieldLike, Sample, SampleLike, read_samples
from mauve.errors import InvalidParameterError
from mauve.escape import escaped, listed, listed_as

_MOST = 50  # with more, the field says which text it is, and not of which kind


def domains_by_field(
    human: SampleLike, systems: SystemsLike, by: str, *, field: FieldLike = "text"
) -> dict[str, tuple[Sample, dict[str, Sample]]]:
    """Divide human texts and systems into domains by a field of their records.

    Parameters
    ----------
    human, systems, field
        As for :func:`mauve.compare`: files or records, each with the field `by`.
    by : str
        The field that says which domain a text is of, such as a language or a kind of text.

    Returns
    -------
    dict from domain to a pair of human texts and systems
        As :func:`mauve.comparison.domains.compare_domains` takes them, in the order in which
        domains first stand in the human texts. A system that has no texts in a domain is absent
        from it.

    Raises
    ------
    InvalidParameterError
        If a text has no domain, or a domain has texts of one sample alone.

    Examples
    --------
    >>> human = [{"text": "Hello.", "lang": "en"}, {"text": "Bonjour.", "lang": "fr"}]
    >>> model = [{"text": "Salut.", "lang": "fr"}, {"text": "Hi.", "lang": "en"}]
    >>> domains = domains_by_field(human, {"model": model}, "lang")
    >>> {name: systems["model"].values for name, (_, systems) in domains.items()}
    {'en': ['Hi.'], 'fr': ['Salut.']}
    """
    samples = read_samples(name_samples(human, systems), field)
    return split_samples(samples, by)


def split_samples(
    samples: Mapping[str, Sample], by: str
) -> dict[str, tuple[Sample, dict[str, Sample]]]:
    """Divide samples that were read, human first; see :func:`domains_by_field`."""
    human_name = next(iter(samples))
    parts = {name: _parts(sample, name, by) for name, sample in samples.items()}
    of_human = parts.pop(human_name)
    if len(of_human) > _MOST:
        raise InvalidParameterError(
            f"{parameter('by')} must be a field with at most {_MOST} values. Got '{escaped(by)}', "
            f"which has {len(of_human):,} among the human texts."
        )
    for name, of_system in parts.items():
        if alone := [domain for domain in of_system if domain not in of_human]:
            raise InvalidParameterError(
                f"Every domain must have human texts. '{escaped(name)}' has texts in the "
                f"{listed_as('domain', alone)}, and '{escaped(human_name)}' has none: add human "
                "texts, or leave these texts out."
            )
    domains = {
        domain: (sample, {name: part[domain] for name, part in parts.items() if domain in part})
        for domain, sample in of_human.items()
    }
    if alone := [domain for domain, (_, systems) in domains.items() if not systems]:
        raise InvalidParameterError(
            f"Every domain must have texts of a system. There are none in the "
            f"{listed_as('domain', alone)}: leave these human texts out."
        )
    return domains


def _parts(sample: Sample, name: str, by: str) -> dict[str, Sample]:
    """Return the part of a sample in each domain, in the order of their first texts."""
    if by not in sample.metadata:
        if by in sample.unread:
            why = "has other values than strings of up to 200 characters and whole numbers"
        elif sample.metadata:
            why = f"has not: it has {listed(list(sample.metadata))}"
        else:
            why = "has not: it has no fields beside the text"
        raise InvalidParameterError(
            f"{parameter('by')} must be a field of all samples. Got '{escaped(str(by))}', which "
            f"'{escaped(name)}' {why}."
        )
    values = sample.metadata[by]
    if missing := [row for row, value in enumerate(values) if value is None or value == ""]:
        raise InvalidParameterError(
            f"Every text must have a domain. {len(missing):,} of the {len(values):,} texts of "
            f"'{escaped(name)}' have no field '{escaped(by)}', the first of them text "
            f"{missing[0]} (from 0): fill it in, or leave these texts out."
        )
    rows: dict[str, list[int]] = {}
    for row, value in enumerate(values):
        rows.setdefault(str(value), []).append(row)
    return {domain: sample.at(np.array(at)) for domain, at in rows.items()}
