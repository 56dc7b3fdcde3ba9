import { isDeepStrictEqual } from 'node:util';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type RequestSpec } from '../../../judge/exchange.ts';
import { objectsIn, pointer } from '../../../judge/json.ts';
import { entriesOf } from '../../../judge/service/answers.ts';
import { sendBatch } from '../../../judge/service/batch.ts';
import type { Snapshot } from '../../../judge/service/target.ts';
import type { Owner } from '../../../judge/things.ts';
import { add, entryPath, entryWith, isWithoutValue, type Operation, remove, replace } from './operation-steps.ts';

/** A write to an object with entries; undefined where the profile does not offer it. */
type Write = (owner: Owner, entryIds: readonly string[]) => RequestSpec | undefined;

/** What an edit that is accepted alone does to an object, the same edit does in a batch to one like it. */
export async function expectAlikeInBatch(context: CaseContext, writes: Readonly<Record<string, Write>>): Promise<void> {
  const { service, expect, notes } = context;
  for (const [what, write] of Object.entries(writes)) {
    const [alone, inBatch] = [await makeFull(context), await makeFull(context)];
    const [one, other] = [write(alone.owner, alone.entryIds), write(inBatch.owner, inBatch.entryIds)];
    if (one === undefined || other === undefined) continue;
    const reply = await service.send(one);
    notes.observe(`status of ${what}`, reply.status, reply);
    if (!isSuccess(reply.status)) continue;
    const batch = await sendBatch(context, [other]);
    expect(batch).toAnswer(200);
    expect(await sketchOf(context, inBatch), `what is left by ${what} in a batch`, batch).toEqual(
      await sketchOf(context, alone),
    );
  }
}

/** Edits that replace or merge content, by whichever input schema. */
export function wholeWrites({ given, service, profile }: CaseContext): Readonly<Record<string, Write>> {
  const { secondInputSchema } = profile.primary;
  const bySecond = (owner: Owner): Owner | undefined =>
    secondInputSchema === undefined
      ? undefined
      : { ...owner, type: { ...owner.type, inputSchemaId: secondInputSchema } };
  const takingBack = ({ port, texts }: Owner, entryIds: readonly string[]) =>
    given.body({
      [port.member]: entryIds.slice(0, 2).map(($entryId, index) => given.entry(texts[index] ?? '', { $entryId }, port)),
    });
  const text = () => given.body({ [profile.textMember]: given.unique() });
  const canPut = profile.all.routes?.softTypePut !== undefined;
  const put = (owner: Owner | undefined, body: object) =>
    canPut && owner !== undefined ? service.requests.put(owner, { ...body }) : undefined;
  return {
    'a PUT that takes entries back by their ids': (owner, entryIds) => put(owner, takingBack(owner, entryIds)),
    'a PUT under the second input schema': (owner) => put(bySecond(owner), text()),
    'a merge under the second input schema': (owner) => {
      const own = profile.offers('merge') ? bySecond(owner) : undefined;
      return own && service.requests.merge(own, { [profile.textMember]: given.unique() });
    },
  };
}

/** Operations on entries and on what is inside them. */
export function operationWrites({ given, service, profile }: CaseContext): Readonly<Record<string, Write>> {
  const { mandatory, nested, member, text } = profile.port;
  const { escaped } = profile.primary;
  const operate =
    (make: (entryId: string, port: Owner['port']) => Operation | undefined): Write =>
    (owner, [entryId = '']) => {
      const operation = profile.offers('operations') ? make(entryId, owner.port) : undefined;
      return operation && service.requests.operations(owner, [operation]);
    };
  return {
    'a removal of a mandatory member': operate((entryId) =>
      mandatory === undefined ? undefined : remove(pointer(member, entryId, mandatory)),
    ),
    'a removal with a slash at the end': operate((entryId, port) => remove(entryPath(port, entryId))),
    'a replacement inside an entry': operate((entryId) => replace(pointer(member, entryId, text), given.unique())),
    'an add inside an entry': operate(
      (entryId) => nested && add(pointer(member, entryId, nested.member), given.nestedEntry(given.unique(), nested)),
    ),
    'an add of a member whose name is escaped': operate(() =>
      escaped === undefined ? undefined : add(pointer(escaped), given.unique()),
    ),
    'an add at the end marker': operate((_entryId, port) =>
      add(pointer(member, '-'), given.entry(given.unique(), {}, port)),
    ),
  };
}

interface Full {
  readonly owner: Owner;
  readonly entryIds: readonly string[];
  readonly before: Snapshot;
}

async function makeFull({ given, service, profile }: CaseContext): Promise<Full> {
  const inside = profile.port.nested === undefined ? {} : { nested: () => 2 };
  const scalars = Object.fromEntries((profile.primary.scalars ?? []).map((name) => [name, given.unique()]));
  const owner = await given.objectWithEntries(3, { ...inside, body: scalars });
  const before = await service.snapshot(owner);
  const entries = entriesOf(before.reply, owner.port);
  // in which order entries are shown is not said
  const entryIds = owner.texts.flatMap((text) => entryWith(entries, owner.port, text)?.entryId ?? []);
  return { owner, entryIds, before };
}

/** Which members and entries are as before, told without the texts, in which two objects differ. */
async function sketchOf({ service }: CaseContext, { owner, before }: Full): Promise<unknown> {
  const { port, texts } = owner;
  const after = await service.snapshot(owner);
  const fate = (name: string, value: unknown): string => {
    if (isDeepStrictEqual(value, before.members[name])) return 'as before';
    return isWithoutValue(value) ? 'gone' : 'another';
  };
  return {
    members: Object.entries({ ...before.members, ...after.members }).map(([name]) => [
      name,
      fate(name, after.members[name]),
    ]),
    entries: entriesOf(after.reply, port)
      .map(({ members }) => {
        const inside = port.nested === undefined ? [] : objectsIn(members[port.nested.member]);
        const place = texts.findIndex((text) => text === members[port.text]);
        return `${place === -1 ? 'another' : `the one of place ${place}`} with ${inside.length}`;
      })
      .toSorted(),
  };
}
