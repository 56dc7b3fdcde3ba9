import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import { statedVersion } from '../../../judge/service/answers.ts';
import { areAllCarriedOut, bodyOfResult, resultsOf, sendBatch } from '../../../judge/service/batch.ts';
import { portOf } from '../../../judge/profile.ts';
import { filterAt, withFilterOnPage } from '../../../judge/service/queries.ts';
import { editRoutes, findWorking, makeEditable } from '../../../judge/service/writes.ts';
import type { Thing } from '../../../judge/things.ts';
import { expectGone, waysToSend } from './deleted.ts';
import { readersOf } from './readers.ts';
import { type Way as ReadWay, waysToRead } from './ways-to-read.ts';

type Way = Pick<ReadWay, 'by' | 'request'>;

/** What a read of an object or of a page of it showed. */
interface Shown {
  /** In words: `the last page, filtered, for the reader`. */
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
    for (const [where, send] of waysToSend(context))
      await expectSeen(context, `${name}${where}`, async (thing) => {
        const reply = await send(request(thing));
        return isSuccess(reply.status) && (where === '' || areAllCarriedOut(reply));
      });
}

/** A write that is refused here is judged elsewhere. */
async function expectSeen(
  context: CaseContext,
  name: string,
  write: (thing: Thing) => Promise<boolean>,
): Promise<void> {
  const { expect } = context;
  const thing = await makeRead(context);
  const ways = [...waysToRead(context, thing), ...waysToPage(context, thing)];
  const alone = await readAlone(context, ways);
  const served = ways.filter(({ by }) =>
    alone.some((shown) => shown.by.startsWith(`${by} for `) && shown.status === 200),
  );
  const before = new Map(
    [...alone, ...(await readInBatch(context, served))]
      .filter(({ status, version }) => status === 200 && version === thing.version)
      .map((shown) => [shown.by, shown]),
  );
  if (!(await write(thing))) return;
  const isGone = name.startsWith('DELETE');
  // what is gone ends a batch
  for (const { by, status, version, reply } of [
    ...(await readAlone(context, served)),
    ...(isGone ? [] : await readInBatch(context, served)),
  ]) {
    const former = before.get(by)?.reply;
    if (former === undefined) continue;
    if (isGone) await expectGone(context, reply, { gone: thing, former });
    else if (status === 200)
      expect(version, `version that ${by} shows behind a ${name}`, reply).toEqual(thing.version + 1);
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
async function readAlone(context: CaseContext, ways: readonly Way[]): Promise<readonly Shown[]> {
  const readers = readersOf(context.profile).map((as) => [`for the ${as}`, { as }] as const);
  const circumstances = [
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

/** The last page of each array through each schema, and the first one filtered. */
function waysToPage(context: CaseContext, thing: Thing): readonly Way[] {
  const { requests } = context.service;
  const { type } = thing;
  const another = type.secondOutputSchema && { ...type, outputSchemaId: type.secondOutputSchema.id };
  const last = [type.arrayPort, type.secondArrayPort].flatMap((port) => {
    if (port === undefined) return [];
    const { member } = port;
    const way = (told: string, seen: Thing): Way => ({
      by: `the last page of ${member}${told}`,
      request: requests.page(seen, 1, portOf(port)),
    });
    return [way('', thing), ...(another ? [way(' through another schema', { ...thing, type: another })] : [])];
  });
  if (last.length === 0 || context.profile.all.filters?.fixed === undefined) return last;
  const filtered = { ...requests.page(thing, 0), ...withFilterOnPage(context, thing, 0) };
  return [...last, { by: 'the first page, filtered', request: filtered }];
}
