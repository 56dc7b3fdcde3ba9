import type { Arrival } from '../../judge/host/arrival.ts';
import type { HostContext } from '../../judge/host/context.ts';
import type { HostCall } from '../../judge/host/host.ts';
import { withTexts } from '../../judge/json.ts';
import { isSuccess } from '../../judge/exchange.ts';
import { decodeSegment } from '../../judge/service/requests.ts';
import { letSettle, letWork } from './callbacks.ts';

/** How many events are made one after the other, and then at once. */
const inTurn = 3;
const atOnce = 4;

/** Shorter ones are found in too much. */
const shortestText = 4;

/** So much of what is told in one place is of the event itself, so that the place is for it. */
const mostShare = 0.6;

/** A text in the body of a request, and where it stands: the method, and the names on the way to it. */
interface Told {
  readonly place: string;
  readonly text: string;
}

/**
 * Asserts that what an event sets off repeats the content of that event and of no other, where it repeats a text of it that may be any. Compared
 * place by place, as what was read may hold what former ones told. Source: extensions, Payloads, row ExternalEvent (contentPayload)
 */
export async function expectOwnContents(context: HostContext): Promise<void> {
  const { records, stage, host, given, expect, notes } = context;
  if (records.all.every(({ type }) => type !== 'ExternalEvent')) return;
  const record = records.of('ExternalEvent');
  const installation = await stage.installation();
  const sent = (call: HostCall): readonly Arrival[] =>
    installation.arrivals({ where: ({ callId }) => callId === call.envelope.id });
  const isWorkedOn = async (call: HostCall): Promise<boolean> => {
    if (!isSuccess((await host.call(call)).status)) return false;
    const isBegun = await letWork(context, installation, ({ callId }) => callId === call.envelope.id);
    await letSettle(context, installation);
    return isBegun;
  };
  const usual = installation.call(record);
  if (!(await isWorkedOn(usual))) return;
  const repeated = repeatedIn(usual, sent(usual));
  if (repeated === undefined) return;
  const marked = (mark: string): HostCall => {
    const { payload } = installation.call(record).envelope;
    const contentPayload = withTexts(payload['contentPayload'], (text) => (text === repeated ? mark : text));
    return installation.call(record, { ...payload, contentPayload });
  };
  const marks = Array.from({ length: inTurn + atOnce }, (_mark, index) => given.unique(`${repeated}-${index}`));
  const calls = marks.map((mark) => ({ mark, call: marked(mark) }));
  for (const [index, { mark, call }] of calls.slice(0, inTurn).entries()) {
    const isShown = (await isWorkedOn(call)) && sent(call).some(({ text }) => text.includes(mark));
    // a host may know what it can be told
    if (index === 0 && !isShown) return;
  }
  await Promise.all(calls.slice(inTurn).map(async ({ call }) => isWorkedOn(call)));
  const told = calls.flatMap(({ mark, call }) =>
    sent(call).flatMap((arrival) =>
      toldIn(arrival).flatMap(({ place, text }) => {
        const others = marks.filter((other) => other !== mark && text.includes(other));
        const isOwn = text.includes(mark);
        return isOwn || others.length > 0 ? [{ place, isOwn, arrival }] : [];
      }),
    ),
  );
  const places = [...Map.groupBy(told, ({ place }) => place).values()];
  const compared = places.filter((all) => all.filter(({ isOwn }) => isOwn).length > mostShare * all.length);
  notes.observe('places where what events tell is repeated', compared.length);
  const [wrong] = compared.flat().filter(({ isOwn }) => !isOwn);
  expect(
    wrong === undefined ? 'its own' : 'that of another event',
    `the content of an event that ${wrong?.arrival.method} ${wrong?.arrival.path} repeats at ${wrong?.place}`,
    wrong?.arrival.seen,
  ).toEqual('its own');
}

/** A text of the content that the host sends on, and does not go by: it stands in no address and nowhere else in the call. */
function repeatedIn({ envelope }: HostCall, sent: readonly Arrival[]): string | undefined {
  const { contentPayload, ...others } = envelope.payload;
  const known = JSON.stringify({ ...envelope, payload: others });
  return textsIn(contentPayload).find(
    ({ text }) =>
      text.length >= shortestText &&
      !known.includes(JSON.stringify(text).slice(1, -1)) &&
      sent.every(({ target }) => !decodeSegment(target).includes(text)) &&
      sent.some((arrival) => toldIn(arrival).some((told) => told.text === text)),
  )?.text;
}

function toldIn({ method, json }: Arrival): readonly Told[] {
  return json === undefined ? [] : textsIn(json, method);
}

function textsIn(value: unknown, place = ''): readonly Told[] {
  if (typeof value === 'string') return [{ place, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => textsIn(inner, `${place}/${name}`));
}
