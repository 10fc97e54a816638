"""A page in one file: its modules, its styles and what they show, nothing to be loaded."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Collection

from thresher.lab.page.files import joined, resources

PARTS = "<!-- parts -->"
COMMENT = re.compile(r"^\s*(?://.*|/\*\*(?:[^*]|\*(?!/))*\*/)\n", re.M)
INDENT = re.compile(r"^ +", re.M)  # of several lines, only styles are in a text


def single_page(title: str, views: Collection[str], head: str) -> str:
    """A page that shows what was recorded: `head`, and the parts that take the place of `PARTS`."""
    script = INDENT.sub("", COMMENT.sub("", joined("page/recorded.js", views)))
    style = resources()["page/page.css"].decode()
    if "</script" in script or "<!--" in script:
        raise ValueError("a module has a text that would end its element")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta http-equiv="Content-Security-Policy" content="{policy}" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<title>{html.escape(title)} · Thresher lab</title>
<style>{style}</style>
</head>
<body>
<noscript>This lesson draws with JavaScript; please allow it for this page.</noscript>
{head}
{PARTS}
<script type="module">{script}</script>
</body>
</html>
"""


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
