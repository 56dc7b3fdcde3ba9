import { parseArgs } from 'node:util';
import type { Figure } from './load.ts';
import { machineLine, medianOf, spreadText } from './figures.ts';

export interface Contestant {
  readonly name: string;
  /** One round of so many seconds. */
  readonly round: (seconds: number) => Promise<Figure>;
}

export interface Comparison {
  readonly title: string;
  readonly baseline: Contestant;
  readonly subject: Contestant;
  /** How the goal reads, for the print; nothing is asserted. */
  readonly goal: string;
  /** `rate`: subject's requests/s against the baseline's. `time`: its time a request against the baseline's. */
  readonly ratio: 'rate' | 'time';
  /** What is counted; requests unless given. */
  readonly unit?: string;
  /** Whose CPU the figures tell; that of the server unless given. */
  readonly cpuOf?: string;
}

interface Pair {
  readonly baseline: Figure;
  readonly subject: Figure;
}

/** Runs both sides in turn, `--rounds` times (5) for `--seconds` (2), after a round for warming up, and prints the ratio. */
export async function compare(comparison: Comparison): Promise<void> {
  const { rounds, seconds } = runOptions();
  await inTurn(comparison, false, seconds);
  const pairs: Pair[] = [];
  for (let round = 0; round < rounds; round += 1) pairs.push(await inTurn(comparison, round % 2 === 1, seconds));
  console.log(textOf(comparison, pairs));
}

function runOptions(): { readonly rounds: number; readonly seconds: number } {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      store: { type: 'string' },
    },
  });
  return { rounds: Number(values.rounds), seconds: Number(values.seconds) };
}

/** The side that goes first changes from round to round, so that a drift of the machine favours neither. */
async function inTurn({ baseline, subject }: Comparison, subjectFirst: boolean, seconds: number): Promise<Pair> {
  const early = subjectFirst ? await subject.round(seconds) : undefined;
  const base = await baseline.round(seconds);
  return { baseline: base, subject: early ?? (await subject.round(seconds)) };
}

function textOf(
  { title, baseline, subject, goal, ratio, unit = 'request', cpuOf = 'server' }: Comparison,
  pairs: readonly Pair[],
): string {
  const rates = pairs.map((pair) => rateRatio(pair, ratio));
  const cpus = pairs.map(({ baseline, subject }) =>
    ratio === 'rate' ? baseline.cpuUs / subject.cpuUs : subject.cpuUs / baseline.cpuUs,
  );
  return [
    `${title} (${pairs.length} rounds)`,
    sideLine(
      baseline.name,
      unit,
      pairs.map((pair) => pair.baseline),
    ),
    sideLine(
      subject.name,
      unit,
      pairs.map((pair) => pair.subject),
    ),
    `  ratio by ${unit}s/s   ${spreadText(rates)}   goal ${goal}`,
    `  ratio by ${cpuOf} CPU   ${spreadText(cpus)}`,
    `  ${machineLine()}`,
  ].join('\n');
}

function rateRatio({ baseline, subject }: Pair, ratio: Comparison['ratio']): number {
  return ratio === 'rate' ? subject.perSecond / baseline.perSecond : baseline.perSecond / subject.perSecond;
}

function sideLine(name: string, unit: string, figures: readonly Figure[]): string {
  const rate = medianOf(figures.map((figure) => figure.perSecond));
  const cpu = medianOf(figures.map((figure) => figure.cpuUs));
  const failures = figures.reduce((sum, figure) => sum + figure.failures, 0);
  const told = failures > 0 ? `, ${failures} FAILED` : '';
  return `  ${name.padEnd(32)} ${Math.round(rate).toLocaleString('en')} ${unit}s/s, ${cpu.toFixed(1)} us CPU each${told}`;
}
