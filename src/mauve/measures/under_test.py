"""Models under test: which is behind a system, and what it makes of the human texts."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mauve.embed.protocol import Progress
from mauve.errors import InvalidParameterError, bad_parameter
from mauve.lm.decoding import Decoder, parse_decoder
from mauve.measures.protocol import Side

#: The model behind a system, and how it decodes: "MODEL@DECODER", or both.
ModelLike = str | tuple[str, str | Decoder]


@dataclass(frozen=True)
class UnderTest:
    """The model behind a system, and how it decodes."""

    model: str
    decoder: str | Decoder


def parse_model(spec: ModelLike) -> UnderTest:
    """Return the model and decoder that a string or a pair names.

    Examples
    --------
    >>> parse_model("gpt2@nucleus:0.95")
    UnderTest(model='gpt2', decoder='nucleus:0.95')
    >>> parse_model("gpt2").decoder
    'ancestral'
    """
    if isinstance(spec, str):
        before, at, after = spec.rpartition("@")
        spec = (before, after) if at else (after, "ancestral")
    model, decoder = spec
    if not isinstance(model, str) or not model:
        rule = "a mapping to 'MODEL@DECODER', such as 'gpt2@nucleus:0.95'"
        raise bad_parameter("measure", "models", rule, spec)
    if isinstance(decoder, str):
        try:
            parse_decoder(decoder)
        except InvalidParameterError as error:
            raise InvalidParameterError(
                f"The 'models' parameter of measure (--model) must name a decoder. {error}"
            ) from error
    return UnderTest(model, decoder)


def with_models(
    sides: Mapping[str, Side],
    reference: str,
    tested: Mapping[str, UnderTest],
    device: str,
    on_progress: Progress | None,
) -> dict[str, Side]:
    """Return the sides whose models are known, with what those make of the human texts."""
    from mauve.lm.token_probabilities import token_probabilities  # needs torch

    people = sides[reference]
    found = {}
    for model in dict.fromkeys(spec.model for spec in tested.values()):
        decoders = {name: spec.decoder for name, spec in tested.items() if spec.model == model}
        every = token_probabilities(  # once for all decoders of a model
            model,
            [*decoders.values()],
            people.texts or [],
            prompts=people.prompts,
            device=device,
            on_progress=on_progress,
        )
        for name, probabilities in zip(decoders, every, strict=True):
            side = sides.get(name, Side(name, people.groups))
            found[name] = replace(side, model=probabilities)
    return found
