"""Decoding algorithms by name, and the strings that name them with their parameters."""

from collections.abc import Callable
from dataclasses import MISSING

from mauve.calls import either
from mauve.errors import InvalidParameterError, bad_parameter
from mauve.lm.sampling import (
    Ancestral,
    Decoder,
    Greedy,
    MinP,
    Nucleus,
    Sampler,
    Temperature,
    TopK,
    Typical,
)
from mauve.lm.searches import Adversarial, Beam, Contrastive
from mauve.lm.specification import Decoding, parameters

__all__ = [
    "DECODERS", "Adversarial", "Ancestral", "Beam", "Contrastive", "Decoder", "Decoding", "Greedy",
    "MinP", "Nucleus", "Sampler", "Temperature", "TopK", "Typical", "parse_decoder",
    "parse_sampler",
]  # fmt: skip

#: Decoding algorithms by the name that strings give them.
DECODERS: dict[str, type[Decoding]] = {
    decoding.name: decoding
    for decoding in (
        Greedy, Beam, Ancestral, Temperature, TopK, Nucleus, Typical, MinP, Contrastive,
        Adversarial,
    )
}  # fmt: skip

_OTHER_NAMES = {"topk": "top-k", "topp": "nucleus", "minp": "min-p"}


def parse_decoder(spec: str) -> Decoding:
    """Return the decoding algorithm that a string names.

    Parameters
    ----------
    spec : str
        A name, and parameters after a colon with commas between them: ``greedy``,
        ``ancestral``, ``temperature:0.7``, ``top-k:k=500``, ``nucleus:p=0.95``,
        ``typical:p=0.95``, ``min-p:p=0.05``, ``beam:b=8,no_repeat=4``,
        ``contrastive:k=4,alpha=0.6``, ``adversarial:perplexity=12.6``. The name of the first
        parameter may be left out, as in ``nucleus:0.95``. After a truncation
        ``temperature=`` is applied before it: ``nucleus:p=0.9,temperature=0.8``.

    Examples
    --------
    >>> parse_decoder("nucleus:0.9")
    Nucleus(temperature=1.0, p=0.9)
    >>> str(parse_decoder("topk:40,temperature=0.7"))
    'top-k:k=40,temperature=0.7'
    """
    name, colon, values = spec.partition(":")
    name = name.strip()
    make = DECODERS.get(_OTHER_NAMES.get(name.replace("-", "").replace("_", ""), name))
    if make is None:
        rule = f"a decoder: one of {', '.join(DECODERS)}"
        raise _bad_spec(rule, spec)
    known = parameters(make)
    given: dict[str, float] = {}
    for position, part in enumerate(values.split(",") if colon else []):
        parameter, equals, number = map(str.strip, part.rpartition("="))
        if not equals and position == 0 and known:
            parameter = known[0].name
        if parameter not in [each.name for each in known] or parameter in given:
            has = ", ".join(each.name for each in known)
            has = f"the parameters {has}, each once" if has else "no parameters"
            problem = f"it has {part.strip()!r}, and {make.name} has {has}"
            raise _bad_spec(f"of the form {_form(make)!r}", spec, problem)
        try:
            given[parameter] = int(number) if number.isdecimal() else float(number)
        except ValueError:
            problem = f"{parameter} is {number!r}, which is not a number"
            raise _bad_spec(f"of the form {_form(make)!r}", spec, problem) from None
    missing = [each.name for each in known if each.default is MISSING and each.name not in given]
    if missing:
        raise _bad_spec(f"of the form {_form(make)!r}", spec, f"{missing[0]} is missing")
    construct: Callable[..., Decoding] = make
    try:
        return construct(**given)
    except InvalidParameterError as error:  # a number out of range; of several decoders, say whose
        problem = str(error).partition(". Got ")[0].removeprefix("The ")
        problem = problem.replace(f" parameter of {make.__name__}", "", 1)
        raise _bad_spec(f"of the form {_form(make)!r}", spec, problem) from None


def parse_sampler(spec: str) -> Sampler:
    """Return the decoder that a string names, or raise if it has no distribution to draw from.

    Examples
    --------
    >>> parse_sampler("beam:4")
    Traceback (most recent call last):
    mauve.errors.InvalidParameterError: The 'spec' parameter of parse_sampler must be a decoder \
with a distribution of the next token: one of greedy, ancestral, temperature, top-k, nucleus, \
typical, min-p. Got 'beam:4' instead.
    """
    decoding = parse_decoder(spec)
    if not isinstance(decoding, Sampler):
        names = [name for name, make in DECODERS.items() if issubclass(make, Sampler)]
        rule = f"a decoder with a distribution of the next token: one of {', '.join(names)}"
        raise _bad_spec(rule, spec)
    return decoding


def _form(make: type[Decoding]) -> str:
    """Return how a decoder is written: ``nucleus:p=NUMBER``."""
    needed = [each.name for each in parameters(make) if not each.kw_only]
    parts = ["NUMBER" if each == make.name else f"{each}=NUMBER" for each in needed]
    return f"{make.name}:{','.join(parts)}" if parts else make.name


def _bad_spec(rule: str, spec: str, why: str = "") -> Exception:
    return bad_parameter(either("decoders", "decoder", "models", "spec"), rule, spec, why)
