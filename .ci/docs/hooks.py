"""Hooks of mkdocs: the order of the pages, and links that lead to what is no page."""

import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODULE = next(line.split()[1] for line in (ROOT / "go.mod").read_text().splitlines() if line.startswith("module "))
LINK = re.compile(r"\]\(([^)\s#]+)(#[^)\s]*)?\)")
SECTIONS = [
    ("Guides", ["framework/GUIDE.md", "framework/WHICH-CODEC.md", "framework/BESIDE-JAVA.md", "framework/ROLLOUT.md", "framework/ONE-EFFECT.md", "framework/CONSOLE.md", "codecs/README.md"]),
    ("Operating", ["framework/OPERATIONS.md", "framework/METRICS.md", "framework/LOGS.md", "framework/COMMANDS.md", "framework/PROMISES.md"]),
    ("Examples", "examples/"),
    ("Packages", "packages/"),
    ("Measurements", "results/"),
    ("Development", ["framework/DESIGN.md", "CHANGELOG.md"]),
]


def on_files(files, config):
    """Builds the navigation. A page that no section has is one too many: mkdocs warns of it."""
    pages = [f.src_uri for f in files.documentation_pages()]
    nav = [{"duequeue": "README.md"}]
    for title, members in SECTIONS:
        if isinstance(members, str):
            members = sorted(p for p in pages if p.startswith(members))
            if members:
                nav.append({title: [{p.split("/", 1)[1].removesuffix(".md").removesuffix("/README"): p} for p in members]})
        else:
            nav.append({title: members})
    config["nav"] = nav
    return files


def on_page_markdown(markdown, page, config, files):
    """Lets links to source files and directories lead to where the source is."""
    here = os.path.dirname(page.file.src_uri)

    def replace(match):
        target, anchor = match[1], match[2] or ""
        path = os.path.normpath(os.path.join(here, target))
        if ":" in target or files.get_file_from_path(path):
            return match[0]
        if files.get_file_from_path(path + "/README.md"):
            return f"]({target.rstrip('/')}/README.md{anchor})"
        if not (ROOT / path).exists():
            return match[0]  # mkdocs tells
        kind = "tree" if (ROOT / path).is_dir() else "blob"
        return f"](https://{MODULE}/{kind}/main/{path})"

    out, fenced = [], False
    for line in markdown.split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        out.append(line if fenced else LINK.sub(replace, line))
    return "\n".join(out)
