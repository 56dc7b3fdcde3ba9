import { type Arrival, headerOf } from '../../judge/host/arrival.ts';
import type { HostContext } from '../../judge/host/context.ts';
import type { HostCall } from '../../judge/host/host.ts';
import type { Reply } from '../../judge/exchange.ts';
import type { Installation } from '../../judge/host/installation.ts';

/** How long requests of the host are waited for after a call, in ms. */
const callbackMs = 10_000;

/** How long more of them may follow, in ms. */
const restMs = 150;

/** Requests that are made for another reason than a call. */
const ownKinds = ['acquire', 'keyed', 'other'];

/** How long a host may go on with what a call set off, and after how long without a request it has come to an end, in ms. */
const settlingMs = 6000;
const quietMs = 400;

/** Why nothing can be said of a call that a host has not come to. */
export const behind =
  'the host still works on calls that were made before this one, so that nothing shows what becomes of it';

/** Lets the host make its requests: until the first one came, and then a little longer. Whether there was one. */
export async function letWork(
  { clock }: HostContext,
  installation: Installation,
  isMeant: (arrival: Arrival) => boolean = isBecauseOfCall,
  withinMs = callbackMs,
): Promise<boolean> {
  // one that does one thing after another has to come to it
  const first = await installation.arrivedInTurn({ where: isMeant }, withinMs);
  if (first !== undefined) await clock.until(new Promise<never>(() => undefined), restMs);
  return first !== undefined;
}

/** Waits until the host sends nothing for a while, as one edit may come after another. */
export async function letSettle({ clock }: HostContext, installation: Installation): Promise<void> {
  for (let waitedMs = 0; waitedMs < settlingMs; waitedMs += quietMs) {
    const before = installation.arrivals().length;
    await clock.until(new Promise<never>(() => undefined), quietMs);
    if (installation.arrivals().length === before) return;
  }
}

/** Whether a request may be one for what a verdict hangs on. */
export function isReading(kind: Arrival['kind']): boolean {
  return kind !== 'acquire' && kind !== 'keyed';
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

/** Longest that an answer which was sent is under way, in ms. */
const underWayMs = 3000;

/** Asserts that the work of a call that is not answered has not begun: what was sent for it is withheld, so that the answer waits for that, however busy the machine is. Source: extensions, Calls to extensions; Events 2 */
export async function expectNotAtWork(
  { clock, expect }: HostContext,
  installation: Installation,
  call: HostCall,
  answer: Promise<Reply>,
): Promise<void> {
  const [sent] = installation.arrivals({ of: call });
  if (sent === undefined || (await clock.until(answer, underWayMs)) !== undefined) return;
  expect(
    `${sent.method} ${sent.path}`,
    'what the host sends because of a call before it answers that, while it is withheld',
    sent.seen,
  ).toEqual('nothing');
}

/** Asserts that nothing that is about these calls carries the token of one of another installation, as one that was kept may be. */
export function expectNoStranger({ expect }: HostContext, { strangers }: Installation): void {
  const [found] = strangers.filter(isBecauseOfCall);
  expect(
    found === undefined ? 'none' : `${found.method} ${found.path}`,
    'what is sent here with the token of a call of another installation',
    found?.seen,
  ).toEqual('none');
}
