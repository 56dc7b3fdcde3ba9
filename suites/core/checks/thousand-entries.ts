import { entriesPerPage } from '../../../contract/limits.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import { pointer } from '../../../judge/json.ts';
import { entriesOfPage, idsOf, pageLinksOf, textsOf } from '../../../judge/service/answers.ts';
import type { Thing } from '../../../judge/things.ts';
import { add, entryPath, remove, replace } from './operation-steps.ts';

/** As many as queries of databases are often cut at, and one more; first so many that tell how long it will take. */
const counts = [101, 1001];
/** Where so many would take longer, they are not asked for. */
const mostMs = 5000;

/** An array that is taken with more than a thousand entries has them on its pages to the last, and another one behind them; its link counts them all. */
export async function expectThousandPaged(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { port } = profile;
  let eachMs = 0;
  for (const count of counts) {
    if (count * eachMs > mostMs) return notes.observe(`a create with ${count} entries`, 'would take too long');
    const texts = Array.from({ length: count }, () => given.unique());
    const body = given.body({ [port.member]: texts.map((text) => given.entry(text)) });
    const created = await service.create(body);
    notes.observe(`status of a create with ${count} entries`, created.status, created);
    if (!isSuccess(created.status)) return;
    eachMs = created.exchange.durationMs / count;
    const thing = await given.found(created, body);
    const expectCounted = async (total: number): Promise<void> => {
      const read = await service.read(thing);
      for (const link of pageLinksOf(read, port)) {
        expect(link['totalNumber'], `totalNumber of ${total} entries`, read).toEqual(total);
        expect(link['pages'], `pages of ${total} entries`, read).toEqual(Math.ceil(total / entriesPerPage));
      }
    };
    await expectCounted(count);
    const [half, last] = [Math.floor(count / entriesPerPage / 2), Math.floor(count / entriesPerPage)];
    for (const number of [half, last - 1, last]) {
      const page = await service.page(thing, number, { port });
      expect(page).toAnswer(200);
      const shown = textsOf(entriesOfPage(page), port);
      expect(shown.length, `entries on page ${number} of ${count} entries`, page).toEqual(
        number === last ? count % entriesPerPage : entriesPerPage,
      );
      expect(
        shown.filter((text) => !texts.includes(String(text))),
        `entries on page ${number} of ${count} entries that are none of them`,
        page,
      ).toEqual([]);
    }
    if (!profile.offers('operations')) continue;
    await expectEdited(context, thing, last);
    const [entryId] = idsOf(entriesOfPage(await service.page(thing, last, { port })));
    const text = given.unique('further');
    const edit = await service.operations(await given.current(thing), [
      add(pointer(port.member), given.entry(text)),
      remove(entryPath(port, given.present(entryId, `an entry id on page ${last}`))),
    ]);
    notes.observe(`status of an add behind ${count} entries`, edit.status, edit);
    if (!isSuccess(edit.status)) continue;
    await expectCounted(count);
    const page = await service.page(thing, last, { port });
    expect(textsOf(entriesOfPage(page), port), `entries on page ${last} behind an add and a remove`, page).toEqual([
      text,
    ]);
  }
}

/** An entry is reached by the id that its page tells, however many come before it, as that of a short array is. */
async function expectEdited(context: CaseContext, thing: Thing, page: number): Promise<void> {
  const { given, service, expect, profile } = context;
  const { port } = profile;
  const editOn = async (owner: Thing, number: number): Promise<Reply> => {
    const [entryId] = idsOf(entriesOfPage(await service.page(owner, number, { port })));
    const path = pointer(port.member, given.present(entryId, `an entry id on page ${number}`), port.text);
    return service.operations(await given.current(owner), [replace(path, given.unique())]);
  };
  const alone = await editOn(await given.objectWithEntries(1), 0);
  if (isSuccess(alone.status)) expect(await editOn(thing, page)).toSucceed();
}
