import { sendBatch } from '../../judge/batch.ts';
import type { CaseContext } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import { pointer } from '../../judge/json.ts';
import type { Snapshot } from '../../judge/target.ts';
import type { Thing } from '../../judge/things.ts';
import type { Members } from './member-kinds.ts';
import { additionsOf } from './member-writes.ts';
import { entriesIn, entryPath, membersOf, remove, replace } from './operation-steps.ts';

/** Writes to an object without a word of its first array; undefined where there is nothing to write. */
type WriteBeside = (thing: Thing, before: Snapshot) => Promise<Reply> | undefined;

/** By what each does. */
type WritesBeside = Readonly<Record<string, WriteBeside>>;

/** An array stays as it is, beyond its first page too, whatever else is written one after the other. Of a write that is refused nothing is said here. */
export async function expectLongArrayKept(context: CaseContext, writes: WritesBeside): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  if (profile.primary.arrayPort === undefined) return;
  const owner = await given.objectWithEntries(12);
  const { member } = owner.port;
  let before = await service.snapshot(owner);
  for (const [what, write] of Object.entries(writes)) {
    const reply = await write({ ...owner, version: before.version }, before);
    notes.observe(`${what} beside a long array`, reply?.status ?? 'not tried', reply);
    if (reply === undefined || reply.status >= 300) continue;
    const after = await service.snapshot(owner);
    expect(membersOf(entriesIn(after, owner.port)), `entries of ${member} after ${what}`, after.reply).toEqual(
      membersOf(entriesIn(before, owner.port)),
    );
    before = after;
  }
}

export function mergesBeside(context: CaseContext): WritesBeside {
  const { service, profile } = context;
  const { requests } = service;
  return {
    'a merge of another array': (thing) => otherEntry(context, (members) => service.merge(thing, members)),
    'a merge of another array in a batch': (thing) =>
      profile.offers('batch')
        ? otherEntry(context, (members) => sendBatch(context, [requests.merge(thing, members)]))
        : undefined,
  };
}

export function operationsBeside(context: CaseContext): WritesBeside {
  const { given, service, profile } = context;
  const idIn = (before: Snapshot) =>
    profile.primary.secondArrayPort && entriesIn(before, profile.secondPort)[0]?.entryId;
  return {
    'an add to another array': (thing) =>
      otherEntry(context, (members) => service.operations(thing, additionsOf(members))),
    'a replace in another array': (thing, before) => {
      const id = idIn(before);
      if (id === undefined) return undefined;
      const { member, text } = profile.secondPort;
      return service.operations(thing, [replace(pointer(member, id, text), given.unique())]);
    },
    'a remove from another array': (thing, before) => {
      const id = idIn(before);
      return id === undefined ? undefined : service.operations(thing, [remove(entryPath(profile.secondPort, id))]);
    },
  };
}

export function movesBeside({ service, profile }: CaseContext): WritesBeside {
  return {
    'a promote': (thing) => service.promote(thing),
    'a demote': (thing) => (profile.all.routes?.demote === undefined ? undefined : service.demote(thing)),
  };
}

function otherEntry(
  { given, profile }: CaseContext,
  write: (members: Members) => Promise<Reply>,
): Promise<Reply> | undefined {
  if (profile.primary.secondArrayPort === undefined) return undefined;
  const { secondPort } = profile;
  return write({ [secondPort.member]: [given.entry(given.unique(), {}, secondPort)] });
}
