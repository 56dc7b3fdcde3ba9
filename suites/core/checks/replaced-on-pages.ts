import { entriesPerPage } from '../../../contract/limits.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply, type RequestSpec } from '../../../judge/exchange.ts';
import { objectsIn, pointer } from '../../../judge/json.ts';
import { sendBatch } from '../../../judge/service/batch.ts';
import { entriesOf, entriesOfPage, expandLink, innerPageLink, textsOf } from '../../../judge/service/answers.ts';
import type { Thing } from '../../../judge/things.ts';
import { add, replace } from './operation-steps.ts';

/** A later page that was read shows what a replace has made of one of its entries since, and so does one of an array inside an entry where paths lead there. */
export async function expectReplacedShown(context: CaseContext): Promise<void> {
  const { given, service, profile } = context;
  const { member, text, nested } = profile.port;
  if (!profile.offers('operations')) return;
  const owner = await given.objectWithEntries(12);
  await expectTextReplaced(context, owner, 'an entry', {
    page: () => service.page(owner, 1),
    name: text,
    shownIn: (read) => textsOf(entriesOf(read, profile.port), profile.port),
    pathOf: (entryId) => pointer(member, entryId, text),
  });
  if (nested === undefined) return;
  const holder = await given.objectWithEntries(1, { nested: () => 12 });
  const [outer] = entriesOf(await service.read(holder), profile.port);
  if (outer === undefined) return;
  await expectTextReplaced(context, holder, 'an entry inside an entry', {
    page: async (read) => {
      const link = innerPageLink(read, profile.primary, 12);
      return link && service.get(expandLink(link, 1), { base: read });
    },
    name: nested.text,
    shownIn: (read) =>
      entriesOf(read, profile.port)
        .flatMap(({ members }) => objectsIn(members[nested.member]))
        .map((item) => item[nested.text]),
    pathOf: (entryId) => pointer(member, outer.entryId, nested.member, entryId, nested.text),
  });
}

/** What is replaced on page 1, and how that is addressed. */
interface PagedText {
  /** By the link of a read, which may hold for its version alone; undefined where none leads there. */
  readonly page: (read: Reply) => Promise<Reply | undefined>;
  readonly name: string;
  /** What the read shows itself. */
  readonly shownIn: (read: Reply) => readonly unknown[];
  readonly pathOf: (entryId: string) => string;
}

/** By an operation alone, and by one in a batch, which may take another way to what a service keeps of pages. */
async function expectTextReplaced(context: CaseContext, thing: Thing, what: string, paged: PagedText): Promise<void> {
  const { given, service, profile } = context;
  await expectReplacedBy(context, thing, what, paged, (request) => service.send(request));
  if (!profile.offers('batch')) return;
  const changed = await given.current(thing);
  await expectReplacedBy(context, changed, `${what}, in a batch,`, paged, (request) => sendBatch(context, [request]));
}

async function expectReplacedBy(
  { given, service, expect, notes }: CaseContext,
  thing: Thing,
  what: string,
  { page, name, shownIn, pathOf }: PagedText,
  send: (request: RequestSpec) => Promise<Reply>,
): Promise<void> {
  const known = await page(await service.read(thing));
  notes.observe(`status of page 1 for ${what}`, known?.status ?? 'no link', known);
  const [first] = known?.status === 200 ? entriesOfPage(known) : [];
  if (first === undefined) return;
  const fresh = given.unique('replaced');
  const reply = await send(service.requests.operations(thing, [replace(pathOf(first.entryId), fresh)]));
  notes.observe(`status of a replace in ${what} on page 1`, reply.status, reply);
  if (!isSuccess(reply.status)) return;
  const read = await service.read(thing);
  const again = await page(read);
  if (again?.status !== 200) return;
  // entries may stand in the order of their texts
  const texts = [...shownIn(read), ...entriesOfPage(again).map(({ members }) => members[name])];
  expect(texts.includes(fresh), `the new text of ${what} of page 1, which was read before, is shown`, again).toEqual(
    true,
  );
}

/** A page that was asked for while there was none holds what has been appended since. */
export async function expectAppendedShown(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  if (!profile.offers('operations')) return;
  const owner = await given.objectWithEntries(entriesPerPage);
  const early = await service.page(owner, 1);
  notes.observe('status of page 1 of a full page 0', early.status, early);
  const entry = given.entry(given.unique('appended'), {}, owner.port);
  const reply = await service.operations(owner, [add(pointer(owner.port.member), entry)]);
  if (!isSuccess(reply.status)) return;
  const page = await service.page(owner, 1);
  expect(page).toAnswer(200);
  expect(entriesOfPage(page).length, 'entries on page 1, which was asked for before there was one', page).toEqual(1);
}
