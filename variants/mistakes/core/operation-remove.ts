import { hasValue, isContent, referenceMembers } from '../../../reference-server/areas/content.ts';
import { nameOf, type Operation, type OperationsRun } from '../../../reference-server/areas/operations.ts';
import { isArrayMember } from '../../../reference-server/areas/soft-type.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { replaces, together, type Variant, within } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { filesOf, membersAt, named, withRevisions } from '../proofs.ts';
import { at, type Client, listAt, type Made, many } from '../service.ts';
import { changes, whole, withInner } from '../variant-parts.ts';

export const operationRemoveMistakes: Mistakes = {
  'operations.references-to-the-same-go-along': {
    source: 'core: Operations-based PATCH rules 9',
    breaks: 'A remove takes the entry that it names, and none that refers to the same object.',
    variant: replaces('operations', 'removeTarget', async (right, areas, run, target) => {
      await right(areas, run, target);
      const { entry } = target.row;
      if (target.kind !== 'entry' || entry?.array.kind !== 'references') return;
      for (const other of await run.writing.entries(run.object.oid, entry.port, whole))
        if (at(other.content, '/value/$oid') === at(target.value, '/value/$oid'))
          await run.writing.removeEntry(run.object.oid, entry.port, other.entryId);
    }),
    async shows({ edda }) {
      const value = { $oid: (await edda.make('Part')).oid };
      const made = await edda.make('Document', { describes: [{ value }, { value }] });
      await edda.operate(made, 1, [{ op: 'remove', path: '/describes/1/' }]);
      return listAt(await edda.read(made), '/data/describes').length !== 1;
    },
  },
  'operations.an-entry-with-entries-stays': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that lost a mandatory member goes, whatever else is in it.',
    variant: replaces('operations', 'complies', (right, areas, members, content) => {
      const holdsEntries = Object.values(content).some((value) => Array.isArray(value) && value.some(isContent));
      return holdsEntries || right(areas, members, content);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'n', revisions: [{ author: 'a', text: 'l' }] }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${id}/name` }]);
      return listAt(await edda.read(made), '/data/files').length === 1;
    },
  },
  'operations.cascade-takes-the-entry-at-that-place': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'The entry that does not comply any more is removed, whatever was removed before it.',
    variant: replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
      const range = { from: entry.entryId - 1, to: entry.entryId };
      const [found] = await run.writing.entries(run.object.oid, entry.port, range);
      return right(areas, run, { ...entry, entryId: found?.entryId ?? entry.entryId });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: filesOf(3) });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/1/' }]);
      await edda.operate(made, 2, [{ op: 'remove', path: '/files/2/name' }]);
      return membersAt(await edda.read(made), '/data/files', 'name').includes('f2');
    },
  },
  'operations.emptied-entry-goes': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that lost its last member stays where the model asks for none.',
    variant: replaces('operations', 'complies', (right, areas, members, content) => {
      const isEmpty = !Object.entries(content).some(([name, value]) => !name.startsWith('$') && hasValue(value));
      return right(areas, members, content) && !isEmpty;
    }),
    shows: async ({ edda }) => {
      const made = await edda.make('Document', { title: 'emptied', contacts: [{ name: 'x' }, { name: 'y' }] });
      const first = String(at(await edda.read(made), '/data/contacts/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/contacts/${first}/name` }]);
      return listAt(await edda.read(made), '/data/contacts').length !== 2;
    },
  },
  'operations.remove-with-a-number': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'A remove has no value, be it one that a library takes for empty, as it does numbers.',
    variant: replaces('operations', 'operationOf', (right, areas, item, place) => {
      if (!isContent(item) || item['op'] !== 'remove') return right(areas, item, place);
      const { value, ...bare } = item;
      const isEmpty = typeof value === 'string' ? value === '' : Object.keys(Object(value)).length === 0;
      return right(areas, isEmpty ? bare : item, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { note: 'n' });
      return (await edda.operate(made, 1, [{ op: 'remove', path: '/note', value: 42 }])).status < 300;
    },
  },
  'operations.reference-cannot-go-with-its-value': {
    source: 'core: Operations-based PATCH rules 8, example',
    breaks: 'With the value goes the entry that owns it, also where the entry is a reference.',
    variant: replaces('operations', 'complies', (right, areas, members, content) =>
      members === referenceMembers ? true : right(areas, members, content),
    ),
    async shows({ edda }) {
      const part = await edda.make('Part');
      const made = await edda.make('Document', { describes: [{ value: { $oid: part.oid } }] });
      await edda.operate(made, 1, [{ op: 'remove', path: '/describes/1/value' }]);
      return listAt(await edda.read(made), '/data/describes').length === 1;
    },
  },
  'operations.shell-of-a-dated-value': {
    source: 'core: Operations-based PATCH rules 8, example',
    breaks: 'With the value goes the assignment that owns it, also behind another operation of the list.',
    variant: replaces('operations', 'applyOperation', async (right, areas, run, operation, place) => {
      const [name = '', below] = operation.tokens;
      const held = run.root[name];
      await right(areas, run, operation, place);
      if (operation.op !== 'remove' || below !== 'value' || place === '/0' || !isContent(held)) return;
      run.root = { ...run.root, [name]: { effectivity: held['effectivity'] } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { price: '12' });
      await edda.operate(made, 1, [
        { op: 'replace', path: '/title', value: 'u' },
        { op: 'remove', path: '/price/value' },
      ]);
      return at(await edda.read(made), '/data/price') !== undefined;
    },
  },
  'operations.last-entry-of-a-nested-array': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'A parent entry goes when it no longer complies, and not because an array in it that may be empty is.',
    variant: replaces('operations', 'complies', (right, areas, members, content) => {
      const emptied = Object.entries(content).some(
        ([name, value]) => Array.isArray(value) && value.length === 0 && members.get(name)?.kind === 'entries',
      );
      return !emptied && right(areas, members, content);
    }),
    async shows({ edda }) {
      const files = [{ name: 'one', revisions: [{ text: 'only' }] }];
      const made = await edda.make('Document', { title: 'nested', files });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/1/revisions/1/' }]);
      return listAt(await edda.read(made), '/data/files').length !== 1;
    },
  },
  'operations.reference-without-value': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'A reference whose value is removed goes with it.',
    variant: replaces('operations', 'removeTarget', async (right, areas, run, target) => {
      const { entry, content } = target.row;
      if (entry?.array.kind !== 'references' || nameOf(target) !== 'value' || target.steps.length !== 1)
        return right(areas, run, target);
      const { value: _value, ...rest } = content;
      return run.writing.updateEntry(run.object.oid, entry.port, entry.entryId, rest);
    }),
    async shows({ edda }) {
      const part = await edda.make('Part');
      const describes = [{ id: 'first', value: { $oid: part.oid } }];
      const made = await edda.make('Document', { describes });
      const id = String(at(await edda.read(made), '/data/describes/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/describes/${id}/value` }]);
      return listAt(await edda.read(made), '/data/describes').length === 1;
    },
  },
  'operations.entry-that-was-edited-stays': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that does not comply any more goes, also where the list has edited it before.',
    variant: (classes) => {
      const lists = new WeakMap<OperationsRun, readonly Operation[]>();
      return together(
        replaces('operations', 'applyOperations', (right, areas, run, operations) => {
          lists.set(run, operations);
          return right(areas, run, operations);
        }),
        replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
          const { port, entryId } = entry;
          const touching = (lists.get(run) ?? []).filter(
            ({ tokens }) => tokens[0] === port && tokens[1] === String(entryId),
          );
          const row = await run.writing.entry(run.object.oid, port, entryId);
          if (touching.length < 2 || row === undefined) return right(areas, run, entry);
          const { [touching.at(-1)?.tokens[2] ?? '']: _gone, ...content } = row.content;
          await run.writing.updateEntry(run.object.oid, port, entryId, content);
        }),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'n', comment: 'c' }, ...named(1)] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [
        { op: 'replace', path: `/files/${id}/comment`, value: 'd' },
        { op: 'remove', path: `/files/${id}/name` },
      ]);
      return listAt(await edda.read(made), '/data/files').length === 2;
    },
  },
  'operations.cascade-by-the-id-alone': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'The parent entry is removed, and not the entry of another array that has the same id.',
    variant: replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
      await right(areas, run, entry);
      const { oid } = run.object;
      for (const [port, member] of run.softType.members)
        if (isArrayMember(member) && (await run.writing.entry(oid, port, entry.entryId)) !== undefined)
          await run.writing.removeEntry(oid, port, entry.entryId);
    }),
    async shows({ edda }) {
      const content: Content = { title: 't', files: [{ name: 'a' }], contacts: [{ name: 'b' }] };
      const made = await edda.make('Document', content);
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${id}/name` }]);
      return listAt(await edda.read(made), '/data/contacts').length === 0;
    },
  },
  'operations.cascade-in-one-port': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that loses a mandatory member is removed, in whatever array of whatever SoftType.',
    variant: replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
      if (entry.port === 'files') await right(areas, run, entry);
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'part', usages: named(2) });
      await edda.operate(made, 1, [{ op: 'remove', path: '/usages/1/name' }]);
      return listAt(await edda.read(made), '/data/usages').length !== 1;
    },
  },
  'writing.cascade-stops-at-the-first-page': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry beyond the first ten is removed as well when it loses a mandatory member.',
    variant: replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
      const first = await run.writing.entries(run.object.oid, entry.port, { from: 0, to: 10 });
      if (first.some(({ entryId }) => entryId === entry.entryId)) return right(areas, run, entry);
      await run.writing.updateEntry(run.object.oid, entry.port, entry.entryId, {});
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: many(12, (number) => ({ name: `f${number}` })) });
      const last = at((await edda.page(made, 'files', 1)).json, '/data/1/$entryId');
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${String(last)}/name` }]);
      return listAt((await edda.page(made, 'files', 1)).json, '/data').length !== 1;
    },
  },
  'writing.cascade-takes-its-equals': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that loses a mandatory member goes, and an entry that was equal to it stays.',
    variant: replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
      const { port, entryId } = entry;
      const { oid } = run.object;
      const text = JSON.stringify((await run.writing.entry(oid, port, entryId))?.content);
      const equals = (await run.writing.entries(oid, port, whole)).filter(
        ({ content }) => JSON.stringify(content) === text,
      );
      await right(areas, run, entry);
      for (const other of equals)
        if (other.entryId !== entryId) await run.writing.removeEntry(oid, port, other.entryId);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'same' }, { name: 'same' }] });
      await edda.operate(made, 1, [{ op: 'remove', path: `${await entryPath(edda, made, 'files', 0)}/name` }]);
      return listAt(await edda.read(made), '/data/files').length !== 1;
    },
  },
  'operations.administrators-leave-the-model': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that lost a mandatory member goes, whoever removed it.',
    variant: replaces('operations', 'removeTarget', (right, areas, run, target) => {
      const isTrusted = areas.auth.rolesOf(run.call.user, run.call.space).includes('administrator');
      return right(isTrusted ? within(areas, { operations: { complies: () => true } }) : areas, run, target);
    }),
    async shows({ alma }) {
      const made = await alma.make('Document', { files: [{ name: 'n' }] });
      const id = String(at(await alma.read(made), '/data/files/0/$entryId'));
      await alma.operate(made, 1, [{ op: 'remove', path: `/files/${id}/name` }]);
      return listAt(await alma.read(made), '/data/files').length === 1;
    },
  },
  'operations.once-not-compliant': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'A parent goes when it no longer complies itself, not because one before it in the list did not.',
    variant: onceNotCompliant(),
    async shows({ edda }) {
      const files = [
        { name: 'a', comment: 'a' },
        { name: 'b', comment: 'b' },
      ];
      const made = await edda.make('Document', { files });
      const ids = listAt(await edda.read(made), '/data/files').map((file) => String(at(file, '/$entryId')));
      await edda.operate(made, 1, [
        { op: 'remove', path: `/files/${ids[0]}/name` },
        { op: 'remove', path: `/files/${ids[1]}/comment` },
      ]);
      return listAt(await edda.read(made), '/data/files').length === 0;
    },
  },
  'writing.remove-takes-ids-with-that-beginning': {
    source: 'core: Operations-based PATCH rules 9',
    breaks: 'The entry with the id goes, and none whose id merely begins with it.',
    variant: replaces('operations', 'removeTarget', async (right, areas, run, target) => {
      await right(areas, run, target);
      const { entry } = target.row;
      if (target.kind !== 'entry' || target.steps.length > 0 || entry === undefined) return;
      for (const { entryId } of await run.writing.entries(run.object.oid, entry.port, { from: 0, to: 1000 }))
        if (String(entryId).startsWith(String(entry.entryId)))
          await run.writing.removeEntry(run.object.oid, entry.port, entryId);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: many(12, (n) => ({ name: `f${n}` })) });
      const id = at(await edda.read(made), '/data/files/0/$entryId');
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${String(id)}/` }]);
      return listAt((await edda.page(made, 'files', 1)).json, '/data').length !== 1;
    },
  },
  'operations.followers-get-other-ids': {
    source: 'core: Operations-based PATCH rules 9',
    breaks: 'The removal of an entry takes that entry away, and leaves the ids of those behind it.',
    survives: 'For how long an entry answers to its id is not said (entry-id-stability): recorded.',
    variant: replaces('operations', 'removeTarget', async (right, areas, run, target) => {
      const { writing, object } = run;
      const { entry } = target.row;
      if (target.kind !== 'entry' || target.steps.length > 0 || entry === undefined) return right(areas, run, target);
      const all = await writing.entries(object.oid, entry.port, { from: 0, to: 100_000 });
      const index = all.findIndex(({ entryId }) => entryId === entry.entryId);
      await right(areas, run, target);
      const behind = all.slice(index + 1).map(({ content }) => ({ content }));
      await writing.replaceEntries(object.oid, entry.port, [...all.slice(0, index), ...behind]);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(2) });
      const before = await edda.read(made);
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${String(at(before, '/data/files/0/$entryId'))}/` }]);
      return at(await edda.read(made), '/data/files/0/$entryId') !== at(before, '/data/files/1/$entryId');
    },
  },
  'operations.nested-entry-with-a-slash': {
    source: 'core: Operations-based PATCH rules 9',
    breaks: 'An entry is removed by its path with a slash behind it, also one of an array inside an entry.',
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
  'operations.entry-path-takes-one-digit': {
    source: 'core: Operations-based PATCH rules 9',
    breaks: 'The path of an entry that is to be removed names the entry by its whole id.',
    variant: changes('operations', 'pointerTokens', (tokens) =>
      tokens?.length === 3 && tokens[2] === '' ? [tokens[0] ?? '', (tokens[1] ?? '').slice(0, 1), ''] : tokens,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: many(12, (n) => ({ name: `f${n}` })) });
      const $entryId = at((await edda.page(made, 'files', 1)).json, '/data/1/$entryId');
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${String($entryId)}/` }]);
      return at((await edda.page(made, 'files', 1)).json, '/data/0/name') !== 'f11';
    },
  },
  'remove.inside-by-the-place-that-was-its-id': {
    source: 'core: Operations-based PATCH rules 4',
    breaks: 'An entry inside an entry is removed by its id, also after another one was.',
    variant: replaces('operations', 'removeTarget', (right, areas, run, target) => {
      const [step, ...more] = target.steps;
      if (target.kind !== 'entry' || step?.entryId === undefined || more.length > 0) return right(areas, run, target);
      const $entryId = at(target.row.content, `/${step.name}/${step.entryId - 1}/$entryId`);
      const entryId = typeof $entryId === 'number' ? $entryId : step.entryId;
      return right(areas, run, { ...target, steps: [{ ...step, entryId }] });
    }),
    async shows({ edda }) {
      const revisions = many(4, (number) => ({ text: `r${number}` }));
      const made = await edda.make('Document', { files: [{ name: 'n', revisions }] });
      const inside = `/files/${String(at(await edda.read(made), '/data/files/0/$entryId'))}/revisions`;
      for (const version of [1, 2]) {
        const id = at(await edda.read(made), '/data/files/0/revisions/0/$entryId');
        await edda.operate(made, version, [{ op: 'remove', path: `${inside}/${String(id)}/` }]);
      }
      return membersAt(await edda.read(made), '/data/files/0/revisions', 'text').includes('r2');
    },
  },
  'remove.inside-the-entry-at-that-place': {
    source: 'core: Operations-based PATCH rules 4',
    breaks: 'An entry goes from inside the entry that the path names, also after the entry before that was removed.',
    variant: replaces('operations', 'removeTarget', async (right, areas, run, target) => {
      const { entry } = target.row;
      if (target.kind !== 'entry' || target.steps.length === 0 || entry === undefined) return right(areas, run, target);
      const place = { from: entry.entryId - 1, to: entry.entryId };
      const [other] = await run.writing.entries(run.object.oid, entry.port, place);
      if (other === undefined) return right(areas, run, target);
      const row = { ...target.row, content: other.content, entry: { ...entry, entryId: other.entryId } };
      return right(areas, run, { ...target, row });
    }),
    async shows({ edda }) {
      const revisions = [{ text: 'a' }, { text: 'b' }];
      const made = await edda.make('Document', { files: many(3, (number) => ({ name: `f${number}`, revisions })) });
      const paths = [await entryPath(edda, made, 'files', 0), await entryPath(edda, made, 'files', 1)];
      await edda.operate(made, 1, [{ op: 'remove', path: `${paths[0]}/` }]);
      await edda.operate(made, 2, [{ op: 'remove', path: `${paths[1]}/revisions/1/` }]);
      return listAt(await edda.read(made), '/data/files/0/revisions').length === 2;
    },
  },
  'remove.prunes-empty-entries-inside': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that still complies stays when its last member is removed, inside another entry as well.',
    variant: changes('operations', 'removeTarget', async (_done, _areas, run, { row }) => {
      const entry = row.entry && (await run.writing.entry(run.object.oid, row.entry.port, row.entry.entryId));
      if (row.entry === undefined || entry === undefined) return;
      const isFull = (item: Content) => Object.keys(item).some((name) => !name.startsWith('$'));
      const content = withInner(entry.content, (items) => items.filter(isFull));
      await run.writing.updateEntry(run.object.oid, row.entry.port, row.entry.entryId, content);
    }),
    async shows(service) {
      const { made, port } = await withRevisions(service, 1);
      await service.edda.operate(made, 1, [{ op: 'remove', path: `/${port}/1/text` }]);
      const read = await service.edda.read(made);
      return at(read, '/version') === 2 && listAt(read, '/data/files/0/revisions').length === 0;
    },
  },
};

async function entryPath(client: Client, made: Made, port: string, index: number): Promise<string> {
  return `/${port}/${String(at(await client.read(made), `/data/${port}/${index}/$entryId`))}`;
}

function onceNotCompliant(): Variant {
  return (classes) => {
    let found = new Set<unknown>();
    return together(
      replaces('operations', 'applyOperations', (right, areas, run, operations) => {
        found = new Set();
        return right(areas, run, operations);
      }),
      replaces('operations', 'complies', (right, areas, members, content) => {
        const complies = !found.has(members) && right(areas, members, content);
        if (!complies) found.add(members);
        return complies;
      }),
    )(classes);
  };
}
