import { type CurrentStates, statesMember, storedStates } from '../../../reference-server/areas/soft-type.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { type Variant, breaks, replaces, together, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, movePath } from '../service.ts';

export const writingMistakes: Batch = {
  'editing.put-keeps-arrays-beside-a-named-one': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A field that is absent from a PUT is removed, an array as well, also where the body names another array.',
    kind: 'combination',
    variant: replaces('editing', 'arraysAfterPut', (right, areas, softType, given) =>
      given.size > 0 ? given : right(areas, softType, given),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(1), contacts: named(1) });
      await edda.replace(made, 1, { title: 't', files: named(2) });
      return listAt(await edda.read(made), '/data/contacts').length > 0;
    },
  },

  'versioning.none-for-the-second-level-in-a-batch': {
    source: 'core: Errors 412',
    breaks: 'A PUT without the version header is answered 412, a maturity action inside a batch too.',
    kind: 'place',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isMove = call.params['levelId'] === 'approval' && 'isSibling' in call;
      return isMove && call.headers['svc-uoiversion'] === undefined ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const batch = await edda.batch([{ method: 'PUT', href: movePath(made, 'promote', 'approval') }]);
      return at(batch.json, '/0/statusCode') !== 412;
    },
  },

  'maturity.demote-takes-the-other-level-along': {
    source: 'core: States and transitions',
    breaks: 'A demote moves the level that its path names, and no other one.',
    kind: 'copy',
    survives: 'Whether levels move independently is not said, and what a demote leads to is silent (demote-effect).',
    variant: demoteRestores(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      await edda.move(made, 2, 'promote', 'approval');
      await edda.move(made, 3, 'demote');
      return at(await edda.read(made), '/data/approval/state') !== 'checked';
    },
  },

  'maturity.states-share-their-ids': {
    source: 'core: States and transitions',
    breaks: 'The $oid of a current state identifies one object, not that of every instance of the definition.',
    kind: 'copy',
    survives: 'A current state names a level-state, which may be one object that all instances in it refer to.',
    variant: breaks('editing', 'startContent', (right) => {
      const known = new Map<string, Content>();
      return (areas, softType) => {
        const content = known.get(softType.id) ?? right(areas, softType);
        known.set(softType.id, content);
        return content;
      };
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Document', { title: 'a' }), await edda.make('Document', { title: 'b' })];
      const [first, second] = [await edda.read(one), await edda.read(other)];
      return at(first, '/data/engineering/$oid') === at(second, '/data/engineering/$oid');
    },
  },
};

/** Undoes a promote by what it kept of all levels. */
function demoteRestores(): Variant {
  return (classes) => {
    const before = new Map<string, CurrentStates>();
    return together(
      replaces('maturity', 'promoteObject', async (right, areas, call, writing) => {
        const answer = await right(areas, call, writing);
        before.set(`${call.object.oid} ${call.place.id}`, storedStates(call.object));
        return answer;
      }),
      replaces('maturity', 'demoteObject', (right, areas, call, writing) => {
        const states = before.get(`${call.object.oid} ${call.place.id}`);
        if (states === undefined) return right(areas, call, writing);
        const contentInState = (content: Content): Content => ({ ...content, [statesMember]: states });
        return right(within(areas, { maturity: { contentInState } }), call, writing);
      }),
    )(classes);
  };
}
