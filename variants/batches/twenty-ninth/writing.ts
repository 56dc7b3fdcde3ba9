import { AsyncLocalStorage } from 'node:async_hooks';
import { instancesPerMultiCreate } from '../../../contract/limits.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, many, type Made } from '../service.ts';

/** Versions that the operation before gave, by the list of the batch. */
const lastVersions = new WeakMap<object, string>();

/** Items that a batch creates by multi-creates, all in all. */
const created = new AsyncLocalStorage<{ count: number }>();

const versionHeader = 'svc-uoiversion';

export const writingMistakes: Batch = {
  'maturity.the-last-step-says-no-version': {
    source: 'core: States and transitions',
    breaks: 'A promote answers with the new version, into the last state of a level as well.',
    kind: 'value',
    variant: replaces('maturity', 'promoteObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      return call.place.states.at(-2) === call.place.current ? { status: answer.status } : answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('ChangeRequest', { subject: 's' });
      await edda.move(made, 1);
      return (await edda.move(made, 2)).headers.get(versionHeader) !== '3';
    },
  },

  'operations.value-before-its-operation': {
    source: 'core: Operations-based PATCH rules 2',
    breaks: 'The members of an operation come in any order, a value that is an object before all others too.',
    kind: 'value',
    variant: replaces('operations', 'operationOf', (right, areas, item, pointer) => {
      const names = isContent(item) ? Object.keys(item) : [];
      const isLost = isContent(item) && isContent(item['value']) && names.indexOf('value') < names.indexOf('op');
      if (!isLost) return right(areas, item, pointer);
      const { value: _read, ...rest } = item;
      return right(areas, rest, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'n' });
      const { status } = await edda.operate(made, 1, [{ value: { width: '1' }, op: 'add', path: '/dimensions' }]);
      return status >= 300;
    },
  },

  'operations.replaced-by-nothing': {
    source: 'core: Operations-based PATCH rules 6',
    breaks: 'An array is no value for replace, an empty one neither.',
    kind: 'value',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, place) => {
      const empties = Array.isArray(value) && value.length === 0 && target.kind === 'list' && !target.marker;
      return empties ? areas.operations.setMember(run, target, []) : right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', keywords: ['k'] });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/keywords', value: [] }])).status < 300;
    },
  },

  'operations.date-of-another-zone': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'The date of a replaced dated element is that of the filter, in whatever zone it is given.',
    kind: 'value',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, place) => {
      const effectivity = () => run.rules.effectivity().replace(/[+-]\d\d:\d\d$/, 'Z');
      const shifted = { ...run, rules: { ...run.rules, effectivity } };
      await right(areas, shifted, target, value, place);
      run.root = shifted.root;
    }),
    async shows({ edda }) {
      const time = '2019-03-04T23:30:00-05:00';
      const made = await edda.make('Document', { title: 't', price: '12' });
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '13' }], { time });
      const date = String(at(await edda.read(made), '/data/price/effectivity'));
      return Date.parse(date) !== Date.parse(time);
    },
  },

  'merge.an-answer-under-another-schema': {
    source: 'core: Errors',
    breaks: 'A merge answers 204 without content, under the second input schema of a definition as well.',
    kind: 'place',
    variant: replaces('editing', 'mergeObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const [first] = call.place.softType.inputs.keys();
      if (call.place.view.id === first) return answer;
      return { ...answer, status: 200, body: { version: call.object.version + 1 } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const path = editPath(made).replace('documentInput', 'documentBrief');
      const headers = { [versionHeader]: '1' };
      return (await edda.send('PATCH', path, { headers, body: { note: 'n' } })).status !== 204;
    },
  },
};

export const manyMistakes: Batch = {
  'batch.query-decoded-twice': {
    source: 'core: Batch operation',
    breaks: 'The href of an operation is a URI as it would be sent, with the encoding of the values in its query.',
    kind: 'combination',
    variant: replaces('batch', 'pathOfHref', (right, areas, batch, href) => {
      const [path = '', query] = right(areas, batch, href)?.split('?') ?? [];
      if (query === undefined || !/^(?:[^%]|%[2-7][0-9A-F])*$/i.test(query)) return right(areas, batch, href);
      return `${path}?${decodeURIComponent(query)}`;
    }),
    async shows({ edda }) {
      const files = [{ name: 'n', category: 'a+b' }, { name: 'o' }];
      const made = await edda.make('Document', { title: 't', files });
      const href = `${made.path}?softTypeFilterId=byCategory&fileGroup.category=a%2Bb`;
      const answer = await edda.batch([{ method: 'GET', href }]);
      return listAt(answer.json, '/0/body/data/files').length !== 1;
    },
  },

  'batch.forbidden-is-not-found': {
    source: 'core: Batch result',
    breaks: 'The status of an operation that the role does not allow is 403, as it would be alone.',
    kind: 'role',
    variant: replaces('batch', 'operationResult', (right, areas, call, answer) => {
      const result = right(areas, call, answer);
      return result.statusCode === 403 ? { ...result, statusCode: 404 } : result;
    }),
    async shows({ rita }) {
      const href = '/api/space/main/softtype/Part/partInput';
      const answer = await rita.batch([{ method: 'POST', href, body: { name: 'n' } }]);
      return at(answer.json, '/0/statusCode') !== 403;
    },
  },

  'batch.kept-but-for-what-is-locked': {
    source: 'core: Batch rules 1',
    breaks: 'A batch with an operation that meets the lock of somebody else leaves nothing behind.',
    kind: 'role',
    variant: replaces(
      'batch',
      'failsBatch',
      (right, areas, outcome) => outcome.answer.status !== 423 && right(areas, outcome),
    ),
    async shows({ edda, emil }) {
      const [free, locked] = [await edda.make('Part', { name: 'n' }), await edda.make('Part', { name: 'o' })];
      await emil.post(`/api/space/main/lock/${locked.oid}`);
      await edda.batch([patchOf(free), patchOf(locked)]);
      return at(await edda.read(free), '/version') !== 1;
    },
  },

  'batch.second-schema-unknown': {
    source: 'core: Batch rules 2',
    breaks: 'A merge is an operation of a batch under every input schema of its definition.',
    kind: 'place',
    variant: replaces('batch', 'operationRouteOf', (right, areas, table, method, path) => {
      const found = right(areas, table, method, path);
      const { spaceId = '', definitionId = '', inputSchemaId } = found?.params ?? {};
      const definition = areas.configuration.spaces.get(spaceId)?.template.softTypes.get(definitionId);
      const [first] = definition?.inputs.keys() ?? [];
      return method === 'PATCH' && inputSchemaId !== undefined && inputSchemaId !== first ? undefined : found;
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'n' });
      const operation = patchOf(made);
      const href = operation.href.replace('partInput', 'partBrief');
      return (await edda.batch([{ ...operation, href }])).status !== 200;
    },
  },

  'batch.version-of-the-operation-before': {
    source: 'core: Errors 2',
    breaks: 'An edit in a batch without a version is refused with 412, also behind an operation that gave one.',
    kind: 'copy',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const headers = right(areas, batch, operation);
      const list = Reflect.get(batch, 'json') as object | undefined;
      const own = headers[versionHeader];
      if (list === undefined) return headers;
      if (own !== undefined) lastVersions.set(list, own);
      const version = lastVersions.get(list);
      return version === undefined ? headers : { ...headers, [versionHeader]: version };
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Part', { name: 'n' }), await edda.make('Part', { name: 'o' })];
      const { headers: _version, ...bare } = patchOf(other);
      const answer = await edda.batch([patchOf(one), bare]);
      return at(answer.json, '/1/statusCode') !== 412;
    },
  },

  'batch.fifty-in-all': {
    source: 'core: Limits',
    breaks: 'The limit of fifty is that of one multi-create; a batch of two has none for both together.',
    kind: 'place',
    variant: together(
      replaces('batch', 'runBatch', (right, areas, call, writing, table) =>
        created.run({ count: 0 }, () => right(areas, call, writing, table)),
      ),
      replaces('multiCreate', 'multiCreate', async (right, areas, call, writing) => {
        const sum = created.getStore();
        if (sum !== undefined && Array.isArray(call.json)) sum.count += call.json.length;
        if (sum !== undefined && sum.count > instancesPerMultiCreate) throw new Refusal(422, 'Too many items.');
        return right(areas, call, writing);
      }),
    ),
    async shows({ edda }) {
      const body = many(30, (number) => ({ $id: `p${number}`, $softType: 'Part', data: { name: 'n' } }));
      const operation = { method: 'POST', href: '/space/main/softtype', body };
      return (await edda.batch([operation, operation])).status !== 200;
    },
  },

  'multi-create.ids-that-are-numbers': {
    source: 'core: Multi-create item',
    breaks:
      'A reference leads to the item whose $id is the very text that it holds, also where two look like one number.',
    kind: 'value',
    variant: replaces('multiCreate', 'findItem', (right, areas, items, id, referrer) => {
      if (!/^\d+$/.test(id)) return right(areas, items, id, referrer);
      return items.find((item) => item.$id !== undefined && Number(item.$id) === Number(id));
    }),
    async shows({ edda }) {
      const parts = ['01', '1'].map(($id) => ({ $id, $softType: 'Part', data: { name: `part ${$id}` } }));
      const made = await edda.multiCreate([...parts, documentOf(['1'])]);
      const read = await edda.get(String(at(made.json, '/2/href')));
      const oid = String(at(read.json, '/data/describes/0/value/$oid'));
      return !String(at(made.json, '/1/href')).endsWith(oid);
    },
  },

  'multi-create.ten-references': {
    source: 'core: Multi-create item',
    breaks: 'A port holds all references that its item has, more than ten as well.',
    kind: 'value',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const cut = inputs.map((input, index) => {
        const members = items[index]?.softType.members;
        const arrays = [...input.arrays].map(
          ([port, all]) => [port, members?.get(port)?.kind === 'references' ? all.slice(0, 10) : all] as const,
        );
        return { ...input, arrays: new Map(arrays) };
      });
      return right(areas, call, writing, items, cut);
    }),
    async shows({ edda }) {
      const ids = many(11, (number) => `p${number}`);
      const parts = ids.map(($id) => ({ $id, $softType: 'Part', data: { name: $id } }));
      const made = await edda.multiCreate([...parts, documentOf(ids)]);
      const path = String(at(made.json, '/11/href'));
      const page = await edda.page({ definition: 'Document', oid: path.split('/').at(-1) ?? '', path }, 'describes', 1);
      return listAt(page.json, '/data').length !== 1;
    },
  },
};

function patchOf(made: Made) {
  return { method: 'PATCH', href: editPath(made), headers: { 'Svc-UOIVersion': '1' }, body: { note: 'changed' } };
}

function documentOf(ids: readonly string[]): object {
  const describes = ids.map((id) => ({ id, value: { instanceRef: id, softTypeId: 'Part' } }));
  return { $id: 'document', $softType: 'Document', data: { title: 't', describes } };
}
