import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { routes } from '../../../contract/routes.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { Areas } from '../../../reference-server/areas.ts';
import type { Call } from '../../../reference-server/http/call.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Writing } from '../../../reference-server/ports/store.ts';
import { breaks, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Made, at, editPath, listAt, many, movePath, versionHeader } from '../service.ts';

const promotePath = /^\/api\/space\/([^/]+)\/maturityAction\/promote\/([^/]+)\/[^/]+\/([^/]+)$/;

/** Promotes that a batch has undone, once more. */
async function moveAgain(areas: Areas, call: Call, results: unknown): Promise<void> {
  const operations = listAt({ all: JSON.parse(call.body?.toString() ?? '[]') as unknown }, '/all');
  const undone = operations.filter((_, index) => at(results, `/${index}/statusCode`) === 424);
  await areas.store.change(async (writing) => {
    for (const operation of undone) await moveOne(areas, writing, String(at(operation, '/href')));
  });
}

async function moveOne(areas: Areas, writing: Writing, href: string): Promise<void> {
  const [, spaceId = '', oid = '', levelId = ''] = promotePath.exec(href) ?? [];
  const object = await writing.object(spaceId, oid);
  const template = areas.configuration.spaces.get(spaceId)?.template;
  const states = template?.softTypes.get(object?.softType ?? '')?.maturity?.levels.get(levelId);
  if (object === undefined || states === undefined) return;
  const current = String(at(object.content, `/$states/${levelId}/state`));
  const next = areas.maturity.nextState({ id: levelId, states, current });
  if (next === undefined) return;
  const content = areas.maturity.contentInState(object.content, levelId, next);
  await areas.versioning.storeEdit(writing, object, object.version + 1, content);
}

const request = new AsyncLocalStorage<string>();

function mergeOperation(made: Made, version: number, body: object): object {
  return { method: 'PATCH', href: editPath(made), headers: versionHeader(version), body };
}

function reference(instanceRef: string): object {
  return { id: 'port', value: { instanceRef, softTypeId: 'Part' } };
}

function pair($id: string): readonly object[] {
  return [
    { $id, $softType: 'Part', data: { name: $id } },
    { $softType: 'Document', data: { title: $id, describes: [reference($id)] } },
  ];
}

export const manyAtOnce: Batch = {
  'batch.read-of-what-was-undone-is-kept': {
    source: 'core: Batch rules 1',
    breaks: 'What a batch wrote and rolled back is seen by no later read.',
    kind: 'copy',
    variant: breaks('memory', 'rememberedRead', (right) => {
      const kept = new Map<string, string>();
      return async (areas, call, reading, object, view, assemble) => {
        const key = [object.oid, object.version, view.id, areas.memory.rightsOf(call)].join(' ');
        const known = kept.get(key);
        const headers = { 'Cache-Control': 'no-store', 'Content-Type': 'application/json' };
        if (known !== undefined) return { status: 200, headers, raw: known };
        const answer = await right(areas, call, reading, object, view, assemble);
        kept.set(key, answer.raw?.toString() ?? JSON.stringify(answer.body));
        return answer;
      };
    }),
    shows: async ({ edda }) => {
      const made = await edda.make('Document', { title: 'undone', note: 'first' });
      await edda.batch([
        mergeOperation(made, 1, { note: 'undone' }),
        { method: 'GET', href: made.path },
        { method: 'GET', href: '/api/space/main/softtype/nothing' },
      ]);
      await edda.merge(made, 1, { note: 'second' });
      return at(await edda.read(made), '/data/note') !== 'second';
    },
  },
  'batch.promote-stays-when-undone': {
    source: 'core: Batch rules 1 and 2',
    breaks: 'A promote is rolled back with its batch.',
    kind: 'combination',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const answer = await right(areas, route, call);
      if (route.path === routes.batch && answer.status === 500) await moveAgain(areas, call, answer.body);
      return answer;
    }),
    shows: async ({ edda }) => {
      const made = await edda.make('Document', { title: 'stays' });
      await edda.batch([
        { method: 'PUT', href: movePath(made), headers: versionHeader(1) },
        { method: 'GET', href: '/api/space/main/softtype/nothing' },
      ]);
      return at(await edda.read(made), '/data/engineering/state') !== 'draft';
    },
  },
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
  'batch.second-edit-tells-the-first-version': {
    source: 'core: Batch result, body',
    breaks: 'The version in the result of an operation is the one that this operation made.',
    kind: 'moment',
    variant: breaks('batch', 'writtenBody', (right) => {
      const told = new Map<string, unknown>();
      return (areas, call, answer) => {
        const body = right(areas, call, answer);
        const { objectId } = call.params;
        if (!isContent(body) || objectId === undefined || body['version'] === undefined) return body;
        const key = `${call.correlationId} ${objectId}`;
        if (!told.has(key)) told.set(key, body['version']);
        return { ...body, version: told.get(key) };
      };
    }),
    shows: async ({ edda }) => {
      const made = await edda.make('Document', { title: 'twice' });
      const operations = [mergeOperation(made, 1, { note: 'a' }), mergeOperation(made, 2, { note: 'b' })];
      return at((await edda.batch(operations)).json, '/1/body/version') !== 3;
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
  'multi-create.ids-are-normalised': {
    source: 'core: Multi-create rules 2',
    breaks: 'A reference leads to the item with that very $id, not to one whose $id merely looks the same.',
    kind: 'value',
    variant: replaces(
      'multiCreate',
      'findItem',
      (right, areas, items, $id, referrer) =>
        items.find((item) => item.$id?.normalize() === $id.normalize()) ?? right(areas, items, $id, referrer),
    ),
    shows: async ({ edda }) => {
      const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301'];
      const [part] = pair(composed);
      const { json } = await edda.multiCreate([...(part === undefined ? [] : [part]), ...pair(decomposed)]);
      const read = (await edda.get(String(at(json, '/2/href')))).json;
      const target = String(at(read, '/data/describes/0/value/$oid'));
      return !String(at(json, '/1/href')).endsWith(target);
    },
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
