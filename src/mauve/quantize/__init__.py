"""Features in, labels out: reduction, quantizers, and fitting apart from counting."""
