import type { SoftTypeProfile } from '../../contract/profile.ts';
import type { CaseContext } from '../engine/case.ts';
import type { Changes, Reply } from '../engine/exchange.ts';
import { PreconditionFailed } from '../engine/violation.ts';
import { dataOf, isObject } from '../instance.ts';

/** An item of a multi-create request. */
export interface Item {
  readonly $id: string;
  readonly $softType: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** An item of the primary SoftType, or of `type`, with fresh content. */
export function item({ given, profile }: CaseContext, more: Readonly<Record<string, unknown>> = {}, type: SoftTypeProfile = profile.primary): Item {
  return { $id: given.unique('item'), $softType: type.definitionId, data: given.body(more, type) };
}

/** The item with entries in its reference port that refer to these targets. */
export function referring({ profile, given }: CaseContext, from: Item, targets: readonly Item[]): Item {
  const type = typeOf(profile, from);
  const port = type.reference?.port ?? '';
  const entries = targets.map((target) => ({ id: given.unique('reference'), value: { instanceRef: target.$id, softTypeId: target.$softType } }));
  return { ...from, data: { ...from.data, [port]: entries } };
}

function typeOf(profile: CaseContext['profile'], { $softType }: Item): SoftTypeProfile {
  return profile.all.softTypes?.second?.definitionId === $softType ? profile.second : profile.primary;
}

/** SoftType that references of the primary one lead to. */
export function targetType({ profile }: CaseContext): SoftTypeProfile {
  return profile.primary.reference?.target === 'primary' ? profile.primary : profile.second;
}

/** Target first, then the item that refers to it, which gets these members. */
export function linkedPair(context: CaseContext, more: Readonly<Record<string, unknown>> = {}): { readonly items: readonly [Item, Item] } {
  const target = item(context, {}, targetType(context));
  return { items: [target, referring(context, item(context, more), [target])] };
}

/** Sends the items, which have to be accepted; returns reads of the objects they became, in the order of the items. */
export async function created(context: CaseContext, items: readonly Item[], changes: Changes = {}): Promise<readonly Reply[]> {
  const reply = await context.service.multiCreate(items, changes);
  context.expect(reply).toSucceed();
  return createdBy(context, reply, items.length);
}

/** Reads of the objects that the answer names by the pointer of the profile, or that its `href` members name in order. */
export async function createdBy(context: CaseContext, reply: Reply, count: number): Promise<readonly Reply[]> {
  const pointer = context.profile.all.multiCreate?.resultHref ?? '';
  const named = Array.from({ length: count }, (_empty, index) => at(reply.json, pointer.replaceAll('{index}', String(index))));
  const hrefs = named.every((href) => typeof href === 'string') ? named : hrefsOf(reply.json);
  if (hrefs.length !== count) throw new PreconditionFailed(`URIs of ${count} created objects in the answer; see multiCreate.resultHref in the profile`, reply);
  return Promise.all(hrefs.map((href) => context.service.get(String(href), { base: reply })));
}

/** The value that a JSON Pointer leads to, through arrays as well. */
export function at(value: unknown, pointer: string): unknown {
  const segments = pointer.split('/').slice(1).map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  return segments.reduce<unknown>((place, segment) => {
    if (Array.isArray(place)) return place[Number(segment)];
    return isObject(place) ? place[segment] : undefined;
  }, value);
}

function hrefsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(hrefsOf);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => (name === 'href' && typeof inner === 'string' ? [inner] : hrefsOf(inner)));
}

export function oidOf(read: Reply): string {
  return String(dataOf(read)['$oid']);
}

/** Ids of the objects to which the references of an object lead, as they are read, in order; all pages of up to ten. */
export function targetsOf({ profile }: CaseContext, read: Reply, type: SoftTypeProfile): readonly string[] {
  const entries = dataOf(read)[type.reference?.port ?? ''];
  const path = profile.all.references?.readPath ?? '';
  return (Array.isArray(entries) ? entries : []).map((entry: unknown) => String(at(entry, path)).split('/').at(-1) ?? '');
}
