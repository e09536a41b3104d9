"""How the workbench looks: like the reports, with a frame and forms around it."""

from __future__ import annotations

from sfumato.reports.style import STYLE

__all__ = ["SHEET"]

SHEET = (
    STYLE
    + """
body, .q-layout, .q-page-container, .nicegui-content { background: var(--paper); color: var(--ink) }
.nicegui-content { display: block; padding: 0; max-width: none }
.nicegui-html, .q-page { min-height: 0 !important }
.skip { position: absolute; left: -999rem } .skip:focus { left: 1rem; top: .5rem; background: var(--paper);
  padding: .4rem .8rem; z-index: 9 }
.top { border-bottom: 1px solid var(--line); background: var(--raised) }
.top nav { max-width: 76rem; margin: 0 auto; padding: .6rem 1.25rem; display: flex; flex-wrap: wrap;
  gap: .25rem 1.25rem;
  align-items: baseline; font-size: .9375rem }
.top b { font-weight: 600; letter-spacing: -.01em; margin-right: .5rem }
.top a { color: var(--ink); text-decoration: none; padding: .3rem .1rem; border-bottom: 2px solid transparent }
.top a:hover { border-color: var(--line) } .top a[aria-current] { border-color: var(--after); color: var(--after) }
main.q-page { max-width: none; padding: 0; margin: 0 }
.sheet { max-width: 76rem; margin: 0 auto; padding: 1.75rem 1.25rem 4rem }
h1, h2, h3 { font-weight: 600; letter-spacing: -.01em; line-height: 1.35 } h2 { margin-top: 2.25rem }
h3 { margin: 1.25rem 0 .4rem } .card h3 { margin: 0 0 .3rem }
.scroll .number { padding-right: .9rem; padding-left: 0 } .scroll thead .number { white-space: normal }
.scroll table:not(.broad, .prose) { max-width: 44rem }
a:focus-visible, button:focus-visible, input:focus-visible, select:focus-visible, textarea:focus-visible,
summary:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--after); outline-offset: 2px;
  border-radius: 3px }
button, .button { font: inherit; cursor: pointer; padding: .5rem 1rem; border-radius: 4px;
  border: 1px solid var(--after);
  background: var(--after); color: var(--paper); text-decoration: none; display: inline-block; line-height: 1.4 }
button.plain, .button.plain { background: transparent; color: var(--after) }
button.stop { background: transparent; color: var(--warning); border-color: var(--warning) }
button:hover { filter: brightness(1.08) } button[disabled] { opacity: .5; cursor: default }
.sheet > a.button, .sheet > section > a.button { margin: .5rem 0 1rem } .tiles { margin-bottom: 1.25rem }
.verdict + .row { margin-top: 1rem }
.row { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: start; margin: .5rem 0 1rem }
.row > .field ~ button, .row > .field ~ .button { margin-top: 1.55rem }
.entry > .field:first-child { flex: 1 1 20rem; max-width: 50rem } .entry > .check { padding-top: 1.9rem }
.fields { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 1rem 1.5rem;
  margin: .75rem 0;
  align-items: start; max-width: 60rem }
.field { display: block; min-width: 0 } .field > span { display: block; font-weight: 500; font-size: .9375rem }
.field small { display: block; line-height: 1.4; margin-top: .2rem }
.field input, .field select, .field textarea { font: inherit; color: var(--ink); background: var(--paper);
  border: 1px solid var(--muted); border-radius: 4px; padding: .4rem .55rem; width: 100%; min-width: 0;
  margin-top: .2rem } .field select { text-overflow: ellipsis }
.field input[type=checkbox] { width: 1.1rem; height: 1.1rem; margin: 0 .5rem 0 0; vertical-align: -2px;
  accent-color: var(--after) }
.field.check > span { display: inline } .field.wide { grid-column: 1 / -1 }
.twins { display: flex; gap: .75rem; align-items: center } .twins input[type=number] { width: 6.5rem; flex: none }
.twins input[type=range] { padding: 0; border: 0; accent-color: var(--after); background: transparent }
textarea { min-height: 9rem; font-family: ui-monospace, monospace !important; font-size: .875rem !important }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr)); gap: .9rem;
  padding: 0;
  margin: .75rem 0; list-style: none }
.card { border: 1px solid var(--line); border-radius: 6px; padding: .8rem 1rem; background: var(--raised);
  overflow-wrap: anywhere } .card p { margin: .25rem 0; font-size: .9375rem }
.card.chosen { border-color: var(--after); box-shadow: inset 3px 0 0 var(--after) } .card h3 { margin: 0 }
.card .tag { color: var(--after); font-size: .8125rem }
progress { width: 100%; max-width: 32rem; height: .8rem; accent-color: var(--after); display: block; margin: .4rem 0 }
.working { border-left: 4px solid var(--after); background: var(--raised); padding: .7rem 1rem;
  border-radius: 0 4px 4px 0;
  margin: 1rem 0 } .working p { margin: 0 0 .3rem }
.failed { border-left: 4px solid var(--warning); background: var(--raised); padding: .7rem 1rem; margin: 1rem 0;
  overflow-wrap: anywhere }
.owner { color: var(--warning); font-size: .875rem }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 28rem), 1fr)); gap: .5rem 2rem }
.figures figure { margin: .5rem 0 } .figures svg { max-width: 100%; height: auto }
iframe.report { width: 100%; height: 42rem; border: 1px solid var(--line); border-radius: 6px;
  background: var(--paper) }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1rem 2rem }
.before h3, .after h3 { border-left: 4px solid var(--before); padding-left: .55rem }
.after h3 { border-color: var(--after) }
.scroll { overflow-x: auto } td { max-width: 26rem }
.tree { font-size: .9375rem; max-height: 30rem; overflow: auto; border: 1px solid var(--line); padding: .5rem 1rem }
.tree ul { margin: 0; padding-left: 1.2rem; list-style: none } .tree details { margin: 0 }
summary { list-style: none } summary::before { content: "\\25B8"; display: inline-block; width: 1.1em }
details[open] > summary::before { content: "\\25BE" } summary:hover { color: var(--ink) }
pre { overflow-x: auto; background: var(--raised); padding: .8rem 1rem; border-radius: 4px; font-size: .875rem }
@media (max-width: 40rem) { .sheet { padding: 1rem 1rem 3rem } .top nav { padding: .5rem 1rem; gap: .1rem .9rem }
  .fields { grid-template-columns: 1fr } .scroll .broad { min-width: 32rem } .scroll .broad.prose { min-width: 52rem }
  .scroll th, .scroll td, .scroll .number { padding-right: .75rem } caption { max-width: calc(100vw - 2rem) }
  .entry > .check { padding-top: 0 } .row > .field { flex: 1 1 100% }
  .row > .field ~ button, .row > .field ~ .button { margin-top: 0 } }
@media (prefers-reduced-motion: reduce) { * { transition: none !important; animation: none !important } }
"""
)
