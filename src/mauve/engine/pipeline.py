"""The flow of a comparison out of core: hash, draw, learn, assign, merge."""

from dataclasses import dataclass, field

import numpy as np

from mauve.arrays import Features
from mauve.comparison.compared import Compared
from mauve.comparison.plans import plan_classifiers, plan_systems
from mauve.comparison.settings import Settings
from mauve.embed.load import Samples
from mauve.embed.reading import SampleReadings, UnreadablePolicy
from mauve.engine.drawing import DrawnTexts
from mauve.engine.merge_run import Merge, PlannedJob
from mauve.engine.samples import NoPairs, StreamedComparison, StreamedSamples
from mauve.engine.stages import (
    AssignStage,
    EmbedderChoice,
    Job,
)
from mauve.engine.streaming import (
    SampleStream,
    Stream,
    assign_stage,
    embed_drawn,
    fetch_all,
    hash_all,
)
from mauve.errors import UndefinedError
from mauve.inference.quadratic_forms import PooledFeatures
from mauve.inference.two_sample import TwoSampleTest, two_sample_test
from mauve.quantize.assigning import OneBucket, RowAssigner
from mauve.quantize.pairwise import LearningTexts, learn_partitions
from mauve.quantize.protocol import AnyQuantizer
from mauve.quantize.reduce import scaled_rows


@dataclass
class Pipeline:
    """A comparison on its way through the stages.

    Attributes
    ----------
    stream : Stream
    sources : dict from name to SampleStream
        Human first.
    settings : Settings
    quantizer : AnyQuantizer
    num_buckets, n_learning, n_clusterings
        As for :func:`mauve.compare`.
    embedder : EmbedderChoice or None
        None for features.
    origin : str
        Recipe of the texts, or the embedder that made the features.
    unreadable : {"error", "warn"}
    n_tested : int
    """

    stream: Stream
    sources: dict[str, SampleStream]
    settings: Settings
    quantizer: AnyQuantizer
    num_buckets: int | str
    n_learning: int | None
    n_clusterings: int | None
    embedder: EmbedderChoice | None
    origin: str
    unreadable: UnreadablePolicy
    n_tested: int
    drawn: dict[str, DrawnTexts] = field(default_factory=dict)
    features: dict[str, Features] = field(default_factory=dict)

    def compare(self) -> StreamedComparison:
        """Run all stages."""
        hash_all(self.stream, self.sources)
        totals = {name: source.n_texts for name, source in self.sources.items()}
        samples = StreamedSamples(
            None, None, self.origin, None, np.empty(0, np.uint64), n_given=totals, totals=totals
        )
        plans = plan_systems(
            samples,
            self.settings,
            self.quantizer,
            self.num_buckets,
            self.n_learning,
            self.n_clusterings,
        )
        sharper = plan_classifiers(samples, plans, self.n_clusterings)
        jobs = [
            PlannedJob(name, plan, is_main)
            for is_main, of in ((True, plans), (False, sharper))
            for name, plan in of.items()
        ]
        self._draw(jobs)
        samples = self._samples(totals)
        tests = {name: self._test(samples.human_name, name) for name in plans}
        assigners = self._learn(samples, jobs)
        stages = {
            name: self._stage(number, name, jobs, assigners, samples)
            for number, name in enumerate(self.sources)
        }
        assigned = self.stream.totals(stages)
        samples.n_cut.update({n: total.n_truncated for n, total in assigned.items()})
        undefined = {i for i, of in enumerate(assigners) if isinstance(of, UndefinedError)}
        results = Merge(
            self.stream,
            self.sources,
            samples,
            self.settings,
            self.drawn,
            jobs,
            undefined,
            stages,
            assigned,
            tests,
        ).results()
        comparison = StreamedComparison(results, Compared(samples, self.settings, plans, NoPairs()))
        comparison._n_tested = {name: len(drawn.tested) for name, drawn in self.drawn.items()}
        return comparison

    def _draw(self, jobs: list[PlannedJob]) -> None:
        """Draw texts of all samples, and their features unless they are texts."""
        human = next(iter(self.sources))
        for name, source in self.sources.items():
            learnings = [job.learning for job in jobs if name in (human, job.system)]
            n_tested = self.n_tested
            self.drawn[name] = source.draw(self.stream, learnings, n_tested, self.settings.seed)

    def _samples(self, totals: dict[str, int]) -> StreamedSamples:
        """Read the drawn texts or features; return the samples."""
        fetched = fetch_all(self.stream, self.sources, self.drawn)
        texts = {name: part for name, part in fetched.items() if isinstance(part, list)}
        tested = None
        if self.embedder is not None:
            embedder = self.embedder.embedder
            of_test = {name: self.drawn[name].tested for name in texts}
            to_test = {name: [texts[name][at] for at in rows] for name, rows in of_test.items()}
            if self.unreadable == "error":  # before the work
                SampleReadings.of(to_test, embedder).check()
            self.features, remembered = embed_drawn(texts, embedder, self.stream.on_progress)
            tested = Samples(
                to_test,
                None,
                self.origin,
                remembered,
                np.concatenate([self.drawn[name].hashes[at] for name, at in of_test.items()]),
                unreadable=self.unreadable,
            )
        else:
            self.features = {n: part for n, part in fetched.items() if not isinstance(part, list)}
        return StreamedSamples(
            None,
            None,
            self.origin,
            None,
            np.empty(0, np.uint64),
            n_given=totals,
            totals=totals,
            digests={name: drawn.digest for name, drawn in self.drawn.items()},
            drawn=tested,
        )

    def _test(self, human: str, system: str) -> TwoSampleTest | None:
        """Test that a system and human text have the same source, on the drawn texts."""
        n_permutations = self.settings.n_permutations
        if not n_permutations:
            return None
        of_test = {name: self.drawn[name].tested for name in (human, system)}
        pooled = PooledFeatures(
            [self.features[name][at] for name, at in of_test.items()],
            [self.drawn[name].hashes[at] for name, at in of_test.items()],
        )
        return two_sample_test(pooled, n_permutations, self.settings.seed)

    def _learn(
        self, samples: StreamedSamples, jobs: list[PlannedJob]
    ) -> list[RowAssigner | UndefinedError]:
        """Learn the buckets of all jobs; where all texts are equal there is an error instead."""
        settings, human = self.settings, samples.human_name
        scaled = {
            name: scaled_rows(features.copy(), settings.order)
            for name, features in self.features.items()
        }
        learnt: list[RowAssigner | UndefinedError] = []
        for number, job in enumerate(jobs):
            pair = [(scaled[name], self.drawn[name]) for name in (human, job.system)]

            def texts(clustering: int, pair=pair, job=job) -> LearningTexts:  # type: ignore[no-untyped-def]
                at = [drawn.learning[job.learning][clustering] for _, drawn in pair]
                return LearningTexts.of(
                    [drawn.hashes[rows] for (_, drawn), rows in zip(pair, at, strict=True)],
                    [features[rows] for (features, _), rows in zip(pair, at, strict=True)],
                )

            try:
                partitions = learn_partitions(
                    texts,
                    quantizer=job.plan.quantizer,
                    num_buckets=job.plan.num_buckets,
                    n_clusterings=job.plan.n_clusterings,
                    seed=settings.seed,
                    explained_variance=settings.explained_variance,
                    order=settings.order,
                )
            except UndefinedError as error:  # equal texts must not end the others' comparison
                learnt.append(error)
            else:
                learnt.append(RowAssigner(partitions, job.plan.num_buckets))
            self.stream.on_progress("clustering", number + 1, len(jobs))
        errors = [
            found
            for found, job in zip(learnt, jobs, strict=True)
            if job.is_main and isinstance(found, UndefinedError)
        ]
        if len(errors) == len(samples.system_names):
            raise errors[0]
        return learnt

    def _stage(
        self,
        number: int,
        name: str,
        jobs: list[PlannedJob],
        assigners: list[RowAssigner | UndefinedError],
        samples: StreamedSamples,
    ) -> AssignStage:
        made = [
            Job(
                job.system,
                RowAssigner([OneBucket()] * job.plan.n_clusterings, job.plan.num_buckets)
                if isinstance(assigner, UndefinedError)
                else assigner,
                job.plan.num_buckets,
            )
            for job, assigner in zip(jobs, assigners, strict=True)
            if name in (samples.human_name, job.system)
        ]
        signatures = [
            f"{self.settings.signature(samples, job.system, job.plan)}|{samples.digest(job.system)}"
            for job in jobs
            if name in (samples.human_name, job.system)
        ]
        return assign_stage(
            self.stream,
            self.sources[name],
            number,
            made,
            recipe={"signatures": signatures},
            order=self.settings.order,
            embedder=self.embedder,
        )
