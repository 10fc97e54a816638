"""The faces that the browser tests bring along: no layout depends on the fonts of the machine.

Each comes with a package of the test extra. The fontconfig file made here is all that the browser
is told of fonts, so text that asks for any other face is set in the one named.
"""

from __future__ import annotations

from pathlib import Path

import font_roboto
import matplotlib

DEJAVU = Path(matplotlib.get_data_path(), "fonts", "ttf")
USUAL, WIDE = "Roboto", "DejaVu Sans"
FOLDERS = {USUAL: [Path(font_roboto.font_directory), DEJAVU], WIDE: [DEJAVU]}
FILE = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
{folders}
<cachedir>{cache}</cachedir>
<alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
<alias><family>serif</family><prefer><family>DejaVu Serif</family></prefer></alias>
<match><edit name="family" mode="append_last"><string>{face}</string></edit></match>
</fontconfig>
"""


def fontconfig(face: str, folder: Path) -> Path:
    """Writes a file for $FONTCONFIG_FILE, and a cache next to it, into the folder."""
    file = folder / "fonts.conf"
    folders = "\n".join(f"<dir>{path}</dir>" for path in FOLDERS[face])
    file.write_text(FILE.format(folders=folders, cache=folder / "cache", face=face), "utf-8")
    return file
