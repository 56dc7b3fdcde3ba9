import { apiKeySilences } from './silences/api-keys.ts';
import { authenticationSilences } from './silences/authentication.ts';
import { batchSilences } from './silences/batch.ts';
import { cachingSilences } from './silences/caching.ts';
import { callSilences } from './silences/calls.ts';
import { collectionSilences } from './silences/collection.ts';
import { deliverySilences } from './silences/delivery.ts';
import { errorSilences } from './silences/errors.ts';
import { fileSilences } from './silences/files.ts';
import { headerSilences } from './silences/headers.ts';
import { maturitySilences } from './silences/maturity.ts';
import { multiCreateSilences } from './silences/multi-create.ts';
import { operationSilences } from './silences/operations.ts';
import { pagingSilences } from './silences/paging.ts';
import { readingSilences } from './silences/reading.ts';
import { registrationSilences } from './silences/registration.ts';
import { routeSilences } from './silences/routes.ts';
import type { Silence } from './silences/silence.ts';
import { signingSilences } from './silences/signing.ts';
import { taskSilences } from './silences/tasks.ts';
import { triggerSilences } from './silences/triggers.ts';
import { writingSilences } from './silences/writing.ts';

/** The ledger of silences by document: what each leaves open, what the reference server does there, and what binds it elsewhere. */
export const silences: { readonly core: readonly Silence[]; readonly extensions: readonly Silence[] } = {
  core: [
    ...routeSilences,
    ...errorSilences,
    ...authenticationSilences,
    ...headerSilences,
    ...readingSilences,
    ...pagingSilences,
    ...writingSilences,
    ...operationSilences,
    ...batchSilences,
    ...multiCreateSilences,
    ...maturitySilences,
    ...cachingSilences,
    ...collectionSilences,
  ],
  extensions: [
    ...fileSilences,
    ...signingSilences,
    ...registrationSilences,
    ...triggerSilences,
    ...callSilences,
    ...deliverySilences,
    ...taskSilences,
    ...apiKeySilences,
  ],
};
