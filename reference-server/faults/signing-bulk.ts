import { createHmac } from 'node:crypto';
import { bulkPath } from '../bulk-upload/run.ts';
import type { Service } from '../service.ts';
import { replacing, type Fault } from './fault.ts';

export const bulkSignatureFaults = {
  'signing.bulk.signature-accepted': replacing(
    'isSignatureOf',
    (right) => (service, apiKey, path, given) => !isParticipantLevel(path) && right(service, apiKey, path, given),
  ),

  'signing.bulk.wrong-path-refused': alsoAccepting((service, apiKey, _path, given) =>
    service.behaviours.sameSignature(given, service.behaviours.expectedSignature(service, apiKey, bulkPath)),
  ),

  'signing.bulk.wrong-key-refused': alsoAccepting((service, _apiKey, path, given) =>
    service.behaviours.sameSignature(given, service.behaviours.expectedSignature(service, '', path)),
  ),

  'signing.bulk.key-bytes-decoded': alsoAccepting((service, apiKey, path, given) => {
    const text = Buffer.from(apiKey, 'utf8').toString('base64');
    return service.behaviours.sameSignature(given, service.behaviours.expectedSignature(service, text, path));
  }),

  'signing.bulk.algorithm-sha512': alsoAccepting(
    (_service, apiKey, path, given) =>
      createHmac('sha256', Buffer.from(apiKey, 'base64')).update(path).digest('base64url') === given,
  ),

  'signing.bulk.truncated-refused': alsoAccepting((service, apiKey, path, given) =>
    service.behaviours.expectedSignature(service, apiKey, path).startsWith(given),
  ),

  'signing.bulk.url-safe-alphabet': replacing('expectedSignature', (right) => (service, apiKey, path) => {
    const signature = right(service, apiKey, path);
    return path.startsWith(bulkPath) ? signature.replaceAll('-', '+').replaceAll('_', '/') : signature;
  }),
} satisfies Readonly<Record<string, Fault>>;

type IsSignature = (service: Service, apiKey: string, path: string, given: string) => boolean;

/** Bulk routes are open to another signature as well. */
function alsoAccepting(other: IsSignature): Fault {
  return replacing(
    'isSignatureOf',
    (right) => (service, apiKey, path, given) =>
      right(service, apiKey, path, given) || (path.startsWith(bulkPath) && other(service, apiKey, path, given)),
  );
}

function isParticipantLevel(path: string): boolean {
  return path.slice(bulkPath.length).split('/').length > 2;
}
