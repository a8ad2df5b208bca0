"""A metric for Hugging Face ``evaluate`` that runs `mauve.compare`; needs the ``evaluate`` extra.

``evaluate`` copies this file and runs the copy, after it has checked that all that is imported
here is installed.
"""

from typing import Any

import datasets
import evaluate

import mauve

_DESCRIPTION = """\
MAUVE: how far is the text a model writes from the text people write? An area under the curve of
divergences between both, 1 where they are equal; corrected for the bias of small samples, with a
confidence interval and an exact test."""

_INPUTS = """\
Args:
    predictions: list of str, texts of the model.
    references: list of str, human texts. As many as there are predictions; they need not
        correspond.
    **options: keywords of mauve.compare, such as embedder, num_buckets or seed.
Returns:
    mauve; low and high, the limits of its interval; p_value, ceiling, type_1, type_2 and others:
    the numbers of mauve.MauveResult.to_metrics; and signature, the settings of the score.
"""

_CITATION = """\
@inproceedings{pillutla2021mauve,
  title={MAUVE: Measuring the Gap Between Neural Text and Human Text using Divergence Frontiers},
  author={Pillutla, Krishna and Swayamdipta, Swabha and Zellers, Rowan and Thickstun, John and
    Welleck, Sean and Choi, Yejin and Harchaoui, Zaid},
  booktitle={NeurIPS},
  year={2021}
}"""


class MauveMetric(evaluate.Metric):  # type: ignore[misc]  # evaluate ships no types
    """MAUVE of predictions against references, by :func:`mauve.compare`."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=datasets.Features(
                {
                    "predictions": datasets.Value("string"),
                    "references": datasets.Value("string"),
                }
            ),
            reference_urls=["https://arxiv.org/abs/2102.01454"],
        )

    def _compute(
        self, *, predictions: list[str], references: list[str], **options: Any
    ) -> dict[str, Any]:
        comparison = mauve.compare(list(references), {"model": list(predictions)}, **options)
        result = comparison["model"]
        numbers = result.to_metrics()
        # By convention, the score of a metric has its name.
        return {"mauve": numbers.pop("score"), **numbers, "signature": result.signature}
