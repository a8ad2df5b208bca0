"""From models to their scores: :func:`evaluate` and its steps."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mauve.atomic import make_folder
from mauve.errors import check_bool, check_int
from mauve.generation.evaluation import Evaluation
from mauve.generation.generating import (
    N_PROMPTS,
    TokenizerLike,
    checked_folder,
    draw_examples,
    read_prompts,
)
from mauve.generation.human import ExampleOptions
from mauve.generation.locks import locked_folder
from mauve.generation.manifest import Manifest
from mauve.generation.scoring import (
    MEASURES,
    ScoringOptions,
    check_scoring,
    score_systems,
    write_results,
)
from mauve.generation.settings import (
    Decoders,
    Models,
    name_models,
    parse_decoders,
    parse_seeds,
)
from mauve.generation.sources import SourceLike
from mauve.generation.systems import make_systems, system_names
from mauve.generation.tasks import Task
from mauve.generation.writing_run import Loader, Run
from mauve.lm.protocol import TokenScorer
from mauve.lm.writing import WritingOptions
from mauve.measures.protocol import Measure
from mauve.measures.tokenizers import Tokenizer
from mauve.progress import ProgressLike, progress_bar


def evaluate(
    models: "Models",
    task: "str | Task",
    source: "SourceLike",
    decoders: "Decoders" = "ancestral",
    *,
    folder: str | Path,
    seeds: int | Sequence[int] = 0,
    n: int = N_PROMPTS,
    prompt_tokens: int | None = None,
    max_tokens: int | None = None,
    min_tokens: int = 0,
    well_formed: bool = False,
    prompt_tokenizer: "TokenizerLike | None" = None,
    with_prompt: bool = False,
    pool_seeds: bool = False,
    measures: "str | Measure | Sequence[str | Measure] | None" = MEASURES,
    tokenizer: "str | Tokenizer" = "words",
    language_model: "str | TokenScorer" = "bundled",
    report: bool = True,
    ladder: bool = True,
    title: str | None = None,
    device: str = "auto",
    dtype: str = "auto",
    revision: str | None = None,
    token_budget: int | None = None,
    endpoint: Mapping[str, Any] | None = None,
    seed: int = 0,
    progress: "ProgressLike" = True,
    **options: Any,
) -> Evaluation:
    """Let models continue prompts, and compare what they write with what people wrote.

    Prompts and human continuations are drawn from texts of a task. Each model continues the
    prompts with each decoder; the texts are compared with the human ones, prompt by prompt, and
    measured, and a report shows how they differ. Every step keeps its files in a folder, and a
    later call does only what is missing: a call that was killed is continued by the same call,
    one more decoder is generated alone, and another option of the comparison leaves the texts
    as they are. Texts of other settings in the same folder are refused, not replaced.

    Parameters
    ----------
    models : str, Writer, sequence of both, or mapping from name to one
        As for :func:`mauve.generate`.
    task : str or Task
        "webtext", "news", "stories", or "text" for texts of any kind.
    source : str, Path, or iterable of str or mapping
        The human texts: a file, ``hf:NAME?split=test``, or texts.
    decoders : str, Decoding or sequence of both
        Such as "greedy,nucleus:p=0.95,temperature=0.8".
    folder : str or Path
        Where the files are.
    seeds : int or sequence of int
        Random seeds of the generated texts.
    n : int
        Number of prompts, drawn at random.
    prompt_tokens, max_tokens : int, optional
        Tokens of a prompt, and of a continuation at most; by default those of the task.
    min_tokens : int
        Tokens before which a generated text does not end; shorter human texts are left out.
    well_formed : bool
        Leave out prompts that are no well-formed English.
    prompt_tokenizer : str or TextTokenizer, optional
        The model whose tokens cut the human texts, such as "bundled"; by default the first of
        `models`. An endpoint does not show its tokens.
    with_prompt : bool
        Compare prompt and continuation on both sides, as the paper does; by default the
        continuation alone.
    pool_seeds : bool
        Make one sample of the texts of all seeds of a decoder; those of one prompt count as
        dependent. Its interval is narrower, but measures that change with the number of texts
        cannot be compared with those of human text. By default each seed is a system.
    measures : str, Measure, or sequence of both, optional
        As for :func:`mauve.measure`; None for none.
    tokenizer, language_model
        As for :func:`mauve.measure`.
    report, ladder : bool
        Write the report; show scores without differences of form in it.
    title : str, optional
        Title of the report.
    device : str
        Of the models, the embedder and the language model; see :func:`mauve.compare`.
    dtype, revision, token_budget
        Of the models, as for :func:`mauve.generate`.
    endpoint : mapping, optional
        Options of models that are endpoints.
    seed : int
        Random seed of the draw of prompts and of the comparison.
    progress : bool or callable
        As for :func:`mauve.compare`.
    **options
        As for :func:`mauve.compare`, such as ``embedder`` and ``num_buckets``. ``empty`` is
        "keep" by default, as a model may end a text at once.

    Returns
    -------
    Evaluation
        A mapping from system to score, with the comparison, the measurements and the files.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import warnings; warnings.simplefilter("ignore")  # of few texts
    >>> from mauve.lm.reference import split_reference
    >>> texts = ["".join(passage) for passage in split_reference(40).passages]
    >>> with TemporaryDirectory() as folder:
    ...     evaluation = evaluate(
    ...         "bundled", "text", texts, "greedy,ancestral", folder=folder, n=20,
    ...         prompt_tokens=8, max_tokens=8, measures=None, report=False, n_permutations=0,
    ...     )
    >>> sorted(evaluation)
    ['ancestral', 'greedy']
    """
    named, decodings = name_models(models), parse_decoders(decoders)
    checked_seeds = parse_seeds(seeds)
    check_bool("with_prompt", with_prompt)
    check_bool("pool_seeds", pool_seeds)
    drawing = ExampleOptions(
        task, check_int("n", n, 1), check_int("seed", seed, 0), prompt_tokens, max_tokens,
        min_tokens, well_formed,
    )  # fmt: skip
    length = WritingOptions(drawing.longest, min_tokens)
    scoring = ScoringOptions(
        measures=measures, tokenizer=tokenizer, language_model=language_model, report=report,
        ladder=ladder, title=title, seed=seed, device=device, compare=options,
    )  # fmt: skip
    target = checked_folder(folder)
    make_folder(target)
    loader = Loader(device, dtype, revision, token_budget, endpoint or {})
    run = Run(named, decodings, checked_seeds, length, target, loader)
    with locked_folder(target, "evaluated"), progress_bar(progress) as on_progress:
        examples, writers = draw_examples(run, source, drawing, prompt_tokenizer)
        triples = [(each.model, each.decoder, each.seed) for each in run.settings]
        human = [example.prompt * with_prompt + example.reference for example in examples]
        check_scoring(human, system_names(triples, pool_seeds=pool_seeds), scoring, target)
        samples = run.write(read_prompts(examples), on_progress, writers)
        manifest = Manifest(target)
        manifest.set_settings(
            {
                "models": {sample.model: sample.signature for sample in samples},
                "decoders": [str(decoding) for decoding in decodings],
                "seeds": checked_seeds,
                "max_tokens": length.max_tokens,
                "min_tokens": min_tokens,
                "n": len(examples),
                "task": task if isinstance(task, str) else task.name,
                "with_prompt": with_prompt,
                "pool_seeds": pool_seeds,
                "seed": seed,
            }
        )
        systems = make_systems(examples, samples, with_prompt=with_prompt, pool_seeds=pool_seeds)
        comparison, measurements, page = score_systems(
            target, manifest, systems, scoring, on_progress
        )
        evaluation = Evaluation(
            target, comparison, measurements, tuple(samples), page, manifest.settings
        )
        write_results(manifest, evaluation)
    return evaluation
