import type { FaultsOf } from './fault.ts';
import { replacing, together } from './fault.ts';
import { bulkSignatureFaults } from './signing-bulk.ts';

const metadataPath = '/svc/extension';
const usualKeyBytes = 64;

export const signingFaults: FaultsOf<'signing'> = {
  ...bulkSignatureFaults,
  'signing.extension-call.metadata-signed': replacing(
    'metadataRequest',
    (right) => (service, extension, correlationId) => {
      const { headers, ...request } = right(service, extension, correlationId);
      return {
        ...request,
        headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'Authorization')),
      };
    },
  ),
  'signing.extension-call.every-type-signed': replacing(
    'signatureHeaders',
    (right) => (service, apiKey, url) =>
      right(service, apiKey, url.endsWith(metadataPath) ? url : new URL(metadataPath, url).href),
  ),
  'signing.extension-call.query-excluded': replacing('signedPath', () => (url) => {
    const { pathname, search } = new URL(url);
    return pathname + search;
  }),
  'signing.extension-call.encoding': replacing('signPath', (right) => (service, apiKey, path) => {
    const signature = right(service, apiKey, path);
    return Buffer.from(apiKey, 'base64').length > usualKeyBytes ? signature.replaceAll('_', '/') : signature;
  }),
  'signing.extension-call.own-key-per-extension': (behaviours) => {
    let last: string | undefined;
    return together(
      replacing('extensionFrom', (right) => (service, body) => {
        const fields = right(service, body);
        last = fields.apiKey;
        return fields;
      }),
      replacing('extensionRequest', (right) => (service, delivery, callee) => {
        const apiKey = delivery.kind === 'event' ? (last ?? callee.extension.apiKey) : callee.extension.apiKey;
        return right(service, delivery, { ...callee, extension: { ...callee.extension, apiKey } });
      }),
    )(behaviours);
  },
  'signing.extension-call.key-after-update': (behaviours) => {
    const keys = new Map<string, string>();
    return replacing('extensionFrom', (right) => (service, body) => {
      const fields = right(service, body);
      const apiKey = keys.get(fields.hostUri) ?? fields.apiKey;
      keys.set(fields.hostUri, apiKey);
      return { ...fields, apiKey };
    })(behaviours);
  },
};
