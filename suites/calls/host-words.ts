import type { Reply } from '../../judge/exchange.ts';
import type { HostCall, HostContext } from '../../judge/host/host.ts';
import type { HostRecord } from '../../judge/host/records.ts';
import { headerOf, type Arrival } from '../../judge/host/stage/arrival.ts';
import type { Installation } from '../../judge/host/stage/installation.ts';

/** How long requests of the host are waited for after a call, in ms. */
const callbackMs = 2000;
/** How long more of them may follow, in ms. */
const restMs = 150;
/** Requests that are made for another reason than a call. */
const ownKinds = ['acquire', 'keyed', 'other'];

/** What a host sent because of a call. */
export interface Answered {
  readonly call: HostCall;
  readonly reply: Reply;
}

/** Calls of these records, side by side. */
export function callEach(
  { host }: HostContext,
  installation: Installation,
  records: readonly HostRecord[],
): Promise<readonly Answered[]> {
  return Promise.all(
    records.map(async (record) => {
      const call = installation.call(record);
      return { call, reply: await host.call(call) };
    }),
  );
}

/** Lets the host make its requests: until the first one came, and then a little longer. Whether there was one. */
export async function letWork(
  { clock }: HostContext,
  installation: Installation,
  isMeant: (arrival: Arrival) => boolean = isBecauseOfCall,
  withinMs = callbackMs,
): Promise<boolean> {
  const first = await installation.arrived({ where: isMeant }, withinMs);
  if (first !== undefined) await clock.until(new Promise<never>(() => undefined), restMs);
  return first !== undefined;
}

export function isBecauseOfCall({ kind }: Arrival): boolean {
  return !ownKinds.includes(kind);
}

/** Whether a request can only belong to that call: it names its id or its event. */
export function isAbout(arrival: Arrival, { envelope }: HostCall): boolean {
  const ids = [envelope.id, envelope.payload['id']].filter((id) => typeof id === 'string' && id !== '');
  const told = `${arrival.target} ${arrival.text} ${headerOf(arrival, 'x-correlation-id') ?? ''}`;
  return ids.some((id) => told.includes(String(id)));
}

/** 200 or 201, as the service counts success. */
export function expectAcknowledged({ expect }: HostContext, reply: Reply): void {
  expect(reply).toAnswer(200, 201);
}
