"""Slow and independent implementations of decoders, one text and one token at a time.

A helper for tests: the model reads the whole text again for every token, without a cache, and
each rule is written as its definition says, in plain Python.
"""

import math

import numpy as np
import torch

MASK = (1 << 64) - 1


class SlowModel:
    """A Transformers model that reads one whole text for each question."""

    def __init__(self, model):
        self.model = model.eval()

    @torch.no_grad()
    def read(self, tokens):
        """Return the logits after the last token, and the hidden states of all tokens."""
        output = self.model(
            input_ids=torch.tensor([tokens]), use_cache=False, output_hidden_states=True
        )
        return output.logits[0, -1].double().numpy(), output.hidden_states[-1][0].double().numpy()

    def probabilities(self, tokens):
        logits, _ = self.read(tokens)
        powers = np.exp(logits - logits.max())
        return powers / powers.sum()


def exponential(key, token):
    """Return number `token` of the stream of SplitMix64 that begins at `key`, as -log."""
    z = (key + (token + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    z ^= z >> 31
    return -math.log(((z >> 12) + 0.5) * 2.0**-52)


def kept_tokens(rule, parameter, p):
    """Return the tokens that a truncation keeps."""
    tokens = range(len(p))
    by_probability = sorted(tokens, key=lambda i: (-p[i], i))
    if rule == "top-k":
        return by_probability[:parameter]
    if rule == "min-p":
        return [i for i in tokens if p[i] >= parameter * max(p)]
    if rule == "typical":
        entropy = sum(-x * math.log(x) for x in p if x > 0)
        ranked = sorted(tokens, key=lambda i: (abs(-math.log(p[i]) - entropy), i))
    else:
        ranked = by_probability
    kept, mass = [], 0.0
    for i in ranked:
        kept.append(i)
        mass += p[i]
        if rule != "ancestral" and mass >= parameter:
            break
    return kept


def sample(model, prompt, rule, parameter, *, seed, max_tokens, ends, temperature=1, min_tokens=0):
    """Return the new tokens, without the one that ended the text, and whether one did."""
    keys = np.random.default_rng(seed).integers(1 << 63, size=max_tokens).tolist()
    written = []
    for key in keys:
        p = model.probabilities([*prompt, *written])
        if len(written) < min_tokens:
            p[ends] = 0
        p = (p / p.max()) ** (1 / temperature)
        p = p / p.sum()
        kept = kept_tokens(rule, parameter, p.tolist())
        token = max(kept, key=lambda i: p[i] / exponential(key, i))
        if token in ends:
            return written, True
        written.append(token)
    return written, False


def greedy(model, prompt, *, max_tokens, ends):
    written = []
    while len(written) < max_tokens:
        token = int(model.probabilities([*prompt, *written]).argmax())
        if token in ends:
            return written, True
        written.append(token)
    return written, False


def contrastive(model, prompt, k, alpha, *, max_tokens, ends):
    tokens = [*prompt]
    while len(tokens) - len(prompt) < max_tokens:
        p = model.probabilities(tokens)
        _, before = model.read(tokens)
        scores = {}
        for token in sorted(range(len(p)), key=lambda i: (-p[i], i))[:k]:
            state = model.read([*tokens, token])[1][-1]
            likeness = max(
                state @ other / (np.linalg.norm(state) * np.linalg.norm(other)) for other in before
            )
            scores[token] = (1 - alpha) * p[token] - alpha * likeness
        token = max(scores, key=scores.get)
        if token in ends:
            return tokens[len(prompt) :], True
        tokens.append(token)
    return tokens[len(prompt) :], False


def adversarial(model, prompt, perplexity, n_random, *, seed, max_tokens, ends):
    """Return the new tokens and the perplexity of each of their beginnings."""
    rng = np.random.default_rng(seed)
    written, logs, running = [], [], []
    possible = None
    for n in range(max_tokens):
        p = model.probabilities([*prompt, *written])
        p[ends] = 0
        p /= p.sum()
        possible = [i for i in range(len(p)) if i not in ends]
        if n < n_random:
            token = possible[int(rng.random() * len(possible))]
        else:
            distance = {
                i: abs(math.exp(-(sum(logs) + math.log(p[i])) / (n + 1)) - perplexity)
                for i in possible
            }
            token = min(distance, key=distance.get)
        written.append(token)
        logs.append(math.log(p[token]))
        running.append(math.exp(-sum(logs) / len(logs)))
    return written, running
