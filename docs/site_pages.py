"""Pages of the site that are made of the package itself: its reference, and pictures of the gallery.

One idea: what can be read out of the code is never written by hand. Each public name gets a page with its
docstring; each picture that an example leaves in a variable becomes the image of the example.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import hornbeam as hb
from hornbeam.display.drawing import Picture

GROUPS = re.compile(r"^\| ([a-z ]+) \| (`.*`) \|$", re.MULTILINE)
# What scikit-learn adds to every estimator; its own documentation tells of it.
INHERITED = re.compile(r"set_\w+_request|get_metadata_routing|_.*|metadata_routing")


def names_in_groups() -> dict[str, list[str]]:
    """The public names, in the groups in which `reference/api.md` begins with them.

    >>> names_in_groups()["explain an answer"][0]
    'explain'
    """
    text = (Path(__file__).parent / "reference" / "api.md").read_text(encoding="utf-8").split("\n## ")[0]
    return {group: re.findall(r"`(\w+)`", names) for group, names in GROUPS.findall(text)}


def write_reference(folder: Path) -> None:
    """Write a page for each public name, and one that lists them."""
    folder.mkdir(exist_ok=True)
    parts = [title("API reference"), "Every public name, with its docstring. ``import hornbeam as hb``.", ""]
    pages: list[str] = []
    for group, names in names_in_groups().items():
        public = [name for name in names if not isinstance(getattr(hb, name), ModuleType)]
        parts += section(group.capitalize(), "hornbeam", "hb", public, folder)
        pages += [f"hb.{name}" for name in public]
    for module in (hb.parts, hb.datasets, hb.teaching, *public_modules(hb.teaching)):
        called = module.__name__.replace("hornbeam", "hb", 1).replace("hb.teaching.datasets", "hb.datasets")
        public = [name for name in public_names(module) if not inspect.ismodule(getattr(module, name))]
        parts += section(called, module.__name__, called, public, folder)
        pages += [f"{called}.{name}" for name in public]
    listing = "\n".join(f"   {page}" for page in pages)
    parts += [f".. toctree::\n   :hidden:\n   :maxdepth: 1\n\n{listing}\n"]
    write(folder / "index.rst", "\n".join(parts))
    for old in folder.glob("*.rst"):
        if old.stem not in {"index", *pages}:
            old.unlink()


def public_modules(package: ModuleType) -> list[ModuleType]:
    """Return the modules among the names of a package."""
    return [
        thing for thing in (getattr(package, name) for name in package.__all__) if inspect.ismodule(thing)
    ]


def public_names(module: ModuleType) -> list[str]:
    """Return what a module offers: its `__all__`, or the classes and functions that stand in it."""
    names: Iterable[str] = getattr(module, "__all__", None) or sorted(vars(module))
    return [name for name in names if not name.startswith("_") and callable(getattr(module, name))]


def section(heading: str, module: str, called: str, names: list[str], folder: Path) -> list[str]:
    """Write the pages of some names of a module; return the lines that list them."""
    if not names:
        return []
    lines = [title(heading, "-"), ".. list-table::", "   :widths: 34 66", ""]
    for name in names:
        thing = getattr(__import__(module, fromlist=[name]), name)
        write(folder / f"{called}.{name}.rst", page_of(thing, module, called, name))
        lines += [f"   * - :doc:`{called}.{name}`", f"     - {first_line(thing)}"]
    return [*lines, ""]


def page_of(thing: Any, module: str, called: str, name: str) -> str:
    """Return the page of one name."""
    full = f"{called}.{name}"
    lines = [title(full), f".. currentmodule:: {module}", ""]
    if not inspect.isclass(thing):
        kind = "autofunction" if callable(thing) else "autodata"
        return "\n".join([*lines, f".. {kind}:: {name}", ""])
    members = [
        member
        for member, value in inspect.getmembers(thing)
        if not INHERITED.fullmatch(member)
        and (inspect.isfunction(value) or isinstance(value, property) or inspect.ismethod(value))
        and inspect.getdoc(value)
    ]
    lines += [f".. autoclass:: {name}{signature(thing)}"]
    if members:
        lines += [f"   :members: {', '.join(members)}"]
    return "\n".join([*lines, ""])


def signature(thing: type) -> str:
    """Return how a class is called, without types: a docstring says more of its parameters."""
    try:
        called = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    empty = inspect.Parameter.empty
    plain = [parameter.replace(annotation=empty) for parameter in called.parameters.values()]
    return str(called.replace(parameters=plain, return_annotation=inspect.Signature.empty))


def first_line(thing: Any) -> str:
    """Return the first paragraph of a docstring as one line of reStructuredText."""
    text = (inspect.getdoc(thing) or "").split("\n\n")[0]
    return (
        re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", " ".join(text.split()))
        .replace("*", r"\*")
        .replace("|", r"\|")
    )


def title(text: str, line: str = "=") -> str:
    """Return a heading."""
    return f"{text}\n{line * len(text)}\n"


def write(path: Path, text: str) -> None:
    """Write a page unless it is there already: Sphinx reads anew what is newer."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def new_pictures(variables: dict[str, Any], seen: list[int]) -> Iterator[Picture]:
    """Yield the pictures among the variables of an example that were not there before."""
    for value in list(variables.values()):
        if isinstance(value, Picture) and id(value) not in seen:
            seen.append(id(value))
            yield value


def scrape_pictures(_block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save what `hb.draw` made in a block of an example, as sphinx-gallery asks for it."""
    from sphinx_gallery.scrapers import figure_rst

    variables = block_vars["example_globals"]
    seen = variables.setdefault("__pictures_seen__", [])
    files = []
    for picture in new_pictures(variables, seen):
        path = Path(next(block_vars["image_path_iterator"])).with_suffix(".svg")
        path.write_text(picture.svg, encoding="utf-8")
        files.append(str(path))
    return figure_rst(files, gallery_conf["src_dir"])
