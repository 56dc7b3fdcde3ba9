import type { Area } from '../contract/areas.ts';
import type { RuleId } from '../contract/rules.ts';
import { apiKeysCases } from './api-keys/api-keys.ts';
import { authCases } from './auth/auth.ts';
import { batchCases } from './batch/batch.ts';
import { bulkUploadCases } from './bulk-upload/bulk-upload.ts';
import { cachingCases } from './caching/caching.ts';
import { callsCases } from './calls/calls.ts';
import { collectionCases } from './collection.ts';
import { deliveryCases } from './delivery/delivery.ts';
import type { Case, CasesOf } from '../judge/case.ts';
import { filesCases } from './files/files.ts';
import { headersCases } from './headers/headers.ts';
import { hypermediaCases } from './hypermedia.ts';
import { maturityCases } from './maturity/maturity.ts';
import { multiCreateCases } from './multi-create/multi-create.ts';
import { openapiCases } from './openapi/openapi.ts';
import { pagingCases } from './paging/paging.ts';
import { patchCases } from './patch/patch.ts';
import { readingCases } from './reading/reading.ts';
import { registrationCases } from './registration/registration.ts';
import { metadataCases } from './metadata/metadata.ts';
import { signingCases } from './signing/signing.ts';
import { tasksCases } from './tasks/tasks.ts';
import { versioningCases } from './versioning/versioning.ts';

/** The cases of every area that has some. */
export const casesByArea = {
  reading: readingCases,
  paging: pagingCases,
  patch: patchCases,
  batch: batchCases,
  'multi-create': multiCreateCases,
  maturity: maturityCases,
  versioning: versioningCases,
  auth: authCases,
  caching: cachingCases,
  headers: headersCases,
  openapi: openapiCases,
  hypermedia: hypermediaCases,
  collection: collectionCases,
  files: filesCases,
  'bulk-upload': bulkUploadCases,
  delivery: deliveryCases,
  registration: registrationCases,
  metadata: metadataCases,
  signing: signingCases,
  calls: callsCases,
  tasks: tasksCases,
  'api-keys': apiKeysCases,
} as const satisfies { readonly [A in Area]: CasesOf<A> };

const byRule: Readonly<Record<string, Case>> = Object.assign({}, ...Object.values(casesByArea));

/** The case of a rule. */
export function caseOf(rule: RuleId): Case {
  const found = byRule[rule];
  if (found === undefined) throw new RangeError(`There is no rule ${rule}.`);
  return found;
}
