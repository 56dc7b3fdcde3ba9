/** The looks of the page: light and dark, paper, and as narrow as a phone. Every pair of colours has a contrast of at least 4.5 to 1. */
export const style = `
:root {
  color-scheme: light dark;
  --page: #fff; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de; --panel: #f6f8fa; --link: #0550ae; --focus: #0969da;
  --fail: #a40e26; --warn: #7d4e00; --broken: #6e3a9e; --blocked: #57606a; --observed: #0a5b83; --pass: #116329;
  --del: #ffd7d5; --ins: #fff3b8; --del-ink: #6e0b18; --ins-ink: #4d3800;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1318; --ink: #e3e8ee; --soft: #a3adb8; --line: #353c45; --panel: #181d24; --link: #79b8ff; --focus: #79b8ff;
    --fail: #ff8b86; --warn: #e8b339; --broken: #d2a8ff; --blocked: #a3adb8; --observed: #76c7ef; --pass: #6fd083;
    --del: #5c1a1b; --ins: #4b3d0b; --del-ink: #ffdcd7; --ins-ink: #fff0b3;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--page); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 75rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0.5rem 0; }
h2 { font-size: 1.25rem; margin: 2rem 0 0.75rem; border-bottom: 1px solid var(--line); padding-bottom: 0.25rem; }
h3 { font-size: 1.05rem; margin: 1.25rem 0 0.5rem; }
h4 { font-size: 0.85rem; margin: 0.75rem 0 0.25rem; color: var(--soft); font-weight: 600; }
p { margin: 0.5rem 0; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
summary:focus-visible { outline-offset: -3px; }
nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; font-size: 0.9rem; }
.skip { position: absolute; left: -100vw; background: var(--page); padding: 0.5rem 1rem; }
.skip:focus { left: 0; }
code, pre { font: 0.85rem/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre { margin: 0; padding: 0.6rem 0.75rem; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; white-space: pre-wrap; }
.exit { padding: 0.6rem 0.8rem; border-left: 5px solid var(--pass); background: var(--panel); }
.exit-1 { border-color: var(--fail); }
.exit-3 { border-color: var(--warn); }
.counts { display: flex; flex-wrap: wrap; gap: 0.25rem 1.75rem; padding: 0; margin: 1rem 0 0.25rem; list-style: none; }
.counts strong { font-size: 1.6rem; font-variant-numeric: tabular-nums; }
img.drawing { display: block; width: 100%; height: auto; border: 1px solid var(--line); border-radius: 6px; }
.bar { display: block; width: 100%; height: 0.9rem; margin: 0.25rem 0 0.75rem; border-radius: 4px; }
.bar .fail { fill: var(--fail); } .bar .warn { fill: var(--warn); } .bar .broken { fill: var(--broken); } .bar .blocked { fill: var(--blocked); }
.bar .not-run { fill: var(--line); } .bar .observed { fill: var(--observed); } .bar .pass { fill: var(--pass); }
.tables { display: flex; flex-wrap: wrap; gap: 0 2rem; align-items: start; }
.tables > div { max-width: 100%; }
.scroll { overflow-x: auto; margin: 0.75rem 0; }
table { border-collapse: collapse; font-size: 0.9rem; }
caption { text-align: left; font-weight: 600; padding: 0.25rem 0; }
th, td { padding: 0.25rem 0.45rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: normal; }
td { min-width: 3rem; overflow-wrap: anywhere; }
td.figure { white-space: nowrap; }
tbody tr:last-child th { font-weight: 700; }
.tables td, .tables th + th { text-align: right; font-variant-numeric: tabular-nums; }
td.none { color: var(--soft); }
td.fail, td.warn, td.broken, td.blocked, td.observed, td.pass { font-weight: 600; }
.fail { color: var(--fail); } .warn { color: var(--warn); } .broken { color: var(--broken); }
.blocked, .not-run, .not-selected { color: var(--blocked); } .observed { color: var(--observed); } .pass { color: var(--pass); }
ul, ol { padding-left: 1.4rem; margin: 0.4rem 0; }
.gap { margin: 0.4rem 0; }
.gap ul { columns: 22rem; }
summary { cursor: pointer; padding: 0.35rem 0.5rem; border-radius: 6px; }
summary:hover { background: var(--panel); }
.rule { border-bottom: 1px solid var(--line); content-visibility: auto; contain-intrinsic-size: auto 3.5rem; }
.area, .rule { scroll-margin-top: 0.5rem; }
.verdict { display: inline-block; min-width: 5rem; font-weight: 700; }
.level { color: var(--soft); font-size: 0.85rem; }
.statement { display: block; padding-left: 1.1rem; }
.body { padding: 0 0.5rem 1rem 1.6rem; }
.figures, .open { color: var(--soft); font-size: 0.85rem; }
dl { margin: 0.25rem 0; }
dt { color: var(--soft); font-size: 0.85rem; font-weight: 600; }
dd { margin: 0 0 0.25rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(16rem, 100%), 1fr)); gap: 0.5rem 1rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 0 1rem; }
.pair > div { min-width: 0; }
del { background: var(--del); color: var(--del-ink); text-decoration: underline dashed; }
ins { background: var(--ins); color: var(--ins-ink); text-decoration: underline; }
.timeline { margin: 0.5rem 0 1rem; }
.schedule { display: block; margin: 0.5rem 0; overflow: visible; }
.schedule text { font-size: 11px; fill: var(--soft); font-variant-numeric: tabular-nums; }
.schedule .lane { stroke: var(--soft); } .schedule .tick { stroke: var(--line); }
.schedule .due, .schedule .missing, .schedule .quiet { stroke-width: 2; fill: var(--observed); stroke: var(--observed); }
.schedule .missing { fill: none; stroke: var(--fail); stroke-dasharray: 3 3; }
.schedule .quiet { fill: none; stroke: var(--soft); stroke-dasharray: 2 4; }
.schedule .leader { stroke: var(--fail); stroke-dasharray: 2 3; }
.schedule .seen { fill: var(--pass); } .schedule .took { stroke: var(--pass); stroke-width: 3; }
.schedule .cross path { stroke: var(--fail); stroke-width: 3; fill: none; }
.timeline td { min-width: 5.5rem; overflow-wrap: normal; font-variant-numeric: tabular-nums; }
tr.off td { color: var(--fail); font-weight: 600; }
.copyable { display: flex; gap: 0.5rem; align-items: flex-start; margin: 0.35rem 0; }
.copyable pre { flex: 1; min-width: 0; }
button, select, input { font: inherit; color: inherit; background: var(--page); border: 1px solid var(--soft); border-radius: 6px; padding: 0.3rem 0.6rem; max-width: 100%; }
button { cursor: pointer; background: var(--panel); }
#filter { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: end; padding: 0.75rem; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; }
#filter p { flex-basis: 100%; margin: 0; }
#filter label { display: grid; font-size: 0.85rem; color: var(--soft); min-width: 0; }
#filter select, #filter input { color: var(--ink); }
#filter select, #filter input, #filter button { height: 2.25rem; }
::placeholder { color: var(--soft); opacity: 1; }
[hidden], #filter[hidden] { display: none; }
#said { position: fixed; bottom: 0.5rem; right: 0.5rem; margin: 0; padding: 0.25rem 0.75rem; background: var(--ink); color: var(--page); border-radius: 6px; }
#said:empty { padding: 0; }
.outside { position: fixed; left: -100vw; top: 0; }
@media (max-width: 40rem) {
  main { padding: 0.6rem; }
  .body { padding-left: 0.25rem; padding-right: 0; }
  .copyable { flex-direction: column; align-items: stretch; }
  .statement { padding-left: 0; }
}
@media print {
  :root { --page: #fff; --ink: #000; --soft: #444; --line: #999; --panel: #fff; --link: #000; --fail: #a40e26; --warn: #7d4e00; --broken: #6e3a9e; --blocked: #444; --observed: #0a5b83; --pass: #116329; --del: #ffd7d5; --ins: #fff3b8; --del-ink: #6e0b18; --ins-ink: #4d3800; }
  body { font-size: 9pt; line-height: 1.35; }
  main { padding: 0; max-width: none; }
  #filter, button, .skip, #said { display: none; }
  nav, .rule ol:has(.copyable), .rule p:has(.copy-all), #rules .area:not(:has(.rule[open])) { display: none; }
  .rule { content-visibility: visible; break-inside: avoid-page; }
  #rules .rule:not([open]) { display: none; }
  .scroll { overflow: visible; }
  pre { border-color: #999; max-height: 8em; overflow: hidden; padding: 0.2rem 0.4rem; font-size: 7pt; }
  .rule[open] { break-inside: auto; }
  h4 { margin: 0.2rem 0 0; break-after: avoid; }
  .body p, .copyable { margin: 0.1rem 0; }
  .pair { grid-template-columns: 1fr 1fr; }
}
`;
