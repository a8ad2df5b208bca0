"""Logs of evaluation tools are recognised, and read as the tools mean them."""

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import mauve
from mauve.embed.samples import read_samples
from mauve.errors import InvalidParameterError
from mauve.text.read import read_texts

LOGS = Path(__file__).parents[1] / "recorded" / "logs"  # written by the tools: logs.py beside it
QUESTIONS = [f"What happened on day {i}?" for i in range(3)]
FIRST = [f"It rained all of day {i}, again." for i in range(3)]
SECOND = [f"It rained all of day {i}, as it always does." for i in range(3)]


def json_lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def rows_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def by_id(file):
    """Return the texts and prompts of each id, and check that those of one stand together."""
    grouped = {}
    for id_, text, prompt in zip(file.ids, file.texts, file.prompts, strict=True):
        assert id_ not in [*grouped][:-1], "epochs of one sample stand apart"
        grouped.setdefault(id_, []).append((text, prompt))
    return grouped


class TestHarness:
    def test_filters_do_not_repeat_texts(self):
        path = LOGS / "samples_rain.jsonl"
        assert len(rows_of(path)) == 2 * len(FIRST)  # two filters
        file = read_texts(path)
        assert (file.texts, file.prompts, file.ids) == (FIRST, QUESTIONS, ["0", "1", "2"])
        assert file.metadata["site"] == ["a.org"] * 3

    def test_repeats_are_texts_of_one_prompt(self):
        grouped = by_id(read_texts(LOGS / "samples_rain_repeats.jsonl"))
        assert grouped == {
            str(i): [(FIRST[i], QUESTIONS[i]), (SECOND[i], QUESTIONS[i])] for i in range(3)
        }

    def test_given_answers_are_no_texts(self):
        with pytest.raises(InvalidParameterError, match=r"log-likelihoods .* in line 1: pass the"):
            read_texts(LOGS / "samples_rain_choice.jsonl")

    def test_another_field(self):
        file = read_texts(LOGS / "samples_rain.jsonl", field="doc.question")
        assert file.texts == QUESTIONS

    def test_arguments_of_older_releases(self, tmp_path):
        rows = [
            {"doc_id": i, "doc": {}, "arguments": [[q, {"until": []}]], "resps": [[t]]}
            for i, (q, t) in enumerate(zip(QUESTIONS, FIRST, strict=True))
        ]
        file = read_texts(json_lines(tmp_path / "a.jsonl", rows + rows))  # without filter names
        assert (file.texts, file.prompts) == (FIRST, QUESTIONS)

    def test_prompts_of_chats(self, tmp_path):
        [row, *_] = rows_of(LOGS / "samples_rain.jsonl")
        chat = '[{"role": "user", "content": "Hi."}]'
        row["arguments"]["gen_args_0"]["arg_0"] = [chat]
        assert read_texts(json_lines(tmp_path / "a.jsonl", [row])).prompts == [chat]

    def test_two_runs_in_one_file(self, tmp_path):
        rows = rows_of(LOGS / "samples_rain.jsonl")
        with pytest.raises(InvalidParameterError, match=r"^Line 7 .* answers the doc_id 0 once m"):
            read_texts(json_lines(tmp_path / "a.jsonl", rows + rows))
        other = [row | {"resps": [["Snow."]], "filter": "third"} for row in rows]
        with pytest.raises(InvalidParameterError, match=r"^Line 7 .* pass the file of one run"):
            read_texts(json_lines(tmp_path / "a.jsonl", rows + other))

    @pytest.mark.parametrize("resps", [[], [[]], [[None]], None, [["a", None]]])
    def test_missing_answers(self, tmp_path, resps):
        [row, *_] = rows_of(LOGS / "samples_rain.jsonl")
        path = json_lines(tmp_path / "a.jsonl", [row | {"resps": resps}])
        with pytest.raises(InvalidParameterError, match=r"^The field 'resps' in line 1 of .* must"):
            read_texts(path)

    def test_another_kind_of_row_after_the_first(self, tmp_path):
        rows = [*rows_of(LOGS / "samples_rain.jsonl"), {"text": "A text."}]
        with pytest.raises(
            InvalidParameterError,
            match=r"^Line 7 of .* must be a sample of lm-evaluation-harness .* Got the fields text",
        ):
            read_texts(json_lines(tmp_path / "a.jsonl", rows))

    def test_cut_short(self, tmp_path):
        path = tmp_path / "a.jsonl"
        path.write_bytes((LOGS / "samples_rain.jsonl").read_bytes()[:1000])
        with pytest.raises(InvalidParameterError, match=r"^Line 2 of .* must be a JSON object"):
            read_texts(path)

    def test_parquet(self, tmp_path):
        pandas = pytest.importorskip("pandas")
        rows = [
            row | {"arguments": [[row["doc"]["question"]]]}
            for row in rows_of(LOGS / "samples_rain.jsonl")
        ]
        pandas.DataFrame(rows).to_parquet(tmp_path / "a.parquet")
        assert read_texts(tmp_path / "a.parquet").texts == FIRST

    def test_as_samples_of_a_comparison(self):
        files = {"human": LOGS / "samples_rain_repeats.jsonl", "m": LOGS / "inspect.eval"}
        assert {n: len(sample) for n, sample in read_samples(files).items()} == {"human": 6, "m": 6}


@pytest.mark.parametrize("name", ["inspect.eval", "inspect.json"])
class TestInspect:
    def test_epochs_stand_together(self, name):
        file = read_texts(LOGS / name)
        assert by_id(file) == {
            id_: [(FIRST[i], QUESTIONS[i]), (SECOND[i], QUESTIONS[i])]
            for i, id_ in [(0, "first"), (1, "1"), (2, "2")]
        }
        assert file.metadata == {"site": ["a.org"] * 6}

    def test_another_field(self, name):
        assert read_texts(LOGS / name, field="target").texts == ["rain"] * 6

    def test_cut_short(self, name, tmp_path):
        path = tmp_path / name
        path.write_bytes((LOGS / name).read_bytes()[:-4000])
        match = r"^'.*' could not be read as a log" if name.endswith("eval") else "must be JSON"
        with pytest.raises(InvalidParameterError, match=match):
            read_texts(path)


def inspect_log(**changes):
    return json.loads((LOGS / "inspect.json").read_text()) | changes


def archive(path, log, compression=zipfile.ZIP_DEFLATED):
    """Write a log as releases before 2026 did, without Zstandard."""
    with zipfile.ZipFile(path, "w", compression) as file:
        for sample in log["samples"]:
            name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
            file.writestr(name, json.dumps(sample))
        header = {name: value for name, value in log.items() if name != "samples"}
        file.writestr("header.json", json.dumps(header))
    return path


class TestInspectLogs:
    def test_without_zstandard(self, tmp_path):
        path = archive(tmp_path / "a.eval", inspect_log())
        assert sorted(read_texts(path).texts) == sorted(FIRST + SECOND)

    def test_a_run_that_failed(self, tmp_path):
        log = inspect_log(status="error")
        (tmp_path / "a.json").write_text(json.dumps(log))
        for path in (archive(tmp_path / "a.eval", log), tmp_path / "a.json"):
            with pytest.raises(InvalidParameterError, match=r"Its status is 'error': complete it"):
                read_texts(path)

    def test_a_sample_that_failed(self, tmp_path):
        log = inspect_log()
        log["samples"][1]["error"] = {"message": "Timeout\nTraceback"}
        path = archive(tmp_path / "a.eval", log)
        with pytest.raises(InvalidParameterError, match=r"^Sample '\w+' .* failed \(Timeout\): co"):
            read_texts(path)

    def test_a_run_that_has_not_ended(self, tmp_path):
        with zipfile.ZipFile(tmp_path / "a.eval", "w") as file:
            file.writestr("_journal/start.json", "{}")
        with pytest.raises(InvalidParameterError, match=r"Got a run that has not ended instead"):
            read_texts(tmp_path / "a.eval")

    @pytest.mark.parametrize("content", [b"", b"PK", b"text"])
    def test_foreign_files(self, tmp_path, content):
        (tmp_path / "a.eval").write_bytes(content)
        with pytest.raises(InvalidParameterError, match=r"could not be read as a log of inspect"):
            read_texts(tmp_path / "a.eval")
        with zipfile.ZipFile(tmp_path / "b.eval", "w") as file:
            file.writestr("a.txt", "")
        with pytest.raises(InvalidParameterError, match=r"its file header\.json\. Got a zip inst"):
            read_texts(tmp_path / "b.eval")

    def test_a_changed_byte(self, tmp_path):
        raw = bytearray((LOGS / "inspect.eval").read_bytes())
        with zipfile.ZipFile(LOGS / "inspect.eval") as file:
            raw[file.infolist()[-1].header_offset + 200] ^= 0xFF  # in header.json
        (tmp_path / "a.eval").write_bytes(raw)
        with pytest.raises(InvalidParameterError, match=r"It may be cut short: copy it again"):
            read_texts(tmp_path / "a.eval")

    def test_no_samples(self, tmp_path):
        for samples in ([], None):
            (tmp_path / "a.json").write_text(json.dumps(inspect_log(samples=samples)))
            with pytest.raises(InvalidParameterError, match=r"must hold the samples of a run\. Go"):
                read_texts(tmp_path / "a.json")

    def test_messages_as_input_and_attachments(self, tmp_path):
        log = inspect_log()
        sample = log["samples"][0]
        sample["input"] = [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "What?"}]},
        ]
        sample["output"]["completion"] = "attachment://abc"
        sample["attachments"] = {"abc": "A long answer."}
        file = read_texts(archive(tmp_path / "a.eval", log))
        assert (file.texts[0], file.prompts[0]) == ("A long answer.", "Be brief.\n\nWhat?")

    def test_attachments_that_are_missing(self, tmp_path):
        log = inspect_log()
        log["samples"][0]["output"]["completion"] = "attachment://abc"
        with pytest.raises(InvalidParameterError, match=r"^Sample '\w+' .* of the name 'abc' inst"):
            read_texts(archive(tmp_path / "a.eval", log))

    def test_a_sample_twice(self, tmp_path):
        log = inspect_log()
        log["samples"].append(log["samples"][0])
        (tmp_path / "a.json").write_text(json.dumps(log))
        with pytest.raises(InvalidParameterError, match=r"Got '1', epoch 1, once more: pass "):
            read_texts(tmp_path / "a.json")

    def test_json_that_is_nested_deeply(self, tmp_path):
        with zipfile.ZipFile(tmp_path / "a.eval", "w") as file:
            file.writestr("header.json", "[" * 10**5)
        with pytest.raises(InvalidParameterError, match=r"could not be read as a log of inspect"):
            read_texts(tmp_path / "a.eval")

    def test_the_extra_is_named(self):
        """In a process of its own, where the import fails as it does without the package."""
        script = (
            "import sys; sys.modules['zstandard'] = None\n"
            "import mauve\n"
            "try: mauve.read(sys.argv[1])\n"
            "except mauve.MissingExtraError as error: print(error)"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, LOGS / "inspect.eval"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert "needs zstandard, which is not installed: " in done.stdout
        assert 'pip install "mauve-eval[inspect]"' in done.stdout


class TestLighteval:
    def test_details(self):
        grouped = by_id(read_texts(LOGS / "lighteval.parquet"))
        assert grouped == {
            str(i): [(FIRST[i], QUESTIONS[i]), (SECOND[i], QUESTIONS[i])] for i in range(3)
        }

    def test_the_naming_of_its_documentation(self, tmp_path):
        pq = pytest.importorskip("pyarrow.parquet")
        table = pq.read_table(LOGS / "lighteval.parquet")
        renamed = [f"__{name}__" for name in table.column_names]
        pq.write_table(table.rename_columns(renamed), tmp_path / "a.parquet")
        assert read_texts(tmp_path / "a.parquet") == read_texts(LOGS / "lighteval.parquet")

    def test_the_naming_before_0_10(self, tmp_path):
        pandas = pytest.importorskip("pandas")
        rows = [
            {"example": q, "instruction": "", "full_prompt": f"Be brief. {q}", "predictions": [t],
             "pred_logits": [], "gold": ["rain"], "metrics": {"em": 0}}
            for q, t in zip(QUESTIONS, FIRST, strict=True)
        ]  # fmt: skip
        pandas.DataFrame(rows).to_parquet(tmp_path / "a.parquet")
        file = read_texts(tmp_path / "a.parquet")
        assert (file.texts, file.prompts, file.ids) == (FIRST, QUESTIONS, None)

    def test_tasks_without_texts(self, tmp_path):
        rows = [{"doc": {"query": "q", "id": "1"}, "model_response": {"text": [], "logprobs": [1]}}]
        with pytest.raises(InvalidParameterError, match=r"^Line 1 .* details of a generative task"):
            read_texts(json_lines(tmp_path / "a.jsonl", rows))

    def test_cut_short(self, tmp_path):
        path = tmp_path / "a.parquet"
        path.write_bytes((LOGS / "lighteval.parquet").read_bytes()[:-500])
        with pytest.raises(InvalidParameterError, match=r"could not be read as a \.parquet file"):
            read_texts(path)


def chat_answer(i, text, **changes):
    """A line of the output of OpenAI's batch API, as its documentation shows it."""
    body = {
        "id": f"chatcmpl-{i}",
        "object": "chat.completion",
        "model": "gpt-4o-mini",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        ],
        "usage": {"total_tokens": 10},
    }
    return {
        "id": f"batch_req_{i}",
        "custom_id": f"request-{i}",
        "response": {"status_code": 200, "request_id": f"req_{i}", "body": body},
        "error": None,
    } | changes


class TestBatches:
    def test_chat_completions(self, tmp_path):
        rows = [chat_answer(i, text) for i, text in enumerate(FIRST)]
        file = read_texts(json_lines(tmp_path / "a.jsonl", rows))
        assert (file.texts, file.ids) == (FIRST, ["request-0", "request-1", "request-2"])
        assert (file.metadata, file.prompts) == ({"model": ["gpt-4o-mini"] * 3}, None)

    def test_completions_and_responses(self, tmp_path):
        text = {"choices": [{"text": "One."}, {"text": "Two."}]}
        parts = [{"type": "output_text", "text": "Three."}]
        output = [{"type": "reasoning", "summary": []}, {"type": "message", "content": parts}]
        rows = [
            chat_answer(i, "", response={"status_code": 200, "body": body})
            for i, body in enumerate([text, {"object": "response", "output": output}])
        ]
        file = read_texts(json_lines(tmp_path / "a.jsonl", rows))
        assert file.texts == ["One.", "Two.", "Three."]
        assert file.ids == ["request-0", "request-0", "request-1"]

    def test_saved_answers(self, tmp_path):
        rows = [chat_answer(i, text)["response"]["body"] for i, text in enumerate(FIRST)]
        assert read_texts(json_lines(tmp_path / "a.jsonl", rows)).texts == FIRST

    @pytest.mark.parametrize(
        "failed",
        [
            {"response": None, "error": {"code": "batch_expired", "message": "It expired."}},
            {"response": {"status_code": 429, "body": {"error": {"message": "It expired."}}}},
        ],
    )
    def test_failed_requests(self, tmp_path, failed):
        rows = [chat_answer(0, "One."), chat_answer(1, "", **failed)]
        with pytest.raises(
            InvalidParameterError,
            match=r"^Line 2 of .* 'request-1'\. That failed \(It expired\.\): run it again, or",
        ):
            read_texts(json_lines(tmp_path / "a.jsonl", rows))

    def test_refusals(self, tmp_path):
        with pytest.raises(InvalidParameterError, match=r"^Line 1 .* refused or calls a tool: rem"):
            read_texts(json_lines(tmp_path / "a.jsonl", [chat_answer(0, None)]))

    def test_requests_are_no_answers(self, tmp_path):
        row = {"custom_id": "r", "method": "POST", "url": "/v1", "body": {"messages": []}}
        with pytest.raises(InvalidParameterError, match="must have the field 'text'"):
            read_texts(json_lines(tmp_path / "a.jsonl", [row]))


OPENAI = [
    {"messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi."},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
        {"role": "tool", "content": "rain"},
        {"role": "assistant", "content": [{"type": "text", "text": "Rain."}]},
    ], "site": "a.org"},
    {"messages": [{"role": "user", "content": "Anyone?"}], "site": "b.org"},
]  # fmt: skip
SHAREGPT = [{"id": "c1", "conversations": [
    {"from": "human", "value": "Hi."}, {"from": "gpt", "value": "Hello."},
]}]  # fmt: skip


class TestConversations:
    def test_the_assistant(self, tmp_path):
        file = read_texts(json_lines(tmp_path / "a.jsonl", OPENAI))
        assert (file.texts, file.prompts) == (["Hello.", "Rain."], ["Hi.", "rain"])
        assert file.metadata == {"site": ["a.org", "a.org"]}

    def test_another_role(self, tmp_path):
        path = json_lines(tmp_path / "a.jsonl", OPENAI)
        assert read_texts(f"{path}?role=user").texts == ["Hi.", "Weather?", "Anyone?"]

    @pytest.mark.parametrize("role", ["user", "human"])
    def test_sharegpt(self, tmp_path, role):
        path = tmp_path / "a.json"
        path.write_text(json.dumps(SHAREGPT))
        assert (read_texts(path).texts, read_texts(path).ids) == (["Hello."], ["c1"])
        assert read_texts(f"{path}?role={role}").texts == ["Hi."]

    def test_in_memory_and_parquet(self, tmp_path):
        pandas = pytest.importorskip("pandas")
        pandas.DataFrame(SHAREGPT).to_parquet(tmp_path / "a.parquet")
        assert read_texts(tmp_path / "a.parquet").texts == ["Hello."]
        samples = read_samples({"human": OPENAI, "m": SHAREGPT})
        assert [sample.values for sample in samples.values()] == [["Hello.", "Rain."], ["Hello."]]

    def test_roles_that_nobody_has(self, tmp_path):
        path = json_lines(tmp_path / "a.jsonl", OPENAI)
        with pytest.raises(
            InvalidParameterError,
            match=r"the role 'bot'\. Got system, user, assistant, tool instead: name one with",
        ):
            read_texts(f"{path}?role=bot")

    def test_roles_without_texts(self, tmp_path):
        calls = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": None}]
        path = json_lines(tmp_path / "a.jsonl", [{"messages": calls}] * 2)
        with pytest.raises(InvalidParameterError, match=r"role 'assistant' with a text\. Got none"):
            read_texts(path)

    def test_a_role_where_there_are_no_messages(self, tmp_path):
        path = json_lines(tmp_path / "a.jsonl", [{"text": "One."}])
        with pytest.raises(InvalidParameterError, match=r"^Line 1 of .* must be a conversation"):
            read_texts(f"{path}?role=user")
        (tmp_path / "a.txt").write_text("One.\n")
        with pytest.raises(InvalidParameterError, match=r"has no roles"):
            read_texts(f"{tmp_path / 'a.txt'}?role=user")

    def test_a_named_field_comes_first(self, tmp_path):
        path = json_lines(tmp_path / "a.jsonl", OPENAI[:1])
        assert read_texts(path, field="messages.0.content").texts == ["Be brief."]
        assert read_texts(f"{path}?field=messages.1.content").texts == ["Hi."]

    def test_records_with_a_text_are_plain(self, tmp_path):
        path = json_lines(tmp_path / "a.jsonl", [row | {"text": "Plain."} for row in OPENAI])
        assert read_texts(path).texts == ["Plain.", "Plain."]

    def test_contents_that_are_no_text(self, tmp_path):
        rows = [{"messages": [{"role": "user", "content": 5}]}]
        with pytest.raises(InvalidParameterError, match=r"messages in line 1 of .* Got int instea"):
            read_texts(json_lines(tmp_path / "a.jsonl", rows))


class TestDatasets:
    def test_as_a_sample(self, tmp_path):
        json_lines(tmp_path / "train.jsonl", [{"story": f"Story {i}."} for i in range(5)])
        shutil.copy(tmp_path / "train.jsonl", tmp_path / "test.jsonl")
        source = f"hf:{tmp_path}?split=train&field=story&take=3"
        assert mauve.read(source).texts == ["Story 0.", "Story 1.", "Story 2."]
        assert len(read_samples({"human": source})["human"]) == 3
