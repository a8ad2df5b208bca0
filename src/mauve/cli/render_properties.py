"""Print in plain words how systems differ from human text."""

from collections.abc import Mapping

from rich.console import Console

from mauve.cli.terminal import print_lines
from mauve.explanation.property_results import DifferingProperties
from mauve.formatting import p_value_phrase

#: Sentences about each system.
N_SENTENCES = 3


def print_properties(
    console: Console, properties: Mapping[str, DifferingProperties], names: list[str]
) -> None:
    """Print the properties that tell each system from human text best.

    Parameters
    ----------
    console : Console
    properties : mapping from system to DifferingProperties
    names : list of str
        Systems, in the order to print.
    """
    width = console.width
    console.print("What differs from human text, in plain words:")
    for name in names:
        print_lines(console, f"{name}:", width, indent="  ")
        print_sentences(console, properties[name], N_SENTENCES, width, indent="    ")


def print_sentences(
    console: Console,
    properties: DifferingProperties,
    n: int,
    width: int,
    indent: str = "",
) -> None:
    """Print the sentences about one system, each with how well it tells the samples apart."""
    if properties.none_ranked:
        print_lines(console, properties.none_ranked, width, indent)
    for difference in properties.ranked[:n]:
        line = (
            f"{difference.sentence} [{'form, ' if difference.is_form else ''}"
            f"{difference.alone:.2f}, {p_value_phrase(difference.p_value)}]"
        )
        print_lines(console, line, width, f"{indent}- ")
    if (n_more := len(properties.ranked) - n) > 0:
        print_lines(console, f"{n_more} more with mauve explain.", width, f"{indent}- ")


def properties_legend() -> str:
    """Return how to read the numbers behind the sentences."""
    return (
        "The number in brackets says how well a property alone tells the samples apart, out of "
        "sample: 0 not at all, 1 completely. p is corrected for all properties tested."
    )
