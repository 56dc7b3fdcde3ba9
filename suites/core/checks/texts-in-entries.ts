import { isSuccess } from '../../../judge/exchange.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { unlessRefused } from '../../../judge/violation.ts';
import { isObject, objectsIn, pointer } from '../../../judge/json.ts';
import { findNoText, textsKept } from '../../../judge/service/texts.ts';
import { add, applyOperations, entriesIn, entriesNow, inLists, isWithoutValue, replace } from './operation-steps.ts';

/**
 * Every kind of text that a create keeps is kept where it is put into an entry: by an add where there is none, or by a replace of another,
 * then also inside an entry of an entry, where a path leads there at all.
 */
export async function expectEveryTextInEntries(context: CaseContext, op: 'add' | 'replace'): Promise<void> {
  const kept = await findEmptyKept(context);
  for (const texts of inLists((await textsKept(context)).telling)) await expectTextsInEntries(context, op, texts, kept);
}

/** Where a read tells the empty text that a create put there from no value. */
interface EmptyKept {
  readonly inEntries: boolean;
  readonly inside: boolean;
}

/** Elsewhere an empty text may be shown as no value. */
async function findEmptyKept(context: CaseContext): Promise<EmptyKept> {
  const { given, service, profile } = context;
  const { port } = profile;
  const { nested } = port;
  const isNone = await findNoText(context);
  const isKept = (value: unknown): boolean => value === '' && !isNone('');
  const members = { ...(nested && { [nested.member]: [given.nestedEntry('', nested)] }) };
  const thing = await unlessRefused(() => given.object({ [port.member]: [given.entry('', members, port)] }));
  const [entry] = thing === undefined ? [] : entriesIn(await service.snapshot(thing), port);
  const [inner] = objectsIn(entry?.members[nested?.member ?? '']);
  return { inEntries: isKept(entry?.members[port.text]), inside: isKept(inner?.[nested?.text ?? '']) };
}

async function expectTextsInEntries(
  context: CaseContext,
  op: 'add' | 'replace',
  texts: readonly string[],
  kept: EmptyKept,
): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { nested } = profile.port;
  const bare = nested && { [nested.member]: [{ ...given.nestedEntry('', nested), [nested.text]: undefined }] };
  const makeLacking = (more: object | undefined) => () =>
    given.objectWithEntries(texts.length, { members: () => ({ [profile.port.text]: undefined, ...more }) });
  const owner =
    op === 'replace'
      ? await given.objectWithEntries(texts.length, { ...(nested && { nested: () => 1 }) })
      : ((await unlessRefused(makeLacking(bare))) ?? (await makeLacking(undefined)()));
  const { port } = owner;
  const entries = await entriesNow(context, owner);
  // an entry may have a text by itself
  if (op === 'add' && !entries.every(({ members }) => isWithoutValue(members[port.text]))) return;
  const places = entries.map(({ entryId, members }) => {
    const items: unknown = nested && members[nested.member];
    const inner: unknown = Array.isArray(items) ? items[0] : undefined;
    const isMeant = isObject(inner) && (op === 'replace' || isWithoutValue(inner[nested?.text ?? '']));
    return { entryId, innerId: isMeant ? String(inner['$entryId']) : undefined };
  });
  const make = op === 'add' ? add : replace;
  const operations = places.map(({ entryId }, index) => make(pointer(port.member, entryId, port.text), texts[index]));
  const after = await applyOperations(context, owner, operations);
  const seen = entriesIn(after, port).map(({ members }) => shownAs(members[port.text], kept.inEntries));
  expect(seen.toSorted(), `texts of entries after one list of ${op}s`, after.reply).toEqual(texts.toSorted());
  const deeper = places.flatMap(({ entryId, innerId }, index) =>
    nested === undefined || innerId === undefined
      ? []
      : [make(pointer(port.member, entryId, nested.member, innerId, nested.text), texts[index])],
  );
  if (nested === undefined || deeper.length < texts.length) return;
  const reply = await service.operations(await given.current(owner), deeper);
  notes.observe(`${op}s inside entries of entries`, reply.status, reply);
  if (!isSuccess(reply.status)) return;
  const read = await service.snapshot(owner);
  const inside = entriesIn(read, port).flatMap(({ members }) => {
    const items: unknown = members[nested.member];
    return objectsIn(items).map((inner) => shownAs(inner[nested.text], kept.inside));
  });
  expect(inside.toSorted(), `texts inside entries of entries after ${op}s`, read.reply).toEqual(texts.toSorted());
}

function shownAs(value: unknown, isEmptyKept: boolean): unknown {
  return isEmptyKept ? (value ?? null) : (value ?? '');
}
