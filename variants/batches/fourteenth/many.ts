import { isContent } from '../../../reference-server/areas/content.ts';
import type { MultiCreate } from '../../../reference-server/areas/multi-create.ts';
import { Refusal, Undone } from '../../../reference-server/http/refusal.ts';
import { together, within, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, many, movePath, versionHeader } from '../service.ts';

export const batchMistakes: Batch = {
  'batch.failed-read-keeps-writes': {
    source: 'core: Batch rules 1',
    breaks: 'When one operation of a batch fails nothing is written, be it a read that failed.',
    kind: 'combination',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      try {
        return await right(areas, call, writing, table);
      } catch (error) {
        if (!(error instanceof Undone)) throw error;
        const failed = listAt(error.answer.body, '').findIndex((result) => at(result, '/statusCode') === 404);
        if (at(call.json, `/${failed}/method`) !== 'GET') throw error;
        return error.answer;
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'batch' });
      await edda.batch([
        { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note: 'edited' } },
        { method: 'GET', href: `${made.path}0` },
      ]);
      return at(await edda.read(made), '/version') !== 1;
    },
  },

  'batch.no-demote': {
    source: 'core: Batch rules 2',
    breaks: 'A batch knows both maturity actions.',
    kind: 'place',
    variant: replaces('batch', 'operationRouteOf', (right, areas, table, method, path) => {
      return path.includes('/maturityAction/demote/') ? undefined : right(areas, table, method, path);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'demote' });
      await edda.move(made, 1);
      const operation = { method: 'PUT', href: movePath(made, 'demote'), headers: versionHeader(2) };
      return (await edda.batch([operation])).status !== 200;
    },
  },

  'batch.created-data-in-the-result': {
    source: 'core: Batch rules 6',
    breaks: 'The result of a creation has no data of what was created.',
    kind: 'value',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      if (answer.status !== 201 || !isContent(body)) return body;
      return { ...body, data: areas.messages.jsonBodyOf(call) };
    }),
    async shows({ edda }) {
      const href = '/api/space/main/softtype/Document/documentInput';
      const { json } = await edda.batch([{ method: 'POST', href, body: { title: 'created' } }]);
      return at(json, '/0/body/data') !== undefined;
    },
  },
};

/** Items by their `$id`, of whatever request. */
const knownItems = new Map<string, ReturnType<MultiCreate['identifyItems']>[number]>();

export const multiCreateMistakes: Batch = {
  'multi-create.fifty-one-in-a-batch': {
    source: 'core: Multi-create rules 3',
    breaks: 'One multi-create takes fifty items at most, also as an operation of a batch.',
    kind: 'combination',
    variant: replaces('multiCreate', 'multiCreate', (right, areas, call, writing) => {
      const open = within(areas, { multiCreate: { withinLimit: (items) => items } });
      return right(call.isSibling === undefined ? areas : open, call, writing);
    }),
    async shows({ edda }) {
      const body = many(51, (number) => ({ $id: `p${number}`, $softType: 'Part', data: { name: `part ${number}` } }));
      return (await edda.batch([{ method: 'POST', href: '/space/main/softtype', body }])).status === 200;
    },
  },

  'multi-create.two-that-refer-to-each-other': {
    source: 'core: Multi-create rules 2',
    breaks: 'Items may reference each other, both at once as well.',
    kind: 'combination',
    variant: replaces('multiCreate', 'createItems', async (right, areas, call, writing, items, inputs) => {
      const targets = inputs.map(({ arrays }) =>
        [...arrays.values()].flat().map(({ content }) => at(content, '/value/$oid')),
      );
      for (const [index, { oid }] of items.entries())
        for (const [other, candidate] of items.entries())
          if (index !== other && targets[index]?.includes(candidate.oid) && targets[other]?.includes(oid))
            throw new Refusal(422, 'The references go round in a circle.');
      return right(areas, call, writing, items, inputs);
    }),
    async shows({ edda }) {
      const answer = await edda.multiCreate([
        { $id: 'd', $softType: 'Document', data: { title: 'document', describes: [referenceTo('p', 'Part')] } },
        { $id: 'p', $softType: 'Part', data: { name: 'part', describedBy: [referenceTo('d', 'Document')] } },
      ]);
      return answer.status >= 400;
    },
  },

  'multi-create.id-of-an-earlier-request': {
    source: 'core: Multi-create item',
    breaks: 'The id of an item counts inside its request only.',
    kind: 'copy',
    variant: together(
      replaces('multiCreate', 'identifyItems', (right, areas, items) => {
        const identified = right(areas, items);
        for (const item of identified) if (item.$id !== undefined) knownItems.set(item.$id, item);
        return identified;
      }),
      replaces(
        'multiCreate',
        'findItem',
        (right, areas, items, $id, referrer) => right(areas, items, $id, referrer) ?? knownItems.get($id),
      ),
    ),
    async shows({ edda }) {
      await edda.multiCreate([{ $id: 'earlier', $softType: 'Part', data: { name: 'part' } }]);
      const describes = [referenceTo('earlier', 'Part')];
      const later = { $id: 'later', $softType: 'Document', data: { title: 'document', describes } };
      return (await edda.multiCreate([later])).status < 400;
    },
  },

  'multi-create.arrays-inside-entries': {
    source: 'core: Multi-create item',
    breaks: 'An instance is created with all of its data, arrays inside entries included.',
    kind: 'place',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const shallow = inputs.map((input) => ({
        ...input,
        arrays: new Map(
          [...input.arrays].map(([port, entries]) => [
            port,
            entries.map((entry) => ({ ...entry, content: withoutArrays(entry.content) })),
          ]),
        ),
      }));
      return right(areas, call, writing, items, shallow);
    }),
    async shows({ edda }) {
      const files = [{ name: 'file', revisions: [{ text: 'first' }] }];
      const { json } = await edda.multiCreate([{ $id: 'd', $softType: 'Document', data: { title: 'nested', files } }]);
      const read = await edda.get(String(at(json, '/0/href')));
      return listAt(read.json, '/data/files/0/revisions').length !== 1;
    },
  },
};

/** Level and version of the last promote, by object id. */
const lastPromotes = new Map<string, { readonly levelId: string; readonly version: number }>();

export const maturityMistakes: Batch = {
  'maturity.stale-promote-of-another-level': {
    source: 'core: Errors 1',
    breaks: 'A promote for an older version is refused, also when only another level was promoted since.',
    kind: 'combination',
    variant: together(
      replaces('maturity', 'promoteObject', async (right, areas, call, writing) => {
        const answer = await right(areas, call, writing);
        lastPromotes.set(call.object.oid, { levelId: call.place.id, version: call.object.version + 1 });
        return answer;
      }),
      replaces('versioning', 'assertVersion', (right, areas, call, object) => {
        const last = lastPromotes.get(object.oid);
        const isOtherLevel = call.url.includes('/promote/') && last?.levelId !== call.params['levelId'];
        if (!isOtherLevel || last?.version !== object.version) return right(areas, call, object);
        const isBefore = areas.versioning.versionHeaderOf(call) === object.version - 1;
        return isBefore ? object.version : right(areas, call, object);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'levels' });
      await edda.move(made, 1);
      return (await edda.move(made, 1, 'promote', 'approval')).status !== 409;
    },
  },

  'maturity.state-object-behind-a-promote': {
    source: 'core: States and transitions',
    breaks: 'A current state names its level-state definition, also after a promote.',
    kind: 'moment',
    variant: replaces('maturity', 'contentInState', (right, areas, content, level, state) => {
      const moved = right(areas, content, level, state);
      const states = { ...Object(moved['$states']) };
      const { $softType: _gone, ...rest } = { ...Object(states[level]) };
      return { ...moved, $states: { ...states, [level]: rest } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'state' });
      await edda.move(made, 1);
      return typeof at(await edda.read(made), '/data/engineering/$softType') !== 'string';
    },
  },
};

function withoutArrays(content: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(content).filter(([, value]) => !Array.isArray(value)));
}

function referenceTo(instanceRef: string, softTypeId: string) {
  return { id: instanceRef, value: { instanceRef, softTypeId } };
}
