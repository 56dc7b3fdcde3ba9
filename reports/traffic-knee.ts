import type { TrafficReport } from '../contract/schemas/traffic.ts';
import { count, time } from './text.ts';
import { grid, left, lineKey, logScale, place, plotText, right } from './traffic-plot.ts';

const [height, top, bottom] = [360, 64, 300];

type Tried = NonNullable<TrafficReport['tried']>[number];

const lines = [
  { name: 'p50', words: 'median', of: ({ p50Ms }: Tried) => p50Ms },
  { name: 'p99', words: '99 %', of: ({ p99Ms }: Tried) => p99Ms },
] as const;

/** Latency by the rate that was tried, both on logarithmic scales: where the lines bend, the target has enough. Rates that kept the limit have a full dot. */
export function kneePlot({ tried = [], thresholds }: Pick<TrafficReport, 'tried' | 'thresholds'>): string {
  const sorted = tried.toSorted((one, other) => one.rate - other.rate);
  const y = logScale(
    sorted.flatMap((one) => [one.p50Ms, one.p99Ms]),
    bottom,
    top,
  );
  const x = rateScale(sorted.map(({ rate }) => rate));
  const kept = sorted.findLast(({ verdict }) => verdict === 'kept');
  const limit = thresholds.at(-1)?.text ?? 'the limit';
  const head =
    kept === undefined ? `No rate kept ${limit}` : `${limit} is kept up to ${count(kept.rate)} journeys a second`;
  return plotText({ title: 'Latency by the rate that was tried', height }, [
    `<text class="strong" x="${left}" y="24">${textOf(head)}</text>`,
    ...lines.map(({ name, words }, index) => lineKey(name, words, left + index * 90, 46)),
    `<circle class="max" cx="${left + 196}" cy="42" r="4"/><text class="soft" x="${left + 206}" y="46">kept</text>`,
    `<path class="broken" d="${diamond(left + 256, 42)}"/><text class="soft" x="${left + 268}" y="46">missed, or not made</text>`,
    ...grid(y, time),
    ...sorted.map(
      ({ rate }, index) =>
        `<text class="soft" x="${place(x(rate))}" y="${bottom + (index % 2 === 0 ? 22 : 38)}" text-anchor="middle">${count(rate)}</text>`,
    ),
    `<text class="soft" x="${right}" y="${height - 4}" text-anchor="end">journeys a second</text>`,
    ...(kept === undefined
      ? []
      : [`<line class="limit" x1="${place(x(kept.rate))}" x2="${place(x(kept.rate))}" y1="${top}" y2="${bottom}"/>`]),
    ...lines.flatMap(({ name, of }) => [
      `<path class="line ${name}" d="${sorted.map((one, index) => `${index === 0 ? 'M' : 'L'}${place(x(one.rate))} ${place(y.at(of(one)))}`).join('')}"/>`,
      ...sorted.map((one) => mark(one, x(one.rate), y.at(of(one)))),
    ]),
  ]);
}

function mark({ verdict }: Tried, x: number, y: number): string {
  if (verdict === 'kept') return `<circle class="max" cx="${place(x)}" cy="${place(y)}" r="4"/>`;
  return `<path class="broken" d="${diamond(x, y)}"/>`;
}

function diamond(x: number, y: number): string {
  return `M${place(x)} ${place(y - 5)}l5 5l-5 5l-5 -5z`;
}

function rateScale(rates: readonly number[]): (rate: number) => number {
  const [least, most] = [Math.min(...rates), Math.max(...rates)];
  const inset = 24;
  if (!(most > least)) return () => (left + right) / 2;
  return (rate) => left + inset + ((right - left - 2 * inset) * Math.log(rate / least)) / Math.log(most / least);
}

function textOf(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
