"""Read texts from files, check them for differences of form, and normalise them."""
