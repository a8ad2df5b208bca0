"""Scores by protocols beside those of the authors' package with the same settings.

    python benchmarks/protocols.py DATA --peer ENV/bin/python [--embedder NAME] [--seeds 5]

DATA has ``human.jsonl.gz`` and other systems beside it, with prompts. Texts are prepared by our
protocols and embedded once; both programs get the same features and settings, and other random
seeds: the authors' numbers are FAISS's. Prints a table for each protocol: the mean and standard
deviation of both over the seeds, their difference, and how many standard errors it is.
"""

import argparse
import warnings
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
from peer import Peer, add_peer_argument

from mauve.protocols.catalogue import get_protocol
from mauve.protocols.run import follow_protocol
from mauve.text.read import read_texts

PROTOCOLS = ("paper-2021", "contrastive-search", "diffusion-conditional", "alce")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--embedder", default="bundled")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--systems", default="", help="with commas between them; all by default")
    parser.add_argument("--protocols", default=",".join(PROTOCOLS))
    add_peer_argument(parser)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    files = {path.name.split(".")[0]: read_texts(path) for path in sorted(args.data.iterdir())}
    # An empty text has no features in the authors' package: all samples go without its prompt.
    empty = {i for file in files.values() for i, text in enumerate(file.texts) if not text.strip()}
    kept = [i for i in range(len(files["human"].texts)) if i not in empty]
    texts = {name: [file.texts[i] for i in kept] for name, file in files.items()}
    prompts = {name: [file.prompts[i] for i in kept] for name, file in files.items()}
    human = texts.pop("human")
    chosen = args.systems.split(",") if args.systems else [*texts]
    systems = {name: texts[name] for name in chosen}
    peer = Peer(args.peer)
    for name in args.protocols.split(","):
        protocol = get_protocol(name)
        score = replace(protocol.score, seeds=tuple(range(args.seeds)))
        result = follow_protocol(
            human,
            systems,
            replace(protocol, score=score),
            prompts={each: prompts[each] for each in ["human", *systems]},
            embedder=args.embedder,
            measures="",
            progress=False,
        )
        features = result.comparison.compared.samples.features
        paths = {each: peer.save(each, np.asarray(rows)) for each, rows in features.items()}
        buckets = score.num_buckets
        print(f"\n## {name}, {len(human)} texts of each sample\n")
        print("| system | ours by the protocol | authors' package | difference | in s.e. |")
        print("|---|---|---|---|---|")
        for system in systems:
            settings = {
                "num_buckets": "auto" if buckets == "n/10" else buckets,
                "mauve_scaling_factor": score.scaling,
                "kmeans_explained_var": score.explained_variance,
                "kmeans_num_redo": score.restarts,
            }
            jobs = [
                {
                    "p": paths["human"],
                    "q": paths[system],
                    "settings": {**settings, "seed": seed},
                }
                for seed in range(args.seeds)
            ]
            theirs = [done["mauve"] for done in peer.run(jobs, threads=1)]
            ours = result.reported[system].by_seed
            error = np.hypot(stdev(ours), stdev(theirs)) / np.sqrt(args.seeds)
            gap = fmean(ours) - fmean(theirs)
            print(
                f"| {system} | {fmean(ours):.4f} ± {stdev(ours):.4f} "
                f"| {fmean(theirs):.4f} ± {stdev(theirs):.4f} | {gap:+.4f} "
                f"| {gap / error if error else 0:+.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
