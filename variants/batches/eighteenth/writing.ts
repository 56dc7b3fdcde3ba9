import { headerNames } from '../../../contract/names.ts';
import { isContent, referenceMembers } from '../../../reference-server/areas/content.ts';
import { statesMember } from '../../../reference-server/areas/soft-type.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt } from '../service.ts';

export const writingMistakes: Batch = {
  'creating.once-is-enough': {
    source: 'core: Errors 201',
    breaks:
      'The Location of a create is that of the object it made, also where one with the same content was made just before.',
    kind: 'copy',
    variant: breaks('editing', 'createObject', (right) => {
      const answers = new Map<string, { readonly answer: Answer; readonly at: number }>();
      return async (areas, call, writing) => {
        const key = JSON.stringify([call.user.name, call.url, call.json]);
        const before = answers.get(key);
        const now = areas.clock.now();
        if (before !== undefined && now - before.at < 5000) return before.answer;
        const answer = await right(areas, call, writing);
        answers.set(key, { answer, at: now });
        return answer;
      };
    }),
    async shows({ edda }) {
      const make = () => edda.make('Document', { title: 'twice' });
      return (await make()).oid === (await make()).oid;
    },
  },

  'creating.version-under-another-schema': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'A create answers with the version, whichever input schema it was made by.',
    kind: 'place',
    variant: replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const { headers = {}, ...answer } = await right(areas, call, writing);
      const { Location = '' } = headers;
      const [first] = call.place.softType.inputs.values();
      return { ...answer, headers: call.place.view === first ? headers : { Location } };
    }),
    async shows({ edda }) {
      const made = await edda.post('/api/space/main/softtype/Document/documentBrief', { title: 't' });
      return made.headers.get(headerNames.version) === null;
    },
  },

  'operations.reference-to-nothing': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An assignment goes with the value that is removed from it, a reference like every other.',
    kind: 'place',
    variant: replaces(
      'operations',
      'complies',
      (right, areas, members, content) => members === referenceMembers || right(areas, members, content),
    ),
    async shows({ edda }) {
      const part = await edda.make('Part', { name: 'n' });
      const made = await edda.make('Document', { title: 't', describes: [{ value: { $oid: part.oid } }] });
      const id = String(at(await edda.read(made), '/data/describes/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/describes/${id}/value` }]);
      return listAt(await edda.read(made), '/data/describes').length === 1;
    },
  },

  'maturity.state-after-a-demote': {
    source: 'core: States and transitions',
    breaks: 'A current state has its own identifier and definition, also after a demote.',
    kind: 'moment',
    variant: replaces('maturity', 'demoteObject', (right, areas, call, writing) => {
      const bare = within(areas, {
        maturity: {
          contentInState(content, level, state) {
            const states = content[statesMember];
            return { ...content, [statesMember]: { ...(isContent(states) && states), [level]: { id: level, state } } };
          },
        },
      });
      return right(bare, call, writing);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      await edda.move(made, 2, 'demote');
      return at(await edda.read(made), '/data/engineering/$oid') === undefined;
    },
  },
};
