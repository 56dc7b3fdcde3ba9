import type { Entry } from '../entry.ts';
import { metadataPath } from '../metadata.ts';
import { signatureOf } from '../signature.ts';
import type { WorkingHost } from '../working-host.ts';
import { replacing, type FaultsOf } from './fault.ts';

export const signingFaults: FaultsOf<'signing'> = {
  'signing.extension-host.right-signature-accepted': replacing(
    'isAdmitted',
    (right) => (host, entry) =>
      entry.kind === 'email' && host.apiKey !== undefined
        ? bearerOf(entry) === padded(signatureOf(host.apiKey, pathOf(entry)))
        : right(host, entry),
  ),
  'signing.extension-host.missing-signature-refused': replacing(
    'isAdmitted',
    (right) => (host, entry) =>
      (entry.method === 'POST' && entry.signature?.presented === undefined) || right(host, entry),
  ),
  'signing.extension-host.wrong-key-refused': replacing(
    'isAdmitted',
    (right) => (host, entry) => (looksSigned(entry) && !isOverAnotherPath(host, entry)) || right(host, entry),
  ),
  'signing.extension-host.wrong-path-refused': replacing(
    'isAdmitted',
    (right) => (host, entry) =>
      (host.apiKey !== undefined && bearerOf(entry) === signatureOf(host.apiKey, metadataPath)) || right(host, entry),
  ),
  'signing.extension-host.query-ignored': replacing(
    'isAdmitted',
    (right) => (host, entry) =>
      isWithOtherQuery(entry) ? entry.signature?.over.includes('target') === true : right(host, entry),
  ),
};

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
function isOverAnotherPath(host: WorkingHost, entry: Entry): boolean {
  const { apiKey } = host;
  const paths = [metadataPath, ...host.records().map(({ endpoint }) => endpoint)].filter(
    (path) => path !== pathOf(entry),
  );
  return apiKey !== undefined && paths.some((path) => bearerOf(entry) === signatureOf(apiKey, path));
}

function pathOf({ target }: Entry): string {
  return target.split('?')[0] ?? '';
}

function padded(signature: string): string {
  return signature.padEnd(Math.ceil(signature.length / 4) * 4, '=');
}
