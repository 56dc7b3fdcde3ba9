/** A time as people read it: three digits, in the unit that fits. */
export function time(ms: number): string {
  if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`;
  return ms >= 100 ? `${ms.toFixed(0)} ms` : `${Number(ms.toPrecision(3))} ms`;
}

export function rate(perSecond: number): string {
  return `${perSecond >= 100 ? perSecond.toFixed(0) : Number(perSecond.toPrecision(3))}/s`;
}

export function count(value: number): string {
  return value.toLocaleString('en-US');
}

export function share(part: number, whole: number): string {
  if (whole === 0 || part === 0) return '0 %';
  const percent = (part / whole) * 100;
  return percent < 0.01 ? '<0.01 %' : `${Number(percent.toPrecision(2))} %`;
}
