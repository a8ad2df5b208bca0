"""Language models, decoding algorithms, generated texts and token probabilities."""
