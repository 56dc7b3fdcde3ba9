import type { Silence } from './silence.ts';

/** How extensions come by API keys. */
export const apiKeySilences: readonly Silence[] = [
  {
    id: 'acquire-credential',
    source: 'extensions: Acquiring API keys; core: Authentication 7',
    open: 'Who may ask: the route is for administrators by its place, the caller is an extension.',
    choice:
      'The extension, signing the path with its key, or an administrator; trusted endpoints come in by the latter. Who is neither is told so before the id is looked at: 404 is for administrators.',
    profile: 'credentials.acquire',
    records: 'what was accepted',
  },
  {
    id: 'acquire-callback-details',
    source: 'extensions: Acquiring API keys',
    open: 'How the keys are brought: to which address, under which signature, how often, and when.',
    choice:
      'To an absolute address, signed like any call where there is a key, once, ahead of the 204. They open doors when they arrive; without a 2xx there the answer is 502, and they are void.',
    profile: 'apiKeys.callbackTimeoutSeconds',
    records: 'headers, order, attempts',
  },
  {
    id: 'acquire-mixed-request',
    source: 'extensions: Acquiring API keys',
    open: 'What one name too many does to a request.',
    choice: 'It fails whole, 403.',
    profile: 'status.acquireRefused',
    records: 'status, and if keys came',
  },
  {
    id: 'key-rotation-overlap',
    source: 'extensions: Permission names; Limits, permission key rotation',
    open: 'From when the 24 hours count, how long the old key lasts, and if the new one is sent.',
    choice:
      'From its issue; five minutes more; no. A key also ends with its registration or permission, and while the registration is switched off.',
    profile: 'apiKeys.overlapSeconds',
    records: 'last use of an old key, keys that were sent, if keys of one period are equal',
  },
];
