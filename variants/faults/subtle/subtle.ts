import type { Variants } from '../../breaks.ts';
import { subtleApiKeyFaults } from './api-keys.ts';
import { subtleCallFaults } from './calls.ts';
import { subtleDeliveryFaults } from './delivery.ts';
import { subtleFileFaults } from './files.ts';
import { historyFaults } from './histories.ts';
import { positionFaults } from './positions.ts';
import { subtleMetadataFaults, subtleRegistrationFaults, subtleSigningFaults } from './registrations.ts';
import { routeFaults } from './routes.ts';
import { subtleTaskFaults } from './tasks.ts';
import { valueFaults } from './values.ts';
import { textFaults } from './texts.ts';
import { versionFaults } from './versions.ts';

/** Wrong about objects: there for the suites that follow histories. */
const coreFaults = {
  ...valueFaults,
  ...versionFaults,
  ...positionFaults,
  ...historyFaults,
  ...routeFaults,
  ...textFaults,
} satisfies Variants;

/** By the area whose cases have to find them; `core` has no area of its own. */
export const subtleFaultsOf = {
  core: coreFaults,
  registration: subtleRegistrationFaults,
  metadata: subtleMetadataFaults,
  signing: subtleSigningFaults,
  calls: subtleCallFaults,
  delivery: subtleDeliveryFaults,
  tasks: subtleTaskFaults,
  files: subtleFileFaults,
  'api-keys': subtleApiKeyFaults,
} as const satisfies Readonly<Record<string, Variants>>;

export type SubtleArea = keyof typeof subtleFaultsOf;

/**
 * Faults that no single rule names: wrong for a boundary count, one place in a list, one spelling, one history before the request, in a late
 * step of a schedule, about the wrong one of two things, or as seen by one read route.
 */
export const subtleFaults = {
  ...subtleFaultsOf.core,
  ...subtleFaultsOf.registration,
  ...subtleFaultsOf.metadata,
  ...subtleFaultsOf.signing,
  ...subtleFaultsOf.calls,
  ...subtleFaultsOf.delivery,
  ...subtleFaultsOf.tasks,
  ...subtleFaultsOf.files,
  ...subtleFaultsOf['api-keys'],
} satisfies Variants;

export type SubtleFaultId = keyof typeof subtleFaults;
