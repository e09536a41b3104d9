"""How the report looks: on light and dark screens, on paper, on small screens."""

from __future__ import annotations

from sfumato.reports.palette import AFTER, BEFORE, DARK, FONT, GRID, INK, MUTED

__all__ = ["STYLE"]

_VARIABLES = {"--ink": INK, "--muted": MUTED, "--line": GRID, "--before": BEFORE, "--after": AFTER}
_LIGHT = "; ".join(f"{name}: {colour}" for name, colour in _VARIABLES.items())
_DARK = "; ".join(f"{name}: {DARK[colour]}" for name, colour in _VARIABLES.items())
# What was before, as text on a tile: letters need more contrast than bars do.
_WRITTEN = "#a84a09"

# Plots carry their colours as attributes; a style rule wins over an attribute.
_DARK_PLOTS = "\n".join(
    f'  svg [{what}="{colour}"] {{ {what}: {dark} }}' for colour, dark in DARK.items() for what in ("fill", "stroke")
)

STYLE = f"""
:root {{ color-scheme: light dark; --paper: #ffffff; --raised: #f6f7f9;
  --warning: #a3290b; --good: #1a7f4b; --careful: #b36b00; --was: {_WRITTEN}; {_LIGHT} }}
@media screen and (prefers-color-scheme: dark) {{
  :root {{ --paper: #14181d; --raised: #1c2229; --warning: #ff9d7a; --good: #4cc38a; --careful: #e0a34a;
    --was: var(--before); {_DARK} }}
{_DARK_PLOTS}
}}
* {{ box-sizing: border-box }}
body {{ margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 {FONT} }}
main {{ max-width: 60rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem }}
h1 {{ font-size: 1.75rem; line-height: 1.25; margin: 0 0 .25rem; letter-spacing: -.01em }}
h2 {{ font-size: 1.25rem; line-height: 1.3; margin: 3rem 0 .75rem; padding-top: .75rem;
  border-top: 1px solid var(--line) }}
h3 {{ font-size: 1rem; margin: 1.75rem 0 .5rem }}
p {{ margin: 0 0 .75rem; max-width: 44rem }}
sup {{ line-height: 0 }}
.muted, figcaption, small {{ color: var(--muted) }}
.verdict {{ margin: 1rem 0 .25rem; padding: .6rem .9rem; border-left: 4px solid var(--good); background: var(--raised);
  font-weight: 600; border-radius: 0 4px 4px 0 }}
.verdict.careful {{ border-color: var(--careful) }}
.verdict.broken {{ border-color: var(--warning); color: var(--warning) }}
nav {{ margin: 1.75rem 0 0; font-size: .9375rem }}
nav ol {{ columns: 2; column-gap: 2rem; margin: 0; padding-left: 1.4rem; max-width: 44rem }}
nav li {{ break-inside: avoid; padding-left: .2rem }}
a {{ color: var(--after) }}
.private {{ display: inline-block; margin: .75rem 0 0; padding: .15rem .6rem; border: 1px solid currentColor;
  border-radius: 3px; color: var(--muted); font-size: .875rem }}
.tiles {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: 1rem;
  margin: 1.75rem 0 0; padding: 0; list-style: none }}
.tiles li {{ background: var(--raised); border-radius: 4px; padding: .8rem 1rem }}
.tiles b {{ display: block; font-size: 1.45rem; line-height: 1.3; font-weight: 600;
  font-variant-numeric: tabular-nums }}
.tiles span {{ color: var(--muted); font-size: .875rem }}
.was {{ font-style: normal; color: var(--was) }}
.is {{ font-style: normal; color: var(--after) }}
blockquote {{ margin: 1rem 0; padding: .25rem 0 .25rem 1.1rem; border-left: 3px solid var(--after);
  max-width: 44rem }}
blockquote p {{ margin: 0 }}
.remaining h2 {{ margin-top: 1.5rem; font-size: 1.1rem }}
.remaining blockquote p + p {{ margin-top: .5rem }}
.remaining ul {{ padding-left: 1.1rem; max-width: 44rem; margin: .5rem 0 0 }}
.warning {{ border-color: var(--warning); color: var(--warning) }}
.limits {{ padding-left: 1.1rem; max-width: 44rem; margin: 0 }}
.limits li {{ margin-bottom: .4rem }}
table {{ border-collapse: collapse; width: 100%; margin: .5rem 0 1rem; font-size: .9375rem }}
caption {{ text-align: left; color: var(--muted); padding-bottom: .35rem }}
th, td {{ text-align: left; vertical-align: top; padding: .4rem .9rem .4rem 0;
  border-bottom: 1px solid var(--line); overflow-wrap: break-word }}
thead th {{ color: var(--muted); font-weight: 500; font-size: .875rem }}
tbody th {{ font-weight: 400 }}
.number {{ text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; padding-right: 0;
  padding-left: .9rem }}
.narrow {{ width: auto; min-width: min(100%, 30rem) }}
.sub th {{ padding-left: 1.25rem; color: var(--muted) }}
th small {{ display: block }}
td small {{ display: block }}
.measures > tbody > tr > .number {{ white-space: normal; min-width: 8rem; max-width: 13rem }}
.measures details {{ margin-top: .3rem }}
.measures details th {{ width: 60% }}
.measures details .number {{ white-space: normal; overflow-wrap: anywhere }}
.scroll {{ overflow-x: auto }}
figure {{ margin: 1.25rem 0 .5rem }}
.panels {{ display: flex; flex-wrap: wrap; gap: 1.25rem 1rem; align-items: flex-start }}
.panels svg {{ display: block; max-width: 100%; height: auto; overflow: visible }}
.legend {{ display: flex; flex-wrap: wrap; gap: .1rem 1.25rem; margin: 0 0 .75rem; padding: 0; list-style: none;
  color: var(--muted); font-size: .8125rem }}
.symbol {{ margin-right: .4rem; vertical-align: -1px }}
figcaption {{ font-size: .875rem; margin-top: .5rem; max-width: 44rem }}
details {{ font-size: .9375rem; margin: .25rem 0 }}
summary {{ cursor: pointer; color: var(--muted); font-size: .875rem }}
footer {{ margin-top: 3rem; padding-top: .75rem; border-top: 1px solid var(--line); font-size: .875rem }}
@media (max-width: 40rem) {{
  main {{ padding: 1.5rem 1rem 3rem }}
  nav ol {{ columns: 1 }}
  table {{ font-size: .875rem }}
  th, td {{ padding-right: .5rem }}
  .number {{ padding-left: .5rem; padding-right: 0 }}
  thead .number {{ white-space: normal }}
  .narrow {{ min-width: 100% }}
  .measures, .measures > tbody {{ display: block }}
  .measures > thead {{ display: none }}
  .measures > tbody > tr {{ display: block; border-bottom: 1px solid var(--line); padding: .5rem 0 }}
  .measures > tbody > tr > * {{ display: block; border: 0; padding: 0; width: auto; max-width: none; text-align: left }}
  .measures > tbody > tr > .number {{ font-weight: 600; max-width: none; padding: .3rem 0 }}
  .measures > tbody > tr > .number small {{ display: inline; font-weight: 400; margin-left: .5rem }}
}}
@media print {{
  body {{ font-size: 10.5pt }}
  main {{ max-width: none; padding: 0 }}
  h2 {{ break-after: avoid }}
  figure, tr, .tiles, blockquote {{ break-inside: avoid }}
  .tiles li {{ border: 1px solid var(--line) }}
}}
"""
