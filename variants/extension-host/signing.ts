import type { Entry } from '../../simulator/extension/entry.ts';
import { metadataPath } from '../../simulator/extension/metadata.ts';
import { signatureOf } from '../../simulator/extension/signature.ts';
import type { Surroundings } from '../../simulator/extension/surroundings.ts';
import { breaks, type HostFaults } from './breaks.ts';

export const signingFaults = {
  'signing.extension-host.right-signature-accepted': breaks(
    'signing',
    'isAdmitted',
    (right, { surroundings }) =>
      (entry) =>
        entry.kind === 'email' && surroundings.apiKey !== undefined
          ? bearerOf(entry) === padBase64(signatureOf(surroundings.apiKey, pathOf(entry)))
          : right(entry),
  ),
  'signing.extension-host.missing-signature-refused': breaks(
    'signing',
    'isAdmitted',
    (right) => (entry) => (entry.method === 'POST' && entry.signature?.presented === undefined) || right(entry),
  ),
  'signing.extension-host.wrong-key-refused': breaks(
    'signing',
    'isAdmitted',
    (right, { surroundings }) =>
      (entry) =>
        (looksSigned(entry) && !isOverAnotherPath(surroundings, entry)) || right(entry),
  ),
  'signing.extension-host.wrong-path-refused': breaks(
    'signing',
    'isAdmitted',
    (right, { surroundings }) =>
      (entry) =>
        (surroundings.apiKey !== undefined && bearerOf(entry) === signatureOf(surroundings.apiKey, metadataPath)) ||
        right(entry),
  ),
  'signing.extension-host.query-ignored': breaks(
    'signing',
    'isAdmitted',
    (right) => (entry) => (isWithOtherQuery(entry) ? entry.signature?.over.includes('target') === true : right(entry)),
  ),
} satisfies HostFaults;

function bearerOf({ signature }: Entry): string | undefined {
  return signature?.presented;
}

/** Beside the one parameter that this host knows. */
function isWithOtherQuery({ target }: Entry): boolean {
  const query = new URLSearchParams(target.split('?')[1] ?? '');
  return [...query.keys()].some((name) => name !== 'access_token');
}

function looksSigned(entry: Entry): boolean {
  return /^[\w-]{86}$/.test(bearerOf(entry) ?? '');
}

/** Made with the right key, for another address of this host. */
function isOverAnotherPath({ apiKey, records }: Surroundings, entry: Entry): boolean {
  const paths = [metadataPath, ...records().map(({ endpoint }) => endpoint)].filter((path) => path !== pathOf(entry));
  return apiKey !== undefined && paths.some((path) => bearerOf(entry) === signatureOf(apiKey, path));
}

function pathOf({ target }: Entry): string {
  return target.split('?')[0] ?? '';
}

function padBase64(signature: string): string {
  return signature.padEnd(Math.ceil(signature.length / 4) * 4, '=');
}
