import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Service, at, editPath, listAt, spaceFiles, versionHeader } from '../service.ts';
import type { Content, StoredObject } from '../../../reference-server/ports/store.ts';
import { callsTo, logged, named, registerEndpoint } from '../proofs.ts';
import type { Script } from '../../../simulator/extension/script.ts';
import { headerNames } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';

const batchMistakes: Batch = {
  'batch.multi-status': {
    source: 'core: Batch rules 3',
    breaks: 'A batch of which an operation failed is answered with 500.',
    kind: 'place',
    variant: replaces('batch', 'batchStatus', (right, areas, results) => {
      const status = right(areas, results);
      return status === 500 && results.length > 1 ? 207 : status;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'multi' });
      const operations = [1, 9].map((version) => ({
        method: 'PATCH',
        href: editPath(made),
        headers: versionHeader(version),
        body: { note: 'edited' },
      }));
      return (await edda.batch(operations)).status !== 500;
    },
  },
};

const accessMistakes: Batch = {
  'auth.nobody-at-the-administration': {
    source: 'core: Authentication 6',
    breaks: 'A missing token gives 401, at the routes of the administration too.',
    kind: 'place',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      try {
        return await right(areas, route, call);
      } catch (error) {
        const isAnonymous = error instanceof Refusal && error.status === 401 && !call.headers['authorization'];
        throw isAnonymous && call.url.startsWith('/api/admin/') ? new Refusal(403, 'Access is denied.') : error;
      }
    }),
    async shows({ nobody }) {
      return (await nobody.post('/api/admin/svcExtension', {})).status !== 401;
    },
  },
};

const filesMistakes: Batch = {
  'files.fallback-to-the-space': {
    source: 'extensions: File routes, row 3',
    breaks:
      'A download of a file that a participant area does not have fails, also where the area of the space has one.',
    kind: 'place',
    variant: replaces('files', 'downloadFile', async (right, areas, call) => {
      try {
        return await right(areas, call);
      } catch (error) {
        const area = call.admitted;
        if (area.kind !== 'participant' || !(error instanceof Refusal) || error.status !== 404) throw error;
        return right(areas, { ...call, admitted: { kind: 'space', spaceId: area.spaceId } });
      }
    }),
    async shows({ edda }) {
      await edda.upload('fallback.txt', 'of the space');
      return (await edda.get('/api/space/main/participant/owner/fs/file/fallback.txt')).status === 200;
    },
  },

  'files.two-uploads-of-one-name': {
    source: 'extensions: File routes, row 2',
    breaks: 'A file has the chunks that were sent for it, also while one of the same name goes to another directory.',
    kind: 'combination',
    variant: breaks('chunks', 'chunkContent', (right) => {
      const parts = new Map<string, readonly Uint8Array[]>();
      return (areas, chunk) => {
        const upload = `${chunk.fileName} ${chunk.totalSize}`;
        const key = `${upload} ${chunk.number}`;
        const content = parts.get(key) ?? right(areas, chunk);
        parts.set(key, content);
        if (chunk.number === chunk.totalChunks)
          for (const known of parts.keys()) if (known.startsWith(upload)) parts.delete(known);
        return content;
      };
    }),
    async shows({ edda }) {
      await edda.sendChunk('one/same.txt', ['aaaa', 'bbbb'], 1);
      await edda.sendChunk('other/same.txt', ['cccc', 'dddd'], 1);
      await edda.sendChunk('one/same.txt', ['aaaa', 'bbbb'], 2);
      await edda.sendChunk('other/same.txt', ['cccc', 'dddd'], 2);
      return (await edda.get(`${spaceFiles}/other/same.txt`)).text !== 'ccccdddd';
    },
  },
};

/** Longer than any array. */
const whole = { from: 0, to: 1_000_000 };

const readingMistakes: Batch = {
  'reading.number-in-four-bytes': {
    source: 'core: SoftType read response',
    breaks: 'A number is read as it was written, to its last digit.',
    kind: 'value',
    variant: replaces('instances', 'dataOf', (right, areas, ...args) => {
      const data = right(areas, ...args);
      const members = Object.entries(data).map(([name, value]) => [
        name,
        typeof value === 'number' && !Number.isInteger(value) ? Math.fround(value) : value,
      ]);
      return { ...data, ...Object.fromEntries(members) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'number', weight: 12.34 });
      return at(await edda.read(made), '/data/weight') !== 12.34;
    },
  },
};

const pagingMistakes: Batch = {
  'paging.page-of-what-was-deleted': {
    source: 'core: Errors',
    breaks: 'What was deleted is not found, by the route of its pages neither.',
    kind: 'moment',
    variant: breaks('objects', 'locateObject', (right) => {
      const known = new Map<string, StoredObject>();
      return async (areas, call, reading) => {
        const { objectId = '', pageNumber } = call.params;
        try {
          const object = await right(areas, call, reading);
          known.set(objectId, object);
          return object;
        } catch (error) {
          const object = pageNumber === '0' ? known.get(objectId) : undefined;
          if (object?.spaceId !== call.space.id) throw error;
          return object;
        }
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'deleted', files: named(12) });
      await edda.delete(made.path);
      return (await edda.page(made, 'files', 0)).status === 200;
    },
  },

  'paging.long-array-beside-a-filtered-one': {
    source: 'core: Server side paging 1',
    breaks: 'Every array of a read has ten entries at most, also one that the filter of the read is not about.',
    kind: 'combination',
    variant: replaces('entries', 'firstSlice', async (right, areas, reading, object, section, filter) => {
      const slice = await right(areas, reading, object, section, filter);
      if (filter === undefined || filter.filter.port === section.port) return slice;
      return { ...slice, entries: await areas.entries.entriesOf(reading, object, section, whole) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'beside', contacts: named(12) });
      return listAt(await edda.read(made, '?softTypeFilterId=drawings'), '/data/contacts').length > 10;
    },
  },
};

const deliveryMistakes: Batch = {
  'delivery.equal-events-once': {
    source: 'extensions: Events 1',
    breaks: 'Each event is delivered, also one whose content is that of another a moment ago.',
    kind: 'combination',
    variant: breaks('queue', 'enqueue', (right) => {
      const queued = new Map<string, number>();
      return async (areas, writing, delivery) => {
        const now = areas.clock.now();
        const key = JSON.stringify([
          delivery.registrationId,
          delivery.recordId,
          at(delivery.payload, '/contentPayload'),
        ]);
        const isTwin = delivery.kind === 'event' && now - (queued.get(key) ?? -Infinity) < 300_000;
        queued.set(key, now);
        return isTwin || right(areas, writing, delivery);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      for (let count = 0; count < 2; count += 1) await service.edda.sendEvent('event', { same: true });
      await service.pass(1);
      return callsTo(host).length < 2;
    },
  },

  'delivery.circuit-breaker': {
    source: 'extensions: Limits',
    breaks: 'Each event has its own five retries, also while others to the same endpoint fail.',
    kind: 'combination',
    variant: breaks('policies', 'nextStepOf', (right) => {
      const failures = new Map<string, number>();
      return (areas, delivery, policy, outcome) => {
        const step = right(areas, delivery, policy, outcome);
        const key = areas.policies.endpointKeyOf(delivery);
        const count = step.kind === 'delivered' ? 0 : (failures.get(key) ?? 0) + 1;
        failures.set(key, count);
        return step.kind === 'retry' && count > 6 ? { kind: 'failed' } : step;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], failing);
      for (const name of ['one', 'other']) await service.edda.sendEvent('event', { name });
      await service.pass(5, 16);
      return callsTo(host).length < 12;
    },
  },

  'log.cancelled-between-retries': {
    source: 'extensions: Events 3',
    breaks: 'When a user deletes an event a log entry is written, also for one that was tried before.',
    kind: 'moment',
    survives: 'How log entries are read is not shown: those of a cancellation are recorded by delivery.log.entries.',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      if (delivery === undefined || delivery.attempts === 0) return right(areas, writing, id);
      await areas.queue.removeDelivery(writing, delivery, 'cancelled');
      return true;
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event' }], failing);
      const event = await service.edda.sendEvent();
      await service.pass(1, 4);
      await service.edda.delete(event.headers.get('location') ?? '');
      return (await logged(service, 'cancelled')).length === 0;
    },
  },
};

/** Fails every call. */
const failing: Script = [{ steps: [{ status: 503 }], afterwards: 'last' }];

const endpointMistakes: Batch = {
  'endpoints.trusted-one-off-by-default': {
    source: 'extensions: Registered external endpoint',
    breaks: 'An endpoint is active unless it says otherwise, a trusted one as well.',
    kind: 'place',
    variant: replaces('registrations', 'trustedEndpointFrom', (right, areas, body) => {
      const fields = right(areas, body);
      return { ...fields, active: at(body, '/active') === true };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, tokenLifeTime: 5 });
      await callHook(service);
      return callsTo(host).length === 0;
    },
  },
};

const callsMistakes: Batch = {
  'calls.guid-in-lower-case': {
    source: 'extensions: Call envelope',
    breaks: 'The id of a call equals the correlation id of its trigger, in whatever case that is written.',
    kind: 'value',
    survives:
      'A GUID is the same in either letter case, so that one that is passed on in the other equals it: the change is remarked by calls.envelope.id-from-correlation.',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => {
      const id = right(areas, call);
      return /^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/i.test(id) ? id.toLowerCase() : id;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const id = 'A1B2C3D4-0000-4000-8000-ABCDEF012345';
      await service.edda.sendEvent('event', {}, { [headerNames.correlationId]: id });
      await service.pass(1);
      return callsTo(host).some(({ envelope }) => envelope?.id !== id);
    },
  },

  'calls.form-that-sends-a-batch': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The content of a form action is what the form would have sent, the array of a batch as well.',
    kind: 'value',
    variant: replaces('triggers', 'formPayload', (right, areas, body) => {
      const payload = right(areas, body);
      const content = at(payload, '/contentPayload');
      return Array.isArray(content) ? { ...payload, contentPayload: { operations: content } } : payload;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      const requestedRoute = '/api/space/main/batch';
      const contentPayload = [{ method: 'GET', href: '/api/space/main/softtype/one' }];
      const body = { kind: 'form', requestedRoute, httpVerb: 'POST', contentPayload };
      await service.edda.post('/api/space/main/externalAction/action', body);
      return callsTo(host).some(({ json }) => !Array.isArray(at(json, '/payload/contentPayload')));
    },
  },
};

const validationMistakes: Batch = {
  'validation.kept-verdict': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A validation is made for each evaluation: what was not valid before may be valid by now.',
    kind: 'copy',
    variant: breaks('validation', 'askValidator', (right) => {
      const verdicts = new Map<string, ReturnType<typeof right>>();
      return (areas, call, object, validator) => {
        const verdict = verdicts.get(object.oid) ?? right(areas, call, object, validator);
        verdicts.set(object.oid, verdict);
        return verdict;
      };
    }),
    async shows({ host, edda }) {
      const capabilities = [{ capabilityType: 'SoftType', capabilities: ['Document'] }];
      await host(
        () => [{ id: 'validation', extensionType: 'ExternalValidation', capabilities }],
        [{ steps: [{ status: 200, json: { isValid: false, message: 'not yet' } }] }],
      );
      const made = await edda.make('Document', { title: 'verdict' });
      await edda.move(made, 1);
      await edda.merge(made, 1, { note: 'valid now' });
      return (await edda.move(made, 2)).status !== 204;
    },
  },
};

const metadataMistakes: Batch = {
  'metadata.refreshed-daily': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked for when an extension is added or updated, and not because a day has gone by.',
    kind: 'moment',
    variant: breaks('outgoingCalls', 'preparedRequest', (right) => {
      const fetched = new Map<string, number>();
      return async (areas, delivery, callee, count) => {
        const now = areas.clock.now();
        if (!('extension' in callee)) return right(areas, delivery, callee, count);
        const { hostUri } = callee.extension;
        const isOld = now - (fetched.get(hostUri) ?? now) >= 24 * 60 * 60 * 1000;
        if (isOld || !fetched.has(hostUri)) fetched.set(hostUri, now);
        if (isOld) await areas.metadata.fetchMetadata(callee.extension, delivery.envelopeId);
        return right(areas, delivery, callee, count);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      await service.pass(25 * 60 * 60);
      await service.edda.sendEvent();
      await service.pass(1);
      return host.entries(({ kind }) => kind === 'metadata').length > 1;
    },
  },
};

async function callHook({ edda, pass }: Service): Promise<void> {
  await edda.post('/api/space/main/externalEvent', { endpointId: 'hook', contentPayload: {} });
  await pass(1);
}

/** Marks what waits in the bin. */
const binned = '$deletedAt';

const editingMistakes: Batch = {
  'editing.merge-of-an-empty-text': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A field in the body of a merge has afterwards the value that the body gives it, an empty text as well.',
    kind: 'value',
    variant: replaces('editing', 'mergePatch', (right, areas, target, edits) => {
      const members = Object.entries(edits).map(([name, edit]) => [name, edit === '' ? null : edit]);
      return right(areas, target, Object.fromEntries(members));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'empty', note: 'something' });
      await edda.merge(made, 1, { note: '' });
      return at(await edda.read(made), '/data/note') !== '';
    },
  },

  'editing.put-leaves-a-default': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A field that the body of a PUT leaves out is removed, and does not fall back to a default.',
    kind: 'value',
    variant: replaces('editing', 'replaceContent', (right, areas, old, given) => {
      const flags = Object.entries(old).filter(([name, value]) => typeof value === 'boolean' && !(name in given));
      return { ...right(areas, old, given), ...Object.fromEntries(flags.map(([name]) => [name, false])) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'default', confidential: true });
      await edda.replace(made, 1, { title: 'default' });
      return at(await edda.read(made), '/data/confidential') !== undefined;
    },
  },

  'editing.merge-that-reorders-a-list': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks:
      'A field in the body of a merge has afterwards the value that the body gives it, also where only its order is new.',
    kind: 'value',
    variant: replaces('editing', 'mergePatch', (right, areas, target, edits) => {
      const old: Content = isContent(target) ? target : {};
      const dirty = Object.entries(edits).filter(([name, edit]) => !hasSameItems(old[name], edit));
      return right(areas, target, Object.fromEntries(dirty));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'list', keywords: ['one', 'two'] });
      await edda.merge(made, 1, { keywords: ['two', 'one'] });
      return at(await edda.read(made), '/data/keywords/0') !== 'two';
    },
  },

  'editing.create-from-a-used-object': {
    source: 'core: Endpoint table, POST softtype',
    breaks:
      'A new instance has the content that its body gives, and nothing of the instance that was created before it.',
    kind: 'moment',
    variant: breaks('contents', 'contentFrom', (right) => {
      const used = new Map<string, Content>();
      return (areas, call, softType, view, body) => {
        const input = right(areas, call, softType, view, body);
        if (call.method !== 'POST') return input;
        const before = used.get(softType.id) ?? {};
        used.set(softType.id, input.content);
        const members = Object.entries(input.content).map(([name, value]) => [name, filledFrom(before[name], value)]);
        return { ...input, content: Object.fromEntries(members) };
      };
    }),
    async shows({ edda }) {
      await edda.make('Document', { title: 'first', dimensions: { width: '1', height: '2' } });
      const made = await edda.make('Document', { title: 'second', dimensions: { width: '3' } });
      return at(await edda.read(made), '/data/dimensions/height') !== undefined;
    },
  },

  'editing.operations-on-what-was-deleted': {
    source: 'core: Errors',
    breaks: 'What was deleted is not found, by an operations PATCH neither.',
    kind: 'moment',
    variant: together(
      replaces('editing', 'eraseObject', async (_right, _areas, writing, { spaceId, oid, version, content }) => {
        await writing.updateObject(spaceId, oid, version, { ...content, [binned]: true });
      }),
      replaces('objects', 'locateObject', async (right, areas, call, reading) => {
        const object = await right(areas, call, reading);
        const isOperations = call.method === 'PATCH' && call.params['inputSchemaId'] === undefined;
        if (object.content[binned] === undefined || isOperations) return object;
        throw new Refusal(404, `There is no object ${object.oid}.`);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'bin' });
      await edda.delete(made.path);
      return (await edda.operate(made, 1, [{ op: 'add', path: '/note', value: 'late' }])).status !== 404;
    },
  },
};

const versioningMistakes: Batch = {
  'versioning.copy-of-before-the-operations': {
    source: 'core: Errors 1',
    breaks:
      'A version is compared with that of the object now, also where operations have made it since the last read.',
    kind: 'copy',
    variant: together(
      replaces('operations', 'operateObject', async (right, areas, call, writing) => {
        const answer = await right(areas, call, writing);
        stale(areas.outgoing).set(call.object.oid, call.object.version);
        return answer;
      }),
      replaces('versioning', 'storeEdit', (right, areas, writing, object, version, content) => {
        stale(areas.outgoing).delete(object.oid);
        return right(areas, writing, object, version, content);
      }),
      replaces('versioning', 'assertVersion', (right, areas, call, object) => {
        const copy = stale(areas.outgoing).get(object.oid);
        const isOperations = call.params['inputSchemaId'] === undefined;
        if (!isOperations && copy !== undefined && areas.versioning.versionHeaderOf(call) === copy)
          return object.version;
        return right(areas, call, object);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'stale' });
      await edda.operate(made, 1, [{ op: 'add', path: '/note', value: 'first' }]);
      return (await edda.merge(made, 1, { note: 'second' })).status !== 409;
    },
  },
};

const staleVersions = new WeakMap<object, Map<string, number>>();

/** Versions that a cache has of objects, by what is made anew with the server. */
function stale(server: object): Map<string, number> {
  const versions = staleVersions.get(server) ?? new Map<string, number>();
  staleVersions.set(server, versions);
  return versions;
}

function hasSameItems(old: unknown, edit: unknown): boolean {
  if (!Array.isArray(old) || !Array.isArray(edit) || old.length !== edit.length) return false;
  return edit.every((item) => old.includes(item));
}

/** The value with those members that only the other one has, where both are objects. */
function filledFrom(before: unknown, value: unknown): unknown {
  return isContent(before) && isContent(value) ? { ...before, ...value } : value;
}

/** What a team does to its service in the second year: caches, migrations, pools, retries, clean-ups, a second node. */
export const thirteenth: Batch = {
  ...readingMistakes,
  ...pagingMistakes,
  ...editingMistakes,
  ...versioningMistakes,
  ...batchMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...endpointMistakes,
  ...callsMistakes,
  ...validationMistakes,
  ...metadataMistakes,
  ...deliveryMistakes,
};
