import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { isoTime } from '../../../reference-server/rfc3339.ts';
import { within, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, versionHeader } from '../service.ts';

export const writtenMistakes: Batch = {
  'editing.empty-text-is-no-edit': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A field in the body of a merge is edited, also when its new value is a text without characters.',
    kind: 'value',
    variant: replaces('editing', 'mergePatch', (right, areas, target, edits) => {
      const members = Object.entries(edits).filter(([, edit]) => edit !== '');
      return right(areas, target, Object.fromEntries(members));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'empty', note: 'before' });
      await edda.merge(made, 1, { note: '' });
      return at(await edda.read(made), '/data/note') === 'before';
    },
  },

  'editing.put-keeps-what-is-dated': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A field that the body of a PUT leaves out is removed, a dated one as every other.',
    kind: 'place',
    variant: replaces('editing', 'replaceContent', (right, areas, old, given) => {
      const dated = Object.entries(old).filter(([, value]) => isContent(value) && 'effectivity' in value);
      return right(areas, old, { ...Object.fromEntries(dated), ...given });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'dated', price: '10' });
      await edda.replace(made, 1, { title: 'dated' });
      return at(await edda.read(made), '/data/price') !== undefined;
    },
  },

  'editing.merge-by-the-second-schema': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'What a merge does not name stays, also what the input schema of the path does not have.',
    kind: 'place',
    variant: replaces('editing', 'mergeObject', (right, areas, call, writing) => {
      const { view } = call.place;
      const kept = new Set(view.names.values());
      const narrow = within(areas, {
        editing: {
          mergePatch(target, edits) {
            const merged = Object.entries(areas.editing.mergePatch(target, edits));
            return Object.fromEntries(merged.filter(([name]) => name.startsWith('$') || kept.has(name)));
          },
        },
      });
      return right(narrow, call, writing);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'brief', pageCount: 5 });
      const path = `/api/space/main/softtype/Document/documentBrief/${made.oid}`;
      await edda.send('PATCH', path, { headers: versionHeader(1), body: { note: 'edited' } });
      return at(await edda.read(made), '/data/pageCount') !== 5;
    },
  },
};

export const comparedMistakes: Batch = {
  'versioning.older-as-a-text': {
    source: 'core: Versioning 3',
    breaks: 'An edit for an older version is refused, also one for version 9 when the object is at 10.',
    kind: 'value',
    variant: replaces('versioning', 'sameVersion', (right, areas, sent, current) => {
      return right(areas, sent, current) || (sent < current && String(sent) > String(current));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'ten' });
      for (let version = 1; version < 10; version += 1) await edda.merge(made, version, { note: `edit ${version}` });
      return (await edda.merge(made, 9, { note: 'stale' })).status !== 409;
    },
  },

  'versioning.version-of-32-bits': {
    source: 'core: Errors 1',
    breaks: 'A version that is not that of the object is refused, however large it is.',
    kind: 'value',
    variant: replaces('versioning', 'sameVersion', (right, areas, sent, current) => right(areas, sent | 0, current)),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'large' });
      return (await edda.merge(made, 2 ** 32 + 1, { note: 'stale' })).status !== 409;
    },
  },
};

/** When the first people stood on the moon. */
const longAgo = '1969-07-20T20:17:40Z';

const lately = '2026-02-03T04:05:06Z';

export const operationMistakes: Batch = {
  'operations.removal-by-prefix': {
    source: 'core: Operations-based PATCH rules 9',
    breaks: 'To remove an entry removes that one, and none whose id only begins alike.',
    kind: 'value',
    variant: replaces('operations', 'removeTarget', async (right, areas, run, target) => {
      await right(areas, run, target);
      const { entry } = target.row;
      if (target.kind !== 'entry' || target.steps.length > 0 || entry === undefined) return;
      const { oid } = run.object;
      for (const { entryId } of await run.writing.entries(oid, entry.port, { from: 0, to: 1_000_000 }))
        if (String(entryId).startsWith(String(entry.entryId))) await run.writing.removeEntry(oid, entry.port, entryId);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'prefix', files: named(11) });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/1/' }]);
      return listAt(await edda.read(made), '/data/files').length !== 10;
    },
  },

  'operations.end-marker-inside-an-entry': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'The end marker may be given behind every array, also behind one inside an entry.',
    kind: 'place',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, pointer) => {
      if (target.kind === 'array' && target.marker && target.row.entry !== undefined)
        throw new Refusal(422, 'There is no entry with the id -.');
      return right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'marker', files: [{ name: 'one', revisions: [] }] });
      const added = { op: 'add', path: '/files/1/revisions/-', value: { text: 'first' } };
      return (await edda.operate(made, 1, [added])).status >= 400;
    },
  },

  'operations.list-takes-a-value-once': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A value that is added to an array is appended, also when the array has it already.',
    kind: 'value',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, pointer) => {
      if (target.kind === 'list' && Array.isArray(target.value) && target.value.includes(value)) return;
      await right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'twice', keywords: ['steel'] });
      await edda.operate(made, 1, [{ op: 'add', path: '/keywords/-', value: 'steel' }]);
      return listAt(await edda.read(made), '/data/keywords').length !== 2;
    },
  },

  'operations.zeros-before-an-id': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'An entry is addressed by its id, and not by another text of the same number.',
    kind: 'value',
    survives:
      'In which texts a path may write an id is not said (entry-id-form); patch.path.unusual-pointers records what becomes of one with a zero before it.',
    variant: replaces('operations', 'entryAt', (right, areas, run, port, token) =>
      right(areas, run, port, token.replace(/^0+/, '')),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'zeros', files: named(1) });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/files/01/name', value: 'other' }])).status < 400;
    },
  },

  'operations.same-value-is-not-dated-anew': {
    source: 'core: Operations-based PATCH rules 7',
    breaks:
      'A dated element that is replaced gets the date of the information filter, also when its value is the same.',
    kind: 'value',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, pointer) => {
      if (target.kind === 'member' && target.member.kind === 'dated' && at(target.value, '/value') === value) return;
      await right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'dated', price: '10' });
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '10' }], { time: lately });
      return !isTime(at(await edda.read(made), '/data/price/effectivity'), lately);
    },
  },

  'operations.date-before-1970': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A dated element that is replaced gets the date of the information filter, however long ago that is.',
    kind: 'value',
    variant: replaces('contents', 'effectivityOf', (right, areas, call) => {
      const time = right(areas, call);
      return Date.parse(time) > 0 ? time : isoTime(areas.clock.now());
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'dated', price: '10' });
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '12' }], { time: longAgo });
      return !isTime(at(await edda.read(made), '/data/price/effectivity'), longAgo);
    },
  },
};

function isTime(effectivity: unknown, time: string): boolean {
  return Date.parse(String(effectivity)) === Date.parse(time);
}
