import { routes } from '../../../contract/routes.ts';
import type { Areas } from '../../../reference-server/areas.ts';
import type { SpaceCall } from '../../../reference-server/http/call.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { SoftType } from '../../../reference-server/configuration.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { documentOf, named, pageLinkIn, part } from '../proofs.ts';
import { at, type Client, listAt, type Made, many } from '../service.ts';
import { changes, perServer, whole } from '../variant-parts.ts';

const kept = perServer((): { oid: string; port: string; contents: readonly never[] }[] => []);
const removed = perServer(() => new Map<string, number>());

function isPort(softType: SoftType | undefined, port: string): boolean {
  return softType?.members.get(port)?.kind === 'references';
}

/** Whether a list of operations is about references alone. */
function isOfReferences(_areas: Areas, call: SpaceCall, softTypeId: string): boolean {
  const softType = call.space.template.softTypes.get(softTypeId);
  try {
    const operations = listAt(JSON.parse(call.body?.toString() ?? ''), '');
    return (
      operations.length > 0 && operations.every((one) => isPort(softType, String(at(one, '/path')).split('/')[1] ?? ''))
    );
  } catch {
    return false;
  }
}

async function referrer(client: Client, count: number): Promise<Made> {
  const ids = many(count, (number) => `p${number}`);
  const answer = await client.multiCreate([...ids.map((id) => part(id)), documentOf('d', ids)]);
  const path = String(at(answer.json, `/${count}/href`));
  return { definition: 'Document', oid: path.split('/').at(-1) ?? '', path };
}

async function addReference(client: Client, made: Made, version: number) {
  const target = await client.make('Part');
  return client.operate(made, version, [{ op: 'add', path: '/describes/-', value: { value: { $oid: target.oid } } }]);
}

async function countOf(client: Client, made: Made): Promise<number> {
  const page = await client.page(made, 'describes', 1);
  return listAt(await client.read(made), '/data/describes').length + listAt(page.json, '/data').length;
}

export const fresh18aRefsMistakes: Mistakes = {
  'fresh18a.r-add-unguarded': {
    source: 'core: Errors 1',
    breaks: 'An add of a reference for a version of long ago is refused.',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) =>
      'space' in call && isOfReferences(areas, call as SpaceCall, object.softType)
        ? object.version
        : right(areas, call, object),
    ),
    async shows({ edda }) {
      const made = await referrer(edda, 1);
      await edda.merge(made, 1, { note: 'n' });
      return (await addReference(edda, made, 1)).status < 300;
    },
  },
  'fresh18a.r-failed-list-keeps-them': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A list of operations that fails leaves no reference behind.',
    variant: together(
      replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
        const port = target.steps.at(-1)?.name ?? '';
        if (isPort(run.softType, port) && !('isChangedHere' in run.call))
          kept(areas).push({ oid: run.object.oid, port, contents: contents as never });
        return right(areas, run, target, contents);
      }),
      replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
        if (route.path !== routes.operations) return right(areas, route, call);
        kept(areas).length = 0;
        try {
          return await right(areas, route, call);
        } catch (error) {
          if (error instanceof Refusal)
            await areas.store.change(async (writing) => {
              for (const { oid, port, contents } of kept(areas)) await writing.appendEntries(oid, port, contents);
            });
          throw error;
        }
      }),
    ),
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
  'fresh18a.r-later-ones-not-removed': {
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
  'fresh18a.r-page-kept-through-adds': {
    source: 'core: Page response',
    breaks: 'A page of references shows one that was added since it was read.',
    variant: breaks('paging', 'assemblePage', (right) => {
      const pages = new Map<string, Awaited<ReturnType<typeof right>>['data']>();
      return async (areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        if (section.member.kind !== 'references' || page === 0) return body;
        const key = `${object.oid} ${page}`;
        const data = pages.get(key) ?? body.data;
        pages.set(key, data);
        return { ...body, data };
      };
    }),
    async shows({ edda }) {
      const made = await referrer(edda, 11);
      await edda.page(made, 'describes', 1);
      await addReference(edda, made, 1);
      return (await countOf(edda, made)) === 11;
    },
  },
  'fresh18a.r-add-makes-no-version': {
    source: 'core: Versioning 2',
    breaks: 'An edit that adds nothing but a reference makes a version.',
    variant: replaces('versioning', 'versionAfterOperations', (right, areas, object, operations) => {
      const space = areas.configuration.spaces.get(object.spaceId);
      const softType = space?.template.softTypes.get(object.softType);
      const isOf = (one: unknown) => isPort(softType, String(at(one, '/path')).split('/')[1] ?? '');
      return operations.length > 0 && operations.every(isOf) ? object.version : right(areas, object, operations);
    }),
    async shows({ edda }) {
      const made = await referrer(edda, 1);
      return (await addReference(edda, made, 1)).headers.get('svc-uoiversion') === '1';
    },
  },
  'fresh18a.r-put-leaves-them': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A PUT without references takes them away.',
    variant: changes(
      'editing',
      'arraysAfterPut',
      (arrays, _areas, softType, given) =>
        new Map([...arrays].filter(([port]) => given.has(port) || !isPort(softType, port))),
    ),
    async shows({ edda }) {
      const made = await referrer(edda, 2);
      await edda.replace(made, 1, { title: 't' });
      return (await countOf(edda, made)) === 2;
    },
  },
  'fresh18a.r-total-counts-removed': {
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
  'fresh18a.r-last-add-of-a-list-only': {
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
  'fresh18a.r-demote-cuts-them': {
    source: 'core: States and transitions',
    breaks: 'A demote leaves references as they are, behind the first page as well.',
    variant: replaces('maturity', 'demoteObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      await cut(areas, call, writing);
      return answer;
    }),
    async shows({ edda }) {
      const made = await referrer(edda, 12);
      await edda.move(made, 1);
      await edda.move(made, 2, 'demote');
      return (await countOf(edda, made)) === 10;
    },
  },
  'fresh18a.r-operations-cut-them': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'Operations on a text leave references as they are, behind the first page as well.',
    variant: replaces('operations', 'operateObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      if (!isOfReferences(areas, call, call.object.softType)) await cut(areas, call, writing);
      return answer;
    }),
    async shows({ edda }) {
      const made = await referrer(edda, 12);
      await edda.operate(made, 1, [{ op: 'add', path: '/note', value: 'n' }]);
      return (await countOf(edda, made)) === 10;
    },
  },
  'fresh18a.r-put-of-more-than-a-page': {
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

async function cut(
  _areas: Areas,
  { object, space }: SpaceCall & { readonly object: { readonly oid: string; readonly softType: string } },
  writing: Parameters<Areas['maturity']['demoteObject']>[1],
): Promise<void> {
  for (const [port, { kind }] of space.template.softTypes.get(object.softType)?.members ?? [])
    if (kind === 'references')
      for (const { entryId } of await writing.entries(object.oid, port, { ...whole, from: 10 }))
        await writing.removeEntry(object.oid, port, entryId);
}
