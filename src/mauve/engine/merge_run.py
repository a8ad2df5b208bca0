"""Merge what is known of all pieces into the results of all systems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mauve.arrays import BoolArray
from mauve.comparison.advice import (
    bucket_warnings,
    contradiction_warnings,
    sample_warnings,
    system_warnings,
)
from mauve.comparison.results import MauveResult
from mauve.comparison.scoring import FEW_CLUSTERINGS
from mauve.comparison.settings import Settings
from mauve.engine.drawing import DrawnTexts, Learning
from mauve.engine.influences import Influences, InfluenceStage
from mauve.engine.merging import (
    JobCounts,
    Merger,
    classifier_settings,
    compressed_influences,
    job_counts,
    learnt_texts,
    number_of_units,
)
from mauve.engine.samples import StreamedSamples
from mauve.engine.stages import Assigned, AssignStage
from mauve.engine.streaming import SampleStream, Stream, comparison_hash
from mauve.inference.resampling import LabelledPair
from mauve.inference.two_sample import TwoSampleTest
from mauve.quantize.registry import BucketPlan


@dataclass(frozen=True)
class PlannedJob:
    """The buckets of one system by one quantizer, before they are learnt."""

    system: str
    plan: BucketPlan
    is_main: bool

    @property
    def learning(self) -> Learning:
        """How many texts of each sample the buckets are learnt from."""
        return Learning(self.plan.n_learning // 2, self.plan.n_clusterings)


@dataclass(frozen=True)
class Merge:
    """Makes the results of all systems from texts in their buckets.

    Attributes
    ----------
    stream : Stream
    sources : dict from name to SampleStream
        Human first.
    samples : StreamedSamples
    settings : Settings
    drawn : dict from name to DrawnTexts
    jobs : sequence of PlannedJob
    undefined : set of int
        Jobs whose texts are all equal.
    stages : dict from name to AssignStage
    assigned : dict from name to Assigned
        All texts of each sample.
    tests : dict from system to TwoSampleTest or None
    """

    stream: Stream
    sources: Mapping[str, SampleStream]
    samples: StreamedSamples
    settings: Settings
    drawn: Mapping[str, DrawnTexts]
    jobs: Sequence[PlannedJob]
    undefined: set[int]
    stages: Mapping[str, AssignStage]
    assigned: Mapping[str, Assigned]
    tests: Mapping[str, TwoSampleTest | None]

    def results(self) -> dict[str, MauveResult]:
        """Return the results of all systems."""
        samples, jobs, stages, assigned = self.samples, self.jobs, self.stages, self.assigned
        human = samples.human_name
        mergers: list[Merger] = []
        for number, job in enumerate(jobs):
            of_system = [other for other in jobs if other.system == job.system].index(job)
            place = {human: number, job.system: of_system}
            is_defined = number not in self.undefined
            learnt: list[BoolArray] = []
            for name in place:
                texts = learnt_texts(self.drawn[name], job.learning, job.plan, self.settings)
                learnt.append(texts if is_defined else np.zeros_like(texts))
            counts = job_counts(
                (assigned[human], assigned[job.system]),
                (number, of_system),
                (self._rows(stages[human], number), self._rows(stages[job.system], of_system)),
                (learnt[0], learnt[1]),
            )
            settings = self.settings if job.is_main else classifier_settings(self.settings)
            mergers.append(Merger(samples, settings, job.system, job.plan, counts))
        sums = self._influences(mergers)
        joint = comparison_hash(samples.digests)
        human_vectors = compressed_influences(sums[human].products)
        results: dict[str, MauveResult] = {}
        made: list[MauveResult] = []
        for number, (job, merger) in enumerate(zip(jobs, mergers, strict=True)):
            of_system = [other for other in jobs if other.system == job.system].index(job)
            model = np.array([np.sqrt(sums[job.system].products[of_system, of_system])])
            ceiling = None
            if merger.settings.n_permutations:
                ceiling = self._ceiling(merger, number, of_system, sums)
            test = self.tests[job.system] if job.is_main else None
            made.append(merger.result((human_vectors[number], model), ceiling, test, joint))
        for number, job in enumerate(jobs):
            if job.is_main:
                results[job.system] = self._with_classifier(mergers, made, number)
        return results

    def _with_classifier(
        self, mergers: list[Merger], made: list[MauveResult], number: int
    ) -> MauveResult:
        """Return the result of a system with the score by the classifier, and its warnings."""
        samples, jobs = self.samples, self.jobs
        name, plan = jobs[number].system, jobs[number].plan
        sharper = [
            result
            for job, result in zip(jobs, made, strict=True)
            if job.system == name and not job.is_main
        ]
        result = replace(made[number], classifier=sharper[0] if sharper else None)
        counts: JobCounts = mergers[number].counts
        warnings = (
            *system_warnings(samples, name, plan.num_buckets, sample_warnings(samples)),
            *bucket_warnings(
                name,
                counts.all_counts[0] + counts.all_counts[1],
                min(result.n_human, result.n_model),
                1 - counts.share_learnt,
                plan,
                self.settings,
            ),
            *contradiction_warnings(result),
        )
        return replace(result, warnings=warnings)

    @staticmethod
    def _rows(stage: AssignStage, job: int) -> slice:
        """Return the clusterings of a job among all of a sample."""
        sizes = [part.assign.n_clusterings for part in stage.jobs]
        return slice(sum(sizes[:job]), sum(sizes[: job + 1]))

    def _influences(self, mergers: list[Merger]) -> dict[str, Influences]:
        samples, jobs, stages = self.samples, self.jobs, self.stages
        human = samples.human_name
        tables = [merger.tables() for merger in mergers]
        influence_stages = {}
        for side, name in enumerate(self.sources):
            is_human = name == human
            chosen = [i for i, job in enumerate(jobs) if is_human or job.system == name]
            which = 0 if is_human else 1
            units = [
                number_of_units(samples.sizes[human], samples.sizes[jobs[i].system])[which]
                if mergers[i].settings.n_permutations
                else 0
                for i in chosen
            ]
            influence_stages[name] = InfluenceStage(
                stages[name],
                [tables[i][:, :, which] for i in chosen],
                [mergers[i].counts.learnt[which] for i in chosen],
                units,
                FEW_CLUSTERINGS,
                (self.settings.seed, side),
            )
        return self.stream.influences(influence_stages)

    def _ceiling(
        self,
        merger: Merger,
        number: int,
        of_system: int,
        sums: Mapping[str, Influences],
    ) -> tuple[float, float]:
        human = merger.samples.human_name
        by_unit = sums[human].by_unit[number], sums[merger.system].by_unit[of_system]
        if len(by_unit[0]):
            return merger.ceiling_of_units(by_unit)
        places = {human: number, merger.system: of_system}
        return merger.ceiling_of_texts(self._few_labels(merger, places))

    def _few_labels(self, merger: Merger, jobs: Mapping[str, int]) -> LabelledPair:
        """Return the buckets of single texts under a few clusterings, sorted by content."""
        few = min(FEW_CLUSTERINGS, merger.plan.n_clusterings)
        labels, counted, hashes = [], [], []
        for (name, job), learnt in zip(jobs.items(), merger.counts.learnt, strict=True):
            stage = self.stages[name]
            for place in self.sources[name].places:
                part = stage.by_job(stage.shard(place).read()[0]["labels"])[job][:few]
                is_counted = np.ones(part.shape, dtype=bool)
                if place in stage.located:
                    rows, which = stage.located[place]
                    is_counted[:, rows] = ~learnt[:few, which]
                labels.append(part.astype(np.int32))
                counted.append(is_counted)
                arrays = self.sources[name].hashing.shard(place).read()[0]
                by_row = np.empty_like(arrays["hashes"])
                by_row[arrays["order"]] = arrays["hashes"]
                hashes.append(by_row)
        n_human = self.sources[merger.samples.human_name].n_texts
        n = n_human + self.sources[merger.system].n_texts
        pair = LabelledPair(
            np.concatenate(labels, axis=1),
            np.concatenate(counted, axis=1),
            np.arange(n) < n_human,
            np.zeros(n, dtype=np.int64),
            np.arange(n),
            merger.plan.num_buckets,
        )
        return pair.at(np.argsort(np.concatenate(hashes), kind="stable"))
