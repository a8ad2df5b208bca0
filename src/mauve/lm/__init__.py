"""Language models, the ways to decode from them, and the texts they write."""
