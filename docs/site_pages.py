"""What `mkdocs build` makes of the repository: pages from outside docs/, links and notebooks.

The Markdown is written for the viewer of a repository, where a link is a path. In the site, paths
of pages outside docs/ differ, so this hook rewrites links; a link to a file that the site does not
have becomes its text.
"""

import ast
import json
import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).parent.parent
# Pages of other folders, and those that stand at another place in the site.
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "docs/README.md": "contents.md",
    "examples/README.md": "examples/README.md",
    **{f"vrpcore/models/{name}.md": f"models/{name}.md" for name in ("base", "small", "variants")},
}
_FIRST = ("Model", "ModelSolution", "Solver", "load_policy", "read_instances")  # of the reference
_LINK = re.compile(r"(`[^`\n]*`)|(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
_SOURCE = re.compile(r'(<img src=")([^":]+)(")')
_FENCED = re.compile(r"(^(?:```|~~~).*?^(?:```|~~~)\n?)", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"^<!--.*?-->\n", re.MULTILINE | re.DOTALL)
_CASE = re.compile(r"^## ((\w+): .*)\n\n!\[(.*?)\]\((.*?)\)", re.MULTILINE)


def on_files(files, config):
    """Adds the pages from outside docs/, the gallery, the reference and the notebooks."""
    files.remove(files.get_file_from_path("README.md"))
    made = {uri: (ROOT / path).read_text(encoding="utf-8") for path, uri in PAGES.items()}
    made |= {"gallery.md": gallery(made["examples/README.md"]), "reference.md": reference()}
    for notebook in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        uri = f"notebooks/{notebook.name}"
        files.remove(files.get_file_from_path(uri))
        content = json.loads(notebook.read_text(encoding="utf-8"))
        made[uri.replace(".ipynb", ".md")] = notebook_page(content)
    for uri, content in made.items():
        files.append(File.generated(config, uri, content=content))
    return files


def on_page_markdown(markdown, page, **_):
    """Rewrites the links of a page, and leaves out comments, which tests and programs read."""
    uri = page.file.src_uri
    path = next((path for path, other in PAGES.items() if other == uri), f"docs/{uri}")
    parts = _FENCED.split(_COMMENT.sub("", markdown))
    return "".join(part if at % 2 else rewritten(part, path, uri) for at, part in enumerate(parts))


def rewritten(text, path, uri):
    """The text of a file of the repository with its links as they are in the site.

    Args:
        text: Markdown without fenced blocks.
        path: Of its file in the repository.
        uri: Of its page in the site.
    """

    def link(found):
        code, picture, words, target = found.groups()
        if code:  # a bar in a table, which viewers of repositories want escaped
            return code.replace(r"\|", "|")
        if re.match(r"[a-z]+:|#", target):
            return found[0]
        there = relative(target, path, uri)
        return words if there is None else f"{picture}[{rewritten(words, path, uri)}]({there})"

    def source(found):
        return f"{found[1]}{relative(found[2], path, uri)}{found[3]}"

    return _SOURCE.sub(source, _LINK.sub(link, text))


def relative(target, path, uri):
    """A link's target as the site needs it; None where the site has no such file."""
    name, _, anchor = target.partition("#")
    there = site_uri(posixpath.normpath(posixpath.join(posixpath.dirname(path), name)))
    if there is None:
        return None
    found = posixpath.relpath(there, posixpath.dirname(uri) or ".")
    return f"{found}#{anchor}" if anchor else found


def site_uri(path):
    """Where the site has a file or a folder of the repository; None: nowhere."""
    if (ROOT / path).is_dir():
        path = f"{path}/README.md"
    if path in PAGES:
        return PAGES[path]
    if not path.startswith("docs/") or not (ROOT / path).exists():
        return None
    return path.removeprefix("docs/").replace(".ipynb", ".md")


def gallery(examples):
    """A page with the picture of each case of examples/README.md."""
    cards = []
    for title, name, words, picture in _CASE.findall(examples):
        shown = f"![{words}](examples/{posixpath.basename(picture)})"
        link = f"[{shown}](examples/README.md#{slug(title)})"
        cards.append(f"-   {link}\n\n    **{name}**: {title.removeprefix(name)[2:]}\n")
    return "\n".join(["# Gallery\n", '<div class="grid cards" markdown>\n', *cards, "</div>\n"])


def slug(title):
    """The anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def reference():
    """A page with the docstring of each name that vrpcore.api offers."""
    tree = ast.parse((ROOT / "vrpcore" / "api.py").read_text(encoding="utf-8"))
    names = next(
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    )
    names = sorted(names, key=lambda name: name not in _FIRST)
    parts = [f"::: vrpcore.api.{name}\n" for name in names]
    parts += ["::: vrpcore.learn.decode.loaded_policy.LoadedPolicy\n"]
    return "# Reference\n\n" + "\n".join(parts)


def notebook_page(notebook):
    """A notebook as Markdown, with its pictures inside."""
    parts = []
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if "image/png" in data:
                picture = "".join(data["image/png"]).replace("\n", "")
                parts.append(f"![What the cell shows](data:image/png;base64,{picture})")
            else:
                shown = "".join(output.get("text") or data.get("text/plain", ""))
                parts.append(f"```text\n{shown.rstrip()}\n```")
    return "\n\n".join(parts) + "\n"
