import { routes } from '../../contract/routes.ts';
import { operationRouteOf } from '../../reference-server/areas.ts';
import type { Answer, SpaceCall } from '../../reference-server/http/call.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import { type Variant, type Variants, breaks, together, replaces } from '../breaks.ts';
import { isJson } from './answers.ts';

export const multiCreateFaults = {
  'multi-create.route.served-without-api-prefix': replaces(
    'dispatcher',
    'carryOut',
    async (right, areas, route, call) => {
      if (call.method === 'POST' && call.url.startsWith('/space/')) throw new Refusal(404, 'There is no such route.');
      return right(areas, route, call);
    },
  ),

  'multi-create.items.all-created': together(
    replaces('multiCreate', 'identifyItems', (right, areas, items) => {
      const identified = right(areas, items);
      const first = new Map(identified.toReversed().map((item) => [contentOf(item), item.oid] as const));
      return identified.map((item) => ({ ...item, oid: first.get(contentOf(item)) ?? item.oid }));
    }),
    replaces('multiCreate', 'createItems', async (right, areas, call, writing, items, inputs) => {
      const isFirst = items.map((item, index) => items.findIndex(({ oid }) => oid === item.oid) === index);
      await right(
        areas,
        call,
        writing,
        items.filter((_item, index) => isFirst[index]),
        inputs.filter((_input, index) => isFirst[index]),
      );
    }),
  ),

  'multi-create.items.different-types': replaces(
    'multiCreate',
    'createItems',
    async (right, areas, call, writing, items, inputs) => {
      const [first] = items;
      await right(
        areas,
        call,
        writing,
        first === undefined ? items : items.map((item) => ({ ...item, softType: first.softType })),
        inputs,
      );
    },
  ),

  'multi-create.reference.backward': together(
    replaces('multiCreate', 'findItem', (right, areas, items, $id, referrer) => {
      const target = right(areas, items, $id, referrer);
      return target && { ...target, oid: referrer.oid };
    }),
    anywhere(),
  ),

  'multi-create.reference.forward': replaces('multiCreate', 'findItem', (right, areas, items, $id, referrer) => {
    const target = right(areas, items, $id, referrer);
    return target !== undefined && items.indexOf(target) < items.indexOf(referrer) ? target : undefined;
  }),

  'multi-create.reference.mutual': replaces('multiCreate', 'findItem', (right, areas, items, $id, referrer) => {
    const target = right(areas, items, $id, referrer);
    const refersBack =
      referrer.$id !== undefined && JSON.stringify(target?.data ?? null).includes(JSON.stringify(referrer.$id));
    return refersBack ? undefined : target;
  }),

  'multi-create.reference.stores-real-identity': together(
    replaces('multiCreate', 'storedTarget', (right, areas, item) => item.$id ?? right(areas, item)),
    anywhere(),
  ),

  'multi-create.id.reusable-in-next-request': breaks('multiCreate', 'findItem', (right) => {
    const table = new Map<string, string>();
    return (areas, items, $id, referrer) => {
      const target = right(areas, items, $id, referrer);
      if (target === undefined) return undefined;
      const oid = table.get($id) ?? target.oid;
      table.set($id, oid);
      return { ...target, oid };
    };
  }),

  'multi-create.graph.every-edge-stored': replaces(
    'multiCreate',
    'createItems',
    async (right, areas, call, writing, items, inputs) => {
      const seen = new Set<string>();
      const keptLast = inputs.toReversed().map((input) => ({
        ...input,
        arrays: new Map(
          input.arrays
            .entries()
            .map(
              ([port, entries]) =>
                [port, entries.filter(({ content }) => isLastReference(content.value, seen))] as const,
            ),
        ),
      }));
      await right(areas, call, writing, items, keptLast.toReversed());
    },
  ),

  'multi-create.size.fifty-accepted': replaces('multiCreate', 'withinLimit', (right, areas, items) => {
    if (items.length === 50) throw new Refusal(422, 'Fewer than 50 items are expected.');
    return right(areas, items);
  }),

  'multi-create.size.fifty-one-refused': replaces('multiCreate', 'withinLimit', (right, areas, items) =>
    right(areas, items.slice(0, 50)),
  ),

  'multi-create.failure.creates-nothing': keepingItemsBefore(),
} satisfies Variants;

function contentOf({ softType, data }: { readonly softType: { readonly id: string }; readonly data: unknown }): string {
  return JSON.stringify([softType.id, data]);
}

/** References are stored without a look at what they lead to. */
function anywhere(): Variant {
  return replaces('contents', 'assertReferences', async () => undefined);
}

/** Whether the entry refers to nothing, or to an object that no later item refers to. */
function isLastReference(value: unknown, seen: Set<string>): boolean {
  const oid = isJson(value) ? value['$oid'] : undefined;
  if (typeof oid !== 'string') return true;
  const isLast = !seen.has(oid);
  seen.add(oid);
  return isLast;
}

/** Items before the one that is refused are created all the same. */
function keepingItemsBefore(): Variant {
  const refused = new Map<string, { readonly call: SpaceCall; readonly place: number }>();
  return together(
    replaces('multiCreate', 'multiCreate', async (right, areas, call, writing) => {
      try {
        return await right(areas, call, writing);
      } catch (refusal) {
        const place = refusal instanceof Refusal ? Number(refusal.pointer?.split('/')[1]) : Number.NaN;
        if (place > 0 && call.isSibling === undefined) refused.set(call.correlationId, { call, place });
        throw refusal;
      }
    }),
    breaks('messages', 'finish', (right) => async (areas, call, answer): Promise<Answer> => {
      const finished = await right(areas, call, answer);
      const found = refused.get(call.correlationId);
      if (found === undefined || answer.status < 400) return finished;
      refused.delete(call.correlationId);
      const items: unknown = JSON.parse(String(found.call.body));
      const body = Buffer.from(JSON.stringify(Array.isArray(items) ? items.slice(0, found.place) : []));
      const route = operationRouteOf(areas, 'POST', routes.multiCreate);
      await areas.store.change((writing) => areas.dispatcher.carryOutWrite(route, { ...found.call, body }, writing));
      return finished;
    }),
  );
}
