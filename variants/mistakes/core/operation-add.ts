import { isDeepStrictEqual } from 'node:util';
import { isContent, readValue } from '../../../reference-server/areas/content.ts';
import { isPort, nameOf, type Operation, type OperationsRun } from '../../../reference-server/areas/operations.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, together, type Variant } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { append, filesOf, firstFile, membersAt, named, withFiles, withRevisions } from '../proofs.ts';
import { at, listAt } from '../service.ts';
import { changes, leadsTo, mapTexts, whole } from '../variant-parts.ts';

export const operationAddMistakes: Mistakes = {
  'operations.same-appends-again-ignored': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An add to an array appends, also by the very list that was accepted last.',
    variant: breaks('operations', 'operateObject', (right) => {
      const last = new Map<string, string>();
      return async (areas, call, writing) => {
        const { object, json } = call;
        const text = JSON.stringify(json);
        const areAppends = json.length > 0 && json.every((each) => each.op === 'add' && isContent(each.value));
        if (!areAppends || last.get(object.oid) !== text) {
          const answer = await right(areas, call, writing);
          last.set(object.oid, text);
          return answer;
        }
        const version = areas.versioning.versionAfterOperations(object, json);
        await areas.versioning.storeEdit(writing, object, version, object.content);
        return areas.versioning.editedAnswer(version);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      for (const version of [1, 2]) await append(edda, made, version, [{ name: 'same' }]);
      return listAt(await edda.read(made), '/data/files').length !== 2;
    },
  },
  'operations.reference-that-is-there-already': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An add to an array appends, also where an entry refers to the same object.',
    variant: replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
      const there = await run.writing.entries(run.object.oid, nameOf(target), whole);
      const known = new Set(there.map(leadsTo));
      const fresh = contents.filter(
        (content) => leadsTo({ content }) === undefined || !known.has(leadsTo({ content })),
      );
      return right(areas, run, target, fresh);
    }),
    async shows({ edda }) {
      const value = { value: { $oid: (await edda.make('Part')).oid } };
      const made = await edda.make('Document', { describes: [value] });
      await edda.operate(made, 1, [{ op: 'add', path: '/describes', value }]);
      return listAt(await edda.read(made), '/data/describes').length !== 2;
    },
  },
  'operations.second-append-inside-an-entry-overwrites': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'Each add to an array appends, also where one list has two for the array inside an entry.',
    variant: replaces('operations', 'applyOperations', (right, areas, run, operations) => {
      const isOvertaken = ({ op, path, tokens }: Operation, index: number): boolean =>
        op === 'add' &&
        tokens.length > 2 &&
        operations.slice(index + 1).some((later) => later.op === 'add' && later.path === path);
      return right(
        areas,
        run,
        operations.filter((operation, index) => !isOvertaken(operation, index)),
      );
    }),
    async shows({ edda }) {
      const made = await withFiles(edda, 1);
      const path = `${await firstFile(edda, made)}/revisions`;
      const values = [{ text: 'one' }, { text: 'other' }];
      await edda.operate(
        made,
        1,
        values.map((value) => ({ op: 'add', path, value })),
      );
      return listAt(await edda.read(made), '/data/files/0/revisions').length === 1;
    },
  },
  'operations.replaced-in-entries-stays': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A list that fails has no effect, also where all that it does before is to replace a text in an entry.',
    variant: replaces('operations', 'operateObject', async (right, areas, call, writing) => {
      try {
        return await right(areas, call, writing);
      } catch (error) {
        if (!(error instanceof Refusal) || call.json.some(({ op }) => op !== 'replace')) throw error;
        const { object } = call;
        await areas.versioning.storeEdit(writing, object, object.version, object.content);
        return areas.messages.problemAnswer(call, error);
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'before' }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [
        { op: 'replace', path: `/files/${id}/name`, value: 'after' },
        { op: 'replace', path: '/files', value: [] },
      ]);
      return at(await edda.read(made), '/data/files/0/name') === 'after';
    },
  },
  'writing.list-holds-each-value-once': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A value is appended to an array also when the array has it already.',
    variant: replaces('operations', 'setMember', (right, areas, run, target, value) => {
      const isListed = target.kind === 'list' && Array.isArray(value);
      return right(areas, run, target, isListed ? [...new Set(value)] : value);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { keywords: ['a', 'b'] });
      await edda.operate(made, 1, [{ op: 'add', path: '/keywords/-', value: 'a' }]);
      return listAt(await edda.read(made), '/data/keywords').length !== 3;
    },
  },
  'writing.second-add-of-a-request-stands-first': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'Each entry that a list of operations adds is the last one at its time.',
    variant: breaks('operations', 'appendToPort', (right) => {
      const added = new WeakMap<object, number>();
      return async (areas, run, target, contents) => {
        await right(areas, run, target, contents);
        const count = (added.get(run) ?? 0) + 1;
        added.set(run, count);
        if (count < 2) return;
        const port = nameOf(target);
        const entries = await run.writing.entries(run.object.oid, port, { from: 0, to: 1000 });
        const [before, last] = entries.slice(-2);
        if (before === undefined || last === undefined) return;
        await run.writing.replaceEntries(run.object.oid, port, [...entries.slice(0, -2), last, before]);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'a' }] });
      await edda.operate(made, 1, [
        { op: 'add', path: '/files/-', value: { name: 'b' } },
        { op: 'add', path: '/files/-', value: { name: 'c' } },
      ]);
      return at(await edda.read(made), '/data/files/2/name') !== 'c';
    },
  },
  'operations.add-fills-the-gap': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'What is added to an array is its last entry, also after another entry was removed.',
    variant: (() => {
      const gaps = new Map<string, number>();
      return together(
        replaces('operations', 'removeTarget', async (right, areas, run, target) => {
          const { entry } = target.row;
          if (target.kind === 'entry' && entry !== undefined) {
            const entries = await run.writing.entries(run.object.oid, entry.port, { from: 0, to: 1000 });
            gaps.set(
              `${run.object.oid} ${entry.port}`,
              entries.findIndex(({ entryId }) => entryId === entry.entryId),
            );
          }
          return right(areas, run, target);
        }),
        replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
          await right(areas, run, target, contents);
          const port = target.steps.at(-1)?.name ?? '';
          const gap = gaps.get(`${run.object.oid} ${port}`);
          gaps.delete(`${run.object.oid} ${port}`);
          const entries = await run.writing.entries(run.object.oid, port, { from: 0, to: 1000 });
          const last = entries.at(-1);
          if (gap === undefined || last === undefined) return;
          await run.writing.replaceEntries(run.object.oid, port, entries.slice(0, -1).toSpliced(gap, 0, last));
        }),
      );
    })(),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: filesOf(3) });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/2/' }]);
      await append(edda, made, 2, [{ name: 'new' }]);
      return membersAt(await edda.read(made), '/data/files', 'name')[2] !== 'new';
    },
  },
  'operations.entry-is-known-as-it-was-first': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A member of an entry that was removed is not there any more, so that it can be added.',
    variant: breaks('operations', 'addValue', (right) => {
      const added = new Set<string>();
      return async (areas, run, target, value, pointer) => {
        const { entry } = target.row;
        if (target.kind !== 'member' || entry === undefined) return right(areas, run, target, value, pointer);
        const key = JSON.stringify([run.object.oid, entry.port, entry.entryId, target.steps]);
        if (added.has(key)) throw new Refusal(422, 'The member has a value already.');
        await right(areas, run, target, value, pointer);
        added.add(key);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: filesOf(1) });
      const add = { op: 'add', path: '/files/1/comment', value: 'c' };
      await edda.operate(made, 1, [add]);
      await edda.operate(made, 2, [{ op: 'remove', path: '/files/1/comment' }]);
      return (await edda.operate(made, 3, [add])).status >= 400;
    },
  },
  'operations.end-marker-inside-an-entry': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'The end marker may be given behind every array, also behind one inside an entry.',
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
  'operations.nothing-begins-inside-an-entry': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An append that is taken is there, also where the array inside the entry has no entry yet.',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, pointer) => {
      const isInside = target.kind === 'array' && target.row.entry !== undefined;
      const isBegun = Array.isArray(target.value) && target.value.length > 0;
      if (!isInside || isBegun) await right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'begun', files: [{ name: 'one' }] });
      await edda.operate(made, 1, [{ op: 'add', path: '/files/1/revisions', value: { text: 'first' } }]);
      return at(await edda.read(made), '/data/files/0/revisions/0/text') !== 'first';
    },
  },
  'operations.end-marker-drops-objects': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'The end marker may be given or left out, and the entry is the same, with the objects in it.',
    variant: replaces('operations', 'appendToPort', (right, areas, run, target, contents) => {
      if (!('marker' in target) || !target.marker) return right(areas, run, target, contents);
      return right(areas, run, target, contents.map(withoutObjects));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const value = { name: 'marked', origin: { place: 'p' } };
      await edda.operate(made, 1, [{ op: 'add', path: '/files/-', value }]);
      return at(await edda.read(made), '/data/files/0/origin/place') !== 'p';
    },
  },
  'operations.end-marker-of-one-array-alone': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'The end marker may be given behind every array, not behind the first one alone.',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, pointer) => {
      if (target.kind === 'array' && target.marker && target.steps[0]?.name === 'contacts')
        throw new Refusal(422, 'There is no entry with the id -.');
      return right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'marker', contacts: [{ role: 'one' }] });
      const added = { op: 'add', path: '/contacts/-', value: { role: 'two' } };
      return (await edda.operate(made, 1, [added])).status >= 400;
    },
  },
  'paging.ids-in-the-order-of-texts': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An entry that is added is the last one, also the tenth.',
    variant: replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
      const entries = await right(areas, reading, object, section, whole, filter);
      return entries
        .toSorted((one, other) => (String(one.entryId) < String(other.entryId) ? -1 : 1))
        .slice(range.from, range.to);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'ten', files: named(9) });
      await edda.operate(made, 1, [{ op: 'add', path: '/files', value: { name: 'added' } }]);
      return at(await edda.read(made), '/data/files/9/name') !== 'added';
    },
  },
  'operations.add-of-what-is-there': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An add on a member that exists fails, be it with the value that the member has.',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, place) => {
      if (target.kind === 'member' && target.value !== undefined && isDeepStrictEqual(target.value, value)) return;
      await right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { note: 'n' });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/note', value: 'n' }])).status < 300;
    },
  },
  'operations.added-twice-in-one-list': {
    source: 'core: Operations-based PATCH rules 5, last part',
    breaks: 'To add a member fails where it exists, also where an earlier operation of the list has added it.',
    survives: 'Whether an operation builds on the one before it is not said (operations-in-sequence): recorded.',
    variant: (classes) => entriesAsTheyWere()(classes),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(1) });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      const add = (value: string) => ({ op: 'add', path: `/files/${id}/comment`, value });
      return (await edda.operate(made, 1, [add('one'), add('other')])).status < 300;
    },
  },
  'operations.appended-before-the-last-of-a-page': {
    source: 'core: Operations-based PATCH rules 5, first part',
    breaks: 'What is added to an array becomes its last entry, also where the pages before are full.',
    variant: replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
      const { writing, object } = run;
      const port = nameOf(target);
      const count = await writing.countEntries(object.oid, port);
      await right(areas, run, target, contents);
      if (count === 0 || count % 10 > 0) return;
      const all = await writing.entries(object.oid, port, { from: 0, to: count + contents.length });
      const moved = [...all.slice(0, count - 1), ...all.slice(count), ...all.slice(count - 1, count)];
      await writing.replaceEntries(object.oid, port, moved);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(10) });
      await edda.operate(made, 1, [{ op: 'add', path: '/files/-', value: { name: 'added' } }]);
      return at((await edda.page(made, 'files', 1)).json, '/data/0/name') !== 'added';
    },
  },
  'operations.eleventh-inside-an-entry-is-lost': {
    source: 'core: Operations-based PATCH rules 5, first part',
    breaks: 'What is added to an array inside an entry becomes its last one, also behind a full page.',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, place) => {
      const inner = target.row.entry === undefined ? undefined : target.row.content[nameOf(target)];
      if (!Array.isArray(inner) || inner.length !== 10) await right(areas, run, target, value, place);
    }),
    async shows(service) {
      const { made, port } = await withRevisions(service, 10);
      await service.edda.operate(made, 1, [{ op: 'add', path: `/${port}/-`, value: { text: 'eleventh' } }]);
      return !JSON.stringify(await service.edda.read(made)).includes('"totalNumber":11');
    },
  },
  'operations.add-takes-the-place-inside-entries': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'Add of a member that exists fails, also where the member is that of an entry.',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, place) => {
      const isInEntry = target.kind === 'member' && target.row.entry !== undefined;
      return right(areas, run, isInEntry ? { ...target, value: undefined } : target, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'n', comment: 'c' }] });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/files/1/comment', value: 'd' }])).status < 300;
    },
  },
  'operations.nothing-into-an-empty-object': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A member that does not exist is added, also as the first one of an object.',
    variant: replaces('operations', 'targetOf', (right, areas, run, operation) => {
      const holder = run.root[operation.tokens[0] ?? ''];
      const isEmpty = isContent(holder) && Object.keys(holder).length === 0;
      if (operation.op === 'add' && operation.tokens.length > 1 && isEmpty)
        throw new Refusal(422, 'There is nothing to add to.');
      return right(areas, run, operation);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { dimensions: { width: 'w' } });
      await edda.operate(made, 1, [{ op: 'remove', path: '/dimensions/width' }]);
      const added = await edda.operate(made, 2, [{ op: 'add', path: '/dimensions/height', value: 'h' }]);
      return added.status >= 300;
    },
  },
  'operations.member-that-was-there-before': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A member that an operation before has removed does not exist any more, so that it is added.',
    survives: 'Whether later operations of a list see what earlier ones did is not said: recorded.',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, pointer) => {
      const path = target.steps.map(({ name }) => `/${name}`).join('');
      if (target.kind === 'member' && target.row.entry === undefined && target.steps.length > 1)
        if (at(run.object.content, path) !== undefined) throw new Refusal(422, 'The member has a value already.');
      return right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { dimensions: { width: '1', height: '2' } });
      const edit = await edda.operate(made, 1, [
        { op: 'remove', path: '/dimensions/width' },
        { op: 'add', path: '/dimensions/width', value: '3' },
      ]);
      return edit.status >= 400;
    },
  },
  'operations.add-beside-a-sibling': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A member that is added inside an object stands beside those that are there.',
    variant: replaces('operations', 'setMember', (right, areas, run, target, value) => {
      const [holder, member] = target.steps;
      if (target.row.entry !== undefined || holder === undefined || member === undefined || target.value !== undefined)
        return right(areas, run, target, value);
      return right(areas, run, { ...target, steps: [holder] }, { [member.name]: value });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'beside', dimensions: { width: '1' } });
      await edda.operate(made, 1, [{ op: 'add', path: '/dimensions/height', value: '2' }]);
      return at(await edda.read(made), '/data/dimensions/width') !== '1';
    },
  },
  'operations.add-beside-a-sibling-in-an-entry': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A member that is added to an object inside an entry stands beside those that are there.',
    variant: replaces('operations', 'setMember', (right, areas, run, target, value) => {
      const [holder, member, ...further] = target.steps;
      const isMeant = target.row.entry !== undefined && holder?.entryId === undefined && further.length === 0;
      if (!isMeant || holder === undefined || member === undefined) return right(areas, run, target, value);
      return right(areas, run, { ...target, steps: [holder] }, { [member.name]: value });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'one', origin: { place: 'here' } }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'add', path: `/files/${id}/origin/maker`, value: 'm' }]);
      return at(await edda.read(made), '/data/files/0/origin/place') !== 'here';
    },
  },
  'operations.failed-list-half-applied': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A request that fails leaves nothing behind of what stood before the operation that failed.',
    museum: true,
    variant: (classes) => {
      const runs = new Map<Content, OperationsRun>();
      return together(
        replaces('operations', 'applyOperations', (right, areas, run, operations) => {
          runs.set(run.object.content, run);
          return right(areas, run, operations);
        }),
        replaces('operations', 'operateObject', async (right, areas, call, writing) => {
          try {
            return await right(areas, call, writing);
          } catch (error) {
            const run = runs.get(call.object.content);
            if (!(error instanceof Refusal) || run === undefined) throw error;
            await areas.versioning.storeEdit(writing, call.object, call.object.version, run.root);
            return areas.messages.problemAnswer(call, error);
          } finally {
            runs.delete(call.object.content);
          }
        }),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.operate(made, 1, [
        { op: 'add', path: '/note', value: 'b' },
        { op: 'add', path: '/title', value: 'c' },
      ]);
      return at(await edda.read(made), '/data/note') === 'b';
    },
  },
  'operations.append-to-the-first-page': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'What is added to an array is its last entry, also when the array has further pages.',
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
  'operations.added-texts-are-normalised': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A text that is added reads as it was sent, character by character.',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, path) =>
      right(
        areas,
        run,
        target,
        mapTexts(value, (text) => text.normalize('NFC')),
        path,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const note = 'cafe\u0301';
      await edda.operate(made, 1, [{ op: 'add', path: '/note', value: note }]);
      return at(await edda.read(made), '/data/note') !== note;
    },
  },
  'operations.added-entry-loses-its-own-arrays': {
    source: 'core: Operations-based PATCH rules 6',
    breaks: 'An object that is added to an array is kept with all that is in it, arrays included.',
    variant: replaces('operations', 'appendToPort', (right, areas, run, target, contents) => {
      const flat = contents.map((content) =>
        Object.fromEntries(Object.entries(content).filter(([, value]) => !Array.isArray(value))),
      );
      return right(areas, run, target, flat);
    }),
    shows: async ({ edda }) => {
      const made = await edda.make('Document', { title: 'deep' });
      const value = { name: 'a', revisions: [{ text: 'r' }] };
      await edda.operate(made, 1, [{ op: 'add', path: '/files/-', value }]);
      return at(await edda.read(made), '/data/files/0/revisions/0/text') !== 'r';
    },
  },
  'operations.lists-replaced-as-a-whole': {
    source: 'core: Operations-based PATCH rules 6',
    breaks: 'An array is no value of replace, neither for a list of plain values.',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, place) => {
      if (target.kind === 'list' && Array.isArray(value)) return areas.operations.setMember(run, target, value);
      return right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { keywords: ['a'] });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/keywords', value: ['b'] }])).status < 300;
    },
  },
  'operations.arrays-of-references-refused': {
    source: 'core: Operations-based PATCH rules 6, first part',
    breaks: 'An array is a value that add takes, also one of references.',
    survives: 'What an array does that is added to an array is not said, a refusal included (add-array-onto-array).',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, place) => {
      if (target.kind === 'array' && target.member.kind === 'references' && Array.isArray(value))
        throw new Refusal(422, 'Expected one reference, found an array.');
      return right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const part = await edda.make('Part');
      const made = await edda.make('Document');
      const value = [{ value: { $oid: part.oid } }];
      return (await edda.operate(made, 1, [{ op: 'add', path: '/describes', value }])).status >= 400;
    },
  },
  'operations.array-inside-an-entry-gets-no-ids': {
    source: 'core: Resources 4',
    breaks: 'Each object in an array has an id, also in an array that an entry got as a whole.',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, place) => {
      const isWhole = target.kind === 'array' && !isPort(target) && Array.isArray(value);
      return isWhole ? areas.operations.setMember(run, target, value) : right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'a' }] });
      const path = `/files/${String(at(await edda.read(made), '/data/files/0/$entryId'))}/revisions`;
      await edda.operate(made, 1, [{ op: 'add', path, value: [{ text: 'r' }] }]);
      return at(await edda.read(made), '/data/files/0/revisions/0/$entryId') === undefined;
    },
  },
  'operations.empty-object-replaces': {
    source: 'core: Operations-based PATCH rules 6',
    breaks: 'An object is no value to replace by, an empty one neither.',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, place) => {
      const isEmpty = isContent(value) && Object.keys(value).length === 0;
      const isObject = target.kind === 'member' && target.member.kind === 'object' && target.value !== undefined;
      if (isEmpty && isObject) return areas.operations.setMember(run, target, {});
      return right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { dimensions: { width: '1' } });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/dimensions', value: {} }])).status < 400;
    },
  },
  'add.text-column-of-64k-in-entries': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An entry is appended with its text to the end.',
    variant: replaces('operations', 'appendToPort', (right, areas, run, target, contents) =>
      right(areas, run, target, mapTexts(contents, (text) => text.slice(0, 65_535)) as typeof contents),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const value = { name: 'n'.repeat(70_000) };
      await edda.operate(made, 1, [{ op: 'add', path: '/files/-', value }]);
      return at(await edda.read(made), '/data/files/0/name') !== value.name;
    },
  },
};

/** What a list of operations finds in entries when it comes to them first is what it takes them to be until its end. */
function entriesAsTheyWere(): Variant {
  const before = new WeakMap<OperationsRun, Map<string, Content>>();
  return together(
    changes('operations', 'entryAt', (entry, _areas, run, port) => {
      const known = before.get(run) ?? new Map<string, Content>();
      before.set(run, known);
      const key = `${port} ${entry?.entryId}`;
      if (entry !== undefined && !known.has(key)) known.set(key, entry.content);
      return entry;
    }),
    replaces('operations', 'addValue', async (right, areas, run, target, value, place) => {
      const { entry } = target.row;
      const old = entry && before.get(run)?.get(`${entry.port} ${entry.entryId}`);
      const isNew = old !== undefined && target.steps.length === 1 && old[nameOf(target)] === undefined;
      if (target.kind !== 'member' || !isNew) return right(areas, run, target, value, place);
      return areas.operations.setMember(run, target, readValue(run.rules, target.member, value, place));
    }),
  );
}

function withoutObjects(content: Content): Content {
  return Object.fromEntries(Object.entries(content).filter(([, value]) => !isContent(value)));
}
