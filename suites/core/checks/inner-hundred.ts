import { entriesPerPage } from '../../../contract/limits.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import { objectsIn, pointer } from '../../../judge/json.ts';
import { entriesOf, entriesOfPage, expandLink, innerPageLink } from '../../../judge/service/answers.ts';
import { withFilter } from '../../../judge/service/queries.ts';
import type { Owner } from '../../../judge/things.ts';
import { unlessRefused } from '../../../judge/violation.ts';
import { remove } from './operation-steps.ts';

/** More than queries are often cut at, inside an entry: its last page is there. */
export async function expectInnerHundredPaged(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  if (profile.port.nested === undefined) return;
  const count = 101;
  const owner = await unlessRefused(() => given.objectWithEntries(1, { nested: () => count }));
  if (owner === undefined) return;
  const read = await service.read(owner);
  const link = innerPageLink(read, profile.primary, count);
  if (link === undefined) return;
  const last = Math.floor(count / entriesPerPage);
  const page = await service.get(expandLink(link, last), { base: read });
  expect(page).toAnswer(200);
  const what = `entries on page ${last} of ${count} inside an entry`;
  expect(entriesOfPage(page).length, what, page).toEqual(count % entriesPerPage);
}

/**
 * The link of an array inside an entry leads into that entry, whatever entries a filter has left out before it, be they more than a page. One
 * into those is remarked on.
 */
export async function expectInnerLinksFiltered(context: CaseContext): Promise<void> {
  const { profile } = context;
  if (profile.port.nested === undefined || profile.all.filters?.fixed === undefined) return;
  const isLinked = await isInnerLinkFollowed(context, [12, 13, 14]);
  if (isLinked) await isInnerLinkFollowed(context, [...Array.from({ length: entriesPerPage }, () => 0), 13, 14]);
}

/** @param lengths of the arrays inside the entries, of which the filter admits the last. @returns whether a filtered read links to its pages */
async function isInnerLinkFollowed(context: CaseContext, lengths: readonly number[]): Promise<boolean> {
  const { given, service, expect, notes, profile } = context;
  const { matching = {}, other = {} } = profile.all.filters?.fixed ?? {};
  const owner = await unlessRefused(() =>
    given.objectWithEntries(lengths.length, {
      members: (index) => (index === lengths.length - 1 ? matching : other),
      nested: (index) => lengths[index] ?? 0,
    }),
  );
  const admitted = lengths.at(-1) ?? 0;
  if (owner === undefined) return false;
  const plain = await service.read(owner);
  const linkIn = (read: Reply, length: number) => innerPageLink(read, profile.primary, length);
  const filtered = await service.read(owner, withFilter(context, owner));
  const isOnFirstPage = lengths.length <= entriesPerPage;
  if ((isOnFirstPage && linkIn(plain, admitted) === undefined) || filtered.status !== 200) return false;
  if (entriesOf(filtered, owner.port).length !== 1) return false;
  // how such a link looks is not said, and the whole array has one as well
  const others = lengths.slice(0, -1).filter((length) => length > entriesPerPage && length !== lengths.length);
  if (others.some((length) => linkIn(filtered, length) !== undefined))
    notes.remark('a filtered read links to the pages inside an entry that the filter has left out', filtered);
  const link = linkIn(filtered, admitted);
  notes.observe('a filtered read links to the pages inside an entry', link !== undefined, filtered);
  if (link === undefined) return false;
  const page = await service.get(expandLink(link, 1), { base: filtered });
  expect(page).toAnswer(200);
  const what = `entries on page 1 of ${admitted} inside an entry that a filter has admitted, which is number ${lengths.length}`;
  expect(entriesOfPage(page).length, what, page).toEqual(admitted - entriesPerPage);
  return true;
}

/** An object with entries inside an entry, the first of which was removed, and their ids, where operations do that. */
export async function makeInnerRemoved(
  context: CaseContext,
): Promise<{ readonly owner: Owner; readonly ids: readonly unknown[] } | undefined> {
  const { given, service, profile } = context;
  const { nested, member } = profile.port;
  if (nested === undefined || !profile.offers('operations')) return undefined;
  const owner = await unlessRefused(() => given.objectWithEntries(1, { nested: () => 3 }));
  if (owner === undefined) return undefined;
  const [entry] = entriesOf(await service.read(owner), owner.port);
  const [first] = await innerIdsOf(context, owner);
  if (entry === undefined || first === undefined) return undefined;
  const path = `${pointer(member, entry.entryId, nested.member, String(first))}/`;
  const removal = await service.operations(owner, [remove(path)]);
  return isSuccess(removal.status) ? { owner, ids: await innerIdsOf(context, owner) } : undefined;
}

/** Ids of the entries inside entries, as a read shows them. */
export async function innerIdsOf({ service, profile }: CaseContext, owner: Owner): Promise<readonly unknown[]> {
  const { nested } = profile.port;
  const entries = entriesOf(await service.read(owner), owner.port);
  return entries
    .flatMap(({ members }) =>
      nested === undefined ? [] : objectsIn(members[nested.member]).map((one) => String(one['$entryId'])),
    )
    .toSorted();
}
