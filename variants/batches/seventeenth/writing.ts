import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, versionHeader } from '../service.ts';

export const editingMistakes: Batch = {
  'spaces.edit-by-the-id-alone': {
    source: 'core: What the service does',
    breaks: 'A path below a space leads to objects of that space, whoever has a role in it.',
    kind: 'role',
    variant: replaces('dispatcher', 'carryOutWrite', async (right, areas, route, call, writing) => {
      const { objectId = '' } = call.params;
      for (const space of areas.configuration.spaces.values())
        if ((await writing.object(space.id, objectId)) !== undefined)
          return right(areas, route, { ...call, space }, writing);
      return right(areas, route, call, writing);
    }),
    async shows(service) {
      const { oid } = await service.edda.make('Dossier', { title: 't' });
      const path = `/api/space/main/softtype/Dossier/dossierInput/${oid}`;
      const edit = { headers: versionHeader(1), body: { note: 'from main' } };
      return (await service.emil.send('PATCH', path, edit)).status < 400;
    },
  },
};

export const operationsMistakes: Batch = {
  'operations.unknown-one-passed-over': {
    source: 'core: Patch operation',
    breaks: 'An operation is add, replace or remove; a list with another one is not carried out.',
    kind: 'value',
    variant: replaces('operations', 'operationsOf', (right, areas, body) => {
      const known = listAt(body, '').filter((item) => ['add', 'replace', 'remove'].includes(String(at(item, '/op'))));
      return right(areas, Array.isArray(body) ? known : body);
    }),
    async shows(service) {
      const edda = service.edda;
      const made = await edda.make('Document', { title: 't', note: 'n' });
      const operations = [
        { op: 'replace', path: '/title', value: 'u' },
        { op: 'increment', path: '/pageCount', value: 1 },
      ];
      return (await edda.operate(made, 1, operations)).status < 400;
    },
  },
};
