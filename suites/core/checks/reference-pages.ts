import { entriesPerPage } from '../../../contract/limits.ts';
import { dataOf, expandLink, memberOf, onlyPageLink, pageLinks } from '../../../judge/service/answers.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import { isObject, pointer } from '../../../judge/json.ts';
import { targetsOf } from '../../../judge/service/multi-create.ts';
import { readVersion } from '../../../judge/service/writes.ts';
import { makeReferrer, targetIn } from '../../../judge/service/referrers.ts';
import type { Thing } from '../../../judge/things.ts';
import { add, remove } from './operation-steps.ts';
import { referencesIn } from '../../../judge/service/soft-types.ts';

type Reference = Readonly<Record<string, unknown>>;

/** References to twelve objects as two pages show them. */
interface ReferencePages {
  readonly first: readonly Reference[];
  readonly second: readonly Reference[];
  /** The answer with the second page. */
  readonly page: Reply;
}

/** References on the first two pages, in their order. */
export interface References {
  readonly entries: readonly unknown[];
  /** To what each of them leads; no entry where one does not tell it. */
  readonly targets: readonly string[];
  /** As the page link tells it, where there is one. */
  readonly total: unknown;
  readonly reply: Reply;
}

/** Those of the read alone where no link tells of more. */
export async function readReferences(context: CaseContext, thing: Thing): Promise<References> {
  const { service, profile } = context;
  const reply = await service.readLong(thing);
  const first = referencesIn(dataOf(reply)[profile.primary.reference?.port ?? '']);
  const link = onlyPageLink(reply);
  const page = link && (await service.get(expandLink(link, 1), { base: reply }));
  const second = page?.status === 200 ? memberOf(page, 'data') : [];
  const entries = [...first, ...(Array.isArray(second) ? (second as readonly unknown[]) : [])];
  const targets = entries.map((entry) => targetIn(context, entry)).filter((target) => target !== '');
  return { entries, targets, total: link?.['totalNumber'], reply };
}

/** The references of an object that has twelve of them, where its read shows ten and a link tells of the others. */
export async function readReferencePages(context: CaseContext): Promise<ReferencePages | undefined> {
  const { service, notes, profile } = context;
  const { reference } = profile.primary;
  if (reference === undefined || reference.single === true) return undefined;
  const { read } = (await makeReferrer(context, 12)) ?? {};
  const link = read && onlyPageLink(read);
  if (read === undefined || link === undefined) return undefined;
  const first = referencesIn(dataOf(read)[reference.port]).filter(isObject);
  const page = await service.get(expandLink(link, 1), { base: read });
  notes.observe('status of the second page of references', page.status, page);
  const data = memberOf(page, 'data');
  if (first.length !== 10 || page.status !== 200 || !Array.isArray(data)) return undefined;
  return { first, second: data.filter(isObject), page };
}

/** A page of references holds no more of them than one of entries, and all pages hold all of them; where no link tells of more, the read shows all. */
export async function expectReferencePagesLimited(context: CaseContext): Promise<void> {
  const { service, expect, profile } = context;
  const { reference } = profile.primary;
  if (reference === undefined || reference.single === true) return;
  const count = 2 * entriesPerPage + 1;
  const { read } = (await makeReferrer(context, count)) ?? {};
  if (read === undefined) return;
  const shown = referencesIn(dataOf(read)[reference.port]).length;
  if (pageLinks(read).length === 0 && shown > 0)
    expect(shown, `references shown of ${count}, where no page link tells of more`, read).toEqual(count);
  const link = onlyPageLink(read);
  if (link === undefined) return;
  let held = 0;
  for (const number of [0, 1, 2]) {
    const page = await service.get(expandLink(link, number), { base: read });
    const data = memberOf(page, 'data');
    if (page.status === 200 && Array.isArray(data))
      expect(data.length, `references of page ${number}`, page).toSatisfy(
        `at most ${entriesPerPage}`,
        (length) => length <= entriesPerPage,
      );
    if (page.status !== 200 || !Array.isArray(data)) return;
    held += data.length;
  }
  if (link['totalNumber'] === count) expect(held, `references on all pages of ${count}`, read).toEqual(count);
}

/** References are removed by the ids that they are shown with, as other entries are; that operations edit them at all is not asked for. */
export async function expectReferencesRemovedById(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { reference } = profile.primary;
  if (reference === undefined || reference.single === true) return;
  const made = await makeReferrer(context, 4);
  let read = made?.read;
  // behind the first removal no id is a position any more, from whichever number both count
  for (const place of [0, 1]) {
    const entry = read && referencesIn(dataOf(read)[reference.port]).filter(isObject)[place];
    if (made === undefined || read === undefined || entry?.['$entryId'] === undefined) return;
    const before = targetsOf(context, read, profile.primary, []);
    const id = String(entry['$entryId']);
    const reply = await service.operations(await given.current(made.thing), [
      remove(`${pointer(reference.port, id)}/`),
    ]);
    notes.observe('status of the removal of a reference', reply.status, reply);
    if (!isSuccess(reply.status)) return expectRemovedBesideAnother(context, made.thing, entry);
    read = await service.get(made.thing.location);
    const left = targetsOf(context, read, profile.primary, []);
    // in what order they are shown is not said
    expect(left.toSorted(), `targets left after the removal of the reference with the id ${id}`, read).toEqual(
      before.toSpliced(place, 1).toSorted(),
    );
  }
}

/** Where operations add a reference, they remove one: the object has as many then as it had. */
async function expectRemovedBesideAnother(
  { given, service, expect, notes, profile }: CaseContext,
  thing: Thing,
  { $entryId: _former, ...content }: Reference,
): Promise<void> {
  const port = profile.primary.reference?.port ?? '';
  const added = await service.operations(await given.current(thing), [add(pointer(port), content)]);
  notes.observe('status of the addition of a reference', added.status, added);
  if (!isSuccess(added.status)) return;
  // for how long an entry keeps its id is not said
  const [now] = referencesIn(dataOf(await service.get(thing.location))[port]).filter(isObject);
  if (now?.['$entryId'] === undefined) return;
  const path = `${pointer(port, String(now['$entryId']))}/`;
  expect(await service.operations(await given.current(thing), [remove(path)])).toSucceed();
}

/** An edit of references alone raises the version like others do: where the object can go without one of two, and have it again. */
export async function expectReferencesCount(context: CaseContext): Promise<void> {
  const { service, expect, notes, profile } = context;
  const { reference } = profile.primary;
  const made = reference === undefined || reference.single === true ? undefined : await makeReferrer(context, 2);
  if (reference === undefined || made === undefined) return;
  const [entry] = referencesIn(dataOf(made.read)[reference.port]);
  if (!isObject(entry)) return;
  const { $entryId, ...content } = entry;
  let { version } = made.thing;
  for (const [what, operation] of [
    ['an entry with a reference is removed', remove(`${pointer(reference.port, String($entryId))}/`)],
    ['a reference is added as it was shown', add(pointer(reference.port), content)],
  ] as const) {
    const reply = await service.operations(made.thing, [operation], { version });
    notes.observe(what, reply.status, reply);
    if (!isSuccess(reply.status)) return;
    const told = await readVersion(context, made.thing);
    expect(told, `version after ${what}`, reply).toEqual(version + 1);
    version += 1;
  }
}
