import { ConnectionLost, NoAnswer } from '../../judge/client/failure.ts';
import { isSuccess, isTransient, type Reply } from '../../judge/exchange.ts';
import type { Arrival } from '../../judge/host/arrival.ts';
import type { HostContext } from '../../judge/host/context.ts';
import type { HostCall } from '../../judge/host/host.ts';
import type { Installation } from '../../judge/host/installation.ts';
import type { HostRecord } from '../../judge/host/records.ts';
import { decodeSegment } from '../../judge/service/requests.ts';
import { withThoseOfBatches } from './operations.ts';
import { behind, isBecauseOfCall, letSettle, letWork } from './callbacks.ts';

/** How many events come after the others, each when the one before it has been worked on: what is lost now and then is lost once. */
const furtherEvents = 4;

/** How long the first request because of an event is waited for, and the answer of a validation beside it, in ms. */
const atWorkMs = 3000;
const besideMs = 15_000;
const briefMs = 1000;

/** What a server may ask for that takes no body in the chunked coding. Source: RFC 9112 section 6.3 */
const lengthRequired = 411;

/** How long a token that lasts a minute is surely good, in ms. */
const briefTokenMs = 45_000;

/** Values of a member that nobody asked for: of every type, in any script, and of some length. */
const further = [null, false, -0.5, '', { '\u{1F3D7} e\u0301': [[{}]] }, 'a long text, '.repeat(8000)];

/** Bytes of an event that says no more than a short one. */
export const longEventBytes = 128 * 1024;

/** Events that were called before. */
interface Before {
  readonly first: HostCall;
  /** Its connection ended before its answer, and it came again. */
  readonly left: HostCall;
}

/**
 * Asserts that alike events are all worked on, where one is: those with an id of their own, one that was only acknowledged when it came again, and
 * one that has the id of another, as all calls of a request have that of the request. Source: extensions, Events 2 and 4
 */
export async function expectEachWorkedOn(
  context: HostContext,
  installation: Installation,
  { first, left }: Before,
): Promise<void> {
  const { records, notes } = context;
  const record = records.of('ExternalEvent');
  const alike = installation.call(record);
  const isAlikeWorkedOn = await isWorkedOn(context, installation, alike);
  const isNone = (calls: readonly HostCall[]): boolean =>
    calls.every((call) => installation.arrivals({ where: isFor(call) }).length === 0);
  if (!isAlikeWorkedOn && isNone([first])) {
    const isElsewhere = (await installation.isWorkedOnElsewhere(alike)) && !(await installation.isBehind());
    if (!isElsewhere) return notes.observe('requests of the host because of one of two events', 'none');
    // what comes late on a busy machine has come by then, and what is lost now and then is not lost each time
    const further = [installation.call(record), installation.call(record)];
    for (const call of further) await isWorkedOn(context, installation, call);
    if (!isNone(further))
      await expectWorkedOn(
        context,
        installation,
        await letWork(context, installation, isFor(alike)),
        `event ${idOf(alike)}, as because of one behind it`,
      );
    else if (isNone([first, alike]) && !(await installation.isBehind()))
      notes.remark('four events set nothing off, although others of their record did');
    return;
  }
  await expectWorkedOn(context, installation, isAlikeWorkedOn, `event ${idOf(alike)}, as because of ${idOf(first)}`);
  await expectWorkedOn(
    context,
    installation,
    await letWork(context, installation, isFor(left)),
    `event ${idOf(left)}, which came again as its connection had ended, as because of ${idOf(alike)}`,
  );
  const ofSameRequest = installation.call(record, undefined, { id: alike.envelope.id });
  await expectWorkedOn(
    context,
    installation,
    await isWorkedOn(context, installation, ofSameRequest),
    `event ${idOf(ofSameRequest)}, whose call has the id of that of event ${idOf(alike)}`,
  );
  for (let further = 1; further <= furtherEvents; further += 1) {
    await letSettle(context, installation);
    const call = installation.call(record);
    await expectWorkedOn(
      context,
      installation,
      await isWorkedOn(context, installation, call),
      `event ${idOf(call)}, as because of those before it`,
    );
  }
  await letSettle(context, installation);
  const long = installation.call(record);
  const { status } = await context.host.call(long, { body: longBodyOf(long) });
  // one that is refused for its length is the business of another rule
  if (isSuccess(status))
    await expectWorkedOn(
      context,
      installation,
      await letWork(context, installation, isFor(long)),
      `event ${idOf(long)}, of ${longEventBytes / 1024} KiB, as because of short ones`,
    );
  await expectEditedInEach(context);
}

/**
 * Asserts that of alike events of two spaces which come at once, each edits in its space what the other does in its own: objects of two spaces
 * are two whatever their ids. Source: core, What the service does, space level; extensions, Payloads, row ExternalEvent (spaceId)
 */
async function expectEditedInEach(context: HostContext): Promise<void> {
  const { host, records, stage } = context;
  const record = records.of('ExternalEvent');
  const place = await stage.installation();
  const payloadNow = (): HostCall['envelope']['payload'] => place.call(record).envelope.payload;
  const alike = payloadNow();
  const spaces = [place.spaceId, place.addSpace()];
  // alike but for their ids, by which a host tells a repeat
  const events = spaces.map((spaceId) => place.call(record, { ...alike, id: payloadNow()['id'], spaceId }));
  for (const reply of await Promise.all(events.map((event) => host.call(event))))
    context.expect(reply).toAnswer(200, 201);
  const isWrittenFor =
    (index: number) =>
    (arrival: Arrival): boolean =>
      arrival.kind === 'object' &&
      arrival.method !== 'GET' &&
      arrival.callId === events[index]?.envelope.id &&
      decodeSegment(arrival.path).includes(`/space/${spaces[index]}/`);
  await Promise.race(spaces.map((_space, index) => letWork(context, place, isWrittenFor(index))));
  await letSettle(context, place);
  const editedFor = (index: number, arrivals = place.arrivals()): readonly string[] =>
    withThoseOfBatches(arrivals.filter(isWrittenFor(index)))
      .filter(({ method }) => method === 'PATCH' || method === 'PUT')
      .map(({ path }) => decodeSegment(path).replace(`/space/${spaces[index]}/`, '/'));
  const edited = [...new Set(spaces.flatMap((_space, index) => editedFor(index)))];
  context.notes.observe('events edit in their spaces', edited.length > 0);
  for (const [index, event] of events.entries())
    for (const path of edited)
      await expectWorkedOn(
        context,
        place,
        await letWork(context, place, (arrival) => editedFor(index, [arrival]).includes(path)),
        `event ${idOf(event)} in its space, as because of one at once in another space, for ${path}`,
      );
}

/** An envelope whose blanks come first: of what is read in part only, the part says nothing. */
export function longBodyOf({ envelope }: HostCall): string {
  return `{${' '.repeat(longEventBytes)}${JSON.stringify(envelope).slice(1)}`;
}

/** Whether a call that is acknowledged sets off a request. */
async function isWorkedOn(context: HostContext, installation: Installation, call: HostCall): Promise<boolean> {
  context.expect(await context.host.call(call)).toAnswer(200, 201);
  return letWork(context, installation, isFor(call));
}

function isFor({ envelope }: HostCall): (arrival: Arrival) => boolean {
  return ({ kind, token }) => kind !== 'acquire' && token?.text === envelope.accessToken;
}

async function expectWorkedOn(
  { given, clock }: HostContext,
  installation: Installation,
  isTaken: boolean,
  what: string,
): Promise<void> {
  if (!isTaken && (await installation.isBehind())) given.inconclusive(behind);
  clock.expectCame(`requests of the host because of ${what}`, isTaken ? clock.now() : undefined);
}

function idOf({ envelope }: HostCall): string {
  return String(envelope.payload['id']);
}

/** What a handler does with a content that it does not know is not said; what is answered as a passing failure comes again and again for nothing. Source: extensions, Errors 1 */
export async function tellFailure(
  { host, notes }: HostContext,
  installation: Installation,
  record: HostRecord,
): Promise<void> {
  const { payload } = installation.call(record).envelope;
  for (const [what, contentPayload] of [
    ['another', { of: 'another kind' }],
    ['an empty', {}],
    ['a further', { ...Object(payload['contentPayload']), further }],
  ] as const) {
    const { status } = await host.call(installation.call(record, { ...payload, contentPayload }));
    notes.observe(`status of an event with ${what} content`, status);
    if (isTransient(status))
      notes.remark(`an event with ${what} content was answered with ${status}, by which a service sends it again`);
  }
}

/** A token lasts as long as the registration says, in whole minutes. Source: extensions, Registered extension, row tokenLifeTime. What a host does with an id that is no GUID, or with a body in the chunked coding, is not said. Source: ledger envelope-id-guid-form */
export async function tellUnusual(context: HostContext, installation: Installation, record: HostRecord): Promise<void> {
  const { host, given, clock, notes } = context;
  const named = await host.call(installation.call(record, undefined, { id: given.unique('request') }));
  notes.observe('status of an event whose id is no GUID', named.status);
  const inPieces = await statusOf(host.call(installation.call(record), { isChunked: true }));
  notes.observe('status of an event in the chunked coding', inPieces);
  if (![200, 201, lengthRequired].some((status) => status === inPieces))
    notes.remark(
      `an event in the chunked coding was answered with ${inPieces}, and not refused with ${lengthRequired}`,
    );
  const brief = installation.call(record, undefined, {}, 60);
  const { status } = await host.call(brief);
  if (status > 299) return notes.remark(`an event whose token lasts a minute was refused with ${status}`);
  const calledAt = clock.now();
  if (await letWork(context, installation, isFor(brief), briefMs)) return;
  const usual = installation.call(record);
  await host.call(usual);
  if (!(await letWork(context, installation, isFor(usual), atWorkMs))) return;
  // what came last may be worked on first
  if (await letWork(context, installation, isFor(brief))) return;
  // a host may come to it when the token is over
  if (clock.now() - calledAt <= briefTokenMs)
    notes.remark('an event whose token lasts a minute was taken and set nothing off, although another did');
}

/** A validation is called by somebody who waits, maybe by the service itself before it answers what the event set off. Source: extensions, Limits, retries, row 2 */
export async function tellBesideWork({ host, records, stage, clock, notes }: HostContext): Promise<void> {
  const [event, validation] = (['ExternalEvent', 'ExternalValidation'] as const).map((wanted) =>
    records.all.find(({ type }) => type === wanted),
  );
  if (event === undefined || validation === undefined) return;
  const [busy, other] = [await stage.installation(), await stage.installation()];
  const held = busy.hold();
  await host.call(busy.call(records.of('ExternalEvent')));
  const isAtWork = (await busy.arrivedInTurn({ where: isBecauseOfCall }, atWorkMs)) !== undefined;
  const answer = isAtWork ? host.call(other.call(validation)) : Promise.resolve();
  answer.catch(() => undefined);
  const answered = answer.then(() => true);
  answered.catch(() => undefined);
  const isAnswered = (await clock.untilSent(answered, besideMs, () => host.metadata())) === true;
  held.release();
  if (!isAnswered)
    notes.remark(
      `a validation was not answered within ${besideMs / 1000} s while the service answered nothing that an event had set off`,
    );
}

/** The ids of a request and of an event are those of one installation. What becomes of an event that has the ids of one of another is told, not judged: most are never met twice. */
export async function tellSameIds(context: HostContext, one: Installation, other: Installation): Promise<void> {
  const record = context.records.all.find(({ type }) => type === 'ExternalEvent');
  if (record === undefined) return;
  // how they are acknowledged is the business of another rule
  const setsOff = async (installation: Installation, call: HostCall): Promise<boolean> => {
    const { status } = await context.host.call(call);
    return isSuccess(status) && letWork(context, installation, isFor(call));
  };
  const event = one.call(record);
  if (!(await setsOff(one, event))) return;
  // spaces of two installations may have one id as well
  const twin = other.call(record, event.envelope.payload, { id: event.envelope.id });
  if (await setsOff(other, twin)) return;
  // on a busy machine it may come late, and before what came after it
  const isLaterTaken = await setsOff(other, other.call(record));
  await letSettle(context, other);
  if (!isLaterTaken || other.arrivals({ where: isFor(twin) }).length > 0) return;
  if (!(await other.isBehind()))
    context.notes.remark('an event was not worked on after one of another installation that has its ids');
}

export async function statusOf(answer: Promise<Reply>): Promise<number | string> {
  try {
    return (await answer).status;
  } catch (error) {
    if (error instanceof ConnectionLost || error instanceof NoAnswer) return 'no answer';
    throw error;
  }
}
