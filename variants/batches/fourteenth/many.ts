import { Refusal } from '../../../reference-server/http/refusal.ts';
import { together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt } from '../service.ts';

export const multiCreateMistakes: Batch = {
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
};

function withoutArrays(content: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(content).filter(([, value]) => !Array.isArray(value)));
}

function referenceTo(instanceRef: string, softTypeId: string) {
  return { id: instanceRef, value: { instanceRef, softTypeId } };
}
