"""WritingPrompts are read in pairs, and read as they were before they were tokenised."""

import gzip

import pytest

from mauve.errors import InvalidParameterError
from mauve.generation.sources import source_records
from mauve.generation.writing_prompts import undo_tokens

SITUATIONS = "[ WP ] The sun does n't rise .\n[ EU ] You 're a wizard .\n"
STORIES = (
    "`` It 's late , '' she said . <newline> <newline> Nobody answered .\nI ca n't be . <newline>\n"
)


@pytest.fixture
def folder(tmp_path):
    for split in ("test", "valid"):
        (tmp_path / f"{split}.wp_source").write_text(SITUATIONS, "utf-8")
        (tmp_path / f"{split}.wp_target").write_text(STORIES, "utf-8")
    return tmp_path


class TestTokens:
    @pytest.mark.parametrize(
        ("tokens", "text"),
        [
            ("`` I ca n't , '' he said .", '"I can\'t," he said.'),
            ("`` What ? '' `` Yes . '' <newline> `` Oh", '"What?" "Yes."\n"Oh'),
            ("“ Brother , where art thou ? ” ‘ No . ’", "“Brother, where art thou?” ‘No.’"),
            ('" Hello , " she said . " I \'m gon na go . "', '"Hello," she said. "I\'m gonna go."'),
            ('She cut 6 " off and left', 'She cut 6 " off and left'),
            ("it don ’ t matter , it ’ s over", "it don’t matter, it’s over"),
            ("they 'd 've won ; we 'll see : no", "they'd've won; we'll see: no"),
            ("5 % of $ 5 ( or £ 4 ) ... ok ? !", "5% of $5 (or £4)... ok?!"),
            ("The boys ' room . Ten o'clock .", "The boys' room. Ten o'clock."),
            ("End . <newline> <newline> * * * <newline> Then", "End.\n\n* * *\nThen"),
            ("I like -- no , love -- it", "I like -- no, love -- it"),
            ("Wan na ? Got ta . Gim me ! Lem me", "Wanna? Gotta. Gimme! Lemme"),
            ("I can not .", "I can not."),  # the tokens do not tell whether it was one word
            ("no change here", "no change here"),
            ("", ""),
        ],
    )
    def test_are_undone(self, tokens, text):
        assert undo_tokens(tokens) == text


class TestFiles:
    @pytest.mark.parametrize("name", ["", "test.wp_source", "test.wp_target"])
    def test_any_of_three_names(self, folder, name):
        first, second = source_records(str(folder / name))
        assert first.prompt == "The sun doesn't rise."
        assert first.text == '"It\'s late," she said.\n\nNobody answered.'
        assert (first.id, first.metadata) == ("1", {"tag": "WP"})
        assert (second.id, second.text, second.metadata) == ("2", "I can't be.", {"tag": "EU"})

    def test_split_of_a_folder(self, folder):
        (folder / "valid.wp_target").write_text("One .\nTwo .\n")
        assert [r.text for r in source_records(f"{folder}?split=valid")] == ["One.", "Two."]

    def test_compressed(self, tmp_path):
        for end, text in (("source", SITUATIONS), ("target", STORIES)):
            (tmp_path / f"test.wp_{end}.gz").write_bytes(gzip.compress(text.encode()))
        assert len([*source_records(tmp_path / "test.wp_source.gz")]) == 2
        assert len([*source_records(tmp_path)]) == 2

    @pytest.mark.parametrize(
        ("source", "target"), [(SITUATIONS, STORIES * 2), (SITUATIONS * 2, STORIES)]
    )
    def test_of_different_lengths(self, tmp_path, source, target):
        (tmp_path / "test.wp_source").write_text(source)
        (tmp_path / "test.wp_target").write_text(target)
        with pytest.raises(InvalidParameterError, match=r"same number of lines, .* at line [23]:"):
            [*source_records(tmp_path)]

    def test_without_lines(self, tmp_path):
        (tmp_path / "test.wp_source").touch()
        (tmp_path / "test.wp_target").touch()
        with pytest.raises(InvalidParameterError, match="at least one"):
            [*source_records(tmp_path)]

    def test_one_alone(self, folder):
        (folder / "test.wp_target").unlink()
        with pytest.raises(InvalidParameterError, match=r"test\.wp_target' must be the path"):
            [*source_records(folder / "test.wp_source")]

    def test_split_that_is_not_there(self, folder):
        with pytest.raises(
            InvalidParameterError, match=r"files train\.wp_so.* Got test, valid inst"
        ):
            [*source_records(f"{folder}?split=train")]

    def test_split_of_a_file(self, folder):
        with pytest.raises(InvalidParameterError, match="is one split already"):
            [*source_records(f"{folder}/test.wp_source?split=test")]
