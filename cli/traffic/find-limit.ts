/** How a rate went: the limit was kept, missed, or nothing can be said of it as this machine did not make the load. */
export type Verdict = 'kept' | 'missed' | 'not made';

/** A rate that was tried. */
export interface Attempt {
  readonly rate: number;
  readonly verdict: Verdict;
}

/** What is found is within a tenth; no target is asked more often than that. */
const [closeEnough, mostAttempts] = [1.1, 14];
/** Journeys a second. */
const [leastRate, mostRate] = [0.1, 100_000];

/**
 * Looks for the highest rate that keeps a limit: up or down by twos until it stands between two rates, then between those.
 * @param attempt makes a load of that rate; undefined ends the search
 */
export async function findLimit(
  from: number,
  attempt: (rate: number) => Promise<Verdict | undefined>,
): Promise<readonly Attempt[]> {
  const attempts: Attempt[] = [];
  let [kept, missed]: [number | undefined, number | undefined] = [undefined, undefined];
  let rate: number | undefined = from;
  while (rate !== undefined && attempts.length < mostAttempts) {
    const verdict = await attempt(rate);
    if (verdict === undefined) break;
    attempts.push({ rate, verdict });
    if (verdict === 'kept') kept = rate;
    else missed = rate;
    rate = nextRate(kept, missed);
  }
  return attempts;
}

function nextRate(kept: number | undefined, missed: number | undefined): number | undefined {
  if (missed === undefined) return kept === undefined || kept * 2 > mostRate ? undefined : kept * 2;
  if (kept === undefined) return missed / 2 < leastRate ? undefined : missed / 2;
  return missed / kept <= closeEnough ? undefined : Number(Math.sqrt(kept * missed).toPrecision(3));
}
