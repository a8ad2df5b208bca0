"""Train with the callback in one process or, started by torchrun, in several; print its log."""

import json
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent))

from small_language import blocks, logged, texts, tiny_model, trainer, word_pairs

from mauve.generation.callback import MauveCallback

if __name__ == "__main__":
    folder, n_processes = sys.argv[1], int(sys.argv[2])
    torch.set_num_threads(1)
    callback = MauveCallback(
        texts(2, 101), prompt_tokens=4, max_tokens=20, decoder="ancestral", every_steps=4,
        embedder=word_pairs, n_permutations=50, batch_size=64,
    )  # fmt: skip
    # It learns a little in each process alone. Then it is trained at a rate of zero: two processes
    # add gradients in another order, and weights that differ in the last bits change tokens.
    model = tiny_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    rows = torch.stack([block["input_ids"] for block in blocks(texts(0, 100))])
    for _ in range(30):
        optimizer.zero_grad()
        model(input_ids=rows, labels=rows).loss.backward()
        optimizer.step()
    made = trainer(
        folder, [callback], model=model, max_steps=8, learning_rate=0.0,
        per_device_train_batch_size=8 // n_processes, eval_strategy="steps", eval_steps=8,
        metric_for_best_model="eval_mauve", greater_is_better=True, ddp_backend="gloo",
    )  # fmt: skip
    made.train()
    result = {
        "process": made.args.process_index, "texts": callback.texts,
        "mauve": logged(made, "eval_mauve"), "p_value": logged(made, "eval_mauve_p_value"),
        "best": made.state.best_metric, "is_main": callback.result is not None,
    }  # fmt: skip
    path = Path(folder, f"process-{made.args.process_index}.json")
    path.write_text(json.dumps(result))
