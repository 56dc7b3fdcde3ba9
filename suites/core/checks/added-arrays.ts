import { dataOf } from '../../../judge/service/answers.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess } from '../../../judge/exchange.ts';
import { pointer } from '../../../judge/json.ts';
import { add, entriesNow } from './operation-steps.ts';

/** Whether an array as the value itself is added to an array is not said; one that is taken is there with all that it holds. */
export async function expectAddedArraysWhole(context: CaseContext): Promise<void> {
  for (const count of [0, 1]) await expectEntriesAdded(context, count);
  await expectTextsAdded(context);
}

async function expectEntriesAdded(context: CaseContext, count: number): Promise<void> {
  const { given, service, expect, notes } = context;
  const owner = await given.objectWithEntries(count);
  const { member, text } = owner.port;
  const texts = [given.unique(), given.unique(), given.unique()];
  const reply = await service.operations(owner, [
    add(
      pointer(member),
      texts.map((each) => given.entry(each)),
    ),
  ]);
  notes.observe(`an array added to an array of ${count}`, reply.status, reply);
  if (!isSuccess(reply.status)) return;
  const shown = new Set((await entriesNow(context, owner)).map(({ members }) => members[text]));
  const lost = texts.filter((each) => !shown.has(each));
  expect(lost, `entries of an added array that are not in ${member}`, reply).toEqual([]);
}

async function expectTextsAdded(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { scalarList } = profile.primary;
  if (scalarList === undefined) return;
  const thing = await given.object();
  const texts = ['one', 'two', 'three'];
  const reply = await service.operations(thing, [add(pointer(scalarList), texts)]);
  notes.observe('an array added for an array of texts', reply.status, reply);
  if (!isSuccess(reply.status)) return;
  const read = await service.read(thing);
  const shown = dataOf(read)[scalarList];
  const lost = texts.filter((each) => !Array.isArray(shown) || !shown.includes(each));
  expect(lost, `texts of an added array that are not in ${scalarList}`, read).toEqual([]);
}
