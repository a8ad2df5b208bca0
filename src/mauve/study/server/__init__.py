"""Serve a study: the annotation page, the operator's dashboard and what they ask for."""

from mauve.errors import need_packages

need_packages("The server of a study", ["sqlalchemy", "fastapi", "uvicorn"], "study")
