"""Commands that take their options in groups, and help texts with a section for each group."""

import functools
import inspect
import sys
from collections.abc import Callable, Collection
from copy import copy
from dataclasses import MISSING, Field, dataclass, fields
from typing import Annotated, Any, ClassVar, cast, get_args, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from mauve.calls import Command, command_line
from mauve.cli.values import one_of
from mauve.escape import escaped

_OTHER = "Other options"  # heading of the options without a panel

#: What to use for options that people try.
_HINTS = {
    "--human": "HUMAN is the first argument, without a flag",
    "--system": "SYSTEM is an argument without a flag, after HUMAN",
    "--systems": "SYSTEM is an argument without a flag, after HUMAN",
    "--lm": "--language-model is its name",
    "--sample": "--limit is its name",
    "--n-texts": "--limit is its name",
    "--max-texts": "--limit is its name",
    "--column": "--field is its name",
    "--text-field": "--field is its name",
}


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


class WholeSummary:
    """Mixin of commands whose summary in the list of commands is never cut."""

    def get_short_help_str(self, limit: int = 45) -> str:
        """Return the first sentence, which is wrapped where it does not fit."""
        summary = cast(Any, super()).get_short_help_str(limit=sys.maxsize)
        return cast(str, summary)


class SummaryGroup(WholeSummary, TyperGroup):
    """A group of commands, itself one of the commands of a group."""


class PanelCommand(WholeSummary, TyperCommand):
    """A command whose plain help text has a section for each panel of options.

    Typer shows panels only in the boxes that Rich draws, which differ between a terminal and
    a pipe. While the command runs, messages of the package name its flags.
    """

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the parts of the usage line, with arguments as HUMAN; Typer has {HUMAN}."""
        pieces = [] if self.options_metavar is None else [self.options_metavar]
        for parameter in self.get_params(ctx):
            if parameter.param_type_name == "argument":
                name = f"{parameter.metavar}{'...' if parameter.nargs == -1 else ''}"
                pieces.append(name if parameter.required else f"[{name}]")
        return pieces

    def invoke(self, ctx: Any) -> Any:
        """Run the command; errors and warnings name its flags and arguments."""
        flags = {
            parameter.name: max(parameter.opts, key=len)
            if parameter.param_type_name == "option"
            else str(parameter.metavar)
            for parameter in self.params
        }
        with command_line(Command(ctx.command_path, flags)):
            return super().invoke(ctx)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; the error about an option of another name says what to use."""
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            # The rule of a number, as Typer has it, does not name the value.
            errors = getattr(error.__cause__, "errors", None)
            if errors is not None:
                rule = error.message.removeprefix("Input should be ").partition(", unable")[0]
                value = escaped(str(errors()[0]["input"]))
                error.message = f"must be {rule}. Got '{value}' instead."
            raise
        except Exception as error:
            # Typer's class of this error has moved between releases.
            hint = _HINTS.get(getattr(error, "option_name", ""), "")
            names = [name for param in self.params for name in (param.metavar, *param.opts)]
            if hint and hint.split()[0] in names:
                cast(Any, error).message = f"{cast(Any, error).message}. {hint}."
                cast(Any, error).possibilities = None  # those of similar letters
            raise

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
                title = getattr(parameter, "rich_help_panel", None) or _OTHER
            sections.setdefault(title, []).append(record)
        if [*sections] == [_OTHER]:
            sections = {"Options": sections[_OTHER]}
        width = max(len(flag) for records in sections.values() for flag, _ in records)
        for title, records in sections.items():
            with formatter.section(title):  # padded, so that all sections line up
                formatter.write_dl([(flag.ljust(width), text) for flag, text in records])
