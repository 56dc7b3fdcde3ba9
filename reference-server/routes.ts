import { apiKeysRoutes } from './api-keys/api-keys.ts';
import { authRoutes } from './auth.ts';
import { batchRoutes } from './batch/batch.ts';
import { bulkUploadRoutes } from './bulk-upload/bulk-upload.ts';
import { callsRoutes } from './calls/calls.ts';
import { collectionRoutes } from './collection.ts';
import { deliveryRoutes } from './delivery/deliveries.ts';
import { filesRoutes } from './files/files.ts';
import { listingRoutes } from './listing.ts';
import { lockRoutes } from './lock/lock.ts';
import { maturityRoutes } from './maturity/maturity.ts';
import { multiCreateRoutes } from './multi-create/multi-create.ts';
import { openApiRoutes } from './openapi.ts';
import { pagingRoutes } from './paging/paging.ts';
import { patchRoutes } from './patch/patch.ts';
import { readingRoutes } from './reading/reading.ts';
import { registrationRoutes } from './registration/registration.ts';
import type { Route } from './route.ts';
import { tasksRoutes } from './tasks/tasks.ts';

/** Everything that a batch may hold. Source: core, Batch rules 2 and 4; ledger batch-delete, batch-unsupported-routes */
const operationRoutes: readonly Route[] = [
  ...readingRoutes,
  ...pagingRoutes,
  ...patchRoutes,
  ...maturityRoutes,
  ...lockRoutes,
  ...multiCreateRoutes,
];

/** Everything that is served, area by area. */
export const routes: readonly Route[] = [
  ...operationRoutes,
  ...batchRoutes(operationRoutes),
  ...authRoutes,
  ...collectionRoutes,
  ...openApiRoutes,
  ...listingRoutes,
  ...registrationRoutes,
  ...callsRoutes,
  ...deliveryRoutes,
  ...filesRoutes,
  ...apiKeysRoutes,
  ...tasksRoutes,
  ...bulkUploadRoutes,
];
