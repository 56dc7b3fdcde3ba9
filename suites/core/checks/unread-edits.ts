import { dataOf } from '../../../judge/service/answers.ts';
import { sendBatch } from '../../../judge/service/batch.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply, type RequestSpec } from '../../../judge/exchange.ts';
import { pointer } from '../../../judge/json.ts';
import type { Thing } from '../../../judge/things.ts';
import { makeEditable } from '../../../judge/service/writes.ts';
import { versionTold } from './each-change.ts';
import { replace } from './operation-steps.ts';

interface Edit {
  readonly name: string;
  readonly send: (thing: Thing, members: Readonly<Record<string, string>>) => Promise<Reply>;
}

/**
 * Asserts that a write keeps what the edit before it gave, whichever way that went, although nobody reads the object between them: it was read before,
 * and a read would heal what is kept of that. @param next names no member that the edit gives
 */
export async function expectUnreadKept(
  context: CaseContext,
  way: string,
  next: (thing: Thing) => RequestSpec,
): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const [first] = profile.primary.scalars ?? [];
  if (first === undefined) return;
  for (const { name, send } of editsOf(context)) {
    const value = given.unique('unread');
    const edited = async (thing: Thing): Promise<Thing | undefined> => {
      const reply = await send(thing, { [first]: value });
      return isSuccess(reply.status) ? { ...thing, version: versionTold(reply) ?? thing.version + 1 } : undefined;
    };
    // what the edit gives by itself is the business of another rule
    const alone = await edited(await makeEditable(context));
    if (alone === undefined || dataOf(await service.read(alone))[first] !== value) continue;
    const thing = await makeEditable(context);
    for (const read of [service.read, service.readLong]) await read(thing);
    const unread = await edited(thing);
    if (unread === undefined) continue;
    const { status } = await service.send(next(unread));
    notes.observe(`status of ${way} behind a ${name}, with no read between`, status);
    if (!isSuccess(status)) continue;
    const read = await service.read(thing);
    expect(dataOf(read)[first], `${first}, given by a ${name} before ${way}, with no read between`, read).toEqual(
      value,
    );
  }
}

function editsOf(context: CaseContext): readonly Edit[] {
  const { service, profile } = context;
  const merge: Edit = { name: 'merge PATCH', send: (thing, members) => service.merge(thing, members) };
  const inBatch: Edit = {
    name: 'merge in a batch',
    send: (thing, members) => sendBatch(context, [service.requests.merge(thing, members)]),
  };
  const byOperations: Edit = {
    name: 'operations PATCH',
    send: (thing, members) =>
      service.operations(
        thing,
        Object.entries(members).map(([member, value]) => replace(pointer(member), value)),
      ),
  };
  const put: Edit = { name: 'PUT', send: (thing, members) => service.put(thing, { ...thing.body, ...members }) };
  return [
    ...(profile.offers('merge') ? [merge] : []),
    ...(profile.offers('merge') && profile.offers('batch') ? [inBatch] : []),
    ...(profile.offers('operations') ? [byOperations] : []),
    ...(profile.all.routes?.softTypePut === undefined ? [] : [put]),
  ];
}
