"""Write tests/recorded/logs with the tools themselves, offline.

Each tool needs an environment of its own, as their requirements conflict with each other:

    pip install lm-eval==0.4.13 && python tests/recorded/logs.py harness
    pip install inspect_ai==0.3.285 && python tests/recorded/logs.py inspect
    pip install lighteval==0.13.0 && python tests/recorded/logs.py lighteval

The model answers each question with what `answer` returns, so that tests know the texts. Logs of
inspect_ai are of two epochs; of the harness, of two filters, of two repeats, and of a task with
given answers, which has no texts.
"""

import json
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

FOLDER = Path(__file__).with_name("logs")
QUESTIONS = [f"What happened on day {i}?" for i in range(3)]


def answer(question, repeat=0):
    """Return what the model says."""
    return f"It rained all of {question[17:-1]}, {['again', 'as it always does'][repeat]}."


def harness():
    """Run three tasks of lm-evaluation-harness on a model that is a function."""
    from lm_eval import simple_evaluate
    from lm_eval.api.model import LM
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    class Model(LM):
        def generate_until(self, requests, disable_tqdm=False):
            asked = {}
            texts = []
            for request in requests:
                question = request.args[0]
                key = (request.task_name, question)
                texts.append(answer(question, asked.get(key, 0)))
                asked[key] = asked.get(key, 0) + 1
            return texts

        def loglikelihood(self, requests, disable_tqdm=False):
            return [(-float(len(request.args[1])), False) for request in requests]

        def loglikelihood_rolling(self, requests, disable_tqdm=False):
            raise NotImplementedError

    with TemporaryDirectory() as name:
        folder = Path(name)
        rows = [{"question": question, "site": "a.org"} for question in QUESTIONS]
        data = folder / "data.jsonl"
        data.write_text("".join(json.dumps(row) + "\n" for row in rows))
        common = f"""
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
doc_to_text: "{{{{question}}}}"
"""
        generating = (
            'output_type: generate_until\ndoc_to_target: "yes"\n'
            "metric_list: [{metric: exact_match}]\n"
        )
        filters = """filter_list:
  - {name: strict, filter: [{function: take_first}]}
  - {name: flexible, filter: [{function: lowercase}, {function: take_first}]}
"""
        tasks = {
            "rain": generating + filters,
            "rain_repeats": generating + "repeats: 2\n",
            "rain_choice": 'output_type: multiple_choice\ndoc_to_choice: ["yes", "no"]\n'
            "doc_to_target: 0\nmetric_list: [{metric: acc}]\n",
        }
        for task, text in tasks.items():
            (folder / f"{task}.yaml").write_text(f"task: {task}{common}{text}")
        tracker = EvaluationTracker(output_path=str(folder / "out"))
        results = simple_evaluate(
            Model(),
            tasks=list(tasks),
            task_manager=TaskManager(include_path=name, include_defaults=False),
            log_samples=True,
            evaluation_tracker=tracker,
        )
        samples = results.pop("samples")
        tracker.save_results_aggregated(results=results, samples=samples)
        for task in tasks:
            tracker.save_results_samples(task_name=task, samples=samples[task])
            [written] = (folder / "out").rglob(f"samples_{task}_2*.jsonl")
            shutil.copy(written, FOLDER / f"samples_{task}.jsonl")


def inspect():
    """Run a task of inspect_ai on its mock model, with both formats of logs."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, get_model
    from inspect_ai.model._providers.mockllm import MockLLM
    from inspect_ai.scorer import includes
    from inspect_ai.solver import generate, system_message

    async def count_tokens(self, *args, **kwargs):
        return 1  # the tokenizer that counts the tokens of the input would be downloaded

    MockLLM.count_tokens = MockLLM.count_text_tokens = count_tokens
    asked = {}

    def output(messages, *args, **kwargs):
        question = messages[-1].text
        repeat = asked.get(question, 0)
        asked[question] = repeat + 1
        return ModelOutput.from_content("mockllm/model", answer(question, repeat))

    samples = [
        Sample(id=i or "first", input=question, target="rain", metadata={"site": "a.org"})
        for i, question in enumerate(QUESTIONS)
    ]
    task = Task(
        dataset=samples,
        solver=[system_message("Be brief."), generate()],
        scorer=includes(),
        epochs=2,
        name="rain",
    )
    for kind in ("eval", "json"):
        asked.clear()
        with TemporaryDirectory() as folder:
            [log] = eval(
                task,
                model=get_model("mockllm/model", custom_outputs=output, memoize=False),
                log_format=kind,
                log_dir=folder,
                display="none",
                max_samples=1,
            )
            assert log.status == "success", log.error
            [written] = Path(folder).glob(f"*.{kind}")
            shutil.copy(written, FOLDER / f"inspect.{kind}")


def lighteval():
    """Save the details of a task with lighteval's tracker."""
    from lighteval.logging.evaluation_tracker import EvaluationTracker
    from lighteval.models.model_output import ModelResponse
    from lighteval.tasks.requests import Doc, SamplingMethod

    with TemporaryDirectory() as folder:
        tracker = EvaluationTracker(output_dir=folder, save_details=True)
        tracker.general_config_logger.model_name = "model"
        for i, question in enumerate(QUESTIONS):
            doc = Doc(
                query=question,
                choices=["rain"],
                gold_index=0,
                id=str(i),
                task_name="rain|0",
                sampling_methods=[SamplingMethod.GENERATIVE],
                num_samples=2,
            )
            texts = [answer(question, repeat) for repeat in range(2)]
            response = ModelResponse(
                input=f"Be brief.\n{question}", text=texts, output_tokens=[[1, 2], [3]]
            )
            detail = tracker.details_logger.Detail(doc, response, {"em": 0.0})
            tracker.details_logger.details["rain|0"].append(detail)
        tracker.save_details("now", {name: _dataset(d) for name, d in tracker.details.items()})
        [written] = Path(folder).rglob("details_*.parquet")
        shutil.copy(written, FOLDER / "lighteval.parquet")


def _dataset(details):
    from datasets import Dataset

    return Dataset.from_list(details)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    {"harness": harness, "inspect": inspect, "lighteval": lighteval}[sys.argv[1]]()
