import type { SoftTypeProfile } from '../../contract/profile.ts';
import type { CaseContext } from '../../judge/case.ts';
import type { Changes, Reply } from '../../judge/exchange.ts';
import { typeOf, type Item } from './item.ts';
import { createdBy } from '../../judge/multi-create-result.ts';

/** An item of the primary SoftType, or of `type`, with fresh content. */
export function item(
  { given, profile }: CaseContext,
  more: Readonly<Record<string, unknown>> = {},
  type: SoftTypeProfile = profile.primary,
): Item {
  return { $id: given.unique('item'), $softType: type.definitionId, data: given.body(more, type) };
}

/** The item with entries in its reference port that refer to these targets. */
export function referring({ profile, given }: CaseContext, from: Item, targets: readonly Item[]): Item {
  const type = typeOf(profile, from);
  const port = type.reference?.port ?? '';
  const entries = targets.map((target) => ({
    id: given.unique('reference'),
    value: { instanceRef: target.$id, softTypeId: target.$softType },
  }));
  return { ...from, data: { ...from.data, [port]: entries } };
}

/** SoftType that references of the primary one lead to. */
export function targetType({ profile }: CaseContext): SoftTypeProfile {
  return profile.primary.reference?.target === 'primary' ? profile.primary : profile.second;
}

/** Target first, then the item that refers to it, which gets these members. */
export function linkedPair(
  context: CaseContext,
  more: Readonly<Record<string, unknown>> = {},
): { readonly items: readonly [Item, Item] } {
  const target = item(context, {}, targetType(context));
  return { items: [target, referring(context, item(context, more), [target])] };
}

/** Sends the items, which have to be accepted; returns reads of the objects they became, in the order of the items. */
export async function created(
  context: CaseContext,
  items: readonly Item[],
  changes: Changes = {},
): Promise<readonly Reply[]> {
  const reply = await context.service.multiCreate(items, changes);
  context.expect(reply).toSucceed();
  return createdBy(context, reply, items);
}
