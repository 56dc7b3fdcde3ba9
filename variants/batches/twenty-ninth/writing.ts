import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, type Made } from '../service.ts';

export const manyMistakes: Batch = {
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
};

function patchOf(made: Made) {
  return { method: 'PATCH', href: editPath(made), headers: { 'Svc-UOIVersion': '1' }, body: { note: 'changed' } };
}
