import { createHmac } from 'node:crypto';
import { headerValues } from '../../../simulator/extension/entry.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces, type Variant } from '../../breaks.ts';
import { always, awaitCalls, callsOf, callsTo, event, first503, mail, mailer, mailPath, recordOf } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import {
  acquireKeys,
  basic,
  becomes,
  bulkPath,
  changeExtension,
  keyHost,
  sendEvents,
  waitForRetries,
} from '../proofs.ts';
import { administrationKey, at, hostKey, many, type Received, type Service, signatureOver } from '../service.ts';
import { changes, firstAtItsHost } from '../variant-parts.ts';

/** What HMAC SHA512 takes of a key before it hashes it. */
const blockBytes = 128;

/** Another key of a host, Base64. */
const nextKey = Buffer.alloc(64, 9).toString('base64');

/** Base64 of a key that needs no padding. */
const unpaddedKey = Buffer.alloc(48, 9).toString('base64');

/** Base64 of a key with each of the signs that only one alphabet has. */
const signedKey = Buffer.alloc(64, 0xfb).toString('base64');

export const signingMistakes: Mistakes = {
  'bulk.half-a-signature-is-enough': {
    source: 'extensions: Authentication 2',
    breaks: 'The signature is the Base64 of the whole HMAC.',
    variant: replaces(
      'signing',
      'sameSignature',
      (right, areas, given, expected) =>
        right(areas, given, expected) || (given.length * 2 === expected.length && expected.startsWith(given)),
    ),
    async shows(service) {
      const path = bulkPath;
      const body = { sourceDirectory: await service.directory(), writeLog: false };
      const signature = signatureOver(path, administrationKey);
      const authorization = `Bearer ${signature.slice(0, signature.length / 2)}`;
      return (await service.nobody.post(path, body, { authorization })).status === 200;
    },
  },
  'access.bulk-upload-by-token': {
    source: 'extensions: Authentication 2, first sentence',
    breaks: 'Bulk upload needs the administration key: the token of an administrator does not open it.',
    variant: replaces('bulkUpload', 'requireAdministrationKey', async (right, areas, call) => {
      try {
        await right(areas, call);
      } catch (error) {
        const user = await areas.auth.authenticate(call).catch(() => undefined);
        if (user === undefined || !areas.auth.mayAdministrate(user)) throw error;
      }
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      const body = { sourceDirectory, writeLog: false };
      return (await service.cora.post(bulkPath, body)).status < 300;
    },
  },
  'calls.second-slash-of-a-signature': {
    source: 'extensions: Authentication 2',
    breaks: 'In a signature each plus and each slash of the Base64 is replaced, not the first alone.',
    variant: replaces('signing', 'signatureHeaders', (right, areas, apiKey, url) => {
      const [, signature = ''] = right(areas, apiKey, url).Authorization.split(' ');
      const [text = ''] = Buffer.from(signature, 'base64url').toString('base64').split('=', 1);
      return { Authorization: `Bearer ${text.replace('+', '-').replace('/', '_')}` };
    }),
    async shows(service) {
      const ids = many(5, (number) => `event-${number}`);
      const host = await service.host(ids.map((id) => ({ id, endpoint: `/${id}` })));
      for (const id of ids) await service.edda.sendEvent(id);
      await service.pass(1);
      return host
        .entries()
        .some((entry) => headerValues(entry, 'authorization')[0] !== `Bearer ${signatureOver(entry.path, hostKey)}`);
    },
  },
  'retries.another-spelling-of-the-signature': {
    source: 'extensions: Authentication 2 and 3',
    breaks: 'Plus and slash are replaced in the signature, in that of a retry too.',
    variant: changes('requests', 'requestFor', (request, _areas, _delivery, _callee, attempt) => {
      const { Authorization = '' } = request.headers;
      if (attempt === 1 || Authorization === '') return request;
      const spelled = Authorization.replaceAll('-', '+').replaceAll('_', '/');
      return { ...request, headers: { ...request.headers, Authorization: spelled } };
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event', endpoint: '/event' }], always(503));
      await service.edda.sendEvent();
      await service.pass(1, 3);
      const [, retry] = callsTo(host);
      if (retry === undefined) return false;
      return headerValues(retry, 'authorization')[0] !== `Bearer ${signatureOver('/event', hostKey)}`;
    },
  },
  'bulk.personal-token-of-an-administrator': {
    source: 'extensions: Authentication 2',
    breaks:
      'Bulk upload needs the administration key; the personal access token of a Collection Administrator is none.',
    variant: replaces('bulkUpload', 'requireAdministrationKey', async (right, areas, call) => {
      const credentials = areas.auth.credentialsOf(call.headers);
      if (credentials?.scheme !== 'basic') return right(areas, call);
      const user = await areas.auth.userOfCredentials(credentials);
      if (user?.collectionAdministrator !== true) return right(areas, call);
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      const authorization = basic('cora', 'svcpat-cora-6f8b0d2e4a');
      const body = { sourceDirectory, writeLog: false };
      return (await service.nobody.post(bulkPath, body, { authorization })).status < 300;
    },
  },
  'signing.long-keys-are-cut': {
    source: 'extensions: Authentication 2 and 3',
    breaks: 'All bytes of the key count, also beyond the sixty-fourth.',
    variant: replaces('signing', 'signPath', (right, areas, apiKey, path) =>
      right(areas, Buffer.from(apiKey, 'base64').subarray(0, 64).toString('base64'), path),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      const apiKey = Buffer.alloc(100, 9).toString('base64');
      await service.cora.post('/api/admin/svcExtension', { hostUri: host.url, apiKey, tokenLifeTime: 60 });
      const [call] = callsOf(host, 'metadata').slice(-1);
      return call !== undefined && !isSignedBy(call, '/svc/extension', apiKey);
    },
  },
  'bulk.signatures-remembered': {
    source: 'extensions: Authentication 2',
    breaks: 'The signature is one by a key that counts now, and not one that was found right once.',
    survives: 'How long a key works after its rotation is not said: recorded.',
    variant: breaks('bulkUpload', 'requireAdministrationKey', (right) => {
      const known = new Set<string>();
      return async (areas, call) => {
        const signed = `${call.url} ${call.headers['authorization'] ?? ''}`;
        if (!known.has(signed)) await right(areas, call);
        known.add(signed);
      };
    }),
    async shows(service) {
      const brought = await acquireKeys(service, await keyHost(service, 'AdministrationAPI'), ['AdministrationAPI']);
      const key = String(at(brought, '/AdministrationAPI/apiKey'));
      const body = { sourceDirectory: await service.directory(), writeLog: false };
      const send = () =>
        service.nobody.post('/admin/fileupload', body, {
          authorization: `Bearer ${signatureOver('/admin/fileupload', key)}`,
        });
      const first = await send();
      await service.pass(49 * 60 * 60);
      return first.status === 200 && (await send()).status === 200;
    },
  },
  'signature.first-plus-only': {
    source: 'extensions: Authentication 2',
    breaks: 'Every plus of a signature becomes a minus, and every slash an underscore.',
    museum: true,
    variant: signing('base64', (text) => text.replace('+', '-').replace('/', '_')),
    shows: (service) => isSignedOtherwise(service, /\+.*\+|\/.*\//),
  },
  'signature.plus-becomes-underscore': {
    source: 'extensions: Authentication 2',
    breaks: 'Of the two characters that a URL does not take, plus becomes a minus.',
    museum: true,
    variant: signing('base64', (text) => text.replaceAll('+', '_').replaceAll('/', '_')),
    shows: (service) => isSignedOtherwise(service, /\+/),
  },
  'signature.key-taken-as-text': {
    source: 'extensions: Authentication 2',
    breaks: 'The key of a signature is the bytes that its Base64 stands for.',
    museum: true,
    variant: signing('utf8', (text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    shows: (service) => isSignedOtherwise(service, /./),
  },
  'bulk.signature-of-the-space': {
    source: 'extensions: Authentication 2',
    breaks: 'What is signed is the whole path of the request, the participant included.',
    variant: replaces('signing', 'expectedSignature', (right, areas, apiKey, path) =>
      right(areas, apiKey, path.startsWith('/admin/') ? path.split('/').slice(0, 4).join('/') : path),
    ),
    async shows({ directory, bulk }) {
      const body = { sourceDirectory: await directory(), writeLog: false };
      return (await bulk('/admin/fileupload/main/owner', body)).status >= 400;
    },
  },
  'calls.key-of-the-first-at-the-host': {
    source: 'extensions: Authentication 3',
    breaks:
      'Calls are signed with the key of the extension that is called, whatever others its host was registered with.',
    variant: replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
      const { extension } = callee;
      const { apiKey } = await firstAtItsHost(areas, extension);
      return right(areas, delivery, { ...callee, extension: { ...extension, apiKey } });
    }),
    async shows(service) {
      const host = await service.host([]);
      await changeExtension(service, { hostUri: host.url, apiKey: unpaddedKey });
      host.setRecords([recordOf('event')]);
      await service.pass(1);
      await registerAgain(service, host, { apiKey: hostKey });
      await service.edda.sendEvent();
      const [call] = await awaitCalls(host);
      return call?.signature?.presented === signatureOver('/event', unpaddedKey);
    },
  },
  'calls.key-without-padding': {
    source: 'extensions: Authentication 2',
    breaks: 'The bytes of a key are what its Base64 decodes to, also where that needs no equals sign.',
    variant: replaces('signing', 'signPath', (right, areas, apiKey, path) => {
      return right(areas, apiKey.endsWith('=') ? apiKey : Buffer.from(apiKey).toString('base64'), path);
    }),
    async shows(service) {
      const host = await service.host([]);
      await registerAgain(service, host, { apiKey: unpaddedKey });
      const entry = host.entries(({ kind }) => kind === 'metadata').at(-1);
      if (entry === undefined) return false;
      return headerValues(entry, 'authorization')[0] !== `Bearer ${signatureOver(entry.path, unpaddedKey)}`;
    },
  },
  'bulk.acquired-key-as-text': {
    source: 'extensions: Authentication 2',
    breaks: 'The key is decoded from Base64, be it the first one or one that was acquired later.',
    variant: changes('apiKeys', 'acquiredAdministrationKeys', (keys) =>
      keys.map((key) => Buffer.from(key).toString('base64')),
    ),
    async shows(service) {
      const host = await keyHost(service, 'AdministrationAPI');
      const keys = await acquireKeys(service, host, ['AdministrationAPI']);
      const key = String(at(keys, '/AdministrationAPI/apiKey'));
      const authorization = `Bearer ${signatureOver('/admin/fileupload', key)}`;
      const body = { sourceDirectory: await service.directory(), writeLog: false };
      return (await service.nobody.post('/admin/fileupload', body, { authorization })).status >= 300;
    },
  },
  'signing.plus-in-a-key-is-a-blank': {
    source: 'extensions: Authentication 2',
    breaks: 'The key is Base64, whose alphabet has a plus.',
    variant: replaces('signing', 'signPath', (right, areas, apiKey, path) =>
      right(areas, apiKey.replaceAll('+', ' '), path),
    ),
    async shows(service) {
      const host = await service.host([]);
      await changeExtension(service, { hostUri: host.url, apiKey: signedKey });
      const call = host.entries(({ kind }) => kind === 'metadata').at(-1);
      const expected = `Bearer ${signatureOver('/svc/extension', signedKey)}`;
      return call !== undefined && !JSON.stringify(call.headers).includes(expected);
    },
  },
  'signing.first-plus-alone-is-replaced': {
    source: 'extensions: Authentication 2',
    breaks: 'Every plus of the Base64 becomes a minus, not the first one only.',
    variant: replaces('signing', 'signPath', (right, areas, ...args) => replaceFirst(right(areas, ...args))),
    async shows(service) {
      const endpoints = many(40, (number) => `/endpoint-${number}`);
      const endpoint = endpoints.find((path) => signatureOver(path, hostKey).split('-').length > 2) ?? '';
      const host = await service.host([{ id: 'e', endpoint }]);
      await service.edda.sendEvent('e');
      await service.pass(1);
      return callsTo(host)[0]?.signature?.ok === false;
    },
  },
  'calls.signature-without-the-last-slash': {
    source: 'extensions: Authentication 3',
    breaks: 'The signature is over the path of the call, its last slash included.',
    variant: replaces('signing', 'signedPath', (right, areas, url) => right(areas, url).replace(/(?<=.)\/$/, '')),
    async shows(service) {
      const host = await service.host([{ id: 'event', endpoint: '/event/' }]);
      await sendEvents(service);
      const [call] = callsTo(host);
      const signed = `Bearer ${signatureOver('/event/', hostKey)}`;
      return call !== undefined && headerValues(call, 'authorization')[0] !== signed;
    },
  },
  'signing.key-of-the-first-mail': {
    source: 'extensions: Authentication 3',
    breaks:
      'A call is signed with the key of the extension, also where another one was registered since its last mail.',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const keys = new Map<string, string>();
      return (areas, delivery, callee) => {
        if (delivery.kind !== 'email') return right(areas, delivery, callee);
        const apiKey = keys.get(callee.extension.id) ?? callee.extension.apiKey;
        keys.set(callee.extension.id, apiKey);
        return right(areas, delivery, { ...callee, extension: { ...callee.extension, apiKey } });
      };
    }),
    async shows(service) {
      const host = await service.host([mailer]);
      const mail = { to: 'a@b.example', subject: 's', body: 'b' };
      await service.edda.post(mailPath, mail);
      await awaitCalls(host);
      const apiKey = Buffer.alloc(64, 9).toString('base64');
      await changeExtension(service, { hostUri: host.url, apiKey });
      await service.edda.post(mailPath, mail);
      const [, second] = await awaitCalls(host, 2);
      const [given] = second === undefined ? [] : headerValues(second, 'authorization');
      const path = second?.target.split('?')[0] ?? '';
      return second !== undefined && given !== `Bearer ${signatureOver(path, apiKey)}`;
    },
  },
  'signature.key-longer-than-a-block': {
    source: 'extensions: Authentication 3',
    breaks: 'All of the key signs, one longer than a block of the hash too.',
    variant: replaces('signing', 'signPath', (right, areas, apiKey, path) =>
      right(areas, Buffer.from(apiKey, 'base64').subarray(0, blockBytes).toString('base64'), path),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      const apiKey = Buffer.alloc(blockBytes + 8, 9).toString('base64');
      await changeExtension(service, { hostUri: host.url, apiKey });
      await service.edda.sendEvent();
      await service.pass(1);
      const [call] = callsTo(host);
      if (call === undefined) return false;
      return headerValues(call, 'authorization')[0] !== `Bearer ${signatureOver(call.path, apiKey)}`;
    },
  },
  'signing.key-of-the-first-attempt': {
    source: 'extensions: Authentication 3',
    breaks: 'A call is signed with the key of the extension, one that was changed between two attempts as well.',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const keys = new Map<string, string>();
      return (areas, delivery, callee) => {
        const apiKey = keys.get(delivery.id) ?? callee.extension.apiKey;
        keys.set(delivery.id, apiKey);
        return right(areas, delivery, { ...callee, extension: { ...callee.extension, apiKey } });
      };
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event', endpoint: '/event' }], always(503));
      await service.edda.sendEvent();
      await service.pass(1);
      await awaitCalls(host);
      await changeExtension(service, { hostUri: host.url, apiKey: nextKey });
      await service.pass(1, 4);
      const last = (await awaitCalls(host, 2)).at(1);
      const expected = `Bearer ${signatureOver('/event', nextKey)}`;
      return last !== undefined && headerValues(last, 'authorization')[0] !== expected;
    },
  },
  'signing.path-of-before-an-update': {
    source: 'extensions: Authentication 3',
    breaks: 'The signature is one over the path of the call, also after an update has changed the endpoint.',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const known = new Map<string, string>();
      return async (areas, delivery, callee) => {
        const request = await right(areas, delivery, callee);
        const key = `${callee.rateKey} ${callee.extension.apiKey}`;
        const Authorization = known.get(key) ?? request.headers['Authorization'] ?? '';
        known.set(key, Authorization);
        return { ...request, headers: { ...request.headers, Authorization } };
      };
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event', endpoint: '/first' }]);
      const send = async () => {
        await service.edda.sendEvent();
        await service.pass(1);
      };
      await send();
      const record = { id: 'event', name: 'event', version: '1.0.0', category: 'proof', endpoint: '/second' };
      host.setRecords([{ ...record, extensionType: 'ExternalEvent' }]);
      await changeExtension(service, { hostUri: host.url });
      await send();
      const [, second] = callsTo(host);
      if (second === undefined) return false;
      return headerValues(second, 'authorization')[0] !== `Bearer ${signatureOver('/second', hostKey)}`;
    },
  },
  'signing.with-the-former-key': {
    source: 'extensions: Authentication 3; Registered extension, apiKey',
    breaks: 'A call is signed with the key that its extension is registered with now.',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const keys = new Map<string, string>();
      return (areas, delivery, callee) => {
        const { id, apiKey } = callee.extension;
        keys.set(id, keys.get(id) ?? apiKey);
        return right(areas, delivery, {
          ...callee,
          extension: { ...callee.extension, apiKey: keys.get(id) ?? apiKey },
        });
      };
    }),
    async shows(service) {
      const host = await service.host([event]);
      await service.edda.sendEvent(event.id);
      await service.pass(1);
      host.setScript([{ when: { kind: 'metadata' }, steps: [{ status: 200, json: [event] }] }]);
      await changeExtension(service, { hostUri: host.url, apiKey: Buffer.alloc(64, 8).toString('base64') });
      const before = host.entries().length;
      await service.edda.sendEvent(event.id);
      await service.pass(1);
      return host
        .entries()
        .slice(before)
        .some(({ signature }) => signature?.ok === true);
    },
  },
  'signatures.a-retry-is-signed-with-its-query': {
    source: 'extensions: Authentication 3',
    breaks: 'Every attempt is signed over the route path of the call, the second one of a call with a query too.',
    variant: changes('requests', 'requestFor', (request, areas, _delivery, callee, attempt) => {
      if (attempt < 2 || 'endpoint' in callee) return request;
      const { pathname, search } = new URL(request.url);
      const signature = areas.signing.signPath(callee.extension.apiKey, pathname + search);
      return { ...request, headers: { ...request.headers, Authorization: `Bearer ${signature}` } };
    }),
    async shows(service) {
      const host = await service.host([mailer], [{ steps: [{ status: 503 }] }]);
      await service.edda.post(mailPath, mail);
      await service.pass(1);
      await waitForRetries(service, host, 1);
      const second = callsTo(host)[1];
      const right = `Bearer ${signatureOver(second?.path ?? '', hostKey)}`;
      return second !== undefined && headerValues(second, 'authorization')[0] !== right;
    },
  },
  'signing.keys-that-begin-alike': {
    source: 'extensions: Authentication 3',
    breaks: 'A key is another one also where it differs from the former one in its last byte alone.',
    variant: breaks('signing', 'signPath', (right) => {
      const keys = new Map<string, string>();
      return (areas, apiKey, path) => {
        const begin = apiKey.slice(0, 24);
        const known = keys.get(begin) ?? apiKey;
        keys.set(begin, known);
        return right(areas, known, path);
      };
    }),
    async shows(service) {
      const host = await service.host([event], always(200));
      const apiKey = Buffer.alloc(64, 7).fill(1, 63).toString('base64');
      await changeExtension(service, { hostUri: host.url, apiKey });
      const request = callsOf(host, 'metadata').at(-1);
      return request?.signature?.presented === signatureOver('/svc/extension', hostKey);
    },
  },
  'signing.retry-with-the-key-of-before': {
    source: 'extensions: Authentication, rule 3',
    breaks: 'A retry is signed with the key that is registered by then.',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const first = new Map<string, string>();
      return (areas, delivery, callee) => {
        const apiKey = first.get(delivery.id) ?? callee.extension.apiKey;
        first.set(delivery.id, apiKey);
        return right(areas, delivery, { ...callee, extension: { ...callee.extension, apiKey } });
      };
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], first503);
      await service.edda.sendEvent();
      await awaitCalls(host);
      await becomes(async () => false, 100);
      await changeExtension(service, { hostUri: host.url, apiKey: Buffer.alloc(64, 9).toString('base64') });
      await service.pass(2);
      const call = (await awaitCalls(host, 2)).at(-1);
      return call?.headers.some(([, value]) => value === `Bearer ${signatureOver(call.path, hostKey)}`) ?? false;
    },
  },
};

function isSignedBy(call: Parameters<typeof headerValues>[0], path: string, key: string): boolean {
  return headerValues(call, 'authorization').includes(`Bearer ${signatureOver(path, key)}`);
}

/** Signatures with a key that is read so, and a Base64 that is made fit for a URL so. */
function signing(encoding: BufferEncoding, fit: (base64: string) => string): Variant {
  return replaces('signing', 'signPath', (_right, _areas, apiKey, path) => {
    const [text = ''] = createHmac('sha512', Buffer.from(apiKey, encoding)).update(path).digest('base64').split('=', 1);
    return fit(text);
  });
}

function base64Of(path: string): string {
  return Buffer.from(signatureOver(path, hostKey), 'base64url').toString('base64');
}

/** Whether a call whose signature is such in Base64 comes with another one than it should. */
async function isSignedOtherwise(service: Service, form: RegExp): Promise<boolean> {
  const paths = many(64, (number) => `/path-${number}`);
  const endpoint = paths.find((path) => form.test(base64Of(path))) ?? '';
  const host = await service.host([{ id: 'taken', endpoint }]);
  if ((await service.edda.sendEvent('taken')).status >= 400) return true;
  const [entry] = await awaitCalls(host);
  return entry?.signature?.presented !== signatureOver(endpoint, hostKey);
}

/** Registers the host once more, otherwise. */
function registerAgain({ cora }: Service, host: ExtensionHost, fields: object): Promise<Received> {
  return cora.post('/api/admin/svcExtension', { hostUri: host.url, tokenLifeTime: 60, ...fields });
}

/** The first of a text becomes another one, and no further. */
function replaceFirst(signature: string): string {
  const [head = '', ...rest] = signature.split('-');
  return rest.length === 0 ? head : `${head}-${rest.join('+')}`;
}
