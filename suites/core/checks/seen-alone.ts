import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply, type RequestSpec } from '../../../judge/exchange.ts';
import { statedVersion } from '../../../judge/service/answers.ts';
import { areAllCarriedOut } from '../../../judge/service/batch.ts';
import { editRoutes, findWorking, makeEditable } from '../../../judge/service/writes.ts';
import type { Thing } from '../../../judge/things.ts';
import { expectGone, waysToSend } from './deleted.ts';
import { waysToRead } from './ways-to-read.ts';

interface Read {
  readonly by: string;
  readonly former: Reply;
  readonly request: RequestSpec;
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
  const { service, expect } = context;
  const thing = await makeRead(context);
  const before = await readBefore(context, thing);
  if (!(await write(thing))) return;
  for (const { by, former, request } of before) {
    const shown = await service.send(request);
    if (name.startsWith('DELETE')) {
      await expectGone(context, shown, { gone: thing, former });
      continue;
    }
    if (statedVersion(former) !== thing.version || shown.status !== 200) continue;
    expect(statedVersion(shown), `version that ${by} shows behind a ${name}`, shown).toEqual(thing.version + 1);
  }
}

/** With pages, where there are any. */
async function makeRead(context: CaseContext): Promise<Thing> {
  const { given, profile } = context;
  return profile.primary.arrayPort === undefined ? makeEditable(context) : given.objectWithEntries(11);
}

async function readBefore(context: CaseContext, thing: Thing): Promise<readonly Read[]> {
  const { service, profile } = context;
  const hasPages = profile.primary.arrayPort !== undefined;
  const ways = [
    ...waysToRead(context, thing),
    ...(hasPages ? [{ by: 'the last page', request: service.requests.page(thing, 1) }] : []),
  ];
  const reads: Read[] = [];
  for (const { by, request } of ways) {
    const former = await service.send(request);
    if (former.status === 200) reads.push({ by, former, request });
  }
  return reads;
}
