import type { LinkRead } from '../../../contract/judge-read.ts';
import { entriesPerPage } from '../../../contract/limits.ts';
import {
  entriesOf,
  entriesOfPage,
  expandLink,
  hasOtherLongArray,
  innerPageLink,
  memberOf,
  pageLinks,
  pageLinksOf,
} from '../../../judge/service/answers.ts';
import { unlessRefused } from '../../../judge/violation.ts';
import { sendBatch } from '../../../judge/service/batch.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import { objectsIn, pointer } from '../../../judge/json.ts';
import { withFilterOnPage } from '../../../judge/service/queries.ts';
import type { Snapshot } from '../../../judge/service/target.ts';
import type { Owner, Port, Thing } from '../../../judge/things.ts';
import type { Members } from './member-kinds.ts';
import { additionsOf } from './member-writes.ts';
import { contentIn, pageLinksIn, readEveryWay } from './ways-to-read.ts';
import { add, contentsIn, entriesIn, entryPath, expectContents, remove, replace } from './operation-steps.ts';

/** Writes to an object without a word of an array, maybe to the other one; undefined where there is nothing to write. */
type WriteBeside = (thing: Thing, before: Snapshot, other: Port | undefined) => Promise<Reply> | undefined;

/** By what each does. */
type WritesBeside = Readonly<Record<string, WriteBeside>>;

/** An array stays as it is, be it the first or the second, beyond its first page too, whatever else is written one after the other. Of a write that is refused nothing is said here. */
export async function expectLongArrayKept(context: CaseContext, writes: WritesBeside): Promise<void> {
  const { given, profile } = context;
  if (profile.primary.arrayPort === undefined) return;
  const owner = await given.objectWithEntries(12);
  const second = profile.primary.secondArrayPort && profile.secondPort;
  await expectArraysKept(context, owner, { kept: [owner.port], other: second }, writes);
  await expectInnerKept(context, writes);
  if (second === undefined) return;
  const other = await given.objectWithEntries(0, { second: 12 });
  await expectArraysKept(context, other, { kept: [second], other: other.port }, writes);
}

/** Two long arrays stay as they are beside writes that are about neither. */
export async function expectBothArraysKept(context: CaseContext, writes: WritesBeside): Promise<void> {
  const { given, profile } = context;
  if (profile.primary.secondArrayPort === undefined) return;
  const owner = await given.objectWithEntries(12, { second: 21 });
  await expectArraysKept(context, owner, { kept: [owner.port, profile.secondPort] }, writes);
}

/** Entries of the array inside an entry: as many as no other array has. */
const innerCount = 13;

/** So is a long array inside an entry, of which the link tells how long it is. */
async function expectInnerKept({ given, service, expect, profile }: CaseContext, writes: WritesBeside): Promise<void> {
  if (profile.port.nested === undefined) return;
  const owner = await unlessRefused(() => given.objectWithEntries(1, { nested: () => innerCount }));
  if (owner === undefined) return;
  const linksIn = (read: Reply): number =>
    pageLinks(read).filter(({ totalNumber }) => totalNumber === innerCount).length;
  let before = await service.snapshot(owner);
  for (const [what, write] of Object.entries(writes)) {
    const reply = await write({ ...owner, version: before.version }, before, undefined);
    if (reply === undefined || !isSuccess(reply.status)) continue;
    const after = await service.snapshot(owner);
    const links = `links of an array of ${innerCount} inside an entry after ${what}`;
    expect(linksIn(after.reply), links, after.reply).toEqual(linksIn(before.reply));
    before = after;
  }
}

async function expectArraysKept(
  context: CaseContext,
  owner: Owner,
  { kept, other }: { readonly kept: readonly Port[]; readonly other?: Port | undefined },
  writes: WritesBeside,
): Promise<void> {
  const { service, expect, notes } = context;
  let before = await service.snapshot(owner);
  for (const [what, write] of Object.entries(writes)) {
    const reply = await write({ ...owner, version: before.version }, before, other);
    notes.observe(
      `${what} beside ${kept.length === 1 ? 'a long array' : 'two long arrays'}`,
      reply?.status ?? 'not tried',
      reply,
    );
    if (reply === undefined || !isSuccess(reply.status)) continue;
    const read = await service.read(owner);
    const left = pageLinks(read).map(({ sectionPath }) => sectionPath);
    const after = await service.snapshot(owner);
    for (const port of kept) {
      for (const { sectionPath } of pageLinksOf(before.reply, port))
        expect(sectionPath, `sectionPath of a page link from before ${what}`, read).toBeOneOf(left);
      expectContents(context, after, port, `entries of ${port.member} after ${what}`, contentsIn(before, port));
    }
    before = after;
  }
}

/** Operations on a text of the root, where there is one. */
export function textsBeside({ given, service, profile }: CaseContext): WritesBeside {
  const [first] = profile.primary.scalars ?? [];
  if (first === undefined) return {};
  const path = pointer(first);
  return {
    'an add of a text': (thing) => service.operations(thing, [add(path, given.unique())]),
    'a replace of a text': (thing) => service.operations(thing, [replace(path, given.unique())]),
    'a remove of a text': (thing) => service.operations(thing, [remove(path)]),
  };
}

export function mergesBeside(context: CaseContext): WritesBeside {
  const { service, profile } = context;
  const { requests } = service;
  return {
    'a merge of another array': (thing, _before, other) => other && service.merge(thing, oneEntry(context, other)),
    'a merge of another array in a batch': (thing, _before, other) =>
      other && profile.offers('batch')
        ? sendBatch(context, [requests.merge(thing, oneEntry(context, other))])
        : undefined,
  };
}

export function operationsBeside(context: CaseContext): WritesBeside {
  const { given, service } = context;
  return {
    'an add to another array': (thing, _before, other) =>
      other && service.operations(thing, additionsOf(oneEntry(context, other))),
    'a replace in another array': (thing, before, other) => {
      const [entry] = other === undefined ? [] : entriesIn(before, other);
      if (other === undefined || entry === undefined) return undefined;
      return service.operations(thing, [replace(pointer(other.member, entry.entryId, other.text), given.unique())]);
    },
    'a remove from another array': (thing, before, other) => {
      const [entry] = other === undefined ? [] : entriesIn(before, other);
      if (other === undefined || entry === undefined) return undefined;
      return service.operations(thing, [remove(entryPath(other, entry.entryId))]);
    },
  };
}

export function movesBeside({ service, profile }: CaseContext): WritesBeside {
  return {
    'a promote': (thing) => service.promote(thing),
    'a demote': (thing) => (profile.all.routes?.demote === undefined ? undefined : service.demote(thing)),
  };
}

function oneEntry({ given }: CaseContext, port: Port): Members {
  return { [port.member]: [given.entry(given.unique(), {}, port)] };
}

/** Of the arrays of the object that `makeLong` makes: of the first, the second, and those inside entries. */
const lengths = { first: 21, second: 12, inside: [11, 13] } as const;

/** An object whose arrays are all long, the first one under a filter as well, and two of those inside its entries. */
export function makeLong({ given, profile }: CaseContext): Promise<Owner> {
  const { matching = {} } = profile.all.filters?.fixed ?? {};
  const second = profile.primary.secondArrayPort === undefined ? {} : { second: lengths.second };
  const nested = profile.port.nested && { nested: (index: number) => lengths.inside[index] ?? 0 };
  return given.objectWithEntries(lengths.first, { members: () => matching, ...second, ...nested });
}

/** Whether a page link of that object may be one of these arrays: not everybody need see what else the service shows. */
function isOfMadeLong({ totalNumber }: LinkRead): boolean {
  return [lengths.first, lengths.second, ...lengths.inside].some((length) => length === totalNumber);
}

/** Links that name different arrays lead to different pages, however the object is read. */
export async function expectLinksApart(context: CaseContext): Promise<void> {
  let linked: readonly string[] | undefined;
  for (const answer of await readEveryWay(context, await makeLong(context))) {
    if (!answer.way.isFiltered && !answer.way.isReshaped) {
      const totals = pageLinksIn(answer)
        .filter(isOfMadeLong)
        .map(({ totalNumber }) => String(totalNumber));
      linked ??= totals.toSorted();
      const what = `lengths of long arrays with a page link by ${answer.by}`;
      context.expect(totals.toSorted(), what, answer.reply).toEqual(linked);
    }
    const arrays = new Map<unknown, unknown>();
    for (const { href, sectionPath } of pageLinksIn(answer)) {
      const known = arrays.get(href) ?? sectionPath;
      arrays.set(href, known);
      context
        .expect(sectionPath, `array of the pages behind ${String(href)} by ${answer.by}`, answer.reply)
        .toEqual(known);
    }
  }
}

/** How a page link names its array, whichever object that belongs to. */
export function arrayIn({ sectionPath }: LinkRead, { oid }: Thing): unknown {
  return typeof sectionPath === 'string' ? sectionPath.replaceAll(oid, '{objectId}') : sectionPath;
}

/** Two arrays of one length have the links of their own that they have where their lengths differ. @param arrays as they are named then */
export async function expectAlikeLinked(
  { given, service, expect }: CaseContext,
  arrays: readonly unknown[],
): Promise<void> {
  const owner = await given.objectWithEntries(12, { second: 12 });
  const read = await service.read(owner);
  const named = pageLinks(read).map((link) => arrayIn(link, owner));
  for (const array of arrays)
    expect(array, 'sectionPath of an array that is as long as the other', read).toBeOneOf(named);
  const hrefs = new Set(pageLinks(read).map(({ href }) => href));
  expect(hrefs.size, 'different pages behind the links of arrays of one length', read).toSatisfy(
    `${new Set(named).size} at least`,
    (count) => count >= new Set(named).size,
  );
}

/** An array inside an entry is no longer than a page by whichever way the object is read, and on a page, under a filter as well. */
export async function expectInnerLimited(context: CaseContext, nested: string): Promise<void> {
  const { service, expect, profile } = context;
  const owner = await makeLong(context);
  const { member } = profile.port;
  const answers = await readEveryWay(context, owner);
  const shown = answers.map((answer) => ({
    by: answer.by,
    entries: contentIn(answer)[member] as unknown,
    reply: answer.reply,
  }));
  if (profile.all.filters?.fixed !== undefined) {
    const page = await service.page(owner, 0, withFilterOnPage(context, owner, 0));
    shown.push({ by: 'a filtered page', entries: memberOf(page, 'data'), reply: page });
  }
  for (const { by, entries, reply } of shown)
    for (const entry of objectsIn(entries))
      expect(objectsIn(entry[nested]).length, `entries of ${nested} by ${by}`, reply).toSatisfy(
        'at most 10',
        (count) => count <= 10,
      );
}

/** The pages of an array inside an entry by the port id that the profile gives it: recorded where they are not served. */
export async function expectInnerPagesLimited(
  { given, service, expect, notes }: CaseContext,
  portId: string,
): Promise<void> {
  const owner = await given.objectWithEntries(1, { nested: () => 21 });
  const [entry] = entriesOf(await service.read(owner), owner.port);
  const port = { ...owner.port, portId: portId.replaceAll('{{entryId}}', String(entry?.entryId)) };
  const pages = await Promise.all([0, 1, 2].map((number) => service.page(owner, number, { port })));
  notes.observe('pages of 21 nested entries', pages.map((page) => page.status).join(', '), pages[0]);
  for (const page of pages)
    if (page.status === 200)
      expect(entriesOfPage(page).length, 'entries on a page of a nested array', page).toSatisfy(
        `at most ${entriesPerPage}`,
        (count) => count <= entriesPerPage,
      );
}

/** What page links of long arrays inside entries say, where there are such; whose they are is told by how long the arrays are. */
export async function expectInnerCounted(
  { given, service, expect, profile }: CaseContext,
  member: 'pages' | 'totalNumber',
): Promise<void> {
  if (profile.port.nested === undefined) return;
  const counts = [11, 21, 1, 20];
  const read = await service.read(
    await given.objectWithEntries(counts.length, { nested: (index) => counts[index] ?? 0 }),
  );
  if (hasOtherLongArray(read, profile.primary)) return;
  for (const { pages, totalNumber } of pageLinks(read)) {
    if (typeof totalNumber !== 'number') continue;
    // a short array may have a link of one page, or of none
    if (totalNumber <= 10 && (member === 'totalNumber' || Number(pages) <= 1)) continue;
    if (member === 'totalNumber') expect(totalNumber, 'totalNumber of a page link', read).toBeOneOf(counts);
    else expect(pages, `pages of ${totalNumber} entries`, read).toEqual(Math.ceil(totalNumber / 10));
  }
}

/** A long array beside a short one has its link, again once the short one has got another entry where operations are offered. */
export async function expectLongLinked(context: CaseContext, array: unknown): Promise<void> {
  const { given, service, expect, profile } = context;
  const owner = await given.objectWithEntries(12, { second: 3 });
  const expectLinked = async (): Promise<void> => {
    const read = await service.read(owner);
    const ofTheLong = pageLinks(read).filter((link) => arrayIn(link, owner) === array);
    expect(ofTheLong.length, 'page links of the long array beside a short one', read).toSatisfy(
      'at least 1',
      (count) => count >= 1,
    );
  };
  await expectLinked();
  if (!profile.offers('operations')) return;
  const entry = given.entry(given.unique('grown'), {}, profile.secondPort);
  const grown = await service.operations(owner, [add(pointer(profile.secondPort.member), entry)]);
  if (isSuccess(grown.status)) await expectLinked();
}

/** What comes behind ten entries of an array inside an entry is counted, where the page links of such arrays tell how long they are. */
export async function expectInnerGrown(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const { port } = profile;
  const { nested } = port;
  if (nested === undefined) return;
  const long = await unlessRefused(() => given.objectWithEntries(1, { nested: () => 11 }));
  if (long === undefined || innerPageLink(await service.read(long), profile.primary, 11) === undefined) return;
  const owner = await given.objectWithEntries(1, { nested: () => 10 });
  const [holder] = entriesOf(await service.read(owner), port);
  if (holder === undefined) return;
  const eleventh = given.nestedEntry(given.unique('eleventh'), nested);
  const reply = await service.operations(owner, [add(pointer(port.member, holder.entryId, nested.member), eleventh)]);
  if (!isSuccess(reply.status)) return;
  const after = await service.read(owner);
  const counted = pageLinks(after).flatMap(({ totalNumber }) => (Number(totalNumber) > 10 ? [totalNumber] : []));
  expect(counted, 'totalNumber of ten entries inside an entry and one that was added', after).toSatisfy(
    '11 among them',
    (totals) => totals.includes(11),
  );
}

/** An entry inside an entry goes by its id also where only a page shows it. */
export async function expectLateInnerRemoved(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { port } = profile;
  if (port.nested === undefined) return;
  const owner = await unlessRefused(() => given.objectWithEntries(1, { nested: () => 12 }));
  if (owner === undefined) return;
  const read = await service.read(owner);
  const link = innerPageLink(read, profile.primary, 12);
  if (link === undefined) return;
  const page = await service.get(expandLink(link, 1), { base: read });
  const [[holder], [late]] = [entriesOf(read, port), page.status === 200 ? entriesOfPage(page) : []];
  if (holder === undefined || late === undefined) return;
  const path = pointer(port.member, holder.entryId, port.nested.member, late.entryId);
  const reply = await service.operations(owner, [remove(`${path}/`)]);
  notes.observe('an entry inside an entry that only a page shows is removed', reply.status, reply);
  if (!isSuccess(reply.status)) return;
  const after = await service.read(owner);
  // short arrays may have page links as well
  const long = pageLinks(after).flatMap(({ totalNumber }) => (Number(totalNumber) > 10 ? [totalNumber] : []));
  expect(long, 'totalNumber of 12 entries inside an entry, one of which was removed', after).toEqual([11]);
}

/** Where an entry has gone, the links of arrays inside those behind it lead to these as before. */
export async function expectInnerLinkedBehindRemoval(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const { nested, text } = profile.port;
  if (nested === undefined || !profile.offers('operations')) return;
  const counts = [0, 12, 13];
  const owner = await given.objectWithEntries(counts.length, { nested: (index) => counts[index] ?? 0 });
  const before = await service.read(owner);
  const [gone] = entriesOf(before, owner.port).filter(({ members }) => members[text] === owner.texts[0]);
  const isLinked = counts.slice(1).every((count) => innerPageLink(before, profile.primary, count) !== undefined);
  if (gone === undefined || !isLinked) return;
  const reply = await service.operations(owner, [remove(entryPath(owner.port, gone.entryId))]);
  if (!isSuccess(reply.status)) return;
  const read = await service.read(owner);
  for (const [index, count] of counts.entries()) {
    if (count === 0) continue;
    const holder = entriesOf(read, owner.port).find(({ members }) => members[text] === owner.texts[index]);
    const shown = objectsIn(holder?.members[nested.member]).map((inner) => inner[nested.text]);
    const link = innerPageLink(read, profile.primary, count);
    expect(link, `the link of ${count} entries inside an entry behind one that was removed`, read).toBePresent();
    const pages = [];
    for (const number of [0, 1]) pages.push(await service.get(expandLink(link ?? {}, number), { base: read }));
    for (const page of pages) expect(page).toAnswer(200);
    const texts = pages.flatMap((page) => entriesOfPage(page).map(({ members }) => members[nested.text]));
    const what = `entries inside an entry, by the link of an array of ${count} behind a removal`;
    expect(new Set(texts).size, what, pages[1]).toEqual(count);
    expect(
      shown.filter((one) => !texts.includes(one)),
      `those of ${what} that are shown and not on a page`,
      read,
    ).toEqual([]);
  }
}

/** Each of many long arrays has its link, however many links that makes. */
export async function expectManyLinked(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  if (profile.port.nested === undefined) return;
  const [length, holders] = [entriesPerPage + 1, entriesPerPage];
  const one = await unlessRefused(() => given.objectWithEntries(1, { nested: () => length }));
  if (one === undefined || innerPageLink(await service.read(one), profile.primary, length) === undefined) return;
  const owner = await given.objectWithEntries(holders, { nested: () => length });
  const read = await service.read(owner);
  const links = pageLinks(read).filter(({ totalNumber }) => totalNumber === length);
  expect(links.length, `links of ${holders} arrays of ${length} inside entries`, read).toSatisfy(
    `${holders} at least`,
    (count) => count >= holders,
  );
}
