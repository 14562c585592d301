"""The documentation site: `make docs` builds it without a network, and a warning is an error.

One idea: the pages are ordinary Markdown that reads well in the repository, and this file adds what a site
needs. An index page lists the pages of its folder as links; that list is also the table of contents.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))

from site_pages import write_reference  # noqa: E402

import hornbeam  # noqa: E402

project = "Hornbeam"
author = copyright = "The Hornbeam developers"  # noqa: A001
version = release = hornbeam.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = [
    "gallery/*",
    "_gallery/*.ipynb",
    "_gallery/sg_execution_times.rst",
    "sg_execution_times.rst",
    "**/.ipynb_checkpoints",
    "benchmarks/quick/*",
]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb", ".rst": "restructuredtext"}
templates_path = ["site"]
html_static_path = ["site"]

# Markdown and notebooks.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
# A cache would not notice that the package changed.
nb_execution_mode = os.environ.get("HORNBEAM_DOCS_NOTEBOOKS", "force")
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_merge_streams = True

# Docstrings.
autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False

# Code blocks: what a prompt or an output line says is not copied.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

sphinx_gallery_conf = {
    "examples_dirs": ["gallery"],
    "gallery_dirs": ["_gallery"],
    "filename_pattern": r"/\d\d_",
    "ignore_pattern": r"__init__",
    "image_scrapers": ("site_pages.scrape_pictures", "matplotlib"),
    "capture_repr": ("_repr_html_",),
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "abort_on_example_error": True,
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "copyfile_regex": r"index.rst",
}

# The look.
html_theme = "pydata_sphinx_theme"
html_title = "Hornbeam"
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "Hornbeam"},
    "header_links_before_dropdown": 7,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "navbar_align": "left",
    "search_bar_text": "Search the documentation",
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": []}

LINK = re.compile(r"\]\(((?!http|\.\.)[\w/.-]+)\.(?:md|ipynb|rst)\)")
# Files of the repository that are no pages: their names stay, without a link.
OUTSIDE = re.compile(
    r"\[([^\]]*)\]\((?:\.\./)+(?:examples|src|tests|benchmarks/\w+\.py|cpp|requirements)[\w/.-]*\)"
)
MOVED = {
    r"\]\((\.\./)*gallery/README\.rst\)": r"](/_gallery/index.rst)",
    r"\]\((?:\.\./)+CHANGELOG\.md([#\w-]*)\)": r"](/changelog.md)",
}
# Pages made while the site is built belong to these tables of contents.
MADE = {"reference/index": ["/_api/index"]}


def add_contents(_app: Any, page: str, source: list[str]) -> None:
    """Lead links to where the site has their pages, and give index pages their table of contents."""
    if not (DOCS / f"{page}.md").exists():
        return
    text = OUTSIDE.sub(r"\1", source[0])
    for old, new in MOVED.items():
        text = re.sub(old, new, text)
    if page == "changelog":
        text = (DOCS.parent / "CHANGELOG.md").read_text(encoding="utf-8").replace("](docs/", "](")
        text = text.replace("](gallery/README.rst)", "](/_gallery/index.rst)")
        text = re.sub(r"\[([^\]]*)\]\((?!http)[A-Z]\w+\.(?:md|cff)[#\w-]*\)", r"\1", text)
    if page == "reference/api":
        text = NAMES.sub(linked, text)
    if page in ("index", "more") or page.endswith("/index"):
        links = dict.fromkeys(LINK.findall(source[0]))
        if page == "index":
            links = LINK.findall(source[0].split("## Everything else")[1])
            links = dict.fromkeys("_gallery/index" if link == "gallery/README" else link for link in links)
        inside = [
            path.stem for path in sorted((DOCS / page).parent.glob("*.md")) if page.startswith("benchmarks")
        ]
        entries = [*links, *(name for name in inside if name not in (*links, "index")), *MADE.get(page, ())]
        text += "\n\n```{toctree}\n:hidden:\n\n" + "\n".join(entries) + "\n```\n"
    source[0] = text


NAMES = re.compile(r"^\| [a-z ]+ \| `.*` \|$", re.MULTILINE)


def linked(row: re.Match[str]) -> str:
    """A row of the first table of the public names, each with its page."""
    pages = {path.stem for path in (DOCS / "_api").glob("hb.*.rst")}

    def link(name: re.Match[str]) -> str:
        page = f"hb.{name[1]}"
        return f"[`{name[1]}`](/_api/{page}.rst)" if page in pages else name[0]

    return re.sub(r"`(\w+)`", link, row[0])


def plain_docstring(_app: Any, _what: str, _name: str, _thing: Any, _options: Any, lines: list[str]) -> None:
    """Keep |H| from being a substitution, and links into scikit-learn's pages from leading nowhere."""
    for i, line in enumerate(lines):
        if ">>>" not in line:
            line = re.sub(r"\|([^|`]+)\|", r"\\|\1\\|", line)
            line = re.sub(r":ref:`([^<`]+?) *<[^>]+>`", r"\1", line)
            # Formulas as code: to set them, pages would load a script from elsewhere.
            lines[i] = re.sub(r":math:`([^`]*)`", r"``\1``", line)


def setup(app: Any) -> None:
    """Write the pages of the reference, and listen to pages and docstrings being read."""
    write_reference(DOCS / "_api")
    app.connect("source-read", add_contents)
    app.connect("autodoc-process-docstring", plain_docstring)
