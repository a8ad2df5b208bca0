"""Tiny models with random weights and real tokenizers, written to folders.

A helper for tests: models of two layers whose attention matters (the weights are ten times
as large as usual), and tokenizers that were trained on a few sentences.
"""

import os
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"  # read when Transformers is imported

import tokenizers
import torch
import transformers
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors, trainers

torch.set_num_threads(1)  # there is one process for each core, and the models are tiny

SENTENCES = [
    "The cat sat on the mat, and the dog looked at the cat for a long time.",
    "People write about what they have seen; models write what people might have written.",
    "It was a bright cold day in April, and the clocks were striking thirteen.",
    "Naïve café owners in Zürich pay 12.50 € for 3 kg of coffee.",
    "def area(radius): return 3.14159 * radius ** 2",
]

#: Of very different lengths, in several scripts, with odd characters, and with duplicates.
TEXTS = [
    "Yes.",
    "The cat sat on the mat.",
    "a",
    "Il était une fois — naïvement — une petite fille 🐈‍⬛ à Zürich.",
    "今日は良い天気ですね。" * 2,
    " leading and trailing white space \n\n",
    "one\x00two\ttabs",
    "The cat sat on the mat.",
    "word " * 15,
    "People write about what they have seen. " * 20,
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 \u202eright to left\u202c é",
]

CONTEXT = 48  # tokens that every tiny model can read


def save(kind: str, folder: Path, **options: object) -> Path:
    """Write the model of a kind, a key of ``MODELS``, with options of its configuration."""
    config, base, head, make_tokenizer = MODELS[kind]
    tokenizer = make_tokenizer()
    tokenizer.save_pretrained(folder)
    with_head = options.pop("with_head", head is not None)
    common = {"vocab_size": len(tokenizer), "initializer_range": 0.2}
    torch.manual_seed(0)
    model = (head if with_head else base)(config(**{**common, **SHAPES[kind], **options}))
    for parameter in model.parameters():  # biases and norms are zeros and ones otherwise
        if parameter.ndim == 1:
            torch.nn.init.normal_(parameter, mean=float(parameter.detach().mean()), std=0.1)
    model.save_pretrained(folder)
    return folder


def byte_level(special: list[str], vocab_size: int = 400) -> tokenizers.Tokenizer:
    """Train byte-level BPE, which has a token for every byte."""
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(SENTENCES, trainer)
    return tokenizer


def gpt2_tokenizer() -> transformers.PreTrainedTokenizerFast:
    """Return one that adds nothing to a text."""
    end = "<|endoftext|>"
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=byte_level([end]),
        bos_token=end, eos_token=end, unk_token=end, model_max_length=CONTEXT,
    )  # fmt: skip


def roberta_tokenizer() -> transformers.PreTrainedTokenizerFast:
    """Return one that puts <s> before and </s> behind, with the padding token 1."""
    tokenizer = byte_level(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>", cls_token="<s>", pad_token="<pad>", eos_token="</s>",
        sep_token="</s>", unk_token="<unk>", mask_token="<mask>", model_max_length=512,
    )  # fmt: skip


def bert_tokenizer() -> transformers.PreTrainedTokenizerFast:
    """Return a WordPiece one with [CLS] and [SEP]."""
    tokenizer = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=300, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(SENTENCES, trainer)
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
        mask_token="[MASK]", model_max_length=CONTEXT,
    )  # fmt: skip


def llama_tokenizer() -> transformers.PreTrainedTokenizerFast:
    """Return one that puts <s> before a text, and has no padding token."""
    tokenizer = byte_level(["<unk>", "<s>", "</s>"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 1)]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>", eos_token="</s>", unk_token="<unk>",
    )  # fmt: skip


def qwen_tokenizer() -> transformers.PreTrainedTokenizerFast:
    """Return one without a token for the beginning of a text."""
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=byte_level(["<|endoftext|>", "<|im_end|>"]),
        pad_token="<|endoftext|>", eos_token="<|im_end|>",
    )  # fmt: skip


#: Configuration, model, model with a language-model head, and tokenizer of each kind.
MODELS = {
    "gpt2": (
        transformers.GPT2Config, transformers.GPT2Model, transformers.GPT2LMHeadModel,
        gpt2_tokenizer,
    ),
    "roberta": (
        transformers.RobertaConfig, transformers.RobertaModel, None, roberta_tokenizer,
    ),
    "bert": (transformers.BertConfig, transformers.BertModel, None, bert_tokenizer),
    "llama": (
        transformers.LlamaConfig, transformers.LlamaModel, transformers.LlamaForCausalLM,
        llama_tokenizer,
    ),
    "qwen2": (
        transformers.Qwen2Config, transformers.Qwen2Model, transformers.Qwen2ForCausalLM,
        qwen_tokenizer,
    ),
    "qwen3": (
        transformers.Qwen3Config, transformers.Qwen3Model, transformers.Qwen3ForCausalLM,
        qwen_tokenizer,
    ),
}  # fmt: skip

_GROUPED = {  # two heads share a key
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "intermediate_size": 48, "max_position_embeddings": CONTEXT,
}  # fmt: skip
_ENCODER = {
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48,
}  # fmt: skip
SHAPES = {
    "gpt2": {
        "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": CONTEXT,
        "bos_token_id": 0, "eos_token_id": 0,
    },
    "roberta": {
        **_ENCODER, "max_position_embeddings": CONTEXT + 2,  # positions begin at 2
        "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2, "type_vocab_size": 1,
    },
    "bert": {**_ENCODER, "max_position_embeddings": CONTEXT, "pad_token_id": 0},
    "llama": {**_GROUPED, "bos_token_id": 1, "eos_token_id": 2},
    "qwen2": {**_GROUPED, "bos_token_id": None, "eos_token_id": 1, "tie_word_embeddings": True},
    "qwen3": {**_GROUPED, "head_dim": 16, "bos_token_id": None, "eos_token_id": 1},
}  # fmt: skip
