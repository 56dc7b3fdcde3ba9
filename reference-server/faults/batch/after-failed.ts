import type { Answer, Service, SpaceCall } from '../../service.ts';
import type { Writing } from '../../store/store.ts';
import { replacing, together, type Fault } from '../fault.ts';

/** An operation that had passed before another one failed. */
export interface Passed {
  readonly method: string;
  readonly call: SpaceCall;
}

/** When a batch has failed and was rolled back, some of the operations that had passed leave something behind all the same. */
export function afterFailedBatch(
  applies: (passed: Passed) => boolean,
  leave: (service: Service, passed: Passed, writing: Writing) => Promise<void>,
): Fault {
  const passedOf = new Map<string, Passed[]>();
  return together(
    replacing('carryOutOperation', (right) => async (service, prepared, writing) => {
      const answer = await right(service, prepared, writing);
      const passed = { method: prepared.call.method, call: prepared.call };
      if (answer.status < 400 && applies(passed))
        passedOf.set(passed.call.correlationId, [...(passedOf.get(passed.call.correlationId) ?? []), passed]);
      return answer;
    }),
    replacing('finish', (right) => async (service, call, answer): Promise<Answer> => {
      const finished = await right(service, call, answer);
      // An operation that is none is answered for the batch as well, inside its change set: only the answer to the batch itself is an array.
      if (!call.url.endsWith('/batch') || !Array.isArray(answer.body)) return finished;
      const passed = passedOf.get(call.correlationId) ?? [];
      passedOf.delete(call.correlationId);
      if (answer.status >= 400)
        for (const one of passed) await service.store.change((writing) => leave(service, one, writing));
      return finished;
    }),
  );
}
