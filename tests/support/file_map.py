"""The list of all files with one line for each, on the last pages of ARCHITECTURE.md.

`python -m tests.support.file_map` writes it anew; a test checks that it is up to date.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "ARCHITECTURE.md"
START, END = "<!-- files: written by python -m tests.support.file_map -->\n", "<!-- end of files -->\n"


def python_line(path: Path) -> str:
    """The first paragraph of a module's docstring, and the names that other modules may use."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    words = " ".join((ast.get_docstring(module) or "").split("\n\n")[0].split())
    defined = (one.name for one in module.body if isinstance(one, ast.FunctionDef | ast.ClassDef))
    names = ", ".join(f"`{name}`" for name in defined if not name.startswith("_"))
    return f"{words} ({names})" if names and path.name != "__init__.py" else words


def cpp_line(path: Path) -> str:
    """The first sentence of the comment on top of a file of C++ that is about the file, not its folder."""
    text = path.read_text(encoding="utf-8")
    comment = "\n".join(line[2:].strip() for line in text.splitlines()[: _comment_lines(text)])
    paragraphs = [" ".join(each.split()) for each in comment.split("\n\n")]
    own = [each for each in paragraphs if not each.startswith("The folder ")] or paragraphs
    return re.split(r"(?<=[.;])\s", own[0])[0].rstrip(";")


def _comment_lines(text: str) -> int:
    lines = text.splitlines()
    return next((k for k, line in enumerate(lines) if not line.startswith("//")), len(lines))


def javascript_line(path: Path) -> str:
    """The first sentence of the comment on top of a module of the pages, and the names that it exports."""
    text = path.read_text(encoding="utf-8")
    comment = text[3 : text.index("*/")] if text.startswith("/**") else ""
    words = re.split(r"(?<=[.;])\s", " ".join(comment.replace("\n *", " ").split()))[0].rstrip(";")
    exported = re.findall(r"^export (?:async )?(?:function\*?|const|class) (\w+)", text, re.MULTILINE)
    names = ", ".join(f"`{name}`" for name in exported)
    return f"{words} ({names})" if names else words


SAY = {".py": python_line, ".js": javascript_line, ".hpp": cpp_line, ".cpp": cpp_line}


def folder_lines(folder: Path) -> list[str]:
    """A heading, and a line for each file of a folder that says something."""
    files = [(path.name, SAY[path.suffix](path)) for path in sorted(folder.glob("*.*")) if path.suffix in SAY]
    told = [f"- `{name}`: {words}" for name, words in files if words]
    return [f"\n**{folder.relative_to(ROOT).as_posix()}**\n", *told] if told else []


def file_map() -> str:
    """The list as Markdown."""
    lines: list[str] = []
    for root in (ROOT / "src" / "hornbeam", ROOT / "cpp" / "hornbeam"):
        for folder in [root, *sorted(path for path in root.rglob("*") if path.is_dir())]:
            lines += folder_lines(folder)
    return "\n".join(lines) + "\n"


def with_file_map(guide: str) -> str:
    """The guide with the list between its two marks."""
    before, _, rest = guide.partition(START)
    after = rest.partition(END)[2]
    return before + START + file_map() + "\n" + END + after


if __name__ == "__main__":
    GUIDE.write_text(with_file_map(GUIDE.read_text(encoding="utf-8")), encoding="utf-8")
