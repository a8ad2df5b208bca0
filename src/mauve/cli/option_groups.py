"""Commands that take their options in groups, and help texts with a section for each group."""

import functools
import inspect
from collections.abc import Callable, Collection
from copy import copy
from dataclasses import MISSING, Field, dataclass, fields
from typing import Annotated, Any, ClassVar, cast, get_args, get_type_hints

import typer
from typer.core import TyperCommand

from mauve.cli.values import one_of


@dataclass(frozen=True)
class OptionGroup:
    """Base of groups of options: each field is an option or argument with its default.

    A field is declared as ``Annotated[type, typer.Option(...)]``, as Typer has it for the
    parameters of a command. `panel` is the heading above the options in the help text;
    groups may share one.
    """

    panel: ClassVar[str]

    def keywords(self) -> dict[str, Any]:
        """Return the values by the names of the fields."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def choice(choices: Collection[str], help_text: str) -> Any:
    """Return an option that is one of `choices`, which the shell completes."""
    return typer.Option(
        metavar="NAME",
        callback=one_of(choices),
        autocompletion=lambda: list(choices),
        help=help_text,
    )


def with_flags(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command for Typer with a flag for each field of the groups that `command` takes.

    ``command(score: ScoreOptions)`` becomes ``command(*, num_buckets=..., quantizer=..., ...)``.
    """
    groups: dict[str, type[OptionGroup]] = get_type_hints(command)
    del groups["return"]

    @functools.wraps(command)
    def expanded(**values: Any) -> None:
        command(
            **{
                name: group(**{field.name: values[field.name] for field in fields(group)})
                for name, group in groups.items()
            }
        )

    parameters = [_parameter(group, field) for group in groups.values() for field in fields(group)]
    cast(Any, expanded).__signature__ = inspect.Signature(parameters)  # which Typer reads
    return expanded


def _parameter(group: type[OptionGroup], field: Field[Any]) -> inspect.Parameter:
    value_type, option = get_args(get_type_hints(group, include_extras=True)[field.name])
    option = copy(option)
    option.rich_help_panel = group.panel
    default = inspect.Parameter.empty if field.default is MISSING else field.default
    return inspect.Parameter(
        field.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[value_type, option],
    )


class PanelCommand(TyperCommand):
    """A command whose plain help text has a section for each panel of options.

    Typer shows panels only in the boxes that Rich draws, which differ between a terminal and
    a pipe.
    """

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the options under the headings of their panels."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            if parameter.param_type_name == "argument":
                title, record = "Arguments", (str(parameter.metavar), record[1])
            else:
                title = getattr(parameter, "rich_help_panel", None) or "Other options"
            sections.setdefault(title, []).append(record)
        width = max(len(flag) for records in sections.values() for flag, _ in records)
        for title, records in sections.items():
            with formatter.section(title):  # padded, so that all sections line up
                formatter.write_dl([(flag.ljust(width), text) for flag, text in records])
