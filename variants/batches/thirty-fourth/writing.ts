import { isContent } from '../../../reference-server/areas/content.ts';
import { type CurrentStates, statesMember, storedStates } from '../../../reference-server/areas/soft-type.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { type Variant, breaks, replaces, together, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, editPath, listAt, movePath, versionHeader } from '../service.ts';

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

  'versioning.counts-what-was-rolled-back': {
    source: 'core: Versioning 2',
    breaks: 'An edit raises the version by one, also after a batch that failed had edited the object.',
    kind: 'copy',
    variant: breaks('versioning', 'versionAfterMerge', () => {
      const issued = new Map<string, number>();
      return (_areas, { oid, version }) => {
        const next = Math.max(version, issued.get(oid) ?? 0) + 1;
        issued.set(oid, next);
        return next;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.batch([
        { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note: 'lost' } },
        { method: 'GET', href: '/api/space/main/softtype/none' },
      ]);
      await edda.merge(made, 1, { note: 'kept' });
      return at(await edda.read(made), '/version') !== 2;
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

  'operations.add-at-an-inner-entry-appends': {
    source: 'core: Operations-based PATCH rules 4',
    breaks: 'Nothing is inserted at a place inside an array, also not inside an array of an entry.',
    kind: 'place',
    variant: replaces('operations', 'targetOf', async (right, areas, run, operation) => {
      const target = await right(areas, run, operation);
      const { op, tokens } = operation;
      if (op !== 'add' || target.kind !== 'entry' || tokens.length !== 4) return target;
      return right(areas, run, { ...operation, tokens: tokens.slice(0, 3) });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', revisions: [{ text: 'r' }] }] });
      const entry = at(await edda.read(made), '/data/files/0');
      const path = `/files/${String(at(entry, '/$entryId'))}/revisions/${String(at(entry, '/revisions/0/$entryId'))}`;
      await edda.operate(made, 1, [{ op: 'add', path, value: { text: 'before' } }]);
      return listAt(await edda.read(made), '/data/files/0/revisions').length > 1;
    },
  },

  'operations.add-joins-objects': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An add on a member that exists fails, also where an object is given other members than it has.',
    kind: 'combination',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, place) => {
      const isJoined =
        target.kind === 'member' &&
        target.member.kind === 'object' &&
        isContent(target.value) &&
        isContent(value) &&
        !Object.keys(value).some((name) => Object.hasOwn(target.value as Content, name));
      if (!isJoined) return right(areas, run, target, value, place);
      return areas.operations.setMember(run, target, { ...(target.value as Content), ...value });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', dimensions: { width: '1' } });
      const { status } = await edda.operate(made, 1, [{ op: 'add', path: '/dimensions', value: { height: '2' } }]);
      return status < 300;
    },
  },

  'operations.second-cascade-of-a-list': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'Each entry that lost a mandatory member goes, also the second one of a list.',
    kind: 'moment',
    variant: breaks('operations', 'cascadeTo', (right) => {
      const begun = new WeakSet<object>();
      return async (areas, run, entry) => {
        if (begun.has(run)) return;
        begun.add(run);
        return right(areas, run, entry);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(3) });
      const ids = listAt(await edda.read(made), '/data/files').map((entry) => String(at(entry, '/$entryId')));
      await edda.operate(
        made,
        1,
        ids.slice(0, 2).map((id) => ({ op: 'remove', path: `/files/${id}/name` })),
      );
      return listAt(await edda.read(made), '/data/files').length !== 1;
    },
  },

  'operations.offset-of-the-time-is-dropped': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'The effectivity date is the time of the filter, also where that is written with an offset.',
    kind: 'value',
    variant: replaces('contents', 'effectivityOf', (right, areas, call) =>
      right(areas, call).replace(/[+-]\d\d:\d\d$/, 'Z'),
    ),
    async shows({ edda }) {
      const time = '2019-03-04T23:30:00-05:00';
      const made = await edda.make('Document', { title: 't', price: '12' });
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '13' }], { time });
      return Date.parse(String(at(await edda.read(made), '/data/price/effectivity'))) !== Date.parse(time);
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
