import { bodyOfResult, resultsOf, sendBatch } from '../../../judge/service/batch.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import { namesIn, readCreated, readWhole } from '../../../judge/service/multi-create.ts';
import { item, thingOf } from '../../../judge/service/referrers.ts';
import type { Thing } from '../../../judge/things.ts';

/** An object, and what made it. */
interface Created {
  readonly by: string;
  readonly thing: Thing;
}

/** Objects that no create of its own made: by a multi-create, or by a batch. What is refused, or does not name what it made, is left out. */
export async function createdOtherwise(context: CaseContext): Promise<readonly Created[]> {
  const { given, service, profile, notes } = context;
  const made: Created[] = [];
  const keep = (by: string, reply: Reply, reads: readonly (Reply | undefined)[], body: Thing['body']): void => {
    notes.observe(`a create by ${by}`, reply.status, reply);
    for (const read of reads) {
      const thing = thingOf(context, read, body);
      if (thing !== undefined) made.push({ by, thing });
    }
  };
  if (profile.offers('multi-create')) {
    const items = [item(context), item(context)];
    const reply = await service.multiCreate(items);
    const isNamed = isSuccess(reply.status) && namesIn(context, reply.json, items) !== undefined;
    keep('a multi-create', reply, isNamed ? await readCreated(context, reply, items) : [], items[0]?.data ?? {});
  }
  if (!profile.offers('batch')) return made;
  const body = given.body();
  const batch = await sendBatch(context, [service.requests.create(body)]);
  const { href } = isSuccess(batch.status) ? bodyOfResult(resultsOf(batch)[0]) : {};
  const read =
    typeof href === 'string' ? await readWhole(context, await service.get(href, { base: batch })) : undefined;
  keep('a batch', batch, [read], body);
  return made;
}
