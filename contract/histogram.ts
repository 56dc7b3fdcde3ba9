/** Longest time that is told apart, in ms. */
const longestMs = 3_600_000;

/** µs below this have a bucket each; above, each doubling is cut into half as many, so that a bucket is 0.1 % wide at most. */
const finest = 2048;
const half = finest / 2;

/**
 * Times in ms, kept in µs to three digits. What several of them counted is added up without loss, so that a percentile of all together is
 * the one that a single histogram would have told.
 */
export class Histogram {
  #counts = new Uint32Array(finest);
  #count = 0;
  #sumUs = 0;
  #maxUs = 0;

  record(ms: number): void {
    const us = Math.round(Math.min(Math.max(ms, 0), longestMs) * 1000);
    const bucket = bucketOf(us);
    if (bucket >= this.#counts.length) this.#growTo(bucket);
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#count += 1;
    this.#sumUs += us;
    if (us > this.#maxUs) this.#maxUs = us;
  }

  /** In ms: upper edge of the bucket that holds it, never above the longest; 0 when nothing was recorded. */
  percentile(percent: number): number {
    let left = Math.max(1, Math.ceil((percent / 100) * this.#count - rounding));
    for (let bucket = 0; bucket < this.#counts.length; bucket += 1) {
      left -= this.#counts[bucket] ?? 0;
      if (left <= 0) return Math.min(edgeOf(bucket), this.#maxUs) / 1000;
    }
    return 0;
  }

  /** Counts what another one has recorded as well. */
  add(other: Histogram): void {
    this.#growTo(other.#counts.length - 1);
    for (const [bucket, times] of other.#filled()) this.#counts[bucket] = (this.#counts[bucket] ?? 0) + times;
    this.#count += other.#count;
    this.#sumUs += other.#sumUs;
    this.#maxUs = Math.max(this.#maxUs, other.#maxUs);
  }

  get count(): number {
    return this.#count;
  }

  get mean(): number {
    return this.#count === 0 ? 0 : this.#sumUs / this.#count / 1000;
  }

  get max(): number {
    return this.#maxUs / 1000;
  }

  reset(): void {
    this.#counts.fill(0);
    [this.#count, this.#sumUs, this.#maxUs] = [0, 0, 0];
  }

  /** Upper edge in ms and count of each bucket that holds something, in order. */
  *buckets(): Generator<readonly [edgeMs: number, times: number]> {
    for (const [bucket, times] of this.#filled()) yield [Math.min(edgeOf(bucket), this.#maxUs) / 1000, times];
  }

  /** As a report holds it: sum and longest in µs, then how far each bucket is from the one before, `*` and its count where that is not 1. */
  text(): string {
    const steps: string[] = [];
    let before = 0;
    for (const [bucket, times] of this.#filled()) {
      steps.push(times === 1 ? String(bucket - before) : `${bucket - before}*${times}`);
      before = bucket;
    }
    return `${this.#sumUs};${this.#maxUs};${steps.join(' ')}`;
  }

  /** What `text` says. @throws {RangeError} it says something else */
  static of(text: string): Histogram {
    const { sum = '', max = '', steps = '' } = /^(?<sum>\d+);(?<max>\d+);(?<steps>[\d* ]*)$/.exec(text)?.groups ?? {};
    if (sum === '' || Number(max) > longestMs * 1000) throw misread(text);
    const read = new Histogram();
    let bucket = 0;
    for (const step of steps === '' ? [] : steps.split(' ')) {
      const [distance = NaN, times = 1] = step.split('*').map(Number);
      bucket += distance;
      if (!(bucket <= lastBucket && times >= 1)) throw misread(text);
      read.#growTo(bucket);
      read.#counts[bucket] = times;
      read.#count += times;
    }
    [read.#sumUs, read.#maxUs] = [Number(sum), Number(max)];
    return read;
  }

  *#filled(): Generator<readonly [bucket: number, times: number]> {
    for (let bucket = 0; bucket < this.#counts.length; bucket += 1) {
      const times = this.#counts[bucket] ?? 0;
      if (times > 0) yield [bucket, times];
    }
  }

  #growTo(bucket: number): void {
    if (bucket < this.#counts.length) return;
    const counts = new Uint32Array(Math.ceil((bucket + 1) / half) * half);
    counts.set(this.#counts);
    this.#counts = counts;
  }
}

/** A share of a count may come out as 99.00000000000001. */
const rounding = 1e-9;

/** How often a time has to be halved is told by its leading zeros. */
function bucketOf(us: number): number {
  if (us < finest) return us;
  const doublings = 31 - Math.clz32(us / half);
  return doublings * half + Math.floor(us / 2 ** doublings);
}

/** Longest time in µs that falls into the bucket. */
function edgeOf(bucket: number): number {
  if (bucket < finest) return bucket;
  const doublings = Math.floor(bucket / half) - 1;
  return (bucket - doublings * half + 1) * 2 ** doublings - 1;
}

const lastBucket = bucketOf(longestMs * 1000);

function misread(text: string): RangeError {
  return new RangeError(`Expected a histogram as a report of traffic holds it, found '${text.slice(0, 40)}'.`);
}
