import { entriesPerPage } from '../../contract/limits.ts';
import type { CaseContext } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import type { Owner } from '../../judge/given.ts';
import { entriesOfPage, textsOf, versionOf } from '../../judge/answer.ts';
import { alongside } from '../../judge/case/overlap.ts';
import { pointer } from '../../judge/json-pointer.ts';
import { Recorder } from '../../judge/register/recorder.ts';
import { versionIn } from './words.ts';

const writers = 10;
/** So that the array goes from its first page to its fourth. */
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

/** Ten writers append three entries each, starting over on 409, while others read the pages: nothing is lost and no page is torn. */
export async function retryLoop(context: CaseContext): Promise<void> {
  const { given, service, expect } = context;
  const owner = await given.objectWithEntries(entriesBefore);
  const running: Race = { context, owner, recorder: new Recorder({ version: owner.version }), appended: new Map() };
  const texts = Array.from({ length: writers }, () => [given.unique('a'), given.unique('b'), given.unique('c')]);
  const pages = await alongside(
    (isOver) => readPages(running, isOver),
    async () => void (await Promise.all(texts.map((own, process) => appendAll(running, process, own)))),
  );
  const after = await service.snapshot(owner);
  const stored = (after.arrays[owner.port.member] ?? []).map((entry) => entry.members[owner.port.text]);
  expect([...stored].sort(), 'entries stored by ten writers of three', after.reply).toEqual(
    [...owner.texts, ...texts.flat()].sort(),
  );
  expect(after.version, 'version after 30 accepted edits', after.reply).toEqual(owner.version + 30);
  for (const page of pages) isWhole(running, page);
  arePagesOfOneArray(running, pages);
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
      const reply = await service.operations(
        owner,
        [{ op: 'add', path: pointer(owner.port.member), value: given.entry(text) }],
        { version, as },
      );
      recorder.write(process, reply, version);
      if (reply.status === 409) continue;
      given.succeeded(reply, 'an entry is appended', ['patch.add.appends-without-marker']);
      appended.set(version + 1, text);
      break;
    }
}

/** Pages 0 to 3 over and over; those that are not there yet are left out. */
async function readPages({ context, owner, recorder }: Race, isOver: () => boolean): Promise<readonly PageRead[]> {
  const seen: PageRead[] = [];
  while (!isOver()) {
    const replies = await Promise.all([0, 1, 2, 3].map((number) => context.service.page(owner, number)));
    for (const [number, reply] of replies.entries()) {
      if (reply.status !== 200) continue;
      recorder.read(writers + number, reply);
      seen.push({ number, reply });
    }
  }
  return seen;
}

/** A page holds as many entries as the array of its version has for it, and none that came later. */
function isWhole({ context, owner, appended }: Race, { number, reply }: PageRead): void {
  const { expect } = context;
  const version = Number(versionOf(reply));
  const array = arrayAt(owner, appended, version);
  const texts = textsOf(entriesOfPage(reply), owner.port);
  const length = Math.max(0, Math.min(entriesPerPage, array.size - number * entriesPerPage));
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
function arePagesOfOneArray({ context, owner }: Race, pages: readonly PageRead[]): void {
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
