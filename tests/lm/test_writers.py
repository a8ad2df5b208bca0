"""Writers by name: what they write, and the errors for names and options that do not fit."""

import pytest

from mauve.errors import InvalidParameterError
from mauve.lm.decoding import parse_decoder
from mauve.lm.writers import get_writer
from mauve.lm.writing import Writer, WritingOptions

SENTENCES = ["the cat sat on the mat.", "the dog sat on the cat.", "a dog ran to the mat."]


@pytest.fixture
def ngram(tmp_path):
    path = tmp_path / "human.txt"
    path.write_text("\n".join(SENTENCES), "utf-8")
    return f"ngram:{path}"


def write(writer, spec, prompts=("the", "a"), **options):
    return dict(writer.write(prompts, parse_decoder(spec), WritingOptions(**options)))


def test_an_ngram_model_is_learnt_from_a_file(ngram):
    writer = get_writer(ngram)
    assert isinstance(writer, Writer)
    assert writer.context is None
    assert writer.signature.startswith("ngram-5:human.txt@")
    written = write(writer, "greedy", max_tokens=20)
    assert written[1].text == " dog ran to the mat."
    assert (written[1].ended, written[1].n_tokens) == (True, 6)


def test_the_signature_of_an_ngram_model_follows_its_texts(ngram, tmp_path):
    other = tmp_path / "other" / "human.txt"
    other.parent.mkdir()
    other.write_text("\n".join([*SENTENCES, "one more."]), "utf-8")
    assert get_writer(f"ngram:{other}").signature != get_writer(ngram).signature
    assert get_writer(ngram).signature == get_writer(ngram).signature


@pytest.mark.parametrize("spec", ["ancestral", "nucleus:0.8", "beam:3", "adversarial:20"])
def test_every_model_takes_every_decoder_of_probabilities(ngram, spec):
    for name in (ngram, "bundled"):
        writer = get_writer(name)
        written = write(writer, spec, max_tokens=8, min_tokens=3)
        assert sorted(written) == [0, 1]
        for text in written.values():
            assert 3 <= text.n_tokens <= 8
            assert text.ended == (text.n_tokens < 8)
        # A later start of the job draws the same random numbers.
        rest = writer.write(["a"], parse_decoder(spec), WritingOptions(8, min_tokens=3), first=1)
        assert [text for _, text in rest] == [written[1]]


def test_seeds(ngram):
    writer = get_writer(ngram)
    first, again, other = (
        write(writer, "ancestral", ["the"] * 20, max_tokens=10, seed=seed) for seed in (3, 3, 4)
    )
    assert first == again != other


def test_the_folder_of_a_model(tiny):
    writer = get_writer(tiny("gpt2", with_head=True), device="cpu")
    assert writer.signature.startswith("gpt2@")
    assert writer.signature.endswith(":float32")
    assert get_writer(writer) is writer


class TestErrors:
    @pytest.mark.parametrize("name", ["bundled", "ngram:human.txt"])
    def test_options_of_other_models(self, name):
        with pytest.raises(InvalidParameterError, match=r"Got dtype='float32', token_budget=9 ins"):
            get_writer(name, dtype="float32", token_budget=9)

    def test_no_file(self):
        with pytest.raises(InvalidParameterError, match="'ngram:FILE' with a file of texts"):
            get_writer("ngram:")

    def test_something_else(self):
        with pytest.raises(InvalidParameterError, match=r"must be a name, a folder or a Writer. G"):
            get_writer(3)

    def test_contrastive_search_needs_hidden_states(self, ngram):
        match = "Got 'contrastive:k=4,alpha=0.6' instead: contrastive needs the hidden states of a"
        with pytest.raises(InvalidParameterError, match=match):
            write(get_writer(ngram), "contrastive", max_tokens=3)

    def test_prompts_that_leave_no_room(self):
        match = r"max_tokens=505: .* Got a prompt of \d+ tokens at position 1 instead: use max_tok"
        with pytest.raises(InvalidParameterError, match=match):
            write(get_writer("bundled"), "greedy", ["", "word " * 9], max_tokens=505)

    def test_adversarial_without_a_target(self, ngram):
        with pytest.raises(InvalidParameterError, match="use 'adversarial:perplexity=NUMBER'"):
            write(get_writer(ngram), "adversarial", max_tokens=3)

    def test_one_string_of_prompts(self, ngram):
        with pytest.raises(
            InvalidParameterError, match=r"must be a list of strings. Got 'the' ins"
        ):
            write(get_writer(ngram), "greedy", "the", max_tokens=3)

    @pytest.mark.parametrize(
        ("options", "match"),
        [
            ({"max_tokens": 0}, "'max_tokens' parameter of WritingOptions must be an int of at l"),
            ({"max_tokens": 5, "min_tokens": 6}, r"int in \[0, 5\]. Got 6 instead: a text ends at"),
            ({"max_tokens": 5, "seed": -1}, "'seed' parameter of WritingOptions .* Got -1 inste"),
        ],
    )
    def test_lengths_and_seed(self, options, match):
        with pytest.raises(InvalidParameterError, match=match):
            WritingOptions(**options)
