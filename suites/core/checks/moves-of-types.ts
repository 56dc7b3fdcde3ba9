import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess } from '../../../judge/exchange.ts';
import { expectVersionHeader } from '../../../judge/service/maturity.ts';
import { softTypesOf } from '../../../judge/service/soft-types.ts';
import { versionOf } from '../../../judge/service/answers.ts';
import { statesIn } from './states-kept.ts';

/** Which SoftTypes go through the process is configuration: where an object of another one is moved, its version counts on as well. */
export async function expectMovesOfTypesCount(context: CaseContext, judged: 'promote' | 'demote'): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  for (const type of softTypesOf(profile.all).filter((one) => one !== profile.primary)) {
    let thing = await given.object({}, { type });
    for (const move of ['promote', judged] as const) {
      const reply = await service.send(service.requests[move](thing));
      notes.observe(`status of a ${move} of a ${type.definitionId}`, reply.status, reply);
      if (!isSuccess(reply.status)) break;
      const next = await given.current(thing);
      if (move === judged) {
        expectVersionHeader(context, reply, thing.version + 1);
        const read = await service.readLong(thing);
        const what = `version after a ${move} of a ${type.definitionId} at ${thing.version}`;
        expect(versionOf(read), what, read).toEqual(thing.version + 1);
      }
      thing = next;
    }
  }
}

/** Where an object of another SoftType is promoted, the states that it shows are not those of before. */
export async function expectMovesOfTypesMove(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  for (const type of softTypesOf(profile.all).filter((one) => one !== profile.primary)) {
    const thing = await given.object({}, { type });
    const before = statesIn(await service.readLong(thing));
    const reply = await service.promote(thing);
    if (!isSuccess(reply.status) || before.length === 0) continue;
    const read = await service.readLong(thing);
    expect(statesIn(read), `current states after a promote of a ${type.definitionId}`, read).notToEqual(before);
  }
}
