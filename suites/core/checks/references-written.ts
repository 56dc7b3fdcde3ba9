import { entriesPerPage } from '../../../contract/limits.ts';
import { dataOf } from '../../../judge/service/answers.ts';
import { sendBatch } from '../../../judge/service/batch.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import { pointer } from '../../../judge/json.ts';
import { makeReferrer, shownReference, targetIn } from '../../../judge/service/referrers.ts';
import { membersWith, referencesIn } from '../../../judge/service/soft-types.ts';
import type { Thing } from '../../../judge/things.ts';
import { anyEdit, byAnotherSchema, makeEditable, takesOtherSchema } from '../../../judge/service/writes.ts';
import { add } from './operation-steps.ts';
import { readReferencePages, readReferences } from './reference-pages.ts';

/** More than a page holds. */
const many = 12;

/** References beyond the first page stay beside a merge of a text, by whichever input schema, and beside a promote and a demote. */
export async function expectReferencesKept(context: CaseContext, by: 'merge' | 'promote'): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const made = await makeReferrer(context, many);
  const count = made && (await countOf(context, made.thing));
  if (made === undefined || count !== many) return;
  const merge = (thing: Thing): Promise<Reply> => service.merge(thing, anyEdit(context));
  const ways: Readonly<Record<string, (thing: Thing) => Promise<Reply>>> =
    by === 'promote'
      ? {
          promote: (thing) => service.promote(thing),
          ...(profile.all.routes?.demote !== undefined && { demote: (thing) => service.demote(thing) }),
        }
      : {
          merge,
          ...((await takesOtherSchema(context)) && {
            'merge by another schema': (thing) => merge(byAnotherSchema(thing)),
          }),
        };
  for (const [way, send] of Object.entries(ways)) {
    const reply = await send(await given.current(made.thing));
    notes.observe(`status of a ${way} of an object with ${many} references`, reply.status, reply);
    if (!isSuccess(reply.status)) continue;
    expect(await countOf(context, made.thing), `references left of ${many} by a ${way}`, reply).toEqual(many);
  }
}

/** A merge that brings more references than a page holds stores as many in a batch as by itself. */
export async function expectReferencesMergedInBatch(context: CaseContext): Promise<void> {
  const { service, expect } = context;
  const merged = await mergeReferences(context);
  if (merged === undefined) return;
  const { members, thing } = merged;
  const owner = await makeEditable(context);
  const reply = await sendBatch(context, [service.requests.merge(owner, members)]);
  expect(reply).toAnswer(200);
  const count = await countOf(context, owner);
  expect(count, 'references that a merge in a batch has stored', reply).toEqual(await countOf(context, thing));
}

/** A PUT without the reference port leaves as many references in a batch as by its own route. */
export async function expectReferencesReplaced(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { reference } = profile.primary;
  const [twin, owner] = [await makeReferrer(context, 2), await makeReferrer(context, 2)];
  if (reference === undefined || twin === undefined || owner === undefined) return;
  const countOf = async ({ location }: Thing) =>
    referencesIn(dataOf(await service.get(location))[reference.port]).length;
  const body = () => given.body();
  const own = await service.send(service.requests.put(twin.thing, body()));
  notes.observe('status of a PUT without the references that the object has', own.status, own);
  if (!isSuccess(own.status)) return;
  const reply = await sendBatch(context, [service.requests.put(owner.thing, body())]);
  expect(reply).toAnswer(200);
  const count = await countOf(owner.thing);
  expect(count, 'references after a PUT without them in a batch', reply).toEqual(await countOf(twin.thing));
}

/** A merge that brings nothing but references is for one version as well. */
export async function expectReferencesGuarded(context: CaseContext): Promise<void> {
  const { given, service, expect } = context;
  const merged = await mergeReferences(context);
  if (merged === undefined) return;
  const { version } = await given.current(merged.thing);
  for (const other of [version - 1, version + 7])
    expect(await service.merge(merged.thing, merged.members, { version: other })).toAnswer(409);
}

/** Where a reference is added to the array it is so with the end marker too. */
export async function expectReferenceAddedWithMarker(context: CaseContext): Promise<void> {
  const { service, expect, notes, profile } = context;
  const { reference } = profile.primary;
  if (reference === undefined || reference.single === true || !profile.offers('operations')) return;
  for (const end of [[], ['-']]) {
    const entry = await shownReference(context);
    if (entry === undefined) return;
    const thing = await makeEditable(context);
    const reply = await service.operations(thing, [add(pointer(reference.port, ...end), entry)]);
    if (end.length > 0) expect(reply).toSucceed();
    notes.observe('status of an add of a reference', reply.status, reply);
    if (!isSuccess(reply.status)) return;
  }
}

/** An object to which a merge brought references as reads show them, and these; undefined where the service takes none such. */
async function mergeReferences(
  context: CaseContext,
): Promise<{ readonly thing: Thing; readonly members: Readonly<Record<string, unknown>> } | undefined> {
  const { service, notes, profile } = context;
  const pages = profile.offers('merge') ? await readReferencePages(context) : undefined;
  if (pages === undefined) return undefined;
  const entries = [...pages.first, ...pages.second].map(({ $entryId: _own, ...content }) => content);
  const members = membersWith(profile.primary.reference, entries);
  const thing = await makeEditable(context);
  const reply = await service.merge(thing, members);
  notes.observe('status of a merge of references as reads show them', reply.status, reply);
  return isSuccess(reply.status) ? { thing, members } : undefined;
}

/** A reference that is added is the last of its array, with the end marker as without, behind the first page as well. */
export async function expectReferenceLast(context: CaseContext): Promise<void> {
  const { service, expect, notes, profile } = context;
  const { reference } = profile.primary;
  if (reference === undefined || reference.single === true) return;
  for (const [count, end] of [
    [2, []],
    [entriesPerPage, ['-']],
  ] as const) {
    const [made, entry] = [await makeReferrer(context, count), await shownReference(context)];
    if (made === undefined || entry === undefined) return;
    const reply = await service.operations(made.thing, [add(pointer(reference.port, ...end), entry)]);
    notes.observe('status of an add of a reference', reply.status, reply);
    if (!isSuccess(reply.status)) return;
    const { targets } = await readReferences(context, made.thing);
    const place = targets.indexOf(targetIn(context, entry));
    // whether all are shown, and lead where they should, is judged elsewhere
    if (place < 0 || targets.length !== count + 1) continue;
    expect(place, `place of a reference that was added to ${count}`, reply).toEqual(count);
  }
}

async function countOf(context: CaseContext, thing: Thing): Promise<number> {
  return (await readReferences(context, thing)).entries.length;
}
