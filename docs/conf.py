"""Settings of the documentation site: ``make docs`` builds it, offline, with warnings as errors.

Sphinx, because docstrings are numpydoc with examples that run; MyST, because the pages are
Markdown that a repository shows as well; furo, because it reads well on a telephone and fetches
nothing from other hosts.
"""

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

import mauve

project = "mauve"
version = release = mauve.__version__
author = "The developers of mauve"
copyright = "the developers of mauve"
language = "en"

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
]
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["_build"]

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
autosummary_generate = False  # numpydoc loads it
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # types stand in the docstrings

html_theme = "furo"
html_math_renderer = "mathml"
html_title = "mauve"
html_copy_source = False
html_static_path = ["static"]
html_css_files = ["narrow.css"]
html_js_files = [("access.js", {"defer": "defer"})]


def add_other_pages(app, name, source):
    """List the pages that index.md does not name under a heading of their own, so none is lost."""
    if name == "index":
        other = [page for page in sorted(app.env.found_docs) if f"\n{page}\n" not in source[0]]
        other.remove("index")
        if other:
            pages = "\n".join(other)
            source[0] += f"\n```{{toctree}}\n:caption: More\n:maxdepth: 1\n\n{pages}\n```\n"


def draw_formula(translator, node):
    """Write a formula as MathML, which browsers draw without a script from another host."""
    is_block = isinstance(node, nodes.math_block)
    formula = tex2mathml(node.astext(), as_block=is_block)
    translator.body.append(f'<div class="formula">{formula}</div>' if is_block else formula)
    raise nodes.SkipNode


def setup(app):
    """Register what Sphinx calls."""
    app.add_html_math_renderer("mathml", (draw_formula, None), (draw_formula, None))
    app.connect("source-read", add_other_pages)
