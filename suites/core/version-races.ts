import { entriesPerPage } from '../../contract/limits.ts';
import { dataOf, entriesOfPage, textsOf, versionOf } from '../../judge/service/answers.ts';
import { type CaseContext, race } from '../../judge/case.ts';
import { answersAfterwards, areSimultaneous, assertRaced, watchDuring } from '../../judge/service/races.ts';
import { isSuccess, type Reply, type RequestSpec } from '../../judge/exchange.ts';
import type { Owner, Thing } from '../../judge/things.ts';
import { pointer } from '../../judge/json.ts';
import { Recorder } from '../../judge/model/register.ts';
import { rules } from '../../judge/rule.ts';
import { makeEditable, versionIn } from '../../judge/service/writes.ts';
import { placesToEdit, type WithPlaces } from './checks/edited-places.ts';
import { add, replace } from './checks/operation-steps.ts';

/** Each appends so many entries: few writers meet as often as many, and start over less. */
const writers = 6;
const appendsEach = 3;

/** So that the array goes from its first page to its third. */
const entriesBefore = 9;

const mostAttempts = 500;

/** A page as it was read while writers were at work. */
interface PageRead {
  readonly number: number;
  readonly reply: Reply;
}

interface Race {
  readonly context: CaseContext;
  readonly owner: Owner;
  readonly recorder: Recorder;
  /** Text that was appended to make each version. */
  readonly appended: Map<number, string>;
}

/** Four of each number of writers. */
const rounds = 12;

/** In which each writer edits another place. */
const roundsOfPlaces = 4;

export const versionRaceRules = rules('versioning', {
  'versioning.race.one-writer-wins': {
    source: 'core: Versioning 3; Errors rule 1',
    statement:
      'Of two or more writers that send the same current version at once exactly one succeeds, also where each edits another member or another array; every other one gets 409.',
    fault: 'version check and store are two steps with an await between them',
    needs: ['soft-type', 'text-member'],
    after: [
      'versioning.mismatch.lower-409',
      'headers.uoi-version.on-merge',
      'headers.uoi-version.on-operations',
      'headers.uoi-version.on-put',
    ],
    test: race(
      async (context) => {
        let overlapping = 0;
        for (let round = 0; round < rounds; round += 1) {
          const writers = [2, 5, 20][round % 3] ?? 2;
          if (await raceWriters(context, writers)) overlapping += 1;
        }
        const make = await placesToEdit(context);
        let races = rounds;
        for (let round = 0; round < roundsOfPlaces; round += 1) {
          const made = await make();
          // one place has no other
          if (made.edits.length < 2) break;
          races += 1;
          if (await racePlaces(context, made)) overlapping += 1;
        }
        assertRaced(context, overlapping, races);
      },
      { rounds: 1 },
    ),
  },
  'versioning.race.different-objects-independent': {
    source: 'core: Versioning 1 and 3',
    statement: 'Parallel writers to different objects do not disturb each other.',
    fault: 'a space-wide lock answers 409 to the second writer',
    needs: ['soft-type', 'text-member'],
    test: race(
      async (context) => {
        const { given, service, expect, profile } = context;
        const member = profile.textMember;
        const things = await Promise.all(Array.from({ length: 20 }, () => makeEditable(context)));
        const texts = things.map(() => given.unique('own'));
        const replies = await Promise.all(
          things.map((thing, index) => service.edit(thing, { [member]: texts[index] ?? '' })),
        );
        for (const reply of replies) expect(reply).toSucceed();
        for (const [index, thing] of things.entries()) {
          const after = await service.snapshot(thing);
          expect(after.members[member], `${member} after 20 edits of 20 objects`, after.reply).toEqual(texts[index]);
          expect(after.version, 'version after one edit', after.reply).toEqual(thing.version + 1);
        }
      },
      { rounds: 2 },
    ),
  },
  'versioning.race.retry-loop-loses-nothing': {
    source: 'core: Versioning 3; Errors rule 1',
    statement:
      'Writers that read, append an entry with the version read, and start over on 409 together store every entry exactly once.',
    fault: 'a 409 is answered after the entry was already stored',
    needs: ['soft-type', 'array-port', 'operations'],
    after: [
      'versioning.race.one-writer-wins',
      'patch.add.appends-without-marker',
      'paging.page-zero.equals-first-read',
      'paging.page-one.holds-the-rest',
      'paging.pages.cover-array-once',
      'paging.page.holds-at-most-ten',
      'paging.page-body.version-of-owner',
    ],
    test: race(runRetryLoop, { rounds: 1 }),
  },
});

/** Writers append entries, starting over on 409, while others read the pages: nothing is lost and no page is torn. */
async function runRetryLoop(context: CaseContext): Promise<void> {
  const { given, service, expect } = context;
  const owner = await given.objectWithEntries(entriesBefore);
  const running: Race = { context, owner, recorder: new Recorder({ version: owner.version }), appended: new Map() };
  const texts = Array.from({ length: writers }, () => Array.from({ length: appendsEach }, () => given.unique()));
  const pages = await watchDuring(
    (isOver) => readPages(running, isOver),
    async () => void (await Promise.all(texts.map((own, process) => appendAll(running, process, own)))),
  );
  const after = await service.snapshot(owner);
  const stored = (after.arrays[owner.port.member] ?? []).map((entry) => entry.members[owner.port.text]);
  expect([...stored].sort(), 'entries stored by all writers', after.reply).toEqual(
    [...owner.texts, ...texts.flat()].sort(),
  );
  expect(after.version, 'version after all accepted edits', after.reply).toEqual(owner.version + writers * appendsEach);
  const there = pages.filter((page) => isThere(running, page));
  for (const page of there) expectWhole(running, page);
  expectPagesOfOneArray(running, there);
  expect(
    running.recorder.breaches().map(({ found }) => found),
    'what no single object with versions can have answered',
    after.reply,
  ).toEqual([]);
}

/** Reads, appends with the version read, starts over on 409. */
async function appendAll(
  { context, owner, recorder, appended }: Race,
  process: number,
  texts: readonly string[],
): Promise<void> {
  const { given, service, profile } = context;
  const as = process % 2 === 1 && profile.all.identities.secondEditor !== undefined ? 'secondEditor' : 'editor';
  for (const text of texts)
    for (let attempt = 0; ; attempt += 1) {
      given.assume(attempt < mostAttempts, `a writer that starts over succeeds within ${mostAttempts} attempts`);
      const read = await service.read(owner, { as });
      recorder.read(process, read);
      const version = versionIn(context, read);
      const reply = await service.operations(owner, [add(pointer(owner.port.member), given.entry(text))], {
        version,
        as,
      });
      recorder.write(process, reply, version);
      if (reply.status === 409 || reply.status === 503) continue;
      given.succeeded(reply, 'an entry is appended', ['patch.add.appends-without-marker']);
      appended.set(version + 1, text);
      break;
    }
}

/** Pages 0 to 2 over and over; those that are not there yet are left out. */
async function readPages({ context, owner, recorder }: Race, isOver: () => boolean): Promise<readonly PageRead[]> {
  const seen: PageRead[] = [];
  while (!isOver()) {
    const replies = await Promise.all([0, 1, 2].map((number) => context.service.page(owner, number)));
    for (const [number, reply] of replies.entries()) {
      if (reply.status !== 200) continue;
      recorder.read(writers + number, reply);
      seen.push({ number, reply });
    }
  }
  return seen;
}

/** Whether the array of its version had entries for a page; what one behind the last shows is open. */
function isThere({ owner, appended }: Race, { number, reply }: PageRead): boolean {
  return number === 0 || number * entriesPerPage < arrayAt(owner, appended, Number(versionOf(reply))).size;
}

/** A page holds as many entries as the array of its version has for it, and none that came later. */
function expectWhole({ context, owner, appended }: Race, { number, reply }: PageRead): void {
  const { expect } = context;
  const version = Number(versionOf(reply));
  const array = arrayAt(owner, appended, version);
  const texts = textsOf(entriesOfPage(reply), owner.port);
  const length = Math.min(entriesPerPage, array.size - number * entriesPerPage);
  expect(
    texts.length,
    `entries on page ${number} at version ${version}, when the array had ${array.size}`,
    reply,
  ).toEqual(length);
  expect(
    texts.filter((text) => !array.has(text)),
    `entries on page ${number} that came after version ${version}`,
    reply,
  ).toEqual([]);
}

/** Pages of one version share no entry. */
function expectPagesOfOneArray({ context, owner }: Race, pages: readonly PageRead[]): void {
  const placeOf = new Map<string, number>();
  for (const { number, reply } of pages)
    for (const text of textsOf(entriesOfPage(reply), owner.port)) {
      const key = `${String(versionOf(reply))} ${String(text)}`;
      const place = placeOf.get(key) ?? number;
      placeOf.set(key, place);
      context
        .expect(number, `page of the entry '${String(text)}' at version ${String(versionOf(reply))}`, reply)
        .toEqual(place);
    }
}

function arrayAt(owner: Owner, appended: ReadonlyMap<number, string>, version: number): ReadonlySet<unknown> {
  return new Set<unknown>([
    ...owner.texts,
    ...[...appended].filter(([made]) => made <= version).map(([, text]) => text),
  ]);
}

/** One round: all writers send the same current version at once, while others read. Tells whether their requests overlapped. */
async function raceWriters(context: CaseContext, writers: number): Promise<boolean> {
  const { given, service, expect, profile } = context;
  const member = profile.textMember;
  const thing = await makeEditable(context);
  const recorder = new Recorder({ version: thing.version, value: String(thing.body[member]) });
  const texts = Array.from({ length: writers }, () => given.unique('writer'));
  const readers = [service.read(thing), service.readLong(thing), service.read(thing)];
  const writes = texts.map((text, index) => () => service.send(writerRequest(context, thing, text, index)));
  const atOnce = await Promise.all(writes.map((write) => write()));
  const replies = await answersAfterwards(writes, atOnce);
  for (const [index, reply] of replies.entries()) recorder.write(index, reply, thing.version, texts[index]);
  for (const [index, reply] of (await Promise.all(readers)).entries())
    recorder.read(writers + index, reply, textIn(reply, member));
  const winners = replies.filter(({ status }) => isSuccess(status));
  for (const reply of replies) if (!winners.includes(reply)) expect(reply).toAnswer(409);
  expect(winners.length, `writers of ${writers} with one version that succeed`, winners[1] ?? replies[0]).toEqual(1);
  const after = await service.snapshot(thing);
  expect(after.version, 'version after one accepted write', after.reply).toEqual(thing.version + 1);
  const winner = replies.findIndex((reply) => reply === winners[0]);
  expect(after.members[member], 'content is that of the winner', after.reply).toEqual(texts[winner]);
  recorder.read(0, after.reply, textIn(after.reply, member));
  expect(
    recorder.breaches().map(({ found }) => found),
    'what no single object with versions can have answered',
    after.reply,
  ).toEqual([]);
  return areSimultaneous(atOnce);
}

/** All writers send the same current version at once, each to edit another place. Tells whether their requests overlapped. */
async function racePlaces(context: CaseContext, { thing, edits }: WithPlaces): Promise<boolean> {
  const { service, expect } = context;
  const writes = edits.map(
    ({ request }) =>
      () =>
        service.send(request(thing)),
  );
  const atOnce = await Promise.all(writes.map((write) => write()));
  const replies = await answersAfterwards(writes, atOnce);
  const winners = edits.filter((_edit, index) => isSuccess(replies[index]?.status ?? 0));
  for (const reply of replies) if (!isSuccess(reply.status)) expect(reply).toAnswer(409);
  const places = edits.map(({ what }) => what).join(', ');
  expect(winners.length, `edits of ${places} with one version, sent at once, that succeed`, replies[0]).toEqual(1);
  const { version, reply } = await service.snapshot(thing);
  expect(version, 'version after one accepted write', reply).toEqual(thing.version + 1);
  return areSimultaneous(atOnce);
}

/** Merge, operations and PUT by turns, from the connections of one or two users. */
function writerRequest(
  { service, given, profile }: CaseContext,
  thing: Thing,
  text: string,
  index: number,
): RequestSpec {
  const { requests } = service;
  const member = profile.textMember;
  const as = index % 2 === 1 && profile.all.identities.secondEditor !== undefined ? 'secondEditor' : 'editor';
  if (index % 3 === 1 && profile.offers('operations'))
    return { ...requests.operations(thing, [replace(pointer(member), text)]), as };
  if (index % 3 === 2 && profile.all.routes?.softTypePut !== undefined)
    return { ...requests.put(thing, given.body({ [member]: text })), as };
  return { ...requests.merge(thing, { [member]: text }), as };
}

/** The text as a read shows it; what that read does not show is not compared. */
function textIn(reply: Reply, member: string): string | undefined {
  const text = reply.status === 200 ? dataOf(reply)[member] : undefined;
  return typeof text === 'string' ? text : undefined;
}
