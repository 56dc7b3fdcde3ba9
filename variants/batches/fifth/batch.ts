import { createHash, randomUUID } from 'node:crypto';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { Step, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { hasValue, isContent } from '../../../reference-server/areas/content.ts';
import { isoTime } from '../../../reference-server/rfc3339.ts';
import { type Client, type Received, at, listAt, many, md5, movePath, spaceFiles, versionHeader } from '../service.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { textOf } from '../../../simulator/extension/entry.ts';
import { registerEndpoint } from '../proofs.ts';
import { AsyncLocalStorage } from 'node:async_hooks';
import { extensions } from './extensions.ts';
import { reading } from './reading.ts';

const access: Batch = {
  'headers.correlation-id-in-lower-case': {
    source: 'core: Common request headers, X-Correlation-Id',
    breaks: 'The correlation id that was given is passed on as it was given, capitals included.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => right(areas, call).toLowerCase()),
    shows: async (service) => {
      const host = await service.host(() => [{ id: 'listener' }]);
      const id = randomUUID().toUpperCase();
      const body = { recordId: 'listener', contentPayload: {} };
      await service.edda.post('/api/space/main/externalEvent', body, { 'X-Correlation-Id': id });
      await service.pass(1);
      const [call] = host.entries(({ kind }) => kind === 'event');
      return call?.envelope?.id !== id;
    },
  },
  'caching.tags-change-with-a-restart': {
    source: 'core: Versioning 4',
    breaks: 'A read with the tag of data that has not changed gives 304, also after the service was started anew.',
    kind: 'moment',
    variant: breaks('caching', 'etagOf', (right) => {
      const salt = randomUUID();
      return (areas, representation) =>
        `"${createHash('sha256').update(salt).update(right(areas, representation)).digest('hex')}"`;
    }),
    shows: async ({ cora, restart }) => {
      const etag = (await cora.get('/api/collection/template')).headers.get('etag') ?? '';
      await restart();
      return (await cora.get('/api/collection/template', { 'If-None-Match': etag })).status !== 304;
    },
  },
  'caching.held-tag-opens-the-door': {
    source: 'core: Authentication 6 and 7',
    breaks: 'Who has no access to a resource gets 403, also where the tag of it is sent along.',
    kind: 'role',
    variant: breaks('dispatcher', 'carryOut', (right) => {
      const sent = new Map<string, string>();
      return async (areas, route, call) => {
        try {
          const answer = await right(areas, route, call);
          const etag = answer.headers?.['ETag'];
          if (etag !== undefined) sent.set(call.url, etag);
          return answer;
        } catch (error) {
          const held = call.headers['if-none-match'];
          const isHeld = held !== undefined && held === sent.get(call.url);
          if (error instanceof Refusal && error.status === 403 && isHeld) return { status: 304 };
          throw error;
        }
      };
    }),
    shows: async ({ cora, edda }) => {
      const path = '/api/collection/template';
      const etag = (await cora.get(path)).headers.get('etag') ?? '';
      return (await edda.get(path, { 'If-None-Match': etag })).status === 304;
    },
  },
};

const replacing = new Step();

const writing: Batch = {
  'operations.added-entry-loses-its-own-arrays': {
    source: 'core: Operations-based PATCH rules 6',
    breaks: 'An object that is added to an array is kept with all that is in it, arrays included.',
    kind: 'place',
    variant: replaces('operations', 'appendToPort', (right, areas, run, target, contents) => {
      const flat = contents.map((content) =>
        Object.fromEntries(Object.entries(content).filter(([, value]) => !Array.isArray(value))),
      );
      return right(areas, run, target, flat);
    }),
    shows: async ({ edda }) => {
      const made = await edda.make('Document', { title: 'deep' });
      const value = { name: 'a', revisions: [{ text: 'r' }] };
      await edda.operate(made, 1, [{ op: 'add', path: '/files/-', value }]);
      return at(await edda.read(made), '/data/files/0/revisions/0/text') !== 'r';
    },
  },
  'operations.emptied-entry-goes': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that lost its last member stays where the model asks for none.',
    kind: 'place',
    variant: replaces('operations', 'complies', (right, areas, members, content) => {
      const isEmpty = !Object.entries(content).some(([name, value]) => !name.startsWith('$') && hasValue(value));
      return right(areas, members, content) && !isEmpty;
    }),
    shows: async ({ edda }) => {
      const made = await edda.make('Document', { title: 'emptied', contacts: [{ name: 'x' }, { name: 'y' }] });
      const first = String(at(await edda.read(made), '/data/contacts/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/contacts/${first}/name` }]);
      return listAt(await edda.read(made), '/data/contacts').length !== 2;
    },
  },
  'put.kept-entry-keeps-its-members': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A field that the body of a PUT leaves out is removed, also inside an entry that is sent with its id.',
    kind: 'place',
    variant: together(
      replaces('editing', 'putObject', (right, areas, call, writing) =>
        replacing.run(() => right(areas, call, writing)),
      ),
      replaces('editing', 'replaceArray', async (right, areas, writing, oid, port, items) => {
        const merged = [];
        for (const { entryId, content } of items) {
          const old = replacing.isOn() && entryId !== undefined ? await writing.entry(oid, port, entryId) : undefined;
          merged.push({ ...(entryId !== undefined && { entryId }), content: { ...old?.content, ...content } });
        }
        await right(areas, writing, oid, port, merged);
      }),
    ),
    shows: async ({ edda }) => {
      const files = [{ name: 'a', comment: 'old' }];
      const made = await edda.make('Document', { title: 'replaced', files });
      const $entryId = at(await edda.read(made), '/data/files/0/$entryId');
      await edda.replace(made, 1, { title: 'replaced', files: [{ $entryId, name: 'a' }] });
      return at(await edda.read(made), '/data/files/0/comment') !== undefined;
    },
  },
  'merge.stamps-what-it-leaves-alone': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge leaves the fields alone that its body does not name, the date of a dated element included.',
    kind: 'copy',
    variant: replaces('editing', 'mergePatch', (right, areas, target, edits) => {
      const merged = Object.entries(right(areas, target, edits)).map(([name, value]) => {
        const isDated = isContent(value) && 'effectivity' in value && !(name in edits);
        return [name, isDated ? { ...value, effectivity: isoTime(areas.clock.now()) } : value];
      });
      return Object.fromEntries(merged) as ReturnType<typeof right>;
    }),
    shows: async ({ edda }) => {
      const price = { value: '10', effectivity: '2020-01-01T00:00:00Z' };
      const made = await edda.make('Document', { title: 'dated', price });
      await edda.merge(made, 1, { note: 'other' });
      return Date.parse(String(at(await edda.read(made), '/data/price/effectivity'))) !== Date.parse(price.effectivity);
    },
  },
};

const eventsPath = '/api/space/main/externalEvent';

function eventsAt(host: ExtensionHost): number {
  return host.entries(({ kind }) => kind === 'event').length;
}

/** What arrived at a path of the host. */
function arrived(host: ExtensionHost, path: string): ReturnType<ExtensionHost['entries']> {
  return host.entries((entry) => entry.path === path);
}

const calls: Batch = {
  'endpoints.false-is-no-content': {
    source: 'extensions: Registered external endpoint (text below the table)',
    breaks: 'The body of a call is what was configured, be it nothing but the word false.',
    kind: 'value',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const { body, ...request } = await right(areas, delivery, callee);
      return delivery.payload === false || body === undefined ? request : { ...request, body };
    }),
    shows: async (service) => {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', {
        rateLimitNumberOfExecutions: 1000,
        id: 'plain',
        url: `${host.url}/hook`,
      });
      await service.edda.post(eventsPath, { endpointId: 'plain', contentPayload: false });
      await service.pass(1);
      const [call] = arrived(host, '/hook');
      return call === undefined || textOf(call.body) !== 'false';
    },
  },
  'deliveries.retries-have-the-usual-time': {
    source: 'extensions: Limits, request timeout',
    breaks: 'A retry waits for its answer as long as the endpoint says, like the first attempt.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      return attempt > 1 ? { ...request, timeoutMs: 100_000 } : request;
    }),
    shows: async (service) => {
      const script = [{ when: { kind: 'event' }, steps: [{ status: 503 }, { never: true as const }] }];
      const host = await service.host(() => [{ id: 'slow', requestTimeout: 5 }], script);
      await service.edda.sendEvent('slow');
      await service.pass(3);
      await service.pass(12);
      return eventsAt(host) < 3;
    },
  },
  'rate-limit.counted-by-address': {
    source: 'extensions: Limits, rate limit',
    breaks: 'Each endpoint has a limit of its own, also where two have one address.',
    kind: 'combination',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      return 'endpoint' in callee ? { ...policy, rateKey: callee.url } : policy;
    }),
    shows: async (service) => {
      const host = await service.host(() => []);
      const url = `${host.url}/shared`;
      for (const id of ['one', 'other']) {
        await registerEndpoint(service, 'externalEndpoint', { id, url, rateLimitNumberOfExecutions: 1 });
        await service.edda.post(eventsPath, { endpointId: id, contentPayload: {} });
      }
      await service.pass(1);
      return arrived(host, '/shared').length < 2;
    },
  },
  'events.deleted-in-a-pause-goes-out': {
    source: 'extensions: Events 3',
    breaks: 'An event that a user deletes is cancelled, also while a rate limit holds it back.',
    kind: 'combination',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      const isHeld = delivery?.attempts === 0 && (delivery.readyAt ?? 0) > areas.clock.now();
      return isHeld && delivery.leaseOwner === undefined ? false : right(areas, writing, id);
    }),
    shows: async (service) => {
      const host = await service.host(() => [{ id: 'limited', rateLimitNumberOfExecutions: 1 }]);
      await service.edda.sendEvent('limited');
      const second = await service.edda.sendEvent('limited');
      await service.pass(1);
      await service.edda.delete(second.headers.get('location') ?? '');
      await service.pass(130);
      return eventsAt(host) > 1;
    },
  },
};

const request = new AsyncLocalStorage<string>();

function reference(instanceRef: string): object {
  return { id: 'port', value: { instanceRef, softTypeId: 'Part' } };
}

function pair($id: string): readonly object[] {
  return [
    { $id, $softType: 'Part', data: { name: $id } },
    { $softType: 'Document', data: { title: $id, describes: [reference($id)] } },
  ];
}

const manyAtOnce: Batch = {
  'batch.a-mebibyte-is-the-limit': {
    source: 'core: Limits (text under the table)',
    breaks: 'A batch has no hard limit, neither in operations nor in bytes.',
    kind: 'value',
    variant: replaces('batch', 'batchOperationsOf', (right, areas, body) => {
      if (JSON.stringify(body).length > 2 ** 20) throw new Refusal(413, 'Expected a body of at most 1 MiB.');
      return right(areas, body);
    }),
    shows: async ({ edda }) => {
      const note = 'n'.repeat(100_000);
      const href = '/api/space/main/softtype/Document/documentInput';
      const operations = many(11, (number) => ({ method: 'POST', href, body: { title: `t${number}`, note } }));
      return (await edda.batch(operations)).status !== 200;
    },
  },
  'batch.operations-have-correlation-ids-of-their-own': {
    source: 'core: Common request headers, X-Correlation-Id',
    breaks:
      'The correlation id of a request is handed to every extension called because of it, also by an operation of a batch.',
    kind: 'combination',
    variant: replaces('batch', 'prepareOperation', (right, areas, ...args) => {
      const prepared = right(areas, ...args);
      return { ...prepared, call: { ...prepared.call, correlationId: randomUUID() } };
    }),
    shows: async (service) => {
      const host = await service.host(() => [
        {
          extensionType: 'ExternalValidation',
          capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
        },
      ]);
      const { edda } = service;
      const made = await edda.make('Document', { title: 'asked about' });
      const operations = [{ method: 'PUT', href: movePath(made), headers: versionHeader(1) }];
      const id = randomUUID();
      await edda.post('/api/space/main/batch', operations, { 'X-Correlation-Id': id });
      const calls = host.entries(({ kind }) => kind === 'validation');
      return calls.length === 0 || calls.some(({ envelope }) => envelope?.id !== id);
    },
  },
  'multi-create.id-is-a-name-of-the-language': {
    source: 'core: Multi-create rules 2',
    breaks: 'An item is referred to by its $id, whatever text that is.',
    kind: 'value',
    variant: replaces('multiCreate', 'findItem', (right, areas, items, $id, referrer) =>
      $id === '__proto__' ? undefined : right(areas, items, $id, referrer),
    ),
    shows: async ({ edda }) => (await edda.multiCreate(pair('__proto__'))).status >= 400,
  },
  'multi-create.objects-have-no-states': {
    source: 'core: States and transitions',
    breaks: 'An instance carries its current states, however it was created.',
    kind: 'combination',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const insertObject: typeof writing.insertObject = ({ content: { $states: _none, ...content }, ...object }) =>
        writing.insertObject({ ...object, content });
      return right(areas, call, { ...writing, insertObject }, items, inputs);
    }),
    shows: async ({ edda }) => {
      const { json } = await edda.multiCreate(pair('stateless'));
      return at((await edda.get(String(at(json, '/1/href')))).json, '/data/engineering') === undefined;
    },
  },
  'multi-create.two-in-a-batch-share-their-ids': {
    source: 'core: Multi-create item, $id; Batch rules 4',
    breaks: 'A $id counts inside its own multi-create, also where a batch holds two of them.',
    kind: 'combination',
    variant: together(
      replaces('multiCreate', 'multiCreate', (right, areas, call, writing) =>
        request.run(call.correlationId, () => right(areas, call, writing)),
      ),
      breaks('multiCreate', 'findItem', (right) => {
        const known = new Map<string, ReturnType<typeof right>>();
        return (areas, items, $id, referrer) => {
          const key = `${request.getStore()} ${$id}`;
          const found = known.get(key) ?? right(areas, items, $id, referrer);
          known.set(key, found);
          return found;
        };
      }),
    ),
    shows: async ({ edda }) => {
      const operation = { method: 'POST', href: '/api/space/main/softtype', body: pair('same') };
      return (await edda.batch([operation, operation])).status !== 200;
    },
  },
};

const noContent = md5('');

/** Names that a refused upload left behind, by the store of the server. */
const spoilt = new WeakMap<object, Set<string>>();

function spoiltIn(fileStore: object): Set<string> {
  const known = spoilt.get(fileStore) ?? new Set<string>();
  spoilt.set(fileStore, known);
  return known;
}

interface Piece {
  readonly path: string;
  readonly content: string;
  readonly number: number;
  readonly total: number;
  readonly chunkSize: number;
  readonly size: number;
}

/** Sends one chunk of a file of the space area, all of whose chunks but the last have `chunkSize` bytes. */
function sendChunk(
  client: Client,
  { path, content, number, total, chunkSize, size }: Piece,
  headers: Readonly<Record<string, string>> = {},
): Promise<Received> {
  const parts = {
    resumableTotalSize: size,
    resumableChunkNumber: number,
    resumableChunkSize: chunkSize,
    resumableCurrentChunkSize: content.length,
    resumableTotalChunks: total,
    resumableType: 'text/plain',
    resumableFilename: path,
    resumableRelativePath: path,
  };
  const texts = Object.entries(parts).map(
    ([name, value]) => `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file =
    '--edge\r\nContent-Disposition: form-data; name="file"; filename="f"\r\nContent-Type: text/plain\r\n\r\n';
  const body = `${texts.join('')}${file}${content}\r\n--edge--\r\n`;
  return client.post(spaceFiles, body, {
    checksum: md5(content),
    'content-type': 'multipart/form-data; boundary=edge',
    ...headers,
  });
}

/** Personal access token of the user edda of the seed. */
const token = 'svcpat-edda-7d1c0b9e5a';

const files: Batch = {
  'files.refused-upload-takes-the-place': {
    source: 'extensions: File routes, row 1',
    breaks: 'An upload fails where a file is; one that was refused for its checksum has left none.',
    kind: 'moment',
    variant: together(
      replaces('files', 'storeStream', async (right, areas, place, ...rest) => {
        try {
          await right(areas, place, ...rest);
        } catch (error) {
          if (error instanceof Refusal && error.status === 400) spoiltIn(areas.fileStore).add(JSON.stringify(place));
          throw error;
        }
      }),
      replaces('files', 'assertPlaceFree', async (right, areas, place) => {
        if (spoiltIn(areas.fileStore).has(JSON.stringify(place))) throw areas.fileAreas.placeTaken(place);
        await right(areas, place);
      }),
    ),
    shows: async ({ edda }) => {
      const headers = { checksum: md5('another'), 'content-type': 'text/plain' };
      await edda.post(`${spaceFiles}/stream/again.txt`, 'content', headers);
      return (await edda.upload('again.txt', 'content')).status >= 400;
    },
  },
  'files.nothing-has-any-checksum': {
    source: 'extensions: File routes, stream upload',
    breaks: 'A file is held against its checksum, also where it has no bytes.',
    kind: 'value',
    variant: replaces('fileAreas', 'assertChecksum', (right, areas, expected, found) => {
      if (found !== noContent) right(areas, expected, found);
    }),
    shows: async ({ edda }) => {
      const headers = { checksum: md5('something'), 'content-type': 'text/plain' };
      return (await edda.post(`${spaceFiles}/stream/empty.txt`, '', headers)).status < 400;
    },
  },
  'chunks.basic-sends-none': {
    source: 'extensions: Authentication 1',
    breaks: 'User name and personal access token open every file route, that of the chunks too.',
    kind: 'role',
    variant: replaces('fileAreas', 'authenticateFile', async (right, areas, call) => {
      const isForm = call.headers['content-type']?.startsWith('multipart/form-data') === true;
      if (isForm && areas.auth.credentialsOf(call.headers)?.scheme === 'basic')
        throw areas.tokens.unusableToken('Expected a bearer token.');
      return right(areas, call);
    }),
    shows: async ({ nobody }) => {
      const piece = { path: 'basic.txt', content: 'abcd', number: 1, total: 1, chunkSize: 4, size: 4 };
      const authorization = `Basic ${Buffer.from(`edda:${token}`).toString('base64')}`;
      return (await sendChunk(nobody, piece, { authorization })).status >= 400;
    },
  },
  'chunks.zeros-at-the-end-are-lost': {
    source: 'extensions: File routes, row 2',
    breaks: 'A file that came in chunks is read as it was, also where its last chunk is all zeros.',
    kind: 'value',
    variant: replaces('chunks', 'chunkContent', (right, areas, chunk) => {
      const pieces = right(areas, chunk);
      const isBlank = pieces.every((piece) => piece.every((byte) => byte === 0));
      return isBlank && chunk.number > 1 && chunk.number === chunk.totalChunks ? [] : pieces;
    }),
    shows: async ({ edda }) => {
      const piece = { path: 'zeros.bin', total: 2, chunkSize: 4, size: 7 };
      await sendChunk(edda, { ...piece, number: 1, content: 'abcd' });
      await sendChunk(edda, { ...piece, number: 2, content: '\0\0\0' });
      return (await edda.get(`${spaceFiles}/zeros.bin`)).text !== 'abcd\0\0\0';
    },
  },
};

/**
 * Thought of with the documents alone in view, paragraph by paragraph: which one line would be forgotten here, and which request would show it.
 * Written beside another batch whose author did not see this one either.
 */
export const fifth: Batch = {
  ...reading,
  ...access,
  ...writing,
  ...manyAtOnce,
  ...files,
  ...calls,
  ...extensions,
};
