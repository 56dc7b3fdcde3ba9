/** Values as places on the page, and which of them are written beside it. */
export interface Scale {
  at(value: number): number;
  readonly ticks: readonly number[];
}

const parts = [1, 2, 5] as const;
const stepsOfTime = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400];
const mostTimes = 12;
/** Less is not told apart. */
const leastMs = 0.001;

/** A logarithmic one; `from` is where the lowest value is. */
export function logScale(values: readonly number[], from: number, to: number): Scale {
  const positive = values.filter((value) => value > 0);
  const ticks = logTicks(Math.max(Math.min(...positive, 1), leastMs), Math.max(...positive, 10));
  const [low = 1, high = 10] = [ticks[0], ticks.at(-1)];
  const at = (value: number): number =>
    from + ((to - from) * Math.log(Math.min(Math.max(value, low), high) / low)) / Math.log(high / low);
  return { at, ticks: fewer(ticks) };
}

/** 1, 2 and 5 of each decade, from the last that is not above the least value to the first that is not below the most. */
function logTicks(least: number, most: number): readonly number[] {
  const all: number[] = [];
  for (let power = Math.floor(Math.log10(least)); power <= Math.ceil(Math.log10(most)); power += 1)
    for (const part of parts) all.push(Number((part * 10 ** power).toPrecision(1)));
  const first = all.findLastIndex((tick) => tick <= least);
  const last = all.findIndex((tick) => tick >= most);
  return all.slice(Math.max(0, first), last + 1);
}

/** Decades alone where there are many. */
function fewer(ticks: readonly number[]): readonly number[] {
  const isDecade = (tick: number): boolean => Math.abs(Math.log10(tick) - Math.round(Math.log10(tick))) < 1e-9;
  return ticks.length <= 11 ? ticks : ticks.filter(isDecade);
}

/** One that begins at 0. */
export function linearScale(most: number, from: number, to: number): Scale {
  const step = stepBelow(Math.max(most, 1) / 2);
  const ticks = Array.from({ length: Math.ceil(Math.max(most, 1) / step) + 1 }, (_, index) => index * step);
  const high = ticks.at(-1) ?? 1;
  return { at: (value) => from + ((to - from) * value) / high, ticks };
}

/** 1, 2 or 5 times a power of ten. */
function stepBelow(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return (parts.findLast((part) => part * power <= value) ?? 1) * power;
}

/** Seconds of the run. */
export function timeScale(seconds: number, from: number, to: number): Scale {
  const all = Math.max(seconds, 1);
  const step = stepsOfTime.find((one) => all / one <= mostTimes) ?? Math.ceil(all / mostTimes);
  return {
    at: (second) => from + ((to - from) * second) / all,
    ticks: Array.from({ length: Math.floor(all / step) + 1 }, (_, index) => index * step),
  };
}

/** A time of the run as people read it: 45 s, 1:30, 1:02:05. */
export function clockTime(seconds: number): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (value: number): string => String(value).padStart(2, '0');
  if (hours > 0) return `${hours}:${two(minutes)}:${two(rest)}`;
  return minutes > 0 ? `${minutes}:${two(rest)}` : `${rest} s`;
}
