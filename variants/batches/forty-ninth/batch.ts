import { Step, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, encoded, hostKey, listAt, movePath, operationsPath, versionHeader } from '../service.ts';
import { setTimeout } from 'node:timers/promises';
import { routes } from '../../../contract/routes.ts';
import { callsOf, callsTo, named, tokenOf } from '../proofs.ts';
import { randomUUID } from 'node:crypto';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { Operation, OperationsRun } from '../../../reference-server/areas/operations.ts';
import { headerNames, mediaTypes } from '../../../contract/names.ts';
import { callsMistakes } from './calls.ts';
import { filesMistakes } from './files.ts';
import { readingMistakes } from './reading.ts';

/** What is registered, and the keys that it acquires. */
const registeredMistakes: Batch = {
  'registered.key-in-the-warning': {
    source: 'extensions: Registered extension, apiKey',
    breaks: 'The key is a secret, also where the metadata of its extension cannot be had.',
    kind: 'combination',
    survives: 'Whether answers of the registration routes tell the key is not said (registration-responses): remarked.',
    variant: replaces('metadata', 'fetchMetadata', async (right, areas, extension, correlationId) => {
      const answer = await right(areas, extension, correlationId);
      return 'warning' in answer ? { warning: `${answer.warning} ${JSON.stringify(extension)}` } : answer;
    }),
    async shows({ cora }) {
      const body = { hostUri: 'http://127.0.0.1:9/nobody', apiKey: hostKey, tokenLifeTime: 60 };
      return (await cora.post('/api/admin/svcExtension', body)).text.includes(hostKey);
    },
  },
};

const collectionFiles = '/api/collection/fs/file';

/** Who is let in, and as whom. */
const accessMistakes: Batch = {
  'access.link-opens-the-collection': {
    source: 'core: What the service does, collection level',
    breaks: 'The collection is open to its administrators alone, for a download with the token in its query too.',
    kind: 'role',
    variant: replaces('fileAreas', 'mayUseArea', (right, areas, user, area, call) => {
      const isLink = area.kind === 'collection' && call.method === 'GET' && call.query.has('token');
      return isLink || right(areas, user, area, call);
    }),
    async shows(service) {
      await service.cora.upload('note.txt', 'text', collectionFiles);
      const token = await tokenOf(service, 'rita');
      return (await service.nobody.get(`${collectionFiles}/note.txt?token=${token}`)).status === 200;
    },
  },

  'token.one-for-all-who-ask-at-once': {
    source: 'core: Authentication 3, access_token',
    breaks: 'The answer contains a token of the user who asked, also where somebody else asks at the same moment.',
    kind: 'moment',
    variant: breaks('tokens', 'issueToken', (right) => {
      let pending: Promise<string> | undefined;
      return (areas, user) => {
        pending ??= setTimeout(5)
          .then(() => right(areas, user))
          .finally(() => (pending = undefined));
        return pending;
      };
    }),
    async shows(service) {
      const tokens = await Promise.all([tokenOf(service, 'edda'), tokenOf(service, 'emil')]);
      return tokens[0] === tokens[1];
    },
  },

  'access.empty-batch-asks-for-nobody': {
    source: 'core: Authentication 6',
    breaks: 'Without a token the answer is 401, to a batch without operations too.',
    kind: 'value',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const isNothing = route.path === routes.batch && call.body?.toString() === '[]';
      return isNothing && call.headers['authorization'] === undefined
        ? { status: 200, body: [] }
        : right(areas, route, call);
    }),
    shows: async ({ nobody }) => (await nobody.batch([])).status === 200,
  },

  'access.participant-of-another-space': {
    source: 'core: Authentication 7',
    breaks: 'A space route needs a role in that space, also where its path names a participant of another one.',
    kind: 'role',
    variant: replaces('fileAreas', 'mayUseArea', (right, areas, user, area, call) => {
      if (area.kind !== 'participant') return right(areas, user, area, call);
      return areas.configuration.spaces
        .values()
        .some(({ participants }) => participants.get(area.participantId)?.has(user.name) ?? false);
    }),
    async shows({ otto }) {
      const base = '/api/space/main/participant/keeper/fs/file';
      return (await otto.upload('note.txt', 'text', base)).status === 201;
    },
  },
};

/** What edits and moves leave behind. */
const writingMistakes: Batch = {
  'operations.removed-object-is-emptied': {
    source: 'core: Patch operation, op',
    breaks: 'After an object member was removed it does not exist, and can be added.',
    kind: 'combination',
    variant: replaces('operations', 'removeTarget', (right, areas, run, target) => {
      const isWhole = target.kind === 'member' && target.member.kind === 'object' && target.steps.length === 1;
      return isWhole && isContent(target.value)
        ? areas.operations.setMember(run, target, {})
        : right(areas, run, target);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', dimensions: { width: '1' } });
      await edda.operate(made, 1, [{ op: 'remove', path: '/dimensions' }]);
      const added = await edda.operate(made, 2, [{ op: 'add', path: '/dimensions', value: { width: '2' } }]);
      return added.status >= 400;
    },
  },

  'operations.entry-of-the-array-before': {
    source: 'core: Patch operation, path',
    breaks: 'A path leads to the entry of its own array, also where a list named one with that id in another array.',
    kind: 'combination',
    variant: breaks('operations', 'entryAt', (right) => {
      const runs = new WeakMap<OperationsRun, Map<string, string>>();
      return (areas, run, port, token) => {
        const ports = runs.get(run) ?? new Map<string, string>();
        runs.set(run, ports.set(token, ports.get(token) ?? port));
        return right(areas, run, ports.get(token) ?? port, token);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', {
        title: 't',
        files: [{ name: 'f', comment: 'c' }],
        contacts: [{ name: 'n', role: 'r' }],
      });
      const read = await edda.read(made);
      const [file, contact] = ['files', 'contacts'].map((port) => String(at(read, `/data/${port}/0/$entryId`)));
      await edda.operate(made, 1, [
        { op: 'replace', path: `/files/${file}/comment`, value: 'd' },
        { op: 'replace', path: `/contacts/${contact}/name`, value: 'm' },
      ]);
      return at(await edda.read(made), '/data/contacts/0/role') === undefined;
    },
  },

  'operations.entry-that-was-edited-stays': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that does not comply any more goes, also where the list has edited it before.',
    kind: 'combination',
    variant: (classes) => {
      const lists = new WeakMap<OperationsRun, readonly Operation[]>();
      return together(
        replaces('operations', 'applyOperations', (right, areas, run, operations) => {
          lists.set(run, operations);
          return right(areas, run, operations);
        }),
        replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
          const { port, entryId } = entry;
          const touching = (lists.get(run) ?? []).filter(
            ({ tokens }) => tokens[0] === port && tokens[1] === String(entryId),
          );
          const row = await run.writing.entry(run.object.oid, port, entryId);
          if (touching.length < 2 || row === undefined) return right(areas, run, entry);
          const { [touching.at(-1)?.tokens[2] ?? '']: _gone, ...content } = row.content;
          await run.writing.updateEntry(run.object.oid, port, entryId, content);
        }),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', comment: 'c' }, ...named(1)] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [
        { op: 'replace', path: `/files/${id}/comment`, value: 'd' },
        { op: 'remove', path: `/files/${id}/name` },
      ]);
      return listAt(await edda.read(made), '/data/files').length === 2;
    },
  },

  'events.of-every-promote': {
    source: 'core: Events',
    breaks: 'The core API makes no event of its own; a promote calls no handler of events that nobody asked for.',
    kind: 'combination',
    variant: replaces('maturity', 'promoteObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const found = await areas.triggeredCalls.foundAddressee(writing, 'ExternalEvent', {});
      if (found === undefined) return answer;
      const { registrationId, recordId } = found;
      const id = randomUUID();
      const payload = { contentPayload: { objectId: call.object.oid }, id, spaceId: call.space.id };
      const triggered = { id, kind: 'event', registrationId, recordId, payload } as const;
      await areas.queue.enqueue(writing, areas.triggeredCalls.deliveryOf(call, triggered));
      return answer;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.move(await service.edda.make('Document', { title: 't' }), 1);
      await service.pass(1);
      return callsTo(host).length > 0;
    },
  },
};

const batchPath = '/api/space/main/batch';

const validator = {
  id: 'validator',
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
};

/** Many objects or many operations by one request. */
const manyMistakes: Batch = {
  'batch.times-are-written-anew': {
    source: 'core: Batch operation, body',
    breaks: 'The body of an operation is the payload, a text that looks like a time too.',
    kind: 'value',
    variant: replaces('batch', 'batchOperationFrom', (right, areas, value, index) => {
      const operation = right(areas, value, index);
      return { ...operation, body: withMilliseconds(operation.body) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const body = { note: '2024-05-06T07:08:09Z' };
      await edda.batch([{ method: 'PATCH', href: editPath(made), headers: versionHeader(1), body }]);
      return at(await edda.read(made), '/data/note') !== body.note;
    },
  },

  'batch.question-under-no-filter': {
    source: 'core: Batch operation, headers',
    breaks: 'The information filter of an operation is that of the batch, also in what is asked about its promote.',
    kind: 'combination',
    variant: (classes) => {
      const asking = new Step();
      return together(
        replaces('validatedWrites', 'validatedBatch', (right, areas, batch, table) =>
          asking.run(() => right(areas, batch, table)),
        ),
        replaces('triggeredCalls', 'passedFilter', (right, areas, call) =>
          asking.isOn() ? encoded({}) : right(areas, call),
        ),
      )(classes);
    },
    async shows(service) {
      const host = await service.host(() => [validator]);
      const made = await service.edda.make('Document', { title: 't' });
      const filter = encoded({ time: '2019-03-04T00:00:00Z' });
      const promote = { method: 'PUT', href: movePath(made), headers: versionHeader(1) };
      await service.edda.post(batchPath, [promote], { [headerNames.informationFilter]: filter });
      const [asked] = callsOf(host, 'validation');
      return asked !== undefined && asked.envelope?.informationFilter !== filter;
    },
  },

  'multi-create.guid-becomes-the-identifier': {
    source: 'core: Multi-create item, $id',
    breaks: 'A $id means something inside its request only, one that is a GUID too.',
    kind: 'value',
    variant: replaces('multiCreate', 'identifyItems', (right, areas, items) =>
      right(areas, items).map((item) =>
        /^[0-9a-f-]{36}$/i.test(item.$id ?? '') ? { ...item, oid: item.$id ?? '' } : item,
      ),
    ),
    async shows({ edda }) {
      const items = [{ $id: '0f8fad5b-d9cb-469f-a165-70867728950e', $softType: 'Part', data: { name: 'n' } }];
      await edda.multiCreate(items);
      return (await edda.multiCreate(items)).status >= 400;
    },
  },

  'multi-create.texts-that-are-ids': {
    source: 'core: Multi-create item, data',
    breaks: 'The data are the content of the instance, a text that is the $id of an item too.',
    kind: 'value',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const oids = new Map(items.map(({ $id, oid }) => [$id, oid] as const));
      const resolved = inputs.map(({ content, arrays }) => ({
        content: Object.fromEntries(
          Object.entries(content).map(([name, value]) => [
            name,
            typeof value === 'string' ? (oids.get(value) ?? value) : value,
          ]),
        ),
        arrays,
      }));
      return right(areas, call, writing, items, resolved);
    }),
    async shows({ edda }) {
      const made = await edda.multiCreate([{ $id: 'p', $softType: 'Part', data: { name: 'n', note: 'p' } }]);
      const read = await edda.get(String(at(made.json, '/0/href')));
      return at(read.json, '/data/note') !== 'p';
    },
  },

  'batch.type-of-the-operation-before': {
    source: 'core: Common request headers, Content-Type',
    breaks: 'The type of its own request selects the operations PATCH, and not that of the operation before it.',
    kind: 'copy',
    survives: 'What an operation is that names no media type is not said (batch-content-type-of-operation): recorded.',
    variant: breaks('batch', 'operationHeaders', (right) => {
      const types = new Map<string, string>();
      return (areas, batch, operation) => {
        const headers = right(areas, batch, operation);
        const isOwn = Object.keys(operation.headers).some((name) => name.toLowerCase() === 'content-type');
        const type = isOwn ? headers['content-type'] : types.get(batch.correlationId);
        if (type === undefined) return headers;
        types.set(batch.correlationId, type);
        return { ...headers, 'content-type': type };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const batch = await edda.batch([
        {
          method: 'PATCH',
          href: operationsPath(made),
          headers: { ...versionHeader(1), 'Content-Type': mediaTypes.operations },
          body: [{ op: 'replace', path: '/title', value: 'u' }],
        },
        { method: 'PATCH', href: editPath(made), headers: versionHeader(2), body: { note: 'n' } },
      ]);
      return batch.status !== 200;
    },
  },
};

/** A value as a reader of JSON leaves it that takes texts for times and writes these in its own way. */
function withMilliseconds(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)Z$/, '$1.000Z');
  if (Array.isArray(value)) return listAt(value, '').map(withMilliseconds);
  if (!isContent(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withMilliseconds(inner)]));
}

/** Mistakes in sentences of both documents that were drawn by lot, each in one circumstance only, by somebody who knew no check. */
export const fortyNinth: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...registeredMistakes,
};
