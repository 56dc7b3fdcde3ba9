import type { TrafficReport } from '../../contract/schemas/traffic.ts';
import { count, time } from './figures.ts';

const [width, height] = [960, 360];
const frame = { left: 64, right: 64, top: 40, bottom: 40 };
const inner = { width: width - frame.left - frame.right, height: height - frame.top - frame.bottom };

/** Latency by second, on a logarithmic scale, over the rate of answers. Holds nothing that a target sent. */
export function latencyPlot({ seconds, all }: TrafficReport): string {
  const last = Math.max(1, seconds.length - 1);
  const x = (second: number): number => frame.left + (second / last) * inner.width;
  const [low, high] = decades(seconds.flatMap(({ p50Ms, p99Ms }) => [p50Ms, p99Ms]));
  const y = (ms: number): number => frame.top + inner.height * (1 - (Math.log10(Math.max(ms, low)) - Math.log10(low)) / (Math.log10(high) - Math.log10(low)));
  const most = Math.max(1, ...seconds.map(({ requests }) => requests));
  const barWidth = Math.max(1, inner.width / (last + 1) - 1);
  const bars = seconds.map(({ second, requests, errors }) => {
    const full = (requests / most) * inner.height * 0.5;
    const bad = requests === 0 ? 0 : (errors / requests) * full;
    const at = x(second) - barWidth / 2;
    return `<rect class="rate" x="${at.toFixed(1)}" y="${(frame.top + inner.height - full).toFixed(1)}" width="${barWidth.toFixed(1)}" height="${full.toFixed(1)}"/>${bad > 0 ? `<rect class="errors" x="${at.toFixed(1)}" y="${(frame.top + inner.height - bad).toFixed(1)}" width="${barWidth.toFixed(1)}" height="${bad.toFixed(1)}"/>` : ''}`;
  });
  const line = (name: string, of: (second: TrafficReport['seconds'][number]) => number): string =>
    `<polyline class="${name}" points="${seconds.filter(({ requests }) => requests > 0).map((one) => `${x(one.second).toFixed(1)},${y(of(one)).toFixed(1)}`).join(' ')}"/>`;
  const marks = range(Math.log10(low), Math.log10(high)).map((power) => {
    const at = y(10 ** power).toFixed(1);
    return `<line class="grid" x1="${frame.left}" x2="${width - frame.right}" y1="${at}" y2="${at}"/><text x="${frame.left - 8}" y="${at}" text-anchor="end" dominant-baseline="middle">${time(10 ** power)}</text>`;
  });
  const ticks = range(0, 6).map((part) => {
    const second = Math.round((last * part) / 6);
    return `<text x="${x(second).toFixed(1)}" y="${height - frame.bottom + 20}" text-anchor="middle">${second} s</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="t d">
<title id="t">Latency and rate by second</title>
<desc id="d">${count(all.requests)} requests; median ${time(all.p50Ms)}, 99th percentile ${time(all.p99Ms)}, longest ${time(all.maxMs)}; at most ${count(most)} answers a second.</desc>
<style>svg{background:#fff;font:12px system-ui,sans-serif;fill:#333}.grid{stroke:#ddd}.rate{fill:#dbe4ef}.errors{fill:#d9534f}polyline{fill:none;stroke-width:2}.p50{stroke:#2a6fb0}.p99{stroke:#c4651a}@media(prefers-color-scheme:dark){svg{background:#16181c;fill:#d7dae0}.grid{stroke:#33373f}.rate{fill:#2a3442}}</style>
${marks.join('\n')}
${bars.join('\n')}
${line('p99', ({ p99Ms }) => p99Ms)}
${line('p50', ({ p50Ms }) => p50Ms)}
${ticks.join('\n')}
<text x="${frame.left}" y="24"><tspan fill="#2a6fb0">median</tspan> · <tspan fill="#c4651a">99th percentile</tspan> · bars: answers a second, at most ${count(most)}</text>
</svg>
`;
}

/** Powers of ten around the values, at least one decade. */
function decades(values: readonly number[]): readonly [number, number] {
  const positive = values.filter((value) => value > 0);
  const low = Math.floor(Math.log10(Math.min(1, ...positive)));
  const high = Math.ceil(Math.log10(Math.max(10, ...positive)));
  return [10 ** low, 10 ** Math.max(high, low + 1)];
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.round(to - from) + 1 }, (_, index) => Math.round(from) + index);
}
