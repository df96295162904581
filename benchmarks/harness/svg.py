"""Drawing: the few shapes the plots need, readable on light and on dark pages."""
from html import escape

# Colours come from the page's scheme. Nothing is told by colour alone: each bar has its name and value beside it.
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #24292f }
.title { font-weight: 600; font-size: 15px }
.faint { fill: #57606a; font-size: 11px }
.line { stroke: #d0d7de; stroke-width: 1 }
.range { stroke: #24292f; stroke-width: 1.5 }
.own { fill: #0969da }
.floor { fill: none; stroke: #57606a; stroke-width: 1.5; stroke-dasharray: 4 2 }
.peer { fill: #8c959f }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .faint { fill: #9198a1 }
  .line { stroke: #3d444d }
  .range { stroke: #e6edf3 }
  .own { fill: #4493f8 }
  .floor { stroke: #9198a1 }
  .peer { fill: #656c76 }
}
"""


class Drawing:
    def __init__(self, title, description):
        self.title, self.description = title, description
        self.shapes = []

    def text(self, x, y, words, kind="", anchor="start"):
        of = f' class="{kind}"' if kind else ""
        self.shapes.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{of}>{escape(words)}</text>')

    def line(self, x1, y1, x2, y2, kind="line"):
        self.shapes.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>')

    def bar(self, x, y, width, height, kind):
        size = f'width="{max(width, 1):.1f}" height="{height}"'
        self.shapes.append(f'<rect x="{x:.1f}" y="{y:.1f}" {size} class="{kind}"/>')

    def save(self, path, width, height):
        lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:.0f}" width="{width}" '
                 f'height="{height:.0f}" role="img">', f"<title>{escape(self.title)}</title>",
                 f"<desc>{escape(self.description)}</desc>", f"<style>{STYLE}</style>", *self.shapes, "</svg>"]
        with open(path, "w") as file:
            file.write("\n".join(lines) + "\n")
