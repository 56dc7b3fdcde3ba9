import { shownReference } from '../../../judge/service/referrers.ts';
import { entriesPerPage } from '../../../contract/limits.ts';
import { dataOf, expandLink, memberOf, onlyPageLink } from '../../../judge/service/answers.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import { isObject, pointer } from '../../../judge/json.ts';
import { membersWith, referencesIn } from '../../../judge/service/soft-types.ts';
import type { Thing } from '../../../judge/things.ts';
import { add, remove } from './operation-steps.ts';

/** An object that refers to one other several times. */
interface Alike {
  readonly thing: Thing;
  readonly port: string;
  /** Each of the references, as a client writes it. */
  readonly entry: Readonly<Record<string, unknown>>;
  readonly ids: readonly string[];
}

/** References are kept as a create of as many keeps them. */
const count = 3;

/** A reference to what the object refers to already is one more, by each of two lists of operations. */
export async function expectAlikeReferenceAppended(context: CaseContext): Promise<void> {
  const { service, given, notes, profile } = context;
  if (!profile.offers('operations')) return;
  const alike = await makeAlikeReferrer(context);
  if (alike === undefined) return;
  let { thing } = alike;
  for (const more of [1, 2]) {
    const reply = await service.operations(thing, [add(pointer(alike.port), alike.entry)]);
    notes.observe('status of an add of a reference to what the object refers to', reply.status, reply);
    if (!isSuccess(reply.status)) return;
    await expectCount(context, alike, count + more, `${more} more by an add`);
    thing = await given.current(thing);
  }
}

/** The remove of a reference leaves those that lead to the same. */
export async function expectAlikeReferenceRemoved(context: CaseContext): Promise<void> {
  const { service, notes, profile } = context;
  if (!profile.offers('operations')) return;
  const alike = await makeAlikeReferrer(context);
  if (alike === undefined) return;
  const [, second = ''] = alike.ids;
  const reply = await service.operations(alike.thing, [remove(`${pointer(alike.port, second)}/`)]);
  notes.observe('status of a remove of one of several references to one object', reply.status, reply);
  if (isSuccess(reply.status)) await expectCount(context, alike, count - 1, 'a remove of one');
}

/** A PUT stores as many as it brings. */
export async function expectAlikeReferencesPut(context: CaseContext): Promise<void> {
  const { service, notes } = context;
  const alike = await makeAlikeReferrer(context);
  if (alike === undefined) return;
  const reply = await service.put(alike.thing, alike.thing.body);
  notes.observe('status of a PUT of several references to one object', reply.status, reply);
  if (isSuccess(reply.status)) await expectCount(context, alike, count, 'a PUT of what was created');
}

/** More than two pages hold. */
const countOfLong = 2 * entriesPerPage + 1;

/** A page link counts every reference, those that lead to one object too: as many as the pages hold. */
export async function expectAlikeReferencesCounted(
  context: CaseContext,
  member: 'pages' | 'totalNumber',
): Promise<void> {
  const { service, expect } = context;
  const alike = await makeAlikeReferrer(context, countOfLong);
  if (alike === undefined) return;
  const read = await service.readLong(alike.thing);
  const link = onlyPageLink(read);
  if (link === undefined) return;
  let held = 0;
  for (const number of [0, 1, 2]) {
    const page = await service.get(expandLink(link, number), { base: read });
    const data = page.status === 200 ? memberOf(page, 'data') : [];
    held += Array.isArray(data) ? data.length : 0;
  }
  // where pages hold less, that is judged elsewhere
  if (held !== countOfLong) return;
  const expected = member === 'pages' ? Math.ceil(held / entriesPerPage) : held;
  expect(link[member], `${member} of the page link of ${held} references to one object`, read).toEqual(expected);
}

async function expectCount(
  { service, expect }: CaseContext,
  { thing, port }: Alike,
  expected: number,
  behind: string,
): Promise<void> {
  const read = await service.readLong(thing);
  const what = `references of ${port}, ${count} to one object at first, after ${behind}`;
  expect(referencesShown(read, port).length, what, read).toEqual(expected);
}

/** Undefined where a port holds one reference, or a create with several to one object is refused or keeps fewer. */
async function makeAlikeReferrer(context: CaseContext, references = count): Promise<Alike | undefined> {
  const { given, service, notes, profile } = context;
  const { reference } = profile.primary;
  const entry = reference === undefined || reference.single === true ? undefined : await shownReference(context);
  if (reference === undefined || entry === undefined) return undefined;
  const body = given.body(
    membersWith(
      reference,
      Array.from({ length: references }, () => entry),
    ),
  );
  const created = await service.create(body);
  notes.observe('status of a create with several references to one object', created.status, created);
  if (!isSuccess(created.status)) return undefined;
  const thing = await given.found(created, body);
  const shown = referencesShown(await service.readLong(thing), reference.port);
  const ids = shown.map((each) => (isObject(each) ? String(each['$entryId']) : ''));
  notes.observe('references that a create with several to one object keeps', shown.length, created);
  return shown.length === Math.min(references, entriesPerPage)
    ? { thing, port: reference.port, entry, ids }
    : undefined;
}

function referencesShown(read: Reply, port: string): readonly unknown[] {
  return referencesIn(dataOf(read)[port]);
}
