import type { RuleId } from '../../contract/rule.ts';
import { apiKeysFaults } from './api-keys/api-keys.ts';
import { authFaults } from './auth.ts';
import { batchFaults } from './batch/batch.ts';
import { bulkUploadFaults } from './bulk-upload/bulk-upload.ts';
import { cachingFaults } from './caching.ts';
import { callsFaults } from './calls/calls.ts';
import { collectionFaults } from './collection.ts';
import { deliveryFaults } from './delivery/delivery.ts';
import type { Fault } from './fault.ts';
import { filesFaults } from './files/files.ts';
import { headersFaults } from './headers.ts';
import { maturityFaults } from './maturity.ts';
import { multiCreateFaults } from './multi-create.ts';
import { openapiFaults } from './openapi.ts';
import { registrationFaults } from './registration.ts';
import { metadataFaults } from './metadata.ts';
import { signingFaults } from './signing.ts';
import { versioningFaults } from './versioning.ts';
import { patchFaults } from './patch/patch.ts';
import { hypermediaFaults } from './hypermedia.ts';
import { pagingFaults } from './paging/paging.ts';
import { readingFaults } from './reading/reading.ts';
import { tasksFaults } from './tasks/tasks.ts';
import { subtleFaults, type SubtleFaultId } from './subtle/subtle.ts';

/** A fault by the rule it breaks, a subtle one that is no rule's, or the control, which changes nothing that can be seen from outside. */
export type FaultId = RuleId | SubtleFaultId | 'control';

/** The control: another record of the same behaviours. */
const control: Fault = (behaviours) => ({ ...behaviours });

const faults: Readonly<Partial<Record<FaultId, Fault>>> = {
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
  ...bulkUploadFaults,
  ...maturityFaults,
  ...versioningFaults,
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
};

/** The fault of that id. @throws {RangeError} there is none */
export function faultOf(id: FaultId): Fault {
  const fault = faults[id];
  if (fault === undefined)
    throw new RangeError(
      `There is no fault ${id}; \`svc-conformance rules\` lists the rules, those that can fail have one.`,
    );
  return fault;
}

/** Whether there is a fault of that id. */
export function hasFault(id: string): id is FaultId {
  return Object.hasOwn(faults, id);
}
