import { statesMember } from '../../../reference-server/areas/soft-type.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, movePath, versionHeader } from '../service.ts';

const beyondIntegers = 2 ** 31;

/** What edits and moves leave behind. */
export const writingMistakes: Batch = {
  'maturity.second-level-from-before-the-batch': {
    source: 'core: States and transitions',
    breaks: 'Each maturity level has its state, also where one batch moves two of them.',
    kind: 'combination',
    variant: breaks('maturity', 'promoteObject', (right) => {
      const first = new Map<string, unknown>();
      return (areas, call, writing) => {
        const { object } = call;
        if (call.isChangedHere?.(object.oid) !== true) {
          first.set(object.oid, object.content[statesMember]);
          return right(areas, call, writing);
        }
        const content = { ...object.content, [statesMember]: first.get(object.oid) };
        return right(areas, { ...call, object: { ...object, content } }, writing);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const move = (level: string, version: number) => ({
        method: 'PUT',
        href: movePath(made, 'promote', level),
        headers: versionHeader(version),
      });
      await edda.batch([move('engineering', 1), move('approval', 2)]);
      return at(await edda.read(made), '/data/engineering/state') === 'draft';
    },
  },

  'put.known-entries-keep-their-places': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A PUT replaces the content, the order of the entries of an array included.',
    kind: 'value',
    survives: 'The order of entries is not said, apart from what is appended (order-of-entries): recorded.',
    variant: replaces('editing', 'replaceArray', (right, areas, writing, oid, port, items) => {
      const known = items.filter(({ entryId }) => entryId !== undefined);
      const fresh = items.filter(({ entryId }) => entryId === undefined);
      const inOrder = known.toSorted((one, other) => (one.entryId ?? 0) - (other.entryId ?? 0));
      return right(areas, writing, oid, port, [...inOrder, ...fresh]);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(3) });
      const files = listAt(await edda.read(made), '/data/files');
      await edda.replace(made, 1, { title: 't', files: files.toReversed() });
      return at(await edda.read(made), '/data/files/0/name') !== 'n3';
    },
  },

  'operations.integers-of-32-bits': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A replaced number is the one that was sent, one beyond 32 bits too.',
    kind: 'value',
    variant: replaces('operations', 'setMember', (right, areas, run, target, value) =>
      right(areas, run, target, Number.isInteger(value) && Number(value) >= beyondIntegers ? Number(value) | 0 : value),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', pageCount: 1 });
      await edda.operate(made, 1, [{ op: 'replace', path: '/pageCount', value: 3_000_000_000 }]);
      return at(await edda.read(made), '/data/pageCount') !== 3_000_000_000;
    },
  },

  'operations.deep-ones-raise-no-version': {
    source: 'core: Versioning 2',
    breaks: 'Each edit increments the version, one of an entry inside an entry too.',
    kind: 'place',
    variant: replaces('operations', 'operateObject', (right, areas, call, writing) => {
      const { versioning } = areas;
      const isDeep = call.json.every(({ tokens }) => tokens.length > 3 && tokens[3] !== '-');
      if (!isDeep) return right(areas, call, writing);
      const before = call.object.version;
      return right(areas, call, writing).then(async () => {
        const object = await writing.object(call.space.id, call.object.oid);
        if (object !== undefined) await versioning.storeEdit(writing, object, before, object.content);
        return versioning.editedAnswer(before);
      });
    }),
    async shows({ edda }) {
      const files = [{ name: 'n', revisions: [{ text: 'l', author: 'a' }] }];
      const made = await edda.make('Document', { title: 't', files });
      const read = await edda.read(made);
      const [file, revision] = [at(read, '/data/files/0/$entryId'), at(read, '/data/files/0/revisions/0/$entryId')];
      const path = `/files/${String(file)}/revisions/${String(revision)}/author`;
      await edda.operate(made, 1, [{ op: 'replace', path, value: 'b' }]);
      return at(await edda.read(made), '/version') !== 2;
    },
  },
};
