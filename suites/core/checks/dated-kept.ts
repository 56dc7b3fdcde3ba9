import { dataOf } from '../../../judge/service/answers.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Changes, type Reply } from '../../../judge/exchange.ts';
import { valueAt } from '../../../judge/json.ts';
import { filterAt } from '../../../judge/service/queries.ts';
import type { Thing } from '../../../judge/things.ts';

/** The date of a dated element belongs to it: a write that does not name the element leaves the date alone, too. */
export async function expectDateKept(
  context: CaseContext,
  way: string,
  write: (thing: Thing, changes: Changes) => Promise<Reply>,
): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { dated } = profile.primary;
  if (dated === undefined) return;
  const body = given.body(dated.value);
  // where a create goes by the filter the date is not that of today, by which a service may date anew
  const created = await service.create(body, { filter: filterAt(context, '2021-03-31T00:00:00Z') });
  given.succeeded(created, 'an object with a dated element is created');
  const thing = await given.found(created, body);
  const before = valueAt(dataOf(await service.readLong(thing)), dated.datePath);
  const reply = await write(thing, { filter: filterAt(context, '2020-02-29T00:00:00Z') });
  notes.observe(`${way} of an object with a dated element`, reply.status, reply);
  if (!isSuccess(reply.status)) return;
  const read = await service.readLong(thing);
  const after = valueAt(dataOf(read), dated.datePath);
  expect(after ?? null, `date of an element that ${way} does not name`, read).toEqual(before ?? null);
}
