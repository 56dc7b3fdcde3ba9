import type { Latencies, TrafficReport } from '../contract/schemas/traffic.ts';
import { time } from './text.ts';
import { logScale, plotStyle } from './traffic-plot.ts';

const [width, height] = [960, 320];
const [left, right, top, bottom] = [72, width - 56, 40, 270];

const places = [
  { name: '50 %', above: 0.5, of: ({ p50Ms }: Latencies) => p50Ms },
  { name: '90 %', above: 0.1, of: ({ p90Ms }: Latencies) => p90Ms },
  { name: '95 %', above: 0.05, of: ({ p95Ms }: Latencies) => p95Ms },
  { name: '99 %', above: 0.01, of: ({ p99Ms }: Latencies) => p99Ms },
  { name: '99.9 %', above: 0.001, of: ({ p999Ms }: Latencies) => p999Ms },
  { name: '99.99 %', above: 0.0001, of: ({ p9999Ms }: Latencies) => p9999Ms },
] as const;

/** Latency by how many requests were no slower, both on logarithmic scales: from when a request was due, and from when it was sent. */
export function latencyCurve({ all }: Pick<TrafficReport, 'all'>): string {
  const { raw } = all;
  const values = [all, ...(raw === undefined ? [] : [raw])].flatMap((one) => places.map(({ of }) => of(one)));
  const y = logScale(values, bottom, top);
  const x = (above: number): number => left + ((right - left) * Math.log(0.5 / above)) / Math.log(0.5 / 0.0001);
  const line = (name: string, latencies: Latencies): string =>
    `<path class="line ${name}" d="M${places.map(({ above, of }) => `${x(above).toFixed(1)} ${y.at(of(latencies)).toFixed(1)}`).join('L')}"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="t">
<title id="t">Latency by the share of requests that were no slower</title>
<style>${plotStyle}</style>
<rect class="page" width="${width}" height="${height}"/>
${[
  legend('p99', left, 'from when it was due'),
  ...(raw === undefined ? [] : [legend('p90', left + 210, 'from when it was sent (raw)')]),
  ...y.ticks.map((tick) => {
    const at = y.at(tick).toFixed(1);
    return `<line class="grid" x1="${left}" x2="${right}" y1="${at}" y2="${at}"/><text class="soft" x="${left - 8}" y="${at}" text-anchor="end" dominant-baseline="middle">${time(tick)}</text>`;
  }),
  ...places.map(
    ({ name, above }) =>
      `<text class="soft" x="${x(above).toFixed(1)}" y="${bottom + 22}" text-anchor="middle">${name}</text>`,
  ),
  ...(raw === undefined ? [] : [line('p90', raw)]),
  line('p99', all),
].join('\n')}
</svg>
`;
}

function legend(name: string, x: number, words: string): string {
  return `<path class="line ${name}" d="M${x} 20h26"/><text class="soft" x="${x + 32}" y="24">${words}</text>`;
}
