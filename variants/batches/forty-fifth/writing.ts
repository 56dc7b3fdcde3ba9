import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';

/** Operations, edits and creates. */
export const writingMistakes: Batch = {
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
};
