import { Step, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, encoded, listAt, many, operationsPath } from '../service.ts';

const inPut = new Step();

/** Operations, edits and creates. */
export const writingMistakes: Batch = {
  'operations.value-beside-the-removal-of-an-entry': {
    source: 'core: Patch operation, value',
    breaks: 'A remove has no value, that of an entry neither.',
    kind: 'place',
    variant: replaces('operations', 'operationOf', (right, areas, item, pointer) =>
      right(
        areas,
        at(item, '/op') === 'remove' && String(at(item, '/path')).endsWith('/') ? withoutValue(item) : item,
        pointer,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(2) });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      return (await edda.operate(made, 1, [{ op: 'remove', path: `/files/${id}/`, value: 'x' }])).status < 400;
    },
  },

  'operations.output-name-for-a-removal': {
    source: 'core: Patch operation, path',
    breaks: 'A path has the names of the input schema, that of a removal too.',
    kind: 'combination',
    variant: replaces('operations', 'targetOf', (right, areas, run, operation) => {
      const [first = '', ...rest] = operation.tokens;
      const [output] = run.softType.outputs.values();
      const canonical = output?.names.get(first);
      const isOutputName = operation.op === 'remove' && canonical !== undefined && !run.view.names.has(first);
      return right(areas, run, isOutputName ? { ...operation, tokens: [canonical, ...rest] } : operation);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', label: 'l' });
      return (await edda.operate(made, 1, [{ op: 'remove', path: '/displayLabel' }])).status < 400;
    },
  },

  'operations.inner-array-grows-behind-its-tenth': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A value is appended as the last one, to an inner array of more than ten items too.',
    kind: 'value',
    variant: replaces('operations', 'applyOperation', async (right, areas, run, operation, pointer) => {
      await right(areas, run, operation, pointer);
      const [port = '', id = '', member = ''] = operation.tokens;
      if (operation.op !== 'add' || operation.tokens.length < 3) return;
      const entry = await areas.operations.entryAt(run, run.view.names.get(port) ?? port, id);
      const items = entry?.content[member];
      if (entry === undefined || !Array.isArray(items) || items.length < 12) return;
      const moved = [...items.slice(0, 10), items.at(-1), ...items.slice(10, -1)];
      await run.writing.updateEntry(run.object.oid, port, entry.entryId, { ...entry.content, [member]: moved });
    }),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `r${number}` }));
      const made = await edda.make('Document', { title: 't', files: [{ name: 'a', revisions }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'add', path: `/files/${id}/revisions/-`, value: { text: 'last' } }]);
      const page = (await edda.page(made, `files/${id}/revisions`, 1)).json;
      return at(listAt(page, '/data').at(-1), '/text') !== 'last';
    },
  },

  'edits.stale-but-nothing-new': {
    source: 'core: Errors 409',
    breaks: 'An edit for another version is refused, also one that would change nothing.',
    kind: 'combination',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isMerge = call.method === 'PATCH' && call.params['inputSchemaId'] !== undefined;
      const isSent = call.headers['svc-uoiversion'] !== undefined;
      return isMerge && isSent && changesNothing(call.body, object.content)
        ? object.version
        : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.merge(made, 1, { title: 'u' });
      return (await edda.merge(made, 1, { title: 'u' })).status < 400;
    },
  },

  'edits.stale-by-a-promote': {
    source: 'core: Versioning 3',
    breaks: 'An edit names the version that the object has, also when only a promote has made it newer.',
    kind: 'moment',
    variant: together(
      replaces('maturity', 'contentInState', (right, areas, content, level, state) => ({
        ...right(areas, content, level, state),
        $movedOnly: true,
      })),
      replaces('editing', 'mergePatch', (right, areas, target, edits) => {
        const { $movedOnly: _gone, ...merged } = right(areas, target, edits);
        return merged;
      }),
      replaces('versioning', 'assertVersion', (right, areas, call, object) => {
        const isMerge = call.method === 'PATCH' && call.params['inputSchemaId'] !== undefined;
        const sent = Number(call.headers['svc-uoiversion'] ?? Number.NaN);
        return isMerge && object.content['$movedOnly'] === true && sent === object.version - 1
          ? object.version
          : right(areas, call, object);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      return (await edda.merge(made, 1, { note: 'n' })).status < 400;
    },
  },

  'creates.location-by-another-schema': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'The Location of a new instance leads to it, through whatever input schema it was made.',
    kind: 'place',
    variant: replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const { softType, view } = call.place;
      const [first] = softType.inputs.values();
      if (view === first) return answer;
      const oid = answer.headers?.['Location']?.split('/').at(-1) ?? '';
      const Location = `/api/space/${call.space.id}/softtype/${softType.id}/${view.id}/${oid}`;
      return { ...answer, headers: { ...answer.headers, Location } };
    }),
    async shows({ edda }) {
      const answer = await edda.post('/api/space/main/softtype/Part/partBrief', { name: 'p' });
      return (await edda.get(answer.headers.get('location') ?? '')).status !== 200;
    },
  },

  'batch.replacement-leaves-arrays': {
    source: 'core: Batch rules 5',
    breaks: 'A PUT replaces all of the target, arrays that it leaves out too, in a batch as alone.',
    kind: 'combination',
    variant: together(
      replaces('editing', 'putObject', (right, areas, call, writing) =>
        call.isSibling === undefined ? right(areas, call, writing) : inPut.run(() => right(areas, call, writing)),
      ),
      replaces('editing', 'arraysAfterPut', (right, areas, softType, given) =>
        inPut.isOn() ? given : right(areas, softType, given),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'p', usages: [{ name: 'u' }] });
      const href = `/api/space/main/softtype/Part/partInput/${made.oid}`;
      await edda.batch([{ method: 'PUT', href, headers: { 'Svc-UOIVersion': '1' }, body: { name: 'q' } }]);
      return listAt(await edda.read(made), '/data/usages').length > 0;
    },
  },

  'batch.filter-of-the-first': {
    source: 'core: Batch operation, headers',
    breaks: 'Operations have the information filter of their batch request, not that of an earlier one.',
    kind: 'copy',
    variant: breaks('batch', 'operationHeaders', (right) => {
      const filters = new Map<string, string | undefined>();
      return (areas, batch, operation) => {
        const name = 'svc-informationfilter';
        const first = filters.get(batch.user.name) ?? batch.headers[name];
        filters.set(batch.user.name, first);
        return { ...right(areas, batch, operation), [name]: first };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', price: '1' });
      const replaceFor = (version: number, time: string) =>
        edda.post(
          '/api/space/main/batch',
          [
            {
              method: 'PATCH',
              href: operationsPath(made),
              headers: { 'Svc-UOIVersion': String(version), 'Content-Type': 'application/json-patch+json' },
              body: [{ op: 'replace', path: '/price', value: time }],
            },
          ],
          { 'Svc-InformationFilter': encoded({ time }) },
        );
      await replaceFor(1, '2020-01-01T00:00:00Z');
      await replaceFor(2, '2021-01-01T00:00:00Z');
      return !String(at(await edda.read(made), '/data/price/effectivity')).startsWith('2021');
    },
  },
};

function withoutValue(item: unknown): unknown {
  const { value: _gone, ...rest } = item as { readonly value?: unknown };
  return rest;
}

function changesNothing(body: Buffer | undefined, content: { readonly [member: string]: unknown }): boolean {
  const edits: unknown = JSON.parse(body?.toString() || 'null');
  if (typeof edits !== 'object' || edits === null) return false;
  return Object.entries(edits).every(([name, value]) => typeof value === 'string' && content[name] === value);
}
