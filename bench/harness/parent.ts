import type { Usage } from './side.ts';

/** Settings that the parent gave this side. */
export function settingsOf<T>(): T {
  return JSON.parse(process.argv[2] ?? '{}') as T;
}

/** Tells the parent where this side listens, answers what it asks, and leaves when it does. */
export function answerParent(url: string, close: () => Promise<void>): void {
  process.on('message', () => process.send?.(usageNow()));
  process.once('disconnect', () => void close());
  process.send?.(url);
}

function usageNow(): Usage {
  const { user, system } = process.cpuUsage();
  return { cpuUs: user + system, residentBytes: process.memoryUsage.rss() };
}
