import { isArrayMember } from '../../../reference-server/areas/soft-type.ts';
import type { SchemaView } from '../../../reference-server/configuration.ts';
import { replaces, together, type Variant } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { listAt, versionHeader } from '../service.ts';

export const editingMistakes: Batch = {
  'merge.other-arrays-as-read': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge that names one array leaves the others as they are, beyond what a first read shows as well.',
    kind: 'combination',
    variant: replaces('editing', 'replaceArrays', async (right, areas, call, writing, object, softType, arrays) => {
      const others = softType.members.entries().filter(([port, member]) => isArrayMember(member) && !arrays.has(port));
      for (const [port] of arrays.size === 0 ? [] : others) {
        const shown = await writing.entries(object.oid, port, areas.entries.firstReadRange());
        await writing.replaceEntries(object.oid, port, shown);
      }
      return right(areas, call, writing, object, softType, arrays);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'merge', files: named(12) });
      await edda.merge(made, 1, { contacts: named(1) });
      return listAt((await edda.page(made, 'files', 1)).json, '/data').length !== 2;
    },
  },

  'operations.names-of-the-last-edit': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A path is one into the input schema, also after an edit by a schema that holds less.',
    kind: 'copy',
    variant: pathsByTheLastEdit(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'paths' });
      const brief = `/api/space/main/softtype/Document/documentBrief/${made.oid}`;
      await edda.send('PATCH', brief, { headers: versionHeader(1), body: { note: 'brief' } });
      return (await edda.operate(made, 2, [{ op: 'add', path: '/label', value: 'label' }])).status >= 400;
    },
  },
};

function pathsByTheLastEdit(): Variant {
  return (classes) => {
    const views = new Map<string, SchemaView>();
    return together(
      replaces('editing', 'inputViewOf', (right, areas, call, object) => {
        const found = right(areas, call, object);
        views.set(object.oid, found.view);
        return found;
      }),
      replaces('operations', 'targetOf', (right, areas, run, operation) =>
        right(areas, { ...run, view: views.get(run.object.oid) ?? run.view }, operation),
      ),
    )(classes);
  };
}
