import type { SoftTypeProfile } from '../../../contract/profile.ts';
import { headerNames } from '../../../contract/names.ts';
import { dataOf } from '../../../judge/service/answers.ts';
import { editRequest, operationsOf, sendBatch, withHeader } from '../../../judge/service/batch.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { withUnique } from '../../../judge/given.ts';
import type { RequestSpec } from '../../../judge/exchange.ts';
import { valueAt } from '../../../judge/json.ts';
import type { Thing } from '../../../judge/things.ts';
import { expectDateShown } from './dated-date.ts';
import { datedPathIn, makeEditable } from '../../../judge/service/writes.ts';
import { filterAt } from '../../../judge/service/queries.ts';
import { replace } from './operation-steps.ts';

/** The operations look alike: whose filter each of them used is told by the date that it left, behind operations of other kinds as well. */
export async function expectFilterOfBatchUsed(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const { dated } = profile.primary;
  if (dated === undefined || profile.all.informationFilter?.dateMember === undefined) return;
  for (const date of ['2018-07-09T00:00:00Z', '2020-02-29T00:00:00Z']) {
    const filter = filterAt(context, date);
    const twin = await given.object(dated.value);
    const alone = await service.send({ ...(await redating(context, twin, dated)), filter });
    given.succeeded(alone, 'a dated element is replaced', ['patch.replace.dated-effectivity-date']);
    const then = await service.send({ ...service.requests.read(twin), filter });
    given.succeeded(then, 'an object shows by a filter with a date before it was made');
    const [first, second, third] = [
      await given.object(dated.value),
      await given.object(dated.value),
      await given.object(dated.value),
    ];
    const requests = [
      await redating(context, first, dated),
      await redating(context, second, dated),
      editRequest(context, await makeEditable(context)),
      service.requests.read(first),
      await redating(context, third, dated),
    ];
    expect(await sendBatch(context, requests, { filter })).toAnswer(200);
    for (const [place, target] of [first, second, third].entries())
      await expectDate(context, target, date, filter, ` by operation ${[0, 1, 4][place]} of a batch`);
    await expectOwnNotUsed(context, first, date, filter);
  }
}

async function expectOwnNotUsed(context: CaseContext, target: Thing, date: string, filter: object): Promise<void> {
  const { given, service, notes, profile } = context;
  const dated = given.present(profile.primary.dated, 'dated in the profile');
  const another = JSON.stringify(filterAt(context, '2021-03-01T00:00:00Z'));
  const [again] = await operationsOf(context, [await redating(context, await given.current(target), dated)]);
  const header = Buffer.from(another).toString('base64');
  const own = await service.batch([withHeader(again, headerNames.informationFilter, header)], { filter });
  notes.observe('status of a batch whose operation brings an information filter of its own', own.status, own);
  if (own.status === 200)
    await expectDate(context, target, date, filter, ' in a batch whose operation brings a filter of its own');
}

/** Replaces the dated element of the object. */
async function redating(
  context: CaseContext,
  target: Thing,
  dated: NonNullable<SoftTypeProfile['dated']>,
): Promise<RequestSpec> {
  const { given, service } = context;
  const value: unknown = withUnique(dated.replaceWith, given.unique);
  return service.requests.operations(target, [replace(await datedPathIn(context, target, dated), value)]);
}

async function expectDate(
  context: CaseContext,
  target: Thing,
  date: string,
  filter: object,
  how: string,
): Promise<void> {
  const { given, service, profile } = context;
  const dated = given.present(profile.primary.dated, 'dated in the profile');
  const read = await service.readLong(target, { filter });
  const seen = valueAt(dataOf(read), dated.datePath);
  expectDateShown(context, seen, date, `effectivity date of an element replaced${how}`, read);
}
