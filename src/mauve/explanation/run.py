"""The front door of explanations: a comparison in, clusters, texts and words out."""

import numpy as np

from mauve.comparison.compared import Compared
from mauve.comparison.comparison import Comparison
from mauve.embed.protocol import Progress
from mauve.errors import InvalidParameterError, bad_parameter, check_int, check_real
from mauve.explanation.clusters import check_clusters, consensus_clusters, map_texts
from mauve.explanation.contributions import (
    differing_clusters,
    divergences_at,
    group_shares,
    least_permutations,
    text_contributions,
)
from mauve.explanation.describe import Describer, text_measures
from mauve.explanation.explained import Explanation, PairTexts, SystemExplanation
from mauve.explanation.metadata import Metadata, check_metadata, once_a_prompt, summarize_field
from mauve.explanation.results import Cluster
from mauve.explanation.wording import phrase_table
from mauve.lm.protocol import TokenScorer
from mauve.lm.scorer import get_scorer

_TEST_CLUSTERINGS = 10  # any number makes an exact test; more hardly add to its power


def explain(
    comparison: Comparison,
    *,
    n_clusters: int | str = "auto",
    mixture: float = 0.5,
    metadata: Metadata | None = None,
    language_model: str | TokenScorer | None = None,
    n_texts: int = 5,
    n_permutations: int | None = None,
    seed: int = 0,
    device: str = "auto",
    on_progress: Progress | None = None,
) -> Explanation:
    r"""Say why the systems of a comparison score as they do.

    Parameters
    ----------
    comparison : Comparison
        What :func:`mauve.compare` found, of texts or of features.
    n_clusters : int or "auto"
        Clusters to tell the gap by; 18 for 1,000 texts of all samples, 25 for 2,000 and 30 for
        3,000 or more by default.
    mixture : float in (0, 1)
        λ, the weight of people in the mixture R that both sides are held against.
    metadata : mapping from sample to mapping from field to sequence, optional
        What is known of each text: ``{"human": {"domain": [...]}, "gpt2": {...}}``.
    language_model : str or TokenScorer, optional
        What the perplexity of the clusters is taken of, "bundled" or a causal Transformers
        model. It reads all texts once more, so that there is none by default.
    n_texts : int
        Texts of either side that are kept as examples of a cluster, typical and telling ones.
    n_permutations : int, optional
        For the test of every cluster; 1,000 by default, or as many as the confidence of the
        comparison takes.
    seed : int
        Everything random follows from it.
    device : str
        Where the language model runs.
    on_progress : callable, optional
        Called with what is being done, how many steps are done, and how many there are.

    Returns
    -------
    Explanation
        A mapping from name to :class:`mauve.explanation.explained.SystemExplanation`.

    Notes
    -----
    Every text of the model has a part of KL(Q|R), and every human text one of KL(P|R); a
    cluster has the sum of its texts' parts, with an interval. Clusters are groups of texts
    that often share a cell, over all clusterings, found without a look at the sides. Those that
    differ are flagged, with the chance of any false flag held at one minus the confidence
    of the comparison. ``docs/explanations.md`` has the method and how good it is.

    Examples
    --------
    >>> from mauve.comparison.run import compare
    >>> rng = np.random.default_rng(0)
    >>> topics = 4 * np.eye(4, 8)
    >>> people = topics[rng.choice(4, 400)] + rng.normal(size=(400, 8))
    >>> model = topics[rng.choice(4, 400, p=[0.5, 0.2, 0.3, 0])] + rng.normal(size=(400, 8))
    >>> found = explain(compare(people, model), n_clusters=4)["model"]
    >>> [f"{c.human_share:.2f} -> {c.model_share:.2f}" for c in found.over + found.under]
    ['0.23 -> 0.50', '0.29 -> 0.00']
    >>> abs(sum(c.type_1.value for c in found.clusters) - found.type_1) < 1e-12
    True
    """
    if not isinstance(comparison, Comparison):
        raise bad_parameter("explain", "comparison", "what mauve.compare returns", type(comparison))
    compared = comparison.compared
    n_all = sum(compared.sizes.values())
    wanted = check_clusters(n_clusters, n_all)
    if not 0 < check_real("explain", "mixture", mixture, above=0, up_to=1) < 1:
        raise bad_parameter("explain", "mixture", "above 0 and below 1", mixture)
    check_int("explain", "n_texts", n_texts, 0)
    confidence = next(iter(comparison.values())).confidence
    least = least_permutations(confidence)
    n_draws = max(1000, least) if n_permutations is None else n_permutations
    check_int("explain", "n_permutations", n_draws, least)
    check_int("explain", "seed", seed, 0)
    values, left_out = check_metadata(metadata or {}, compared.sizes)
    if language_model is not None and compared.texts is None:
        raise InvalidParameterError(
            "The 'language_model' parameter of explain must be left out for features, which have "
            "no text to read: compare the texts instead."
        )
    scorer = None if language_model is None else get_scorer(language_model, device=device)
    report = on_progress or (lambda *_: None)
    steps = 3 + len(comparison)
    report("explaining", 0, steps)
    clustering = compared.clustering
    labels = clustering.labels
    consensus = consensus_clusters(labels, compared.settings.num_buckets, wanted, seed)
    report("explaining", 1, steps)
    texts = None
    if compared.texts is not None:
        texts = [text for own in compared.texts.values() for text in own]
    features = clustering.reduced[clustering.position]
    describer = Describer(
        consensus=consensus,
        features=features,
        texts=texts,
        phrases=None if texts is None else phrase_table(texts),
        measures={} if texts is None else text_measures(texts, scorer, on_progress),
        metadata=values,
        prompts=compared.prompt_keys,
        n_texts=n_texts,
        seed=seed,
    )
    report("explaining", 2, steps)
    numbers = consensus.members + 1
    fields = tuple(
        summarize_field(field, once_a_prompt(own, compared.prompt_keys), numbers, labels, seed)
        for field, own in values.items()
    )
    systems = {}
    for done, name in enumerate(comparison, start=3):
        report("explaining", done, steps)
        systems[name] = _explain_system(compared, describer, name, mixture, confidence, n_draws)
    report("explaining", steps, steps)
    return Explanation(
        systems,
        compared=compared,
        assignment=numbers,
        text_map=map_texts(features, consensus.members),
        fields=fields,
        fields_left_out=left_out,
    )


def _explain_system(
    compared: Compared,
    describer: Describer,
    name: str,
    mixture: float,
    confidence: float,
    n_permutations: int,
) -> SystemExplanation:
    consensus, human_name = describer.consensus, compared.human_name
    rows, pair = compared.rows(name), compared.pair(name)
    members, n_human = consensus.members[rows], compared.sizes[human_name]
    contributions = text_contributions(pair, compared.settings.estimator, mixture)
    of_p, of_q = group_shares(pair, contributions, members, consensus.n_clusters, mixture)
    differing = differing_clusters(
        pair.first(_TEST_CLUSTERINGS), members, consensus.n_clusters, n_permutations, describer.seed
    )
    texts = None
    if compared.texts is not None:
        texts = compared.texts[human_name] + compared.texts[name]
    pair_texts = PairTexts(
        (human_name, name), n_human, contributions, consensus.typicality[rows], members + 1, texts
    )
    human = np.bincount(members[:n_human], minlength=consensus.n_clusters)
    model = np.bincount(members[n_human:], minlength=consensus.n_clusters)
    kinds = differing.kinds(1 - confidence)
    clusters = tuple(
        Cluster(
            kind=kinds[c],
            n_human=int(human[c]),
            n_model=int(model[c]),
            human_share=float(human[c] / n_human),
            model_share=float(model[c] / (len(rows) - n_human)),
            type_1=of_q.share(c, confidence),
            type_2=of_p.share(c, confidence),
            p_value=float(differing.p_values[c]),
            **described,
        )
        for c, described in enumerate(describer.describe(rows, pair_texts))
        if human[c] + model[c]  # else only other systems have texts there
    )
    return SystemExplanation(
        name,
        human_name,
        mixture,
        confidence,
        *divergences_at(pair, compared.settings.estimator, mixture)[::-1],
        clusters,
        pair_texts,
    )
