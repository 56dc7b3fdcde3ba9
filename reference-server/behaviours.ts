import { apiKeysBehaviours } from './api-keys/api-keys.ts';
import { authBehaviours } from './auth.ts';
import { batchBehaviours } from './batch/batch.ts';
import { bulkUploadBehaviours } from './bulk-upload/bulk-upload.ts';
import { cachingBehaviours } from './caching.ts';
import { callsBehaviours } from './calls/calls.ts';
import { collectionBehaviours } from './collection.ts';
import { deliveryBehaviours } from './delivery/deliveries.ts';
import { filesBehaviours } from './files/files.ts';
import { headersBehaviours } from './headers.ts';
import { hypermediaBehaviours } from './hypermedia/hypermedia.ts';
import { listingBehaviours } from './listing.ts';
import { lockBehaviours } from './lock/lock.ts';
import { maturityBehaviours } from './maturity/maturity.ts';
import { metadataBehaviours } from './metadata/metadata.ts';
import { multiCreateBehaviours } from './multi-create/multi-create.ts';
import { openApiBehaviours } from './openapi.ts';
import { pagingBehaviours } from './paging/paging.ts';
import { patchBehaviours } from './patch/patch.ts';
import { readingBehaviours } from './reading/reading.ts';
import { registrationBehaviours } from './registration/registration.ts';
import { signingBehaviours } from './signing/signing.ts';
import { tasksBehaviours } from './tasks/tasks.ts';
import { versioningBehaviours } from './versioning.ts';

/** Everything the server does, by name. A fault is a function from this record to one with something replaced. */
export const behaviours = {
  ...readingBehaviours,
  ...pagingBehaviours,
  ...patchBehaviours,
  ...maturityBehaviours,
  ...listingBehaviours,
  ...lockBehaviours,
  ...multiCreateBehaviours,
  ...batchBehaviours,
  ...versioningBehaviours,
  ...authBehaviours,
  ...cachingBehaviours,
  ...headersBehaviours,
  ...hypermediaBehaviours,
  ...openApiBehaviours,
  ...collectionBehaviours,
  ...registrationBehaviours,
  ...metadataBehaviours,
  ...signingBehaviours,
  ...callsBehaviours,
  ...deliveryBehaviours,
  ...filesBehaviours,
  ...apiKeysBehaviours,
  ...tasksBehaviours,
  ...bulkUploadBehaviours,
};

export type Behaviours = typeof behaviours;
