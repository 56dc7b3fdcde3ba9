import { createHmac } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { headerNames, mediaTypes } from '../../../contract/names.ts';
import { claimsOf } from '../../../reference-server/areas/tokens.ts';
import { Misfit } from '../../../reference-server/areas/records.ts';
import type { OutgoingRequest } from '../../../reference-server/ports/deliveries.ts';
import type { Entry } from '../../../simulator/extension/entry.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { type Variant, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { registerEndpoint } from '../proofs.ts';
import { type Service, at, hostKey, many, signatureOver } from '../service.ts';

/** What a body reader takes at once. */
const pieceBytes = 16 * 1024;

/** Long enough for a call that comes, on a machine that does much else. */
const patienceMs = 60_000;

/** Signatures and tokens. */
const credentials: Batch = {
  'signature.first-plus-only': {
    source: 'extensions: Authentication 2',
    breaks: 'Every plus of a signature becomes a minus, and every slash an underscore.',
    kind: 'value',
    variant: signing('base64', (text) => text.replace('+', '-').replace('/', '_')),
    shows: (service) => isSignedOtherwise(service, /\+.*\+|\/.*\//),
  },

  'signature.plus-becomes-underscore': {
    source: 'extensions: Authentication 2',
    breaks: 'Of the two characters that a URL does not take, plus becomes a minus.',
    kind: 'value',
    variant: signing('base64', (text) => text.replaceAll('+', '_').replaceAll('/', '_')),
    shows: (service) => isSignedOtherwise(service, /\+/),
  },

  'signature.key-taken-as-text': {
    source: 'extensions: Authentication 2',
    breaks: 'The key of a signature is the bytes that its Base64 stands for.',
    kind: 'value',
    variant: signing('utf8', (text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    shows: (service) => isSignedOtherwise(service, /./),
  },

  'token.none-is-an-algorithm': {
    source: 'core: Authentication 2',
    breaks: 'A token counts when it is signed with HMAC SHA512, whatever its header says.',
    kind: 'role',
    variant: replaces('tokens', 'verifySignature', async (right, areas, token, key) => {
      const [header = '', payload = '', signature] = token.split('.');
      const isNone = /"alg"\s*:\s*"none"/.test(Buffer.from(header, 'base64url').toString());
      const claims = isNone && signature === '' ? claimsOf(Buffer.from(payload, 'base64url')) : undefined;
      return claims ?? right(areas, token, key);
    }),
    async shows({ edda, nobody }) {
      const { path } = await edda.make('Document', { title: 'a' });
      const [header, payload] = [{ alg: 'none' }, { sub: 'edda', exp: 4_102_444_800 }].map((part) =>
        Buffer.from(JSON.stringify(part)).toString('base64url'),
      );
      return (await nobody.get(path, { authorization: `Bearer ${header}.${payload}.` })).status === 200;
    },
  },

  'token.expiry-in-milliseconds': {
    source: 'extensions: Authentication 4',
    breaks: 'A token that is handed to an extension is over after the minutes that were registered.',
    kind: 'value',
    variant: replaces('tokens', 'signClaims', (right, areas, claims) =>
      right(areas, 'scope' in claims ? { ...claims, exp: Number(claims.exp) * 1000 } : claims),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'taken' }]);
      await service.edda.sendEvent('taken');
      const [entry] = await arrived(host);
      const [, payload = ''] = (entry?.envelope?.accessToken ?? '').split('.');
      return Number(at(JSON.parse(Buffer.from(payload, 'base64url').toString()), '/exp')) > 1e11;
    },
  },
};

/** Where calls go, and what is in them. */
const requests: Batch = {
  'envelope.id-of-latest-request': {
    source: 'extensions: Events 4',
    breaks: 'A call carries the correlation id of the request that led to it, whatever else was asked meanwhile.',
    kind: 'moment',
    variant: (classes) => {
      let latest: string | undefined;
      return together(
        replaces('dispatcher', 'answer', async (right, areas, call, work) => {
          latest = call.correlationId;
          await setImmediate();
          return right(areas, call, work);
        }),
        replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => latest ?? right(areas, call)),
      )(classes);
    },
    async shows(service) {
      const host = await service.host(() => [{ id: 'taken' }]);
      const ids = many(24, (number) => `correlated-${number}`);
      await Promise.all(ids.map((id) => service.edda.sendEvent('taken', {}, { [headerNames.correlationId]: id })));
      const entries = await arrived(host, ids.length);
      return new Set(entries.map(({ envelope }) => envelope?.id)).size < ids.length;
    },
  },

  'body.characters-cut-in-two': {
    source: 'core: Endpoint table, POST',
    breaks: 'What is created holds the content that was sent, long texts of any alphabet too.',
    kind: 'combination',
    variant: replaces('messages', 'jsonBodyOf', (right, areas, call) => {
      if (call.body === undefined || call.body.length <= pieceBytes) return right(areas, call);
      return right(areas, { ...call, body: Buffer.from(piecesOf(call.body).map(String).join('')) });
    }),
    async shows({ edda }) {
      const note = `${'é'.repeat(9000)}x${'é'.repeat(9000)}`;
      const made = await edda.make('Document', { title: 'a', note });
      return at(await edda.read(made), '/data/note') !== note;
    },
  },

  'answer.length-in-characters': {
    source: 'core: SoftType read response',
    breaks: 'A read answers with all of its JSON, texts of any alphabet too.',
    kind: 'value',
    variant: replaces('messages', 'finish', async (right, areas, call, answer) => {
      const { body, ...finished } = await right(areas, call, answer);
      const text = finished.raw ?? (body === undefined ? undefined : JSON.stringify(body));
      if (typeof text !== 'string' || Buffer.byteLength(text) === text.length)
        return body === undefined ? finished : { ...finished, body };
      const headers = { 'Content-Type': mediaTypes.json, ...finished.headers };
      return { ...finished, headers, raw: Buffer.from(text).subarray(0, text.length) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'é' });
      return (await edda.read(made)) === undefined;
    },
  },

  'call.length-in-characters': {
    source: 'extensions: Call envelope',
    breaks: 'A call carries all of its envelope, texts of any alphabet too.',
    kind: 'value',
    variant: wrapsRequest(({ body, ...request }) =>
      body === undefined ? request : { ...request, body: Buffer.from(body).subarray(0, body.length).toString() },
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'taken' }]);
      await service.edda.sendEvent('taken', { text: 'ééé' });
      const [entry] = await arrived(host);
      return entry?.json === undefined;
    },
  },

  'endpoint.second-question-mark': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The token is one more parameter of a URL that has some already.',
    kind: 'combination',
    variant: wrapsRequest((request) => ({
      ...request,
      url: request.url.replace(/[?&]access_token=/, '?access_token='),
    })),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { id: 'taken', url: `${host.url}/taken?a=1` });
      await service.edda.sendToEndpoint('taken');
      const [entry] = await arrived(host);
      return !entry?.target.includes('?a=1&access_token=');
    },
  },

  'endpoint.first-parameter-only': {
    source: 'extensions: Registered external endpoint, url',
    breaks: 'An endpoint is called at the address that was registered, all parameters included.',
    kind: 'value',
    variant: wrapsRequest((request) => ({
      ...request,
      url: request.url.replace(/(\?[^&]*&).*?(?=access_token=|$)/, '$1'),
    })),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', { id: 'taken', url: `${host.url}/taken?foo=123&bar=XYZ` });
      await service.edda.sendToEndpoint('taken');
      const [entry] = await arrived(host);
      return !entry?.target.endsWith('?foo=123&bar=XYZ');
    },
  },

  'host.base-path-is-lost': {
    source: 'extensions: Calls to extensions',
    breaks: 'A record is called below the hostUri, whose path stays in front of its endpoint.',
    kind: 'combination',
    variant: replaces('callees', 'calleeOf', async (right, areas, reading, address) => {
      const callee = await right(areas, reading, address);
      if (callee === undefined || !('record' in callee)) return callee;
      return { ...callee, url: new URL(callee.record.endpoint, callee.extension.hostUri).href };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const named = { id: 'taken', name: 'taken', version: '1.0.0', endpoint: '/taken' };
      const json = [{ ...named, extensionType: 'ExternalEvent', category: 'proof' }];
      host.setScript([{ when: { kind: 'other', method: 'GET' }, steps: [{ status: 200, json }] }]);
      const body = { hostUri: `${host.url}/below/this`, apiKey: hostKey, tokenLifeTime: 60 };
      await service.cora.post('/api/admin/svcExtension', body);
      await service.edda.sendEvent('taken');
      const [, entry] = await arrived(host, 2);
      return entry?.target !== '/below/this/taken';
    },
  },

  'metadata.zero-in-build': {
    source: 'extensions: Extension metadata record, version',
    breaks: 'The version of a record may have build metadata, parts of which may begin with a zero.',
    kind: 'value',
    variant: refusingVersion(/\+(?:.*\.)?0\d/),
    shows: (service) => isPassedOver(service, '0.2.13+1583426134.07de632'),
  },

  'metadata.dot-in-prerelease': {
    source: 'extensions: Extension metadata record, version',
    breaks: 'The version of a record may name a pre-release in several parts.',
    kind: 'value',
    variant: refusingVersion(/^[^+]*-[^+]*\./),
    shows: (service) => isPassedOver(service, '1.0.0-alpha.1'),
  },
};

/** Mistakes that others made about signatures, tokens, addresses and envelopes. */
export const callExhibits: Batch = { ...credentials, ...requests };

/** What came to the host beside the metadata exchange, once so many have come or nobody waits any longer. */
export function arrived(host: ExtensionHost, count = 1): Promise<readonly Entry[]> {
  return host.await(({ kind }) => kind !== 'metadata', count, AbortSignal.timeout(patienceMs));
}

/** Signatures with a key that is read so, and a Base64 that is made fit for a URL so. */
function signing(encoding: BufferEncoding, fit: (base64: string) => string): Variant {
  return replaces('signing', 'signPath', (_right, _areas, apiKey, path) => {
    const [text = ''] = createHmac('sha512', Buffer.from(apiKey, encoding)).update(path).digest('base64').split('=', 1);
    return fit(text);
  });
}

/** Whether a call whose signature is such in Base64 comes with another one than it should. */
async function isSignedOtherwise(service: Service, form: RegExp): Promise<boolean> {
  const paths = many(64, (number) => `/path-${number}`);
  const endpoint = paths.find((path) => form.test(base64Of(path))) ?? '';
  const host = await service.host(() => [{ id: 'taken', endpoint }]);
  if ((await service.edda.sendEvent('taken')).status >= 400) return true;
  const [entry] = await arrived(host);
  return entry?.signature?.presented !== signatureOver(endpoint, hostKey);
}

function base64Of(path: string): string {
  return Buffer.from(signatureOver(path, hostKey), 'base64url').toString('base64');
}

/** Outgoing requests with something else made of them. */
function wrapsRequest(wrong: (request: OutgoingRequest) => OutgoingRequest): Variant {
  return replaces('requests', 'requestFor', async (right, areas, reading, delivery, attempt) => {
    const request = await right(areas, reading, delivery, attempt);
    return request && wrong(request);
  });
}

function refusingVersion(form: RegExp): Variant {
  return replaces('metadata', 'recordFrom', (right, areas, item) => {
    const record = right(areas, item);
    if (record instanceof Misfit || !form.test(record.version)) return record;
    return new Misfit('/version', 'is no version');
  });
}

async function isPassedOver({ host, edda }: Service, version: string): Promise<boolean> {
  await host(() => [{ id: 'taken', version }]);
  return (await edda.sendEvent('taken')).status === 422;
}

function piecesOf(bytes: Buffer): readonly Buffer[] {
  return many(Math.ceil(bytes.length / pieceBytes), (number) =>
    bytes.subarray((number - 1) * pieceBytes, number * pieceBytes),
  );
}
