"""Explain a comparison: find the clusters, texts and words that make its scores."""

import numpy as np

from mauve.calls import parameter
from mauve.comparison.buckets import clustering_to_explain, joint_pair
from mauve.comparison.compared import Compared
from mauve.comparison.comparison import Comparison
from mauve.errors import InvalidParameterError, bad_parameter, check_int, check_share
from mauve.explanation.agreement import summarize_field
from mauve.explanation.clusters import check_clusters, consensus_clusters
from mauve.explanation.contributions import divergences_at, group_shares, text_contributions
from mauve.explanation.describe import Describer, text_measures
from mauve.explanation.differing import differing_clusters, least_permutations
from mauve.explanation.findings import Cluster
from mauve.explanation.map import map_texts
from mauve.explanation.metadata import Metadata, check_metadata, once_per_prompt
from mauve.explanation.parting import parting_points
from mauve.explanation.properties import system_properties
from mauve.explanation.property_columns import PropertyTable
from mauve.explanation.results import Explanation, SystemExplanation
from mauve.explanation.texts import PairTexts
from mauve.explanation.wording import phrase_table
from mauve.inference.resampling import LabelledPair
from mauve.lm.protocol import TokenScorer
from mauve.lm.scorer import RememberedScorer, get_scorer
from mauve.progress import ProgressLike, progress_bar

_TEST_CLUSTERINGS = 10  # the test is exact with any number; more hardly add to its power


def explain(
    comparison: Comparison,
    *,
    n_clusters: int | str = "auto",
    mixture: float = 0.5,
    metadata: "Metadata | None" = None,
    language_model: str | TokenScorer | None = None,
    n_texts: int = 5,
    n_permutations: int | None = None,
    seed: int = 0,
    device: str = "auto",
    progress: "ProgressLike" = True,
) -> Explanation:
    r"""Explain why the systems of a comparison score as they do.

    Parameters
    ----------
    comparison : Comparison
        Returned by :func:`mauve.compare`, of texts or of features.
    n_clusters : int or "auto"
        Number of clusters. By default 18 for 1,000 texts of all samples together, 26 for 2,000
        and 30 for 3,000 or more.
    mixture : float in (0, 1)
        λ, the weight of human text in the mixture R that both samples are compared with.
    metadata : mapping from sample to mapping from field to sequence, optional
        One value for each text: ``{"human": {"domain": [...]}, "gpt2": {...}}``. If the
        comparison has a `limit`, one for each text that was passed to it, or that was drawn.
    language_model : str or TokenScorer, optional
        Model for the perplexity of the clusters, "bundled" or a causal Transformers model. By
        default none, since it reads all texts once more.
    n_texts : int
        Number of typical and of telling texts of each cluster, from each sample.
    n_permutations : int, optional
        Number of permutations for the tests of the clusters; by default 1,000, or more if the
        confidence of the comparison needs them.
    seed : int
        Random seed.
    device : str
        Where the language model runs.
    progress : bool or callable
        As for :func:`mauve.compare`.

    Returns
    -------
    Explanation
        A mapping from name to :class:`mauve.SystemExplanation`.

    Notes
    -----
    Every text of a system has a part of KL(Q|R), and every human text one of KL(P|R); the
    share of a cluster is the sum over its texts, with an interval. Clusters are groups of texts
    that often share a bucket, over all clusterings, found without knowing which sample a text
    is from. Those that differ are flagged; the chance of any false flag is at most one minus
    the confidence of the comparison. ``docs/explanations.md`` describes and evaluates the
    method.

    Examples
    --------
    >>> from mauve.comparison.run import compare
    >>> rng = np.random.default_rng(0)
    >>> topics = 4 * np.eye(4, 8)
    >>> human = topics[rng.choice(4, 400)] + rng.normal(size=(400, 8))
    >>> model = topics[rng.choice(4, 400, p=[0.5, 0.2, 0.3, 0])] + rng.normal(size=(400, 8))
    >>> explained = explain(compare(human, model), n_clusters=4)["model"]
    >>> [f"{c.human_share:.2f} -> {c.model_share:.2f}" for c in explained.over + explained.under]
    ['0.23 -> 0.50', '0.29 -> 0.00']
    >>> abs(sum(c.type_1.value for c in explained.clusters) - explained.type_1) < 1e-12
    True
    """
    if not isinstance(comparison, Comparison):
        raise bad_parameter("comparison", "what mauve.compare returns", type(comparison))
    compared = comparison.compared
    n_all = sum(compared.sizes.values())
    n_wanted = check_clusters(n_clusters, n_all)
    check_mixture(mixture)
    check_int("n_texts", n_texts, 0)
    confidence = next(iter(comparison.values())).confidence
    least = least_permutations(confidence)
    n_draws = max(1000, least) if n_permutations is None else n_permutations
    why = f"fewer cannot give a p-value of {1 - confidence:.4g}, or only roughly"
    check_int("n_permutations", n_draws, least, why=why)
    check_int("seed", seed, 0)
    field_values, left_out = check_metadata(
        compared.samples.aligned(metadata or {}), compared.sizes
    )
    if language_model is not None and compared.texts is None:
        raise InvalidParameterError(
            f"{parameter('language_model')} must be left out for features, which have "
            "no text to read: compare the texts instead."
        )
    scorer = None
    if language_model is not None:  # measures and properties share its log-probabilities
        scorer = RememberedScorer(get_scorer(language_model, device=device))
    with progress_bar(progress) as on_progress:
        n_steps = 3 + len(comparison)
        on_progress("explaining", 0, n_steps)
        clustering, num_buckets = clustering_to_explain(compared.samples, compared.settings)
        labels = clustering.labels
        consensus = consensus_clusters(labels, num_buckets, n_wanted, seed)
        on_progress("explaining", 1, n_steps)
        texts, starts = None, None
        if compared.texts is not None:
            starts = parting_points(compared.texts, compared.samples.prompts)
            texts = [text for sample in compared.texts.values() for text in sample]
        features = clustering.reduced[clustering.position]
        phrases = None if texts is None else phrase_table(texts)
        describer = Describer(
            consensus=consensus,
            features=features,
            texts=texts,
            phrases=phrases,
            measures={} if texts is None else text_measures(texts, scorer, on_progress),
            metadata=field_values,
            prompts=compared.prompt_hashes,
            n_texts=n_texts,
            seed=seed,
            starts=starts,
        )
        properties = None
        if texts is not None and phrases is not None:
            properties = PropertyTable(
                texts,
                phrases,
                compared.samples.all_prompts,
                None if scorer is None else scorer.log_probabilities(texts, on_progress),
            )
        on_progress("explaining", 2, n_steps)
        numbers = consensus.members + 1
        fields = tuple(
            summarize_field(
                field, once_per_prompt(values, compared.prompt_hashes), numbers, labels, seed
            )
            for field, values in field_values.items()
        )
        systems = {}
        for n_done, name in enumerate(comparison, start=3):
            on_progress("explaining", n_done, n_steps)
            tested = joint_pair(compared.samples, clustering, num_buckets, name)
            systems[name] = _explain_system(
                compared, tested, describer, properties, name, mixture, confidence, n_draws
            )
        on_progress("explaining", n_steps, n_steps)
    return Explanation(
        systems,
        compared=compared,
        assignment=numbers,
        text_map=map_texts(features, consensus.members),
        fields=fields,
        fields_left_out=left_out,
    )


def check_mixture(mixture: float) -> None:
    """Raise unless `mixture` is the weight of both samples in a mixture.

    Examples
    --------
    >>> check_mixture(0.5)
    """
    check_share("mixture", mixture)


def _explain_system(
    compared: Compared,
    tested: LabelledPair,
    describer: Describer,
    properties: PropertyTable | None,
    name: str,
    mixture: float,
    confidence: float,
    n_permutations: int,
) -> SystemExplanation:
    consensus, human_name = describer.consensus, compared.human_name
    rows, pair = compared.rows(name), compared.pairs[name]
    members, n_human = consensus.members[rows], compared.sizes[human_name]
    contributions = text_contributions(pair, compared.settings.estimator, mixture)
    p_shares, q_shares = group_shares(pair, contributions, members, consensus.n_clusters, mixture)
    differing = differing_clusters(
        tested.first(_TEST_CLUSTERINGS),
        members,
        consensus.n_clusters,
        n_permutations,
        describer.seed,
    )
    texts = None
    if compared.texts is not None:
        texts = compared.texts[human_name] + compared.texts[name]
    differing_in = None
    if properties is not None:
        differing_in = system_properties(properties, compared.samples, name)
    pair_texts = PairTexts(
        (human_name, name),
        n_human,
        contributions,
        consensus.typicality[rows],
        members + 1,
        texts,
        differing_in,
        None if describer.starts is None else describer.starts[rows],
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
            type_1=q_shares.share(c, confidence),
            type_2=p_shares.share(c, confidence),
            p_value=float(differing.p_values[c]),
            **described,
        )
        for c, described in enumerate(describer.describe(rows, pair_texts, kinds))
        if human[c] + model[c]  # else it has texts of other systems alone
    )
    return SystemExplanation(
        name,
        human_name,
        mixture,
        confidence,
        *divergences_at(pair, compared.settings.estimator, mixture)[::-1],
        clusters,
        pair_texts,
        differing_in,
    )
