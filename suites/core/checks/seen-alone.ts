import { type CaseContext, unlessKept } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import { statedVersion } from '../../../judge/service/answers.ts';
import { areAllCarriedOut, bodyOfResult, resultsOf, sendBatch } from '../../../judge/service/batch.ts';
import { portOf } from '../../../judge/profile.ts';
import { makeDemotable } from '../../../judge/service/maturity.ts';
import { filterAt, withFilterOnPage } from '../../../judge/service/queries.ts';
import { editRoutes, findWorking, headerVersion, makeEditable } from '../../../judge/service/writes.ts';
import type { Thing } from '../../../judge/things.ts';
import { expectGone, waysToSend } from './deleted.ts';
import { placesToEdit } from './edited-places.ts';
import { readersOf } from './readers.ts';
import { type Way as ReadWay, waysToRead } from './ways-to-read.ts';

type Way = Pick<ReadWay, 'by' | 'request'>;

/** What a read of an object or of a page of it showed. */
interface Shown {
  /** In words: `the first page, filtered, for the reader`. */
  readonly by: string;
  readonly status: unknown;
  readonly version: unknown;
  readonly reply: Reply;
}

/**
 * What was read before shows every write at once, where nobody else writes either: the writes of others may be what empties a cache. Behind the
 * cases of a run nobody does, and no object is made between the reads.
 */
export async function expectSeenAlone(context: CaseContext): Promise<void> {
  const { service, profile } = context;
  const { routes } = profile.all;
  const edits = await findWorking(context, editRoutes(context));
  const removal = {
    name: 'DELETE',
    request: (thing: Thing) => ({ ...service.requests.remove(thing), version: thing.version }),
  };
  for (const { name, request } of [...edits, ...(routes?.softTypeDelete === undefined ? [] : [removal])])
    for (const [where, send] of waysToSend(context)) {
      const thing = await makeRead(context);
      const write = async (): Promise<number | undefined> => {
        const reply = await send(request(thing));
        return isSuccess(reply.status) && (where === '' || areAllCarriedOut(reply)) ? thing.version + 1 : undefined;
      };
      await expectSeen(context, thing, `${name}${where}`, write, where !== '');
    }
  if (routes?.demote !== undefined) await unlessKept(() => expectDemoteSeen(context), context);
  for (const edit of edits) await expectSeenBehindMeetings(context, edit);
  const makeWithPlaces = await placesToEdit(context);
  for (const { what } of (await makeWithPlaces()).edits) {
    const { thing, edits: ofThing } = await makeWithPlaces();
    const edit = ofThing.find((one) => one.what === what);
    const write = async (): Promise<number | undefined> =>
      edit !== undefined && isSuccess((await service.send(edit.request(thing))).status) ? thing.version + 1 : undefined;
    await expectSeen(context, thing, `edit of ${what}`, write, true);
  }
}

/** Whether a demote raises the version is judged elsewhere. */
async function expectDemoteSeen(context: CaseContext): Promise<void> {
  const thing = await makeDemotable(context);
  const write = async (): Promise<number | undefined> => {
    const reply = await context.service.demote(thing);
    return isSuccess(reply.status) ? headerVersion(reply.headers) : undefined;
  };
  await expectSeen(context, thing, 'demote', write, true);
}

/** A write that is refused here is judged elsewhere. @param write tells the version that it leaves; @param isUsual whether reads are made as usual alone */
async function expectSeen(
  context: CaseContext,
  thing: Thing,
  name: string,
  write: () => Promise<number | undefined>,
  isUsual = false,
): Promise<void> {
  const { expect } = context;
  const ways = [...waysToRead(context, thing), ...waysToPage(context, thing)];
  const served = await findServed(context, ways);
  // a batch is a write to some caches, and so stands at neither side of the write
  const inBatchBefore = await readInBatch(context, served);
  const before = new Map(
    [...inBatchBefore, ...(await readAlone(context, served, isUsual))]
      .filter(({ status, version }) => status === 200 && version === thing.version)
      .map((shown) => [shown.by, shown]),
  );
  const left = await write();
  if (left === undefined) return;
  const isGone = name.startsWith('DELETE');
  const alone = await readAlone(context, served, isUsual);
  const inBatch = isGone ? [] : await readInBatch(context, served);
  for (const { by, status, version, reply } of [...alone, ...inBatch]) {
    const former = before.get(by)?.reply;
    if (former === undefined) continue;
    if (isGone) await expectGone(context, reply, { gone: thing, former });
    else if (status === 200) expect(version, `version that ${by} shows behind: ${name}`, reply).toEqual(left);
  }
  if (isGone) await expectGoneInBatches(context, thing, served);
}

/** Whether a way is served is judged elsewhere. */
async function findServed(context: CaseContext, ways: readonly Way[]): Promise<readonly Way[]> {
  const statuses = await Promise.all(ways.map(async ({ request }) => (await context.service.send(request)).status));
  return ways.filter((_way, index) => statuses[index] === 200);
}

/** A read of what is gone ends a batch, or is told as one of nothing; it may have been given its id again. */
async function expectGoneInBatches(context: CaseContext, thing: Thing, ways: readonly Way[]): Promise<void> {
  const { service, expect } = context;
  for (const way of ways.slice(0, waysInBatch)) {
    const [shown] = await readInBatch(context, [way]);
    if (shown === undefined || isSuccess((await service.read(thing)).status)) continue;
    expect(shown.status, `statusCode of ${shown.by} of an object that was deleted`, shown.reply).notToEqual(200);
  }
}

/** So many ways are tried each in a batch of its own. */
const waysInBatch = 2;

/** How often reads meet an edit. */
const meetings = 4;

/** Reads that are under way beside an edit leave nothing behind of what was before it. */
async function expectSeenBehindMeetings(
  context: CaseContext,
  edit: ReturnType<typeof editRoutes>[number],
): Promise<void> {
  const { service, expect } = context;
  for (let meeting = 0; meeting < meetings; meeting += 1) {
    const thing = await makeRead(context);
    const ways = waysToRead(context, thing);
    const read = (): Promise<readonly Shown[]> => readAlone(context, ways, true);
    const [before, reply] = await Promise.all([read(), service.send(edit.request(thing))]);
    if (!isSuccess(reply.status)) continue;
    const after = await read();
    for (const [index, { by, status, version, reply: shown }] of after.entries())
      if (status === 200 && before[index]?.version !== undefined)
        expect(version, `version that ${by} shows behind a ${edit.name} that met reads`, shown).toEqual(
          thing.version + 1,
        );
  }
}

/** With pages, where there are any. */
async function makeRead(context: CaseContext): Promise<Thing> {
  const { given, profile } = context;
  const { arrayPort, secondArrayPort } = profile.primary;
  return arrayPort === undefined
    ? makeEditable(context)
    : given.objectWithEntries(11, secondArrayPort && { second: 11 });
}

/** By each reader, under a tag that nothing has, and with another information filter, for which a service may have no current version. */
async function readAlone(context: CaseContext, ways: readonly Way[], isUsual: boolean): Promise<readonly Shown[]> {
  const readers = readersOf(context.profile).map((as) => [`for the ${as}`, { as }] as const);
  const circumstances = isUsual
    ? readers.slice(0, 1)
    : [
        ...readers,
        ['under a tag', { headers: { 'If-None-Match': '"another"' } }] as const,
        ['at another date', { filter: filterAt(context, '2090-01-01T00:00:00Z') }] as const,
      ];
  return Promise.all(
    ways.flatMap((way) =>
      circumstances.map(async ([told, changes]) => {
        const reply = await context.service.send(way.request, changes);
        return { by: `${way.by} ${told}`, status: reply.status, version: statedVersion(reply), reply };
      }),
    ),
  );
}

/** All in one batch, where there are any. */
async function readInBatch(context: CaseContext, ways: readonly Way[]): Promise<readonly Shown[]> {
  if (!context.profile.offers('batch')) return [];
  const reply = await sendBatch(
    context,
    ways.map(({ request }) => request),
  );
  if (reply.status !== 200) return [];
  return resultsOf(reply).flatMap((result, index) => {
    const { statusCode: status } = result;
    const { version } = bodyOfResult(result);
    return { by: `${ways[index]?.by} in a batch`, status, version, reply };
  });
}

/** The first and the last page of each array through each schema, and the first one filtered. */
function waysToPage(context: CaseContext, thing: Thing): readonly Way[] {
  const { requests } = context.service;
  const { type } = thing;
  const another = type.secondOutputSchema && { ...type, outputSchemaId: type.secondOutputSchema.id };
  const things = [
    ['', thing] as const,
    ...(another ? [[' through another schema', { ...thing, type: another }] as const] : []),
  ];
  const pages = [type.arrayPort, type.secondArrayPort]
    .filter((port) => port !== undefined)
    .flatMap((port) =>
      things.flatMap(([told, seen]) =>
        [0, 1].map((page) => ({
          by: `page ${page} of ${port.member}${told}`,
          request: requests.page(seen, page, portOf(port)),
        })),
      ),
    );
  if (pages.length === 0 || context.profile.all.filters?.fixed === undefined) return pages;
  const filtered = { ...requests.page(thing, 0), ...withFilterOnPage(context, thing, 0) };
  return [...pages, { by: 'the first page, filtered', request: filtered }];
}
