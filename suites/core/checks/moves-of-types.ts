import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess } from '../../../judge/exchange.ts';
import { expectVersionHeader } from '../../../judge/service/maturity.ts';
import { softTypesOf } from '../../../judge/service/soft-types.ts';
import { versionOf } from '../../../judge/service/answers.ts';

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
