import type { Arrival } from '../../judge/host/arrival.ts';
import type { HostContext } from '../../judge/host/context.ts';
import type { HostCall } from '../../judge/host/host.ts';
import { isObject, withTexts } from '../../judge/json.ts';
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

/** A text in a request, and where it stands: the method, and the names on the way to it. */
interface Told {
  readonly place: string;
  readonly text: string;
}

/** What of an event a host repeats, and where it does. */
interface Repeating {
  readonly toldIn: (arrival: Arrival) => readonly Told[];
  readonly repeatedIn: (call: HostCall, sent: readonly Arrival[]) => readonly string[];
  /** Whether what one event tells in a place the next may tell there, however often: what it read. */
  readonly mayBeRead: boolean;
}

const inBodies: Repeating = {
  toldIn: ({ method, json }) => (json === undefined ? [] : textsIn(json, method)),
  repeatedIn: (call, sent) =>
    textsOf(call)
      .filter(
        (text) =>
          text.length >= shortestText &&
          sent.every(({ target }) => !decodeSegment(target).includes(text)) &&
          sent.some((arrival) => inBodies.toldIn(arrival).some((told) => told.text === text)),
      )
      .slice(0, 1),
  mayBeRead: true,
};

/** The ids of objects that the host goes to, by itself or in a batch. */
const inAddresses: Repeating = {
  toldIn: (arrival) =>
    addressesOf(arrival).flatMap(({ method, path }) => {
      const segments = path.split('/').map(decodeSegment);
      return segments.map((text, index) => ({ place: `${method} ${segments[index - 1] ?? ''}/`, text }));
    }),
  repeatedIn: (call, sent) => {
    const ids = sent
      .flatMap(addressesOf)
      .flatMap(({ method, path }) => (method === 'POST' ? [] : decodeSegment(path.slice(path.lastIndexOf('/') + 1))));
    return textsOf(call).filter((text) => ids.includes(text));
  },
  mayBeRead: false,
};

/**
 * Asserts that what an event sets off repeats the content of that event and of no other, where it repeats a text of it that may be any, and that it goes
 * to the objects of that event. Compared place by place, as what was read may hold what former ones told. Source: extensions, Payloads, row
 * ExternalEvent (contentPayload)
 */
export async function expectOwnContents(context: HostContext): Promise<void> {
  if (context.records.all.every(({ type }) => type !== 'ExternalEvent')) return;
  await expectOwn(context, inBodies);
  await expectOwn(context, inAddresses);
}

async function expectOwn(context: HostContext, { toldIn, repeatedIn, mayBeRead }: Repeating): Promise<void> {
  const { records, stage, host, given, expect, notes } = context;
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
  if (repeated.length === 0) return;
  const calls = Array.from({ length: inTurn + atOnce }, (_call, index) => {
    const marks = new Map(repeated.map((text) => [text, given.unique(`${text}-${index}`)]));
    // what stands for an object is one
    for (const [text, mark] of marks) installation.makeElsewhere(mark, text);
    const { payload } = installation.call(record).envelope;
    const contentPayload = withTexts(payload['contentPayload'], (text) => marks.get(text) ?? text);
    return { marks: [...marks.values()], call: installation.call(record, { ...payload, contentPayload }) };
  });
  const tells = ({ text }: Told, marks: readonly string[]): boolean => marks.some((mark) => text.includes(mark));
  const all = calls.flatMap(({ marks }) => marks);
  let shown = 0;
  for (const [index, { call }] of calls.slice(0, inTurn).entries()) {
    await isWorkedOn(call);
    shown += sent(call)
      .flatMap(toldIn)
      .filter((told) => tells(told, all)).length;
    // a host may know what it can be told; the first may be told of by the second
    if (index === 1 && shown === 0) return;
  }
  await Promise.all(calls.slice(inTurn).map(async ({ call }) => isWorkedOn(call)));
  const told = calls.flatMap((own) =>
    sent(own.call).flatMap((arrival) =>
      toldIn(arrival).flatMap((each) => {
        const isOwn = tells(each, own.marks);
        const isOfOther = calls.some((other) => other !== own && tells(each, other.marks));
        return isOwn || isOfOther ? [{ place: each.place, isOwn, arrival }] : [];
      }),
    ),
  );
  const places = [...Map.groupBy(told, ({ place }) => place).values()];
  const isForOwn = sent(usual)
    .flatMap(toldIn)
    .flatMap(({ place, text }) => (repeated.includes(text) ? place : []));
  const compared = places.filter((found) => {
    const owns = found.filter(({ isOwn }) => isOwn).length;
    const isNeverOwn = owns === 0 && found.length > 1 && found.every(({ place }) => isForOwn.includes(place));
    return owns > mostShare * found.length || (isNeverOwn && !mayBeRead);
  });
  if (mayBeRead) notes.observe('places where what events tell is repeated', compared.length);
  const [wrong] = compared.flat().filter(({ isOwn }) => !isOwn);
  expect(
    wrong === undefined ? 'its own' : 'that of another event',
    `the content of an event that ${wrong?.arrival.method} ${wrong?.arrival.path} repeats at ${wrong?.place}`,
    wrong?.arrival.seen,
  ).toEqual('its own');
}

/** The texts of the content that stand nowhere else in the call. */
function textsOf({ envelope }: HostCall): readonly string[] {
  const { contentPayload, ...others } = envelope.payload;
  const known = JSON.stringify({ ...envelope, payload: others });
  return textsIn(contentPayload)
    .map(({ text }) => text)
    .filter((text) => !known.includes(JSON.stringify(text).slice(1, -1)));
}

/** What a request asks for, and each of its operations. */
function addressesOf({ method, path, json }: Arrival): readonly { readonly method: string; readonly path: string }[] {
  const operations = Array.isArray(json) ? json.filter(isObject) : [];
  return [
    { method, path },
    ...operations.flatMap(({ method: verb, href }) =>
      typeof verb === 'string' && typeof href === 'string' ? [{ method: verb, path: pathIn(href) }] : [],
    ),
  ];
}

function pathIn(href: string): string {
  return URL.parse(href, 'http://localhost')?.pathname ?? href;
}

function textsIn(value: unknown, place = ''): readonly Told[] {
  if (typeof value === 'string') return [{ place, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => textsIn(inner, `${place}/${name}`));
}
