import { mediaTypes } from '../../../contract/names.ts';
import { instancesPerMultiCreate } from '../../../contract/limits.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { MultiCreate } from '../../../reference-server/areas/multi-create.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, Step, together, within, type Variant } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, editPath, listAt, many, operationsPath, versionHeader } from '../service.ts';

const batch = new Step();
const multiCreate = new Step();

/** Tells what is done for a batch. */
const inBatch = replaces('batch', 'runBatch', (right, areas, ...args) => batch.run(() => right(areas, ...args)));

export const batchMistakes: Batch = {
  'batch.reads-without-a-limit': {
    source: 'core: Server side paging 1',
    breaks: 'An array of a read holds at most 10 entries, a read in a batch as well.',
    kind: 'combination',
    variant: together(
      inBatch,
      replaces('entries', 'firstReadRange', (right, areas) => (batch.isOn() ? { from: 0, to: 1000 } : right(areas))),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'read', files: named(11) });
      return listAt((await edda.batch([{ method: 'GET', href: made.path }])).json, '/0/body/data/files').length > 10;
    },
  },

  'batch.reads-cannot-fail': {
    source: 'core: Batch rules 3',
    breaks: 'A batch of which an operation failed is answered with 500, also when it only reads.',
    kind: 'combination',
    variant: replaces('batch', 'runBatch', (right, areas, call, ...rest) => {
      const readsOnly = call.json.every((operation) => at(operation, '/method') === 'GET');
      const lenient = { batch: { failsBatch: () => false, batchStatus: () => 200 } };
      return right(readsOnly ? within(areas, lenient) : areas, call, ...rest);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'read' });
      const hrefs = [made.path, '/api/space/main/softtype/none'];
      return (await edda.batch(hrefs.map((href) => ({ method: 'GET', href })))).status !== 500;
    },
  },

  'batch.status-as-text': {
    source: 'core: Batch result',
    breaks: 'The status code of a result is an integer, that of an operation that failed as well.',
    kind: 'value',
    variant: replaces('batch', 'operationResult', (right, areas, call, answer) => {
      const result = right(areas, call, answer);
      return answer.status < 400 ? result : Object.assign(result, { statusCode: String(answer.status) });
    }),
    async shows({ edda }) {
      const { json } = await edda.batch([{ method: 'GET', href: '/api/space/main/softtype/none' }]);
      return typeof at(json, '/0/statusCode') === 'string';
    },
  },

  'batch.href-of-the-batch': {
    source: 'core: SoftType read response',
    breaks: 'The href of a read is the URI of the instance, also of one in a batch.',
    kind: 'combination',
    variant: replaces('batch', 'operationResult', (right, areas, call, answer) => {
      const result = right(areas, call, answer);
      if (call.method !== 'GET' || !isContent(result.body)) return result;
      return { ...result, body: { ...result.body, href: `/api/space/${call.space.id}/batch` } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'read' });
      return at((await edda.batch([{ method: 'GET', href: made.path }])).json, '/0/body/href') !== made.path;
    },
  },

  'batch.put-keeps-arrays': {
    source: 'core: Batch rules 5',
    breaks: 'PUT replaces all fields, arrays that it leaves out as well, in a batch too.',
    kind: 'combination',
    variant: together(
      inBatch,
      replaces('editing', 'arraysAfterPut', (right, areas, softType, given) =>
        batch.isOn() ? given : right(areas, softType, given),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'put', contacts: named(1) });
      const put = { method: 'PUT', href: editPath(made), headers: versionHeader(1), body: { title: 'replaced' } };
      await edda.batch([put]);
      return listAt(await edda.read(made), '/data/contacts').length > 0;
    },
  },

  'batch.letters-of-a-header': {
    source: 'core: Operations-based PATCH rules 1',
    breaks: 'The content type makes a PATCH one of operations, however the name of its header is written in a batch.',
    kind: 'value',
    survives: 'The headers of an operation are members of a JSON object; that their letters do not count is not said.',
    variant: replaces('batch', 'operationHeaders', (right, areas, call, operation) => {
      const known = ([name]: readonly [string, string]): boolean =>
        name === 'Content-Type' || name.toLowerCase() !== 'content-type';
      const headers = Object.fromEntries(Object.entries(operation.headers).filter(known));
      return right(areas, call, { ...operation, headers });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'letters' });
      const headers = { ...versionHeader(1), 'content-type': mediaTypes.operations };
      const body = [{ op: 'add', path: '/note', value: 'note' }];
      return (await edda.batch([{ method: 'PATCH', href: operationsPath(made), headers, body }])).status !== 200;
    },
  },

  'batch.version-of-the-operation-before': {
    source: 'core: Batch operation',
    breaks: 'An operation has the version header that it names itself, and not that of the one before it.',
    kind: 'copy',
    variant: breaks('batch', 'operationHeaders', (right) => {
      const versions = new Map<string, string>();
      return (areas, call, operation) => {
        const headers = right(areas, call, operation);
        const version = headers['svc-uoiversion'] ?? versions.get(call.correlationId);
        if (version === undefined) return headers;
        versions.set(call.correlationId, version);
        return { ...headers, 'svc-uoiversion': version };
      };
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Part', { name: 'one' }), await edda.make('Part', { name: 'other' })];
      const edits = [one, other].map((made) => ({ method: 'PATCH', href: editPath(made), body: { note: 'edited' } }));
      return (await edda.batch([{ ...edits[0], headers: versionHeader(1) }, { ...edits[1] }])).status !== 500;
    },
  },
};

const part = { $id: 'part', $softType: 'Part', data: { name: 'referred to' } };
const document = {
  $id: 'document',
  $softType: 'Document',
  data: { title: 'refers', describes: [{ id: 'describes', value: { instanceRef: 'part', softTypeId: 'Part' } }] },
};

function creates(items: readonly object[]): object {
  return { method: 'POST', href: '/space/main/softtype', body: items };
}

export const multiCreateMistakes: Batch = {
  'multi-create.references-in-a-batch': {
    source: 'core: Batch rules 4',
    breaks: 'A multi-create may be an operation of a batch, also when its items refer to each other.',
    kind: 'combination',
    variant: replaces('contents', 'assertReference', async (right, areas, call, reading, to, reference, pointer) => {
      if (call.isChangedHere?.(String(at(reference, '/value/$oid')))) throw new Refusal(422, 'It was made here.');
      return right(areas, call, reading, to, reference, pointer);
    }),
    async shows({ edda }) {
      return (await edda.batch([creates([document, part])])).status !== 200;
    },
  },

  'multi-create.references-between-operations': {
    source: 'core: Batch rules 4',
    breaks: 'A relation between instances that are made by two operations of a batch cannot be created.',
    kind: 'combination',
    variant: itemsOfTheWholeBatch(),
    async shows({ edda }) {
      return (await edda.batch([creates([part]), creates([document])])).status === 200;
    },
  },

  'multi-create.fifty-a-batch': {
    source: 'core: Multi-create rules 3',
    breaks: 'At most 50 instances are made by one multi-create, of which a batch may have several.',
    kind: 'combination',
    variant: breaks('multiCreate', 'multiCreate', (right) => {
      const counts = new Map<string, number>();
      return async (areas, call, writing) => {
        const count = (counts.get(call.correlationId) ?? 0) + listAt(call.json, '').length;
        counts.set(call.correlationId, count);
        if (count > instancesPerMultiCreate) throw new Refusal(422, 'Too many.');
        return right(areas, call, writing);
      };
    }),
    async shows({ edda }) {
      const parts = many(26, (number) => ({ $softType: 'Part', data: { name: `n${number}` } }));
      return (await edda.batch([creates(parts), creates(parts)])).status !== 200;
    },
  },

  'multi-create.known-from-before': {
    source: 'core: Multi-create item',
    breaks: 'The $id of an item means nothing beyond its request: the same list sent twice makes instances twice.',
    kind: 'copy',
    variant: breaks('multiCreate', 'multiCreate', (right) => {
      const answers = new Map<string, Answer>();
      return async (areas, call, writing) => {
        const key = [call.user.name, call.url, call.body?.toString()].join(' ');
        const answer = answers.get(key) ?? (await right(areas, call, writing));
        answers.set(key, answer);
        return answer;
      };
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.multiCreate([part]), await edda.multiCreate([part])];
      return at(one.json, '/0/href') === at(other.json, '/0/href');
    },
  },

  'multi-create.no-ids-inside-entries': {
    source: 'core: System properties inside data',
    breaks: 'Each object in an array has an entry id, also inside an entry that a multi-create made.',
    kind: 'place',
    variant: together(
      replaces('multiCreate', 'createItems', (right, areas, ...args) => multiCreate.run(() => right(areas, ...args))),
      replaces('contents', 'withEntryIds', (right, areas, items) =>
        multiCreate.isOn() ? items.map(({ content }) => content) : right(areas, items),
      ),
    ),
    async shows({ edda }) {
      const files = [{ name: 'one', revisions: [{ text: 'first' }] }];
      const made = await edda.multiCreate([{ $softType: 'Document', data: { title: 'ids', files } }]);
      const { json } = await edda.get(String(at(made.json, '/0/href')));
      return at(json, '/data/files/0/revisions/0/$entryId') === undefined;
    },
  },
};

function itemsOfTheWholeBatch(): Variant {
  return (classes) => {
    const known: ReturnType<MultiCreate['identifyItems']>[number][] = [];
    return together(
      replaces('batch', 'runBatch', (right, areas, ...args) => {
        known.length = 0;
        return batch.run(() => right(areas, ...args));
      }),
      replaces('multiCreate', 'identifyItems', (right, areas, items) => {
        const identified = right(areas, items);
        known.push(...identified);
        return identified;
      }),
      replaces('multiCreate', 'findItem', (right, areas, items, ...rest) =>
        right(areas, batch.isOn() ? [...items, ...known] : items, ...rest),
      ),
      replaces('contents', 'assertReference', (right, areas, { isSibling: _isSibling, ...call }, ...rest) =>
        right(areas, call, ...rest),
      ),
    )(classes);
  };
}
