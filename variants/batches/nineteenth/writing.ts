import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { InformationFilter } from '../../../reference-server/http/call.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { nameOf } from '../../../reference-server/areas/operations.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt } from '../service.ts';

/** Longer than any array. */
const whole = { from: 0, to: 1_000_000 };

export const writingMistakes: Batch = {
  'versioning.thirty-two-bits': {
    source: 'core: Errors 409',
    breaks: 'A version that does not equal that of the server is refused, also one that differs by 2 to the 32nd.',
    kind: 'value',
    variant: replaces('versioning', 'sameVersion', (_right, _areas, sent, current) => sent % 2 ** 32 === current),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'bits' });
      return (await edda.merge(made, 2 ** 32 + 1, { note: 'edited' })).status !== 409;
    },
  },

  'versioning.references-are-an-edit': {
    source: 'core: Versioning 2',
    breaks: 'A created object has version 1, also one that refers to others.',
    kind: 'place',
    variant: replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const oid = answer.headers?.['Location']?.split('/').at(-1) ?? '';
      const object = await writing.object(call.space.id, oid);
      if (object !== undefined && (await writing.countEntries(oid, 'describes')) > 0)
        await writing.updateObject(call.space.id, oid, object.version + 1, object.content);
      return answer;
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Part', { name: 'part' });
      const made = await edda.make('Document', { title: 'refers', describes: [{ value: { $oid: oid } }] });
      return at(await edda.read(made), '/version') !== 1;
    },
  },

  'versioning.empty-merge': {
    source: 'core: Versioning 3',
    breaks: 'The version of a PATCH is compared, also when its body names no field.',
    kind: 'combination',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isEmpty = call.method === 'PATCH' && call.body?.toString() === '{}';
      return isEmpty && areas.versioning.versionHeaderOf(call) > 0 ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'empty' });
      return (await edda.merge(made, 5, {})).status !== 409;
    },
  },

  'maturity.version-in-the-last-state': {
    source: 'core: Endpoint table, PUT promote',
    breaks: 'A promote tells the new version, also that into the last state.',
    kind: 'place',
    variant: replaces('maturity', 'promoteObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const { states, current } = call.place;
      return current === states.at(-2) ? areas.versioning.editedAnswer(call.object.version) : answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'last' });
      await edda.move(made, 1);
      return (await edda.move(made, 2)).headers.get('Svc-UOIVersion') !== '3';
    },
  },

  'headers.filter-of-the-request-before': {
    source: 'core: Information filter',
    breaks: 'The filter of a request is the one in its header, not that of an equal request before.',
    kind: 'copy',
    variant: breaks('messages', 'informationFilterOf', (right) => {
      const kept = new Map<string, InformationFilter>();
      return (areas, call) => {
        const own = right(areas, call);
        const key = [call.headers['authorization'], call.method, call.url].join(' ');
        const filter = kept.get(key) ?? own;
        kept.set(key, filter);
        return filter;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'dated', price: '1' });
      const price = (version: number, time: string) =>
        edda.operate(made, version, [{ op: 'replace', path: '/price', value: String(version) }], { time });
      await price(1, '2030-01-01T00:00:00Z');
      await price(2, '2040-01-01T00:00:00Z');
      return !String(at(await edda.read(made), '/data/price/effectivity')).startsWith('2040');
    },
  },
};

export const operationsMistakes: Batch = {
  'operations.replace-adds-in-nested-entries': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'What is replaced has to exist, also in an entry of an array inside an entry.',
    kind: 'place',
    variant: replaces('operations', 'replaceValue', (right, areas, run, target, value, pointer) => {
      const isNested = target.kind === 'member' && target.steps.length > 1 && target.row.entry !== undefined;
      if (isNested && target.value === undefined) return areas.operations.setMember(run, target, value);
      return right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const files = [{ name: 'file', revisions: [{ text: 'first' }] }];
      const made = await edda.make('Document', { title: 'nested', files });
      const operation = { op: 'replace', path: '/files/1/revisions/1/author', value: 'nobody' };
      return (await edda.operate(made, 1, [operation])).status < 400;
    },
  },

  'operations.add-of-the-whole-document': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'The empty path is unsupported, for add as well.',
    kind: 'value',
    variant: replaces('operations', 'applyOperation', async (right, areas, run, operation, pointer) => {
      if (operation.path !== '' || operation.op !== 'add' || !isContent(operation.value))
        return right(areas, run, operation, pointer);
      run.root = { ...run.root, ...operation.value };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'whole' });
      return (await edda.operate(made, 1, [{ op: 'add', path: '', value: { note: 'added' } }])).status < 400;
    },
  },

  'operations.append-to-the-first-page': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'What is added to an array is its last entry, also when the array has further pages.',
    kind: 'combination',
    variant: replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
      await right(areas, run, target, contents);
      const { writing, object } = run;
      const all = await writing.entries(object.oid, nameOf(target), whole);
      if (all.length <= 10 + contents.length) return;
      const added = all.slice(-contents.length);
      const order = [...all.slice(0, 10), ...added, ...all.slice(10, -contents.length)];
      await writing.replaceEntries(object.oid, nameOf(target), order);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'append', files: named(12) });
      await edda.operate(made, 1, [{ op: 'add', path: '/files/-', value: { name: 'added' } }]);
      return at(listAt((await edda.page(made, 'files', 1)).json, '/data').at(-1), '/name') !== 'added';
    },
  },

  'operations.remove-with-null': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'A remove has no value, null included.',
    kind: 'value',
    variant: replaces('operations', 'operationOf', (right, areas, item, pointer) => {
      if (!isContent(item) || item['op'] !== 'remove' || item['value'] !== null) return right(areas, item, pointer);
      return right(areas, { op: item['op'], path: item['path'] }, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'null', note: 'removed' });
      return (await edda.operate(made, 1, [{ op: 'remove', path: '/note', value: null }])).status < 400;
    },
  },

  'operations.siblings-of-a-member': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A path addresses one member: those beside it in its object stay.',
    kind: 'place',
    variant: replaces('operations', 'setMember', (right, areas, run, target, value) => {
      const [parent, member] = target.steps;
      const isInObject = target.row.entry === undefined && target.steps.length === 2 && parent?.entryId === undefined;
      if (!isInObject || parent === undefined || member === undefined) return right(areas, run, target, value);
      const row = { ...target.row, content: { ...target.row.content, [parent.name]: {} } };
      return right(areas, run, { ...target, row }, value);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'siblings', dimensions: { width: '1', height: '2' } });
      await edda.operate(made, 1, [{ op: 'replace', path: '/dimensions/width', value: '3' }]);
      return at(await edda.read(made), '/data/dimensions/height') !== '2';
    },
  },

  'operations.ids-inside-an-added-entry': {
    source: 'core: System properties inside data',
    breaks: 'Each object in an array has an entry id, also those inside an entry that an operation added.',
    kind: 'combination',
    variant: replaces('operations', 'appendToPort', (right, areas, ...args) => {
      const unnumbered = {
        withEntryIds: (items: readonly { content: object }[]) => items.map(({ content }) => ({ ...content })),
      };
      return right(within(areas, { contents: unnumbered }), ...args);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'inside' });
      const value = { name: 'file', revisions: [{ text: 'first' }] };
      await edda.operate(made, 1, [{ op: 'add', path: '/files', value }]);
      return at(await edda.read(made), '/data/files/0/revisions/0/$entryId') === undefined;
    },
  },

  'operations.nested-entry-with-a-slash': {
    source: 'core: Operations-based PATCH rules 9',
    breaks: 'An entry is removed by its path with a slash behind it, also one of an array inside an entry.',
    kind: 'place',
    variant: replaces('operations', 'applyOperation', (right, areas, run, operation, pointer) => {
      if (operation.op === 'remove' && operation.path.endsWith('/') && operation.tokens.length > 3)
        throw new Refusal(422, 'There is no such member.');
      return right(areas, run, operation, pointer);
    }),
    async shows({ edda }) {
      const files = [{ name: 'file', revisions: [{ text: 'first' }] }];
      const made = await edda.make('Document', { title: 'slash', files });
      return (await edda.operate(made, 1, [{ op: 'remove', path: '/files/1/revisions/1/' }])).status >= 400;
    },
  },
};
