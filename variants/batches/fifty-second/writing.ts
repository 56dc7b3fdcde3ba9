import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { type Variant, breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt } from '../service.ts';

/** Whether a program that asks whether there is something would say no. */
function isFalsy(value: unknown): boolean {
  return value === '' || value === 0 || value === false;
}

/** Versions are drawn before it is known whether the promote may be made, and those of refused ones are not given back. */
function drawnVersions(): Variant {
  return (classes) => {
    const lost = new Map<string, number>();
    return replaces('maturity', 'promoteObject', async (right, areas, call, writing) => {
      const { oid } = call.object;
      const ahead = within(areas, {
        maturity: {
          versionAfterPromote: (object) => areas.versioning.nextVersion(object.version) + (lost.get(oid) ?? 0),
        },
      });
      try {
        const answer = await right(ahead, call, writing);
        lost.delete(oid);
        return answer;
      } catch (error) {
        lost.set(oid, (lost.get(oid) ?? 0) + 1);
        throw error;
      }
    })(classes);
  };
}

/** Edits of single objects. */
export const writingMistakes: Batch = {
  'operations.arrays-of-references-refused': {
    source: 'core: Operations-based PATCH rules 6, first part',
    breaks: 'An array is a value that add takes, also one of references.',
    kind: 'place',
    survives: 'What an array does that is added to an array is not said, a refusal included (add-array-onto-array).',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, place) => {
      if (target.kind === 'array' && target.member.kind === 'references' && Array.isArray(value))
        throw new Refusal(422, 'Expected one reference, found an array.');
      return right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const part = await edda.make('Part', { name: 'p' });
      const made = await edda.make('Document', { title: 't' });
      const value = [{ value: { $oid: part.oid } }];
      return (await edda.operate(made, 1, [{ op: 'add', path: '/describes', value }])).status >= 400;
    },
  },

  'operations.falsy-value-counts-as-absent': {
    source: 'core: Operations-based PATCH rules 8, first part',
    breaks: 'A remove has no value, and one that is false or empty is a value.',
    kind: 'value',
    variant: replaces('operations', 'operationOf', (right, areas, item, place) => {
      if (!isContent(item) || item['op'] !== 'remove' || !isFalsy(item['value'])) return right(areas, item, place);
      const { value: _ignored, ...rest } = item;
      return right(areas, rest, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      return (await edda.operate(made, 1, [{ op: 'remove', path: '/note', value: '' }])).status < 300;
    },
  },

  'operations.add-over-an-empty-value': {
    source: 'core: Operations-based PATCH rules 5, last part',
    breaks: 'An add fails where the member exists, also where its value is empty, zero or false.',
    kind: 'value',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, place) =>
      right(
        areas,
        run,
        target.kind === 'member' && isFalsy(target.value) ? { ...target, value: undefined } : target,
        value,
        place,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', confidential: false });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/confidential', value: true }])).status < 300;
    },
  },

  'operations.insertion-before-an-inner-entry': {
    source: 'core: Operations-based PATCH rules 4, second part',
    breaks: 'Nothing is inserted at a place, also not in an array inside an entry.',
    kind: 'place',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, place) => {
      const last = target.steps.at(-1);
      if (target.kind !== 'entry' || last === undefined) return right(areas, run, target, value, place);
      const steps = [...target.steps.slice(0, -1), { name: last.name }];
      return right(areas, run, { ...target, kind: 'array', steps, marker: false }, value, place);
    }),
    async shows({ edda }) {
      const files = [{ name: 'n', revisions: [{ text: 'first' }] }];
      const made = await edda.make('Document', { title: 't', files });
      const read = await edda.read(made);
      const [file, revision] = [at(read, '/data/files/0/$entryId'), at(read, '/data/files/0/revisions/0/$entryId')];
      const path = `/files/${String(file)}/revisions/${String(revision)}`;
      return (await edda.operate(made, 1, [{ op: 'add', path, value: { text: 'second' } }])).status < 300;
    },
  },

  'operations.one-parent-of-a-list': {
    source: 'core: Operations-based PATCH rules 8, second part',
    breaks: 'Each parent that does not comply any more goes, also the second one of a list of operations.',
    kind: 'moment',
    variant: breaks('operations', 'cascadeTo', (right) => {
      const runs = new WeakSet();
      return async (areas, run, entry) => {
        if (runs.has(run)) return;
        runs.add(run);
        await right(areas, run, entry);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'a' }, { name: 'b' }] });
      const ids = listAt(await edda.read(made), '/data/files').map((file) => String(at(file, '/$entryId')));
      await edda.operate(
        made,
        1,
        ids.map((id) => ({ op: 'remove', path: `/files/${id}/name` })),
      );
      return listAt(await edda.read(made), '/data/files').length > 0;
    },
  },

  'operations.shell-of-a-dated-value': {
    source: 'core: Operations-based PATCH rules 8, example',
    breaks: 'With the value goes the assignment that owns it, also behind another operation of the list.',
    kind: 'place',
    variant: replaces('operations', 'applyOperation', async (right, areas, run, operation, place) => {
      const [name = '', below] = operation.tokens;
      const held = run.root[name];
      await right(areas, run, operation, place);
      if (operation.op !== 'remove' || below !== 'value' || place === '/0' || !isContent(held)) return;
      run.root = { ...run.root, [name]: { effectivity: held['effectivity'] } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', price: '12' });
      await edda.operate(made, 1, [
        { op: 'replace', path: '/title', value: 'u' },
        { op: 'remove', path: '/price/value' },
      ]);
      return at(await edda.read(made), '/data/price') !== undefined;
    },
  },

  'maturity.refused-promotes-count': {
    source: 'core: States and transitions, second part of the second item',
    breaks: 'A promote leads from one version to the next, also where one was refused before.',
    kind: 'moment',
    variant: (classes) => drawnVersions()(classes),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      for (const version of [1, 2, 3]) await edda.move(made, version);
      await edda.move(made, 3, 'demote');
      const answer = await edda.move(made, 4);
      return answer.headers.get('svc-uoiversion') !== '5';
    },
  },

  'versioning.the-lock-is-enough': {
    source: 'core: Errors, row 409',
    breaks: 'A stale version is a conflict, also for the user who holds the lock.',
    kind: 'combination',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const sent = areas.versioning.versionHeaderOf(call);
      const isHolders = 'user' in call && isContent(call.user) && object.content['$lockedBy'] === call.user['name'];
      return isHolders && sent > 0 && sent < object.version ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.merge(made, 1, { note: 'a' });
      await edda.post(`/api/space/main/lock/${made.oid}`);
      return (await edda.merge(made, 1, { note: 'b' })).status < 300;
    },
  },

  'versioning.none-asked-for-behind-a-write': {
    source: 'core: Errors, rule 2',
    breaks: 'The version is needed on PUT and PATCH, also where the batch itself has just changed the object.',
    kind: 'combination',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isKnown = 'isChangedHere' in call && (call.isChangedHere as (oid: string) => boolean)(object.oid);
      return isKnown && call.headers['svc-uoiversion'] === undefined ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 't' });
      const href = `/api/space/main/softtype/Document/documentInput/${oid}`;
      const edit = { method: 'PATCH', href, body: { note: 'n' } };
      return (await edda.batch([{ ...edit, headers: { 'Svc-UOIVersion': '1' } }, edit])).status === 200;
    },
  },
};
