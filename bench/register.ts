import { breachesOf, makeTrueHistory } from '../judge/model/register.ts';
import { randomFrom } from '../simulator/traffic/chance.ts';
import { machineLine, spreadOf } from './harness/figures.ts';

/** How long the checker of histories takes, and whether that grows with the number of operations only. */
const rounds = 7;

console.log('Histories of one versioned register, 20 processes, half of the operations reads');
console.log(machineLine());
for (const operations of [10_000, 100_000, 1_000_000]) {
  const history = makeTrueHistory({ operations, processes: 20, random: randomFrom(operations) });
  const times = Array.from({ length: rounds }, () => {
    const startedAt = performance.now();
    if (breachesOf(history).length > 0) throw new Error('a history that is true was found wrong');
    return performance.now() - startedAt;
  });
  const { median, min, max } = spreadOf(times);
  console.log(
    `${operations.toLocaleString('en').padStart(9)} operations: ${median.toFixed(1)} ms (${min.toFixed(1)} to ${max.toFixed(1)}), goal for a million < 1000 ms`,
  );
}
