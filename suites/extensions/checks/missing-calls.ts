import type { CaseContext } from '../../../judge/case.ts';
import { expectCall } from '../../../judge/extension/trigger-calls.ts';
import { PreconditionFailed } from '../../../judge/violation.ts';

/** A trigger was taken, and no call came of it. */
export class CallMissing extends PreconditionFailed {}

/**
 * What the work comes to, which begins with a trigger. Where that was taken and no call came, one of a plain trigger has to: then the call is
 * missing. One that is refused is for the case. Source: extensions, Events 1 and 3
 * @param what as `the call of a long event`
 */
export async function expectCallOf<T>(
  context: CaseContext,
  what: string,
  work: () => Promise<T>,
  plain: () => Promise<unknown>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CallMissing)) throw error;
    await plain();
    expectCall(context, undefined, what);
    throw error;
  }
}
