import type { SoftTypeProfile } from '../../contract/profile.ts';
import { dataOf, versionOf } from './answers.ts';
import type { CaseContext } from '../case.ts';
import { isObject, valueAt } from '../json.ts';
import { isSuccess, type Reply } from '../exchange.ts';
import { type MultiCreateItem, oidOf, readLastCreated, softTypeOf } from './multi-create.ts';
import type { Thing } from '../things.ts';
import { membersWith, referencesIn } from './soft-types.ts';

/** An item of the primary SoftType, or of `type`, with fresh content. */
export function item(
  { given, profile }: CaseContext,
  more: Readonly<Record<string, unknown>> = {},
  type: SoftTypeProfile = profile.primary,
): MultiCreateItem {
  return { $id: given.unique('Item'), $softType: type.definitionId, data: given.body(more, type) };
}

interface ReferringOptions {
  /** Of the entries; fresh ones where there are none. */
  readonly ids?: readonly string[];
  /** The part of the SoftType of the item whose reference port is taken, where the profile describes it in several. */
  readonly type?: SoftTypeProfile | undefined;
}

/** The item with entries in its reference port that refer to these targets. */
export function referring(
  { profile, given }: CaseContext,
  from: MultiCreateItem,
  targets: readonly MultiCreateItem[],
  { ids = [], type = softTypeOf(profile, from) }: ReferringOptions = {},
): MultiCreateItem {
  const { reference } = type;
  const entries = targets.map((target, index) => ({
    id: ids[index] ?? given.unique('reference'),
    value: { instanceRef: target.$id, softTypeId: target.$softType },
  }));
  return { ...from, data: { ...from.data, ...membersWith(reference, entries) } };
}

export function targetType({ profile }: CaseContext): SoftTypeProfile {
  return profile.primary.reference?.target === 'primary' ? profile.primary : profile.second;
}

/** Whether objects of the primary SoftType can refer to others, and the profile says how it is read to which. */
export function canRefer({ profile }: CaseContext): boolean {
  const { references, softTypes } = profile.all;
  const { reference } = profile.primary;
  if (references === undefined || reference === undefined) return false;
  return reference.target !== 'second' || softTypes?.second !== undefined;
}

/** So many targets, then the item that refers to all of them. */
function linkedTo(context: CaseContext, count: number): readonly MultiCreateItem[] {
  const targets = Array.from({ length: count }, () => item(context, {}, targetType(context)));
  return [...targets, referring(context, item(context), targets)];
}

/** An object that was read, as other requests take it; undefined where the read does not tell its version. */
export function thingOf({ profile }: CaseContext, read: Reply | undefined, body: Thing['body']): Thing | undefined {
  const version = read?.status === 200 ? versionOf(read) : undefined;
  if (read === undefined || typeof version !== 'number') return undefined;
  return { oid: oidOf(read), location: read.url, type: profile.primary, space: profile.all.space, version, body };
}

/** An object that refers to so many others, or to one where the port holds one, and a read of it; undefined where the profile does not say how such a one is made and found. */
export async function makeReferrer(
  context: CaseContext,
  count: number,
): Promise<{ readonly thing: Thing; readonly read: Reply } | undefined> {
  const { service, profile, notes } = context;
  const { reference } = profile.primary;
  if (reference === undefined || !canRefer(context) || !profile.offers('multi-create')) return undefined;
  const items = linkedTo(context, reference.single === true ? 1 : count);
  const reply = await service.multiCreate(items);
  const [last] = isSuccess(reply.status) ? await readLastCreated(context, reply, items) : [];
  const shown = last?.status === 200 ? referencesIn(dataOf(last)[reference.port]) : [];
  notes.observe(`references shown of ${count}`, shown.length, reply);
  const thing = thingOf(context, last, items.at(-1)?.data ?? {});
  return last === undefined || thing === undefined ? undefined : { thing, read: last };
}

/** An entry of a reference port as a read shows it; undefined where none can be made. */
export async function shownReference(context: CaseContext): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { read } = (await makeReferrer(context, 1)) ?? {};
  const entry = read && referencesIn(dataOf(read)[context.profile.primary.reference?.port ?? ''])[0];
  if (!isObject(entry)) return undefined;
  const { $entryId: _own, ...content } = entry;
  return content;
}

/** To what a reference leads, as reads tell it; an empty text where this one does not. */
export function targetIn({ profile }: CaseContext, entry: unknown): string {
  const { readPath } = profile.all.references ?? {};
  return readPath === undefined ? '' : String(valueAt(entry, readPath) ?? '');
}
