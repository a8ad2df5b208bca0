"""mauve study: the commands of human evaluation, each in a module of its own."""

from collections.abc import Callable

import typer

from mauve.cli.option_groups import PanelCommand, SummaryGroup
from mauve.cli.study_analyse import (
    agreement_command,
    correlate_command,
    export_command,
    import_command,
    rank_command,
)
from mauve.cli.study_create import create_command
from mauve.cli.study_operate import (
    exclude_command,
    include_command,
    invite_command,
    operator_command,
    pause_command,
    resume_command,
    rules_command,
    status_command,
)
from mauve.cli.study_serve import serve_command
from mauve.cli.terminal import one_line_errors

study_commands = typer.Typer(
    name="study",
    cls=SummaryGroup,
    help="Human evaluation: people compare the texts of systems in pairs.",
    rich_markup_mode=None,
)


@study_commands.callback(invoke_without_command=True)
def _without_command(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


_COMMANDS: dict[str, Callable[..., None]] = {
    "create": create_command,
    "serve": serve_command,
    "invite": invite_command,
    "status": status_command,
    "pause": pause_command,
    "resume": resume_command,
    "exclude": exclude_command,
    "include": include_command,
    "rules": rules_command,
    "operator": operator_command,
    "rank": rank_command,
    "agreement": agreement_command,
    "correlate": correlate_command,
    "export": export_command,
    "import": import_command,
}
for _name, _command in _COMMANDS.items():
    study_commands.command(_name, cls=PanelCommand)(one_line_errors(_command))
