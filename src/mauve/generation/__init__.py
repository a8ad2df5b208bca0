"""From a model to texts: tasks, prompts, generation, evaluation, fine-tuning and training."""
