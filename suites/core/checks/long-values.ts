import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import { pointer } from '../../../judge/json.ts';
import { dataOf, entriesOf, pageLinksOf } from '../../../judge/service/answers.ts';
import { readCreated } from '../../../judge/service/multi-create.ts';
import { item } from '../../../judge/service/referrers.ts';
import type { Thing } from '../../../judge/things.ts';
import { add } from './operation-steps.ts';

/** Longer than what many a column for long texts takes, in characters. */
const longestText = 'long '.repeat(14_000);
/** One that tells whether a list is shown whole, and more than queries are often cut at. */
const listLengths = [12, 101, 1001];

/** A text that is taken, however long, is kept to its end by an edit as well. */
export async function expectLongestKept(
  { given, service, expect, notes, profile }: CaseContext,
  what: string,
  edit: (thing: Thing, member: string, text: string) => Promise<Reply>,
): Promise<void> {
  const [member] = profile.scalars;
  const text = longestText + given.unique();
  const thing = await given.object({ [member]: given.unique() });
  const reply = await edit(thing, member, text);
  notes.observe(`status of ${what} with a text of more than ${longestText.length} characters`, reply.status, reply);
  if (!isSuccess(reply.status)) return;
  const read = await service.readLong(thing);
  expect(String(dataOf(read)[member]).length, `characters of ${member} after ${what}`, read).toEqual(text.length);
  expect(dataOf(read)[member] === text, `${member} after ${what} is the text that was sent`, read).toEqual(true);
}

/** How many values a read shows of a list is not said: one that shows twelve shows all that it has taken. */
export async function expectLongListWhole({ given, service, expect, notes, profile }: CaseContext): Promise<void> {
  const { scalarList } = profile.primary;
  if (scalarList === undefined) return;
  for (const length of listLengths) {
    const list = Array.from({ length }, () => given.unique());
    const body = given.body({ [scalarList]: list });
    const created = await service.create(body);
    notes.observe(`status of a create with a list of ${length}`, created.status, created);
    if (!isSuccess(created.status)) return;
    const read = await service.readLong(await given.found(created, body));
    const shown = dataOf(read)[scalarList];
    const count = Array.isArray(shown) ? shown.length : 0;
    notes.observe(`values shown of a list of ${length}`, count, read);
    if (length === listLengths[0] && count !== length) return;
    expect(count, `values shown of a list of ${length}`, read).toEqual(length);
  }
}

/** As many entries as queries are often cut at, and one more. */
const manyEntries = 101;

/** An array that is taken with more than a hundred entries has them all, whichever way it came. @param write gives a read of what it has made, where it was taken */
export async function expectHundredTaken(
  { given, expect, profile }: CaseContext,
  what: string,
  write: (content: Readonly<Record<string, unknown>>) => Promise<Reply | undefined>,
): Promise<void> {
  if (profile.primary.arrayPort === undefined) return;
  const { port } = profile;
  const entries = Array.from({ length: manyEntries }, () => given.entry(given.unique()));
  const read = await write({ [port.member]: entries });
  if (read?.status !== 200) return;
  for (const link of pageLinksOf(read, port))
    expect(link['totalNumber'], `totalNumber of ${manyEntries} entries behind ${what}`, read).toEqual(manyEntries);
}

/** A long text of an entry that is added is kept to its end, where it is taken. */
export async function expectLongTextAdded({ given, service, expect, notes, profile }: CaseContext): Promise<void> {
  const { port } = profile;
  const text = longestText + given.unique();
  const owner = await given.objectWithEntries(0);
  const reply = await service.operations(owner, [add(pointer(port.member), given.entry(text, {}, port))]);
  notes.observe(`status of an add of an entry with ${text.length} characters`, reply.status, reply);
  if (!isSuccess(reply.status)) return;
  const read = await service.read(owner);
  const lengths = entriesOf(read, port).map(({ members }) => String(members[port.text]).length);
  expect(lengths, 'characters of the text of an entry that was added', read).toEqual([text.length]);
}

/** An item of a multi-create holds a long text and a long array whole, where they are taken. */
export async function expectLongItemsWhole(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const created = async (data: Readonly<Record<string, unknown>>): Promise<Reply | undefined> => {
    const items = [item(context, { ...data })];
    const reply = await service.multiCreate(items);
    notes.observe(`status of a multi-create with a long ${Object.keys(data).join()}`, reply.status, reply);
    return isSuccess(reply.status) ? (await readCreated(context, reply, items))[0] : undefined;
  };
  await expectHundredTaken(context, 'a multi-create', created);
  const [member] = profile.scalars;
  const text = longestText + given.unique();
  const read = await created({ [member]: text });
  if (read?.status !== 200) return;
  expect(String(dataOf(read)[member]).length, `characters of ${member} of an item`, read).toEqual(text.length);
}
