import { routes } from '../../../contract/routes.ts';
import type { Areas } from '../../../reference-server/areas.ts';
import type { SoftType } from '../../../reference-server/configuration.ts';
import type { SpaceCall } from '../../../reference-server/http/call.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, together, type Variant } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { documentOf, mergeOf, named, operationsOf, pageLinkIn, part } from '../proofs.ts';
import { at, type Client, listAt, type Made, many } from '../service.ts';
import { changes, perServer, whole } from '../variant-parts.ts';

/** What was added to references since the last request began. */
const added = perServer(
  (): { readonly oid: string; readonly port: string; readonly contents: readonly Content[] }[] => [],
);

/** How many were removed from each object. */
const removed = perServer(() => new Map<string, number>());

function isPort(softType: SoftType | undefined, port: string): boolean {
  return softType?.members.get(port)?.kind === 'references';
}

async function referrer(client: Client, count: number): Promise<Made> {
  const ids = many(count, (number) => `p${number}`);
  const answer = await client.multiCreate([...ids.map((id) => part(id)), documentOf('d', ids)]);
  const path = String(at(answer.json, `/${count}/href`));
  return { definition: 'Document', oid: path.split('/').at(-1) ?? '', path };
}

async function countOf(client: Client, made: Made): Promise<number> {
  const page = await client.page(made, 'describes', 1);
  return listAt(await client.read(made), '/data/describes').length + listAt(page.json, '/data').length;
}

/** References that a request of this route adds stay where it fails. */
function keepsAdded(path: string): Variant {
  return together(
    replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
      const port = target.steps.at(-1)?.name ?? '';
      if (isPort(run.softType, port)) added(areas).push({ oid: run.object.oid, port, contents });
      return right(areas, run, target, contents);
    }),
    replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      if (route.path !== path) return right(areas, route, call);
      added(areas).length = 0;
      const again = () =>
        areas.store.change(async (writing) => {
          for (const { oid, port, contents } of added(areas).splice(0))
            await writing.appendEntries(oid, port, contents);
        });
      try {
        const answer = await right(areas, route, call);
        if (answer.status >= 400) await again();
        return answer;
      } catch (error) {
        if (error instanceof Refusal) await again();
        throw error;
      }
    }),
  );
}

export const referenceArraysMistakes: Mistakes = {
  'references.added-in-front': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A reference that is added is the last of its array.',
    variant: replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
      await right(areas, run, target, contents);
      if (!('member' in target) || target.member.kind !== 'references') return;
      const port = target.steps.at(-1)?.name ?? '';
      const all = await run.writing.entries(run.object.oid, port, whole);
      const added = all.slice(-contents.length);
      await run.writing.replaceEntries(run.object.oid, port, [...added, ...all.slice(0, -contents.length)]);
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Part'), await edda.make('Part')];
      const made = await edda.make('Document', { describes: [{ value: { $oid: one.oid } }] });
      await edda.operate(made, 1, [{ op: 'add', path: '/describes/-', value: { value: { $oid: other.oid } } }]);
      return at(await edda.read(made), '/data/describes/0/value/$oid') === other.oid;
    },
  },
  'references.of-a-failed-list-are-kept': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A list of operations that fails leaves no reference behind.',
    variant: keepsAdded(routes.operations),
    async shows({ edda }) {
      const made = await referrer(edda, 1);
      const target = await edda.make('Part');
      await edda.operate(made, 1, [
        { op: 'add', path: '/describes/-', value: { value: { $oid: target.oid } } },
        { op: 'add', path: '/title', value: 'x' },
      ]);
      return (await countOf(edda, made)) === 2;
    },
  },
  'references.of-a-failed-batch-are-kept': {
    source: 'core: Batch rules 1',
    breaks: 'A reference that a failed batch added is gone with it.',
    variant: keepsAdded(routes.batch),
    async shows({ edda }) {
      const [made, part] = [await edda.make('Document'), await edda.make('Part')];
      const value = { value: { $oid: part.oid } };
      await edda.batch([
        operationsOf(made, 1, [{ op: 'add', path: '/describes/-', value }]),
        mergeOf(made, 9, { note: 'x' }),
      ]);
      return listAt(await edda.read(made), '/data/describes').length === 1;
    },
  },
  'references.of-later-pages-are-not-removed': {
    source: 'core: Operations-based PATCH rules 9',
    breaks: 'A remove takes a reference away that no first read shows.',
    variant: replaces('operations', 'removeTarget', async (right, areas, run, target) => {
      const { entry } = target.row;
      if (target.kind === 'entry' && entry !== undefined && entry.array.kind === 'references') {
        const first = await run.writing.entries(run.object.oid, entry.port, { from: 0, to: 10 });
        if (!first.some(({ entryId }) => entryId === entry.entryId)) return;
      }
      return right(areas, run, target);
    }),
    async shows({ edda }) {
      const made = await referrer(edda, 12);
      const id = String(at((await edda.page(made, 'describes', 1)).json, '/data/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/describes/${id}/` }]);
      return (await countOf(edda, made)) === 12;
    },
  },
  'references.total-counts-removed-ones': {
    source: 'core: Link object, totalNumber',
    breaks: 'The total of references counts none that was removed.',
    variant: together(
      replaces('operations', 'removeTarget', async (right, areas, run, target) => {
        await right(areas, run, target);
        const { entry } = target.row;
        if (target.kind === 'entry' && target.steps.length === 0 && entry?.array.kind === 'references')
          removed(areas).set(run.object.oid, (removed(areas).get(run.object.oid) ?? 0) + 1);
      }),
      replaces('entries', 'totalOf', async (right, areas, reading, object, section, filter) => {
        const total = await right(areas, reading, object, section, filter);
        return section.member.kind === 'references' ? total + (removed(areas).get(object.oid) ?? 0) : total;
      }),
    ),
    async shows({ edda }) {
      const made = await referrer(edda, 12);
      const id = String(at(await edda.read(made), '/data/describes/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/describes/${id}/` }]);
      return at(pageLinkIn(await edda.read(made), 'describes'), '/totalNumber') === 12;
    },
  },
  'references.last-add-of-a-list-only': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'Each of several references that one list adds is there.',
    variant: breaks('operations', 'appendToPort', (right) => {
      const lists = new WeakMap<object, number>();
      return async (areas, run, target, contents) => {
        await right(areas, run, target, contents);
        const port = target.steps.at(-1)?.name ?? '';
        if (!isPort(run.softType, port)) return;
        const all = await run.writing.entries(run.object.oid, port, whole);
        const former = lists.get(run);
        if (former !== undefined) await run.writing.removeEntry(run.object.oid, port, former);
        const last = all.at(-1);
        if (last !== undefined) lists.set(run, last.entryId);
      };
    }),
    async shows({ edda }) {
      const made = await referrer(edda, 1);
      const [one, other] = [await edda.make('Part'), await edda.make('Part')];
      const value = ({ oid }: Made) => ({ value: { $oid: oid } });
      await edda.operate(made, 1, [
        { op: 'add', path: '/describes/-', value: value(one) },
        { op: 'add', path: '/describes/-', value: value(other) },
      ]);
      return (await countOf(edda, made)) === 2;
    },
  },
  'references.cut-by-a-demote': {
    source: 'core: States and transitions',
    breaks: 'A demote leaves references as they are, behind the first page as well.',
    variant: replaces('maturity', 'demoteObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      await cut(call, writing);
      return answer;
    }),
    async shows({ edda }) {
      const made = await referrer(edda, 12);
      await edda.move(made, 1);
      await edda.move(made, 2, 'demote');
      return (await countOf(edda, made)) === 10;
    },
  },
  'references.cut-by-operations': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'Operations on a text leave references as they are, behind the first page as well.',
    variant: replaces('operations', 'operateObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      if (call.json.every(({ tokens: [port = ''] }) => !isPort(call.place, port))) await cut(call, writing);
      return answer;
    }),
    async shows({ edda }) {
      const made = await referrer(edda, 12);
      await edda.operate(made, 1, [{ op: 'add', path: '/note', value: 'n' }]);
      return (await countOf(edda, made)) === 10;
    },
  },
  'references.of-a-put-cut-to-a-page': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A PUT stores every reference that it brings.',
    variant: changes(
      'editing',
      'arraysAfterPut',
      (arrays, _areas, softType) =>
        new Map([...arrays].map(([port, items]) => [port, isPort(softType, port) ? items.slice(0, 10) : items])),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const parts = [];
      for (const { name } of named(12)) parts.push(await edda.make('Part', { name }));
      const describes = parts.map(({ oid }) => ({ value: { $oid: oid } }));
      await edda.replace(made, 1, { title: 't', describes });
      return (await countOf(edda, made)) === 10;
    },
  },
};

/** Leaves no references behind the first page. */
async function cut(
  { object, space }: SpaceCall & { readonly object: { readonly oid: string; readonly softType: string } },
  writing: Parameters<Areas['maturity']['demoteObject']>[1],
): Promise<void> {
  for (const [port, { kind }] of space.template.softTypes.get(object.softType)?.members ?? [])
    if (kind === 'references')
      for (const { entryId } of await writing.entries(object.oid, port, { ...whole, from: 10 }))
        await writing.removeEntry(object.oid, port, entryId);
}
