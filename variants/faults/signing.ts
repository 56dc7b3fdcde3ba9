import { metadataPath } from '../../contract/names.ts';
import { createHmac } from 'node:crypto';
import type { Areas } from '../../reference-server/areas.ts';
import { bulkPath } from '../../reference-server/areas/bulk-upload.ts';
import { type Variant, type Variants, together, replaces } from '../breaks.ts';

const usualKeyBytes = 64;

const bulkSignatureFaults = {
  'signing.bulk.signature-accepted': replaces(
    'signing',
    'isSignatureOf',
    (right, areas, apiKey, path, given) => !isParticipantLevel(path) && right(areas, apiKey, path, given),
  ),

  'signing.bulk.wrong-path-refused': alsoAccepting((areas, apiKey, _path, given) =>
    areas.signing.sameSignature(given, areas.signing.expectedSignature(apiKey, bulkPath)),
  ),

  'signing.bulk.wrong-key-refused': alsoAccepting((areas, _apiKey, path, given) =>
    areas.signing.sameSignature(given, areas.signing.expectedSignature('', path)),
  ),

  'signing.bulk.key-bytes-decoded': alsoAccepting((areas, apiKey, path, given) => {
    const text = Buffer.from(apiKey, 'utf8').toString('base64');
    return areas.signing.sameSignature(given, areas.signing.expectedSignature(text, path));
  }),

  'signing.bulk.algorithm-sha512': alsoAccepting(
    (_areas, apiKey, path, given) =>
      createHmac('sha256', Buffer.from(apiKey, 'base64')).update(path).digest('base64url') === given,
  ),

  'signing.bulk.truncated-refused': alsoAccepting((areas, apiKey, path, given) =>
    areas.signing.expectedSignature(apiKey, path).startsWith(given),
  ),

  'signing.bulk.url-safe-alphabet': replaces('signing', 'expectedSignature', (right, areas, apiKey, path) => {
    const signature = right(areas, apiKey, path);
    return path.startsWith(bulkPath) ? signature.replaceAll('-', '+').replaceAll('_', '/') : signature;
  }),
} satisfies Variants;

export const signingFaults = {
  ...bulkSignatureFaults,
  'signing.extension-call.metadata-signed': replaces(
    'metadata',
    'metadataRequest',
    (right, areas, extension, correlationId) => {
      const { headers, ...request } = right(areas, extension, correlationId);
      return {
        ...request,
        headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'Authorization')),
      };
    },
  ),
  'signing.extension-call.every-type-signed': replaces('signing', 'signatureHeaders', (right, areas, apiKey, url) =>
    right(areas, apiKey, url.endsWith(metadataPath) ? url : new URL(metadataPath, url).href),
  ),
  'signing.extension-call.query-excluded': replaces('signing', 'signedPath', (_right, _areas, url) => {
    const { pathname, search } = new URL(url);
    return pathname + search;
  }),
  'signing.extension-call.encoding': replaces('signing', 'signPath', (right, areas, apiKey, path) => {
    const signature = right(areas, apiKey, path);
    return Buffer.from(apiKey, 'base64').length > usualKeyBytes ? signature.replaceAll('_', '/') : signature;
  }),
  'signing.extension-call.own-key-per-extension': (classes) => {
    let last: string | undefined;
    return together(
      replaces('registrations', 'extensionFrom', (right, areas, body) => {
        const fields = right(areas, body);
        last = fields.apiKey;
        return fields;
      }),
      replaces('requests', 'extensionRequest', (right, areas, delivery, callee) => {
        const apiKey = delivery.kind === 'event' ? (last ?? callee.extension.apiKey) : callee.extension.apiKey;
        return right(areas, delivery, { ...callee, extension: { ...callee.extension, apiKey } });
      }),
    )(classes);
  },
  'signing.extension-call.key-after-update': (classes) => {
    const keys = new Map<string, string>();
    return replaces('registrations', 'extensionFrom', (right, areas, body) => {
      const fields = right(areas, body);
      const apiKey = keys.get(fields.hostUri) ?? fields.apiKey;
      keys.set(fields.hostUri, apiKey);
      return { ...fields, apiKey };
    })(classes);
  },
} satisfies Variants;

type IsSignature = (areas: Areas, apiKey: string, path: string, given: string) => boolean;

/** Bulk routes are open to another signature as well. */
function alsoAccepting(other: IsSignature): Variant {
  return replaces(
    'signing',
    'isSignatureOf',
    (right, areas, apiKey, path, given) =>
      right(areas, apiKey, path, given) || (path.startsWith(bulkPath) && other(areas, apiKey, path, given)),
  );
}

function isParticipantLevel(path: string): boolean {
  return path.slice(bulkPath.length).split('/').length > 2;
}
