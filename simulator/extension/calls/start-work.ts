import type { Work } from '../work/background.ts';
import type { WorkingHost } from '../working-host.ts';
import { callId, type Call } from './call.ts';

/** Acknowledge first, work afterwards: what a call sets off begins when its answer is out. Source: extensions, Events 2 */
export function startWork(host: WorkingHost, call: Call, work: Work): void | Promise<void> {
  host.background.afterAnswer(call.entry, callId(call), work);
}
