import { isSuccess } from '../../../judge/exchange.ts';
import { isDeepStrictEqual } from 'node:util';
import { dataOf } from '../../../judge/service/answers.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { pointer } from '../../../judge/json.ts';
import type { Thing } from '../../../judge/things.ts';
import { textsKept } from '../../../judge/service/texts.ts';
import { separators } from './every-kind.ts';
import { add } from './operation-steps.ts';

/** Whether an array of plain texts is a target for single ones is left to the service: they have no entry ids. */
export async function expectListAppended(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { scalarList } = profile.primary;
  if (scalarList === undefined) return;
  const alike = ['one', separators, separators];
  const lists = [[], ['one', 'two'], ...((await isListKept(context, scalarList, alike)) ? [alike] : [])];
  const taken = new Set<readonly string[]>();
  for (const end of [[], ['-']])
    for (const texts of lists) {
      const thing = await given.object(texts.length === 0 ? {} : { [scalarList]: texts });
      const added = texts === alike ? separators : 'last';
      const reply = await service.operations(thing, [add(pointer(scalarList, ...end), added)]);
      notes.observe(
        `a text is added to an array of ${texts.length} texts${end.length === 0 ? '' : ' at its end'}`,
        reply.status,
        reply,
      );
      // where such an array is a target at all the end marker may be given or left out
      if (taken.has(texts)) expect(reply).toSucceed();
      if (!isSuccess(reply.status)) continue;
      taken.add(texts);
      const read = await service.read(thing);
      const shown = dataOf(read)[scalarList];
      // in which order such an array is kept is not said
      expect(Array.isArray(shown) ? shown.toSorted() : shown, `${scalarList} after a text was added`, read).toEqual(
        [...texts, added].toSorted(),
      );
    }
  await expectListedLast(context, scalarList);
}

/** A list that is taken has each of its texts, an empty one as well where the empty text is kept as a value at all. */
export async function expectEmptyListed(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { scalarList } = profile.primary;
  const { telling } = await textsKept(context);
  if (scalarList === undefined || !telling.includes('')) return;
  const list = ['one', '', 'two'];
  const body = given.body({ [scalarList]: list });
  const created = await service.create(body);
  notes.observe('status of a create with an empty text in a list', created.status, created);
  if (!isSuccess(created.status)) return;
  const read = await service.read(await given.found(created, body));
  const shown = dataOf(read)[scalarList];
  // in which order such an array is kept is not said
  expect(Array.isArray(shown) ? shown.toSorted() : shown, `${scalarList} with an empty text`, read).toEqual(
    list.toSorted(),
  );
}

/** Where texts stay in the order in which they were sent, whatever it is, one that is added is the last. */
async function expectListedLast(context: CaseContext, member: string): Promise<void> {
  const { given, service, expect, notes } = context;
  const lists = [
    ['b', 'c', 'a'],
    ['c', 'a', 'b'],
  ];
  const things = await Promise.all(lists.map((list) => given.object({ [member]: list })));
  const shownOf = async (thing: Thing): Promise<unknown> => dataOf(await service.read(thing))[member];
  const shown = await Promise.all(things.map(shownOf));
  const isOrdered = isDeepStrictEqual(shown, lists);
  notes.observe('an array of texts shows them in the order in which they were sent', isOrdered);
  for (const [index, thing] of isOrdered ? things.entries() : []) {
    const added = index === 0 ? 'aa' : 'd';
    const reply = await service.operations(thing, [add(pointer(member), added)]);
    if (!isSuccess(reply.status)) return;
    const read = await service.read(thing);
    expect(dataOf(read)[member], `${member} after a text was added`, read).toEqual([...(lists[index] ?? []), added]);
  }
}

/** Whether a create keeps these texts as they are, but for their order. */
async function isListKept(
  { given, service, notes }: CaseContext,
  member: string,
  texts: readonly string[],
): Promise<boolean> {
  const body = given.body({ [member]: texts });
  const reply = await service.create(body);
  const read = isSuccess(reply.status) ? await service.read(await given.found(reply, body)) : undefined;
  const shown = read && dataOf(read)[member];
  const isKept = Array.isArray(shown) && shown.toSorted().join('\n') === texts.toSorted().join('\n');
  notes.observe('an array of texts keeps those that are alike', isKept, read ?? reply);
  return isKept;
}
