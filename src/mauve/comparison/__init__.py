"""MAUVE of systems against human text."""
