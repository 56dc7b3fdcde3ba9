import { count, share, time } from '../../reports/traffic/figures.ts';
import type { TrafficProgress } from '../../simulator/traffic/traffic.ts';

const everyMs = 1000;

/** Prints a line a second about the load, to standard error; on a terminal over the line before. */
export function startLive({ tally, violations }: TrafficProgress, durationMs: number): Disposable {
  const startedAt = performance.now();
  const stream = process.stderr;
  const tell = (): void => {
    const seconds = tally.seconds();
    const { requests = 0, errors = 0, p50Ms = 0, p99Ms = 0 } = seconds.at(-2) ?? seconds.at(-1) ?? {};
    const elapsedMs = performance.now() - startedAt;
    const words = `${Math.round(Math.min(elapsedMs, durationMs) / 1000)}/${Math.round(durationMs / 1000)} s${elapsedMs > durationMs ? ', waiting for what is under way' : ''}  ${count(requests)}/s  p50 ${time(p50Ms)}  p99 ${time(p99Ms)}  errors ${share(errors, requests)}  violations ${count(violations())}`;
    stream.write(stream.isTTY ? `\r\u001b[2K${words}` : `${words}\n`);
  };
  const timer = setInterval(tell, everyMs).unref();
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer);
      if (stream.isTTY) stream.write('\r\u001b[2K');
    },
  };
}
