"""Generate texts with language models, and keep them in files: :func:`generate`."""

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from mauve.calls import parameter
from mauve.errors import InvalidParameterError, bad_parameter
from mauve.generation.examples import Example
from mauve.generation.generated import Generated
from mauve.generation.human import ExampleOptions, load_examples
from mauve.generation.settings import (
    Decoders,
    Models,
    name_models,
    parse_decoders,
    parse_seeds,
)
from mauve.generation.sources import SourceLike
from mauve.generation.tasks import Task
from mauve.generation.writing_run import Loader, PromptSet, Run
from mauve.lm.text_tokenizer import TextTokenizer, get_text_tokenizer
from mauve.lm.writing import Writer, WritingOptions
from mauve.progress import ProgressLike, progress_bar
from mauve.text.read import read_texts

#: Prompts, examples of a task, or a file of prompts as :func:`mauve.text.read.read_texts` reads it.
PromptsLike = str | Path | Sequence[str] | Sequence[Example]
#: A tokenizer by the name or folder of its model, or an object with encode and decode.
TokenizerLike = str | Path | TextTokenizer
#: Number of prompts, if the source has as many.
N_PROMPTS = 1000


def generate(
    models: "Models",
    prompts: "PromptsLike | None" = None,
    decoders: "Decoders" = "ancestral",
    *,
    folder: str | Path,
    task: "str | Task | None" = None,
    source: "SourceLike | None" = None,
    n: int = N_PROMPTS,
    prompt_tokens: int | None = None,
    max_tokens: int | None = None,
    min_tokens: int = 0,
    well_formed: bool = False,
    prompt_tokenizer: "TokenizerLike | None" = None,
    seeds: int | Sequence[int] = 0,
    device: str = "auto",
    dtype: str = "auto",
    revision: str | None = None,
    token_budget: int | None = None,
    endpoint: Mapping[str, Any] | None = None,
    seed: int = 0,
    progress: "ProgressLike" = True,
) -> Generated:
    """Continue prompts with language models, and keep the texts in files.

    There is a file for each model, decoder and seed,
    ``FOLDER/samples/MODEL/DECODER/seed-N.jsonl``, with a text a line, and beside it a ``.json``
    file with the settings. A call that was killed is continued by the same call: what is in the
    files is not written again. Files of other settings or prompts are refused.

    Parameters
    ----------
    models : str, Writer, sequence of both, or mapping from name to one
        "bundled"; "ngram:FILE", an n-gram model of the texts of a file; a causal Transformers
        model by its name on the hub or its folder; or the address of an OpenAI-compatible
        endpoint.
    prompts : sequence of str or of Example, or path, optional
        What to continue, or a file of it: ``.txt``, ``.jsonl``, ``.json``, ``.csv``, ``.tsv`` or
        ``.parquet``. Or leave it out, and pass `task` and `source`.
    decoders : str, Decoding or sequence of both
        Such as "greedy,nucleus:p=0.95,temperature=0.8".
    folder : str or Path
        Where the files are.
    task : str or Task, optional
        "webtext", "news", "stories", or "text" for texts of any kind. The prompts and the human
        continuations are kept in ``FOLDER/human.jsonl``.
    source : str, Path, or iterable of str or mapping, optional
        The human texts of the task: a file, ``hf:NAME?split=test``, or texts.
    n : int
        Number of prompts that are drawn from the source at random.
    prompt_tokens, max_tokens : int, optional
        Tokens of a prompt of a task, and new tokens of a text at most; by default those of the
        task, and 256 for given prompts.
    min_tokens : int
        Tokens before which a text does not end; shorter human texts are left out.
    well_formed : bool
        Leave out prompts of a task that are no well-formed English.
    prompt_tokenizer : str or TextTokenizer, optional
        The model whose tokens cut the human texts, such as "bundled"; by default the first of
        `models`. An endpoint does not show its tokens.
    seeds : int or sequence of int
        Random seeds of the texts. A decoder that draws nothing is run once, as seed 0.
    device : str
        "auto", "cpu", or torch devices such as "cuda:0,cuda:1".
    dtype : {"auto", "float32", "bfloat16", "float16", "float64"}
    revision : str, optional
        Commit, tag or branch on the hub.
    token_budget : int, optional
        Most tokens that a batch has.
    endpoint : mapping, optional
        Options of models that are endpoints.
    seed : int
        Random seed of the draw of prompts.
    progress : bool or callable
        As for :func:`mauve.compare`.

    Returns
    -------
    Generated
        A sequence with the path and the numbers of each file.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     settings = {"folder": folder, "max_tokens": 8}
    ...     first = generate("bundled", ["Once upon a time", "It was"], "greedy", **settings)
    ...     again = generate("bundled", ["Once upon a time", "It was"], "greedy", **settings)
    ...     first.n_new, again.n_new, first[0].texts() == again[0].texts()
    (2, 0, True)
    """
    named, decodings = name_models(models), parse_decoders(decoders)
    checked_seeds, target = parse_seeds(seeds), checked_folder(folder)
    if (prompts is None) == (source is None) or (task is None) != (source is None):
        raise InvalidParameterError(
            f"{parameter('prompts')} must be given, or {parameter('task')} and "
            f"{parameter('source')} both."
        )
    drawing = ExampleOptions(
        "text" if task is None else task, n, seed, prompt_tokens, max_tokens, min_tokens,
        well_formed,
    )  # fmt: skip
    options = WritingOptions(drawing.longest, min_tokens)
    loader = Loader(device, dtype, revision, token_budget, endpoint or {})
    run = Run(named, decodings, checked_seeds, options, target, loader)
    with progress_bar(progress) as on_progress:
        writers: dict[str, Writer] = {}
        if prompts is None and source is not None:
            prompts, writers = draw_examples(run, source, drawing, prompt_tokenizer)
        samples = run.write(read_prompts(prompts or []), on_progress, writers)
    return Generated(target, tuple(samples))


def draw_examples(
    run: Run, source: SourceLike, drawing: ExampleOptions, prompt_tokenizer: TokenizerLike | None
) -> tuple[list[Example], dict[str, Writer]]:
    """Return the examples of a source, and the writer that was loaded to cut them.

    Parameters
    ----------
    run : Run
    source : str, Path, or iterable of str or mapping
    drawing : ExampleOptions
    prompt_tokenizer : str or TextTokenizer or None
        By default that of the first model of the run.
    """
    first = next(iter(run.models))
    writers = {first: run.loader.writer(run.models[first])}
    cutter: TextTokenizer = writers[first]
    if prompt_tokenizer is not None:
        cutter = get_text_tokenizer(prompt_tokenizer)
    return load_examples(run.folder, source, drawing, cutter), writers


def checked_folder(folder: str | Path) -> Path:
    """Return a folder that may be there or not, or raise.

    Examples
    --------
    >>> checked_folder("run").name
    'run'
    """
    if not isinstance(folder, str | PathLike) or not str(folder):
        raise bad_parameter("folder", "the path of a folder", folder)
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise InvalidParameterError(f"{parameter('folder')} must be a folder. '{path}' is a file.")
    return path


def read_prompts(prompts: PromptsLike) -> PromptSet:
    """Return the prompts, with the human continuations if there are any.

    Examples
    --------
    >>> read_prompts(["Once", "Twice"]).ids
    ['0', '1']
    """
    if isinstance(prompts, str | PathLike):
        file = read_texts(prompts)
        ids = file.ids if file.ids is not None else [*map(str, range(len(file)))]
        return PromptSet(ids, file.texts)
    items = [*prompts]
    examples = [item for item in items if isinstance(item, Example)]
    if examples and len(examples) == len(items):
        return PromptSet(
            [example.id for example in examples],
            [example.prompt for example in examples],
            [example.reference for example in examples],
        )
    texts = [item for item in items if isinstance(item, str)]
    if len(texts) < len(items):
        raise bad_parameter("prompts", "strings, or examples of a task", prompts)
    return PromptSet([*map(str, range(len(texts)))], texts)
