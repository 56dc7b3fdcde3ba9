import { OptionError } from '../contract/option.ts';
import { nearNames } from '../contract/spelling.ts';
import type { Variant, Variants } from './breaks.ts';
import { apiKeysFaults } from './faults/api-keys.ts';
import { authFaults } from './faults/auth.ts';
import { batchFaults } from './faults/batch.ts';
import { bulkUploadFaults } from './faults/bulk-upload.ts';
import { cachingFaults } from './faults/caching.ts';
import { callsFaults } from './faults/calls.ts';
import { collectionFaults } from './faults/collection.ts';
import { conditionFaults } from './faults/combined-conditions.ts';
import { deliveryFaults } from './faults/delivery.ts';
import { filesFaults } from './faults/files.ts';
import { headersFaults } from './faults/headers.ts';
import { hypermediaFaults } from './faults/hypermedia.ts';
import { maturityFaults } from './faults/maturity.ts';
import { metadataFaults } from './faults/metadata.ts';
import { multiCreateFaults } from './faults/multi-create.ts';
import { openapiFaults } from './faults/openapi.ts';
import { pagingFaults } from './faults/paging.ts';
import { patchFaults } from './faults/patch.ts';
import { readingFaults } from './faults/reading.ts';
import { registrationFaults } from './faults/registration.ts';
import { signingFaults } from './faults/signing.ts';
import { subtleFaults } from './faults/subtle/subtle.ts';
import { tasksFaults } from './faults/tasks.ts';
import { uploadFaults } from './faults/uploads.ts';
import { versioningFaults } from './faults/versioning.ts';

/** The control, which changes nothing that can be seen from outside: another record of the same classes. */
const control: Variant = (classes) => ({ ...classes });

/** A fault by the rule it breaks, or a subtle one that is no rule's. */
export const faults = {
  control,
  ...patchFaults,
  ...readingFaults,
  ...pagingFaults,
  ...hypermediaFaults,
  ...authFaults,
  ...batchFaults,
  ...multiCreateFaults,
  ...cachingFaults,
  ...collectionFaults,
  ...filesFaults,
  ...uploadFaults,
  ...bulkUploadFaults,
  ...maturityFaults,
  ...versioningFaults,
  ...conditionFaults,
  ...headersFaults,
  ...openapiFaults,
  ...registrationFaults,
  ...metadataFaults,
  ...signingFaults,
  ...callsFaults,
  ...deliveryFaults,
  ...tasksFaults,
  ...apiKeysFaults,
  ...subtleFaults,
} satisfies Variants;

export type FaultId = keyof typeof faults;

/** The fault of that id. @throws {OptionError} there is none */
export function faultOf(id: string): Variant {
  return faults[faultIdOf(id)];
}

/** That id, as one of a fault. @throws {OptionError} there is none */
export function faultIdOf(id: string): FaultId {
  if (hasFault(id)) return id;
  const [near] = nearNames(id, Object.keys(faults));
  const hint =
    near === undefined ? '`svc-conformance faults --list` names those that there are.' : `did you mean "${near}"?`;
  throw new OptionError(`There is no fault ${id}; ${hint}`);
}

/** Whether there is a fault of that id. */
export function hasFault(id: string): id is FaultId {
  return Object.hasOwn(faults, id);
}
