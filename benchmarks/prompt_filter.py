"""How many prompts of real text are well-formed English by the rules of the prompt filter.

    python benchmarks/prompt_filter.py SOURCE... [--show N] [--tokenizer NAME]

A source is one of `mauve.generation.sources` (a file, a folder, ``hf:NAME``). Prompts are those of
the records, or the first 35 tokens of their texts. The table has the share that is kept and the
reasons of the others; ``--show`` prints some of both at random, to be judged by a person.
"""

import argparse
import time
from collections import Counter

import numpy as np

from mauve.generation.prompt_filter import prompt_problem
from mauve.generation.sources import source_records
from mauve.generation.splitting import split_text
from mauve.lm.text_tokenizer import TextTokenizer, get_text_tokenizer

TOKENS = 35


def prompts_of(source: str, tokenizer: TextTokenizer) -> list[str]:
    """Return the prompt of every record that is long enough."""
    prompts = []
    for record in source_records(source):
        if record.prompt is not None:
            prompts.append(record.prompt)
        elif split := split_text(record.text, TOKENS, 1, tokenizer):
            prompts.append(split.prompt)
    return prompts


def main() -> None:
    """Print the table, and prompts to judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sources", nargs="+", metavar="SOURCE")
    parser.add_argument("--show", type=int, default=0, metavar="N")
    parser.add_argument("--tokenizer", default="bundled", metavar="NAME")
    options = parser.parse_args()
    tokenizer = get_text_tokenizer(options.tokenizer)
    print("| source | prompts | kept | seconds for 1,000 | reasons of the others |")
    print("|---|--:|--:|--:|---|")
    for source in options.sources:
        prompts = prompts_of(source, tokenizer)
        began = time.perf_counter()
        problems = [prompt_problem(prompt) for prompt in prompts]
        seconds = 1000 * (time.perf_counter() - began) / len(prompts)
        kept = problems.count("") / len(prompts)
        counts = Counter(problem for problem in problems if problem).most_common()
        reasons = ", ".join(f"{reason} {n}" for reason, n in counts)
        name = source.rpartition("/")[2]
        print(f"| {name} | {len(prompts):,} | {kept:.1%} | {seconds:.2f} | {reasons} |")
        for i in np.random.default_rng(0).permutation(len(prompts))[: options.show]:
            print(f"  {problems[i] or 'kept'}: {prompts[i]!r}")


if __name__ == "__main__":
    main()
