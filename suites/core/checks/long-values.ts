import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import { dataOf } from '../../../judge/service/answers.ts';
import type { Thing } from '../../../judge/things.ts';

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
