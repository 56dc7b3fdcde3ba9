import type { Fault } from '../fault.ts';
import { historyFaults } from './histories.ts';
import { positionFaults } from './positions.ts';
import { routeFaults } from './routes.ts';
import { versionFaults } from './versions.ts';

/**
 * Faults that no single rule names: wrong for a boundary count, one place in a list, one spelling, one history before the request, or as
 * seen by one read route. They are there for the suites that follow histories.
 */
export const subtleFaults = {
  ...versionFaults,
  ...positionFaults,
  ...historyFaults,
  ...routeFaults,
} satisfies Readonly<Record<string, Fault>>;

export type SubtleFaultId = keyof typeof subtleFaults;
