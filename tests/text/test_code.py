"""Code, markup and data, and prose with some of their marks."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mauve.text.code import is_code

CODE = {
    "Python": "import os\n\nclass Walker:\n    def __init__(self, root):\n        self.root = "
    "root\n\n"
    "    def files(self):\n        for name in os.listdir(self.root):\n"
    "            if name.endswith('.py'):\n                yield os.path.join(self.root, name)\n",
    "C": "#include <stdio.h>\n\nint main(void)\n{\n    int total = 0;\n"
    "    for (int i = 0; i < 10; i++) {\n        total += i;\n    }\n"
    '    printf("%d\\n", total);\n    return 0;\n}\n',
    "Java": "public class Point {\n    private final int x;\n    public Point(int x) {\n"
    "        this.x = x;\n    }\n    public int getX() { return x; }\n}\n",
    "JavaScript": "const wait = (ms) => new Promise((done) => setTimeout(done, ms));\n\n"
    "async function main() {\n  const answer = await fetch(url);\n  "
    "console.log(answer.status);\n}\n",
    "JSON": '{"name": "mauve", "version": 1, "tags": ["text", "score"], "nested": {"deep": true}, '
    '"items": [{"id": 1, "ok": false}, {"id": 2, "ok": null}]}',
    "HTML": '<div class="page"><ul><li><a href="/one">One</a></li><li><a href="/two">Two</a></li>'
    '</ul><img src="a.png" alt="A"/></div><script>load();</script>',
    "SQL": "SELECT users.id, COUNT(*) FROM users\nJOIN orders ON orders.user_id = users.id\n"
    "WHERE users.active = 1 GROUP BY users.id ORDER BY users.id;",
    "LaTeX": "\\begin{align}\n\\frac{a_1}{b} &= \\sum_{i=1}^{n} x_i \\\\\n"
    "\\hat{\\theta}_n &= \\left(\\alpha + \\beta\\right)\n\\end{align}\n",
}  # fmt: skip

PROSE = {
    "brackets": "She said (twice): 'No; never!' -- and left [the room] at 5:30 (or so).",
    "links": "See [the guide](https://example.org/guide), then [the manual](manual.md), and ask.",
    "table": "| name | age |\n|---|---|\n| Ann | 31 |\n| Ben | 28 |\n\nTwo people were asked.",
    "list": "- eggs\n- flour\n- milk (2 l)\n- butter; salt\n\n1. Mix.\n2. Bake at 180 °C.",
    "smileys": "so happy :) :D <3 ;) can't wait!!! (^_^) =D :-) xoxo",
    "notes": "The war[1] ended in 1945.[2] Its causes[3][4] are disputed.[citation needed]",
    "poem": "No motion has she now, no force;\nShe neither hears nor sees;\nRolled round;\nin "
    "trees.",
    "about code": "The function len() returns the number of items. Call it with a list, and it "
    "answers at once, because every list keeps its own length in memory.",
    "drawing": " /\\_/\\ \n( o.o )\n > ^ <\n /|_|\\ \n(_____)",
    "rules": "==========\nChapter 1\n==========\n----------\n**********\n##########",
    "prices": "Rent = $900; food = $300; bus = $60. What is left? Not much, I am afraid.",
}  # fmt: skip


@pytest.mark.parametrize("language", CODE)
def test_code(language):
    assert is_code(CODE[language])


@pytest.mark.parametrize("kind", PROSE)
def test_prose(kind):
    assert not is_code(PROSE[kind])
    assert not is_code("\n".join([PROSE[kind]] * 20))


@given(st.sampled_from("({[;=<>_/\\$&|!.,'\"-"), st.integers(1, 500))
def test_a_loop_of_one_mark_is_no_code(mark, times):
    assert not is_code(mark * times)
    assert not is_code(f"word {mark} " * times)


@pytest.mark.slow
@settings(max_examples=200)
@given(st.permutations([word for text in PROSE.values() for word in text.split()]))
def test_shuffled_prose_is_no_code(words):
    assert not is_code(" ".join(words))
