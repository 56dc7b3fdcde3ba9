import type { SoftTypeProfile } from '../../contract/profile.ts';
import { dataOf } from './answers.ts';
import type { CaseContext } from '../case.ts';
import type { Reply } from '../exchange.ts';
import { valueAt } from '../json.ts';
import { isAddress, namesOfCreated } from './names-of-created.ts';
import { PreconditionFailed } from '../violation.ts';
import { referencesIn, softTypesOf } from './soft-types.ts';
import { decodeSegment, hasShortRoute } from './requests.ts';

export interface MultiCreateItem {
  readonly $id: string;
  readonly $softType: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** SoftType that the item names. */
export function softTypeOf(
  profile: CaseContext['profile'],
  { $softType }: { readonly $softType?: unknown },
): SoftTypeProfile {
  return softTypesOf(profile.all).find(({ definitionId }) => definitionId === $softType) ?? profile.primary;
}

/**
 * Reads of the objects that the items became, in the order of the items: by the pointers of the profile, else by the `href` members
 * of the answer, of which there has to be one for each item.
 * @param answer the answer to the multi-create, which in a batch is a part of the reply
 */
export async function readCreated(
  context: CaseContext,
  reply: Reply,
  items: readonly MultiCreateItem[],
  answer: unknown = reply.json,
): Promise<readonly Reply[]> {
  return readOfThese(context, reply, { items, answer });
}

/** As `readCreated`, of the last so many items alone. */
export async function readLastCreated(
  context: CaseContext,
  reply: Reply,
  items: readonly MultiCreateItem[],
  count = 1,
): Promise<readonly Reply[]> {
  return readOfThese(context, reply, { items, answer: reply.json, from: items.length - count });
}

interface Created {
  readonly items: readonly MultiCreateItem[];
  readonly answer: unknown;
  /** Place of the first item whose object is read. */
  readonly from?: number;
}

async function readOfThese(
  context: CaseContext,
  reply: Reply,
  { items, answer, from = 0 }: Created,
): Promise<readonly Reply[]> {
  const names = namesIn(context, answer, items)?.map((name, index) => [name, items[index]] as const);
  if (names !== undefined)
    return Promise.all(names.slice(from).map(([name, item]) => readOf(context, reply, name, item)));
  const advice =
    context.profile.all.multiCreate?.resultHref === undefined
      ? 'bind multiCreate.resultHref (and resultId, where their order is another) in the profile'
      : 'multiCreate.resultHref leads to none here; without it in the profile objects are made one by one';
  const sentence = `URIs of all created objects in the answer: ${advice}`;
  throw new PreconditionFailed(sentence, reply);
}

/** URI or id of the object that each item became; undefined where the answer does not tell them all. */
export function namesIn(
  context: CaseContext,
  answer: unknown,
  items: readonly MultiCreateItem[],
): readonly unknown[] | undefined {
  return namesOfCreated(context.profile.all, answer, items);
}

/** What is no URI is the id of the object. */
async function readOf(
  context: CaseContext,
  reply: Reply,
  name: unknown,
  item: MultiCreateItem | undefined,
): Promise<Reply> {
  const { service, profile } = context;
  const uri = String(name);
  if (item === undefined) return service.get(uri, { base: reply });
  const type = softTypeOf(profile, item);
  const byUri = async (): Promise<Reply> => readWhole(context, await service.get(uri, { base: reply }));
  if (isAddress(uri)) return byUri();
  const thing = { oid: uri, type, space: profile.all.space, location: '', version: 0, body: item.data };
  const byId = await service.readLong(thing);
  // a relative reference of another form may look like an id with a slash
  return byId.status === 404 && uri.includes('/') ? byUri() : byId;
}

/** The object that was read by an address of the service, as its output schema shows it: the short route may apply another one. */
export async function readWhole(context: CaseContext, read: Reply): Promise<Reply> {
  if (read.status !== 200) return read;
  const type = softTypeOf(context.profile, dataOf(read));
  return hasShortRoute(type) ? read : readLongOf(context, read, type);
}

/** The same object by the long route, whichever one it was read by. */
export function readLongOf(
  { service, profile }: CaseContext,
  read: Reply,
  type: SoftTypeProfile = profile.primary,
): Promise<Reply> {
  return service.readLong({ oid: oidOf(read), type, space: profile.all.space, location: '', version: 0, body: {} });
}

export function oidOf(read: Reply): string {
  return String(dataOf(read)['$oid']);
}

/** The objects to which the references of an object lead, as they are read, all pages of up to ten: the ids of those known, else what stands there. */
export function targetsOf(
  context: CaseContext,
  read: Reply,
  type: SoftTypeProfile,
  known: readonly string[],
): readonly string[] {
  return targetsIn(context, dataOf(read)[type.reference?.port ?? ''], read, known);
}

/** The same of the references that stand there, be it on a page of them. */
export function targetsIn(
  { profile }: CaseContext,
  shown: unknown,
  read: Reply,
  known: readonly string[],
): readonly string[] {
  const path = profile.all.references?.readPath ?? '';
  return referencesIn(shown).map((entry) => {
    const value = valueAt(entry, path);
    if (value === undefined)
      throw new PreconditionFailed(
        'references.readPath of the profile to lead to the target in an entry of the reference port',
        read,
      );
    const name = String(value);
    return known.find((oid) => leadsTo(name, oid, read)) ?? name;
  });
}

/** Whether that is the id of the object, or a URI with the id as a segment of its path. */
function leadsTo(name: string, oid: string, read: Reply): boolean {
  if (name === oid) return true;
  if (!isAddress(name) || !URL.canParse(name, read.url)) return false;
  return new URL(name, read.url).pathname.split('/').some((segment) => decodeSegment(segment) === oid);
}
