import { callChoices } from './calls.ts';
import type { Choice } from './choice.ts';
import { deliveryChoices } from './deliveries.ts';
import { filingChoices } from './files.ts';
import { jobChoices } from './jobs.ts';
import { registeringChoices } from './registrations.ts';

/** What whoever calls and is called meets. */
export const callingChoices: readonly Choice[] = [...callChoices, ...deliveryChoices, ...jobChoices];

/** What the foreign dialect takes another way of the document about extensions, innermost first. */
export const foreignExtensionChoices: readonly Choice[] = [...callingChoices, ...registeringChoices, ...filingChoices];
