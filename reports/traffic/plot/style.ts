/** Light and dark, on a ground of its own, so that it can be read wherever it is shown. Lines differ in more than their colour. */
export const plotStyle = `svg{--page:#fff;--ink:#1b1f24;--soft:#57606a;--line:#d8dee4;--p50:#0b6bcb;--p90:#8250df;--p99:#b35900;--max:#57606a;--rate:#b6d3f2;--bad:#c62828;color:var(--ink);font:12px system-ui,sans-serif}
@media(prefers-color-scheme:dark){svg{--page:#0f1318;--ink:#e3e8ee;--soft:#a3adb8;--line:#2b323b;--p50:#79b8ff;--p90:#d2a8ff;--p99:#f0a04b;--max:#8b949e;--rate:#23425f;--bad:#ff7b72}}
.page{fill:var(--page)}text{fill:var(--ink)}.soft{fill:var(--soft)}.strong{font-weight:600;font-size:13px}.grid{stroke:var(--line)}.limit{stroke:var(--bad);stroke-dasharray:6 4}.limit-text{fill:var(--bad)}
.line{fill:none;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}.p50{stroke:var(--p50)}.p90{stroke:var(--p90);stroke-dasharray:5 3}.p99{stroke:var(--p99);stroke-width:2.4}.max{fill:var(--max)}
.rate{fill:var(--rate)}.errors,.broken{fill:var(--bad)}.t50{fill:var(--p50)}.t90{fill:var(--p90)}.t99{fill:var(--p99)}`;
