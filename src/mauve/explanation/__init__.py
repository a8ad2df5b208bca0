"""Why a system scores as it does: clusters, texts, words."""
