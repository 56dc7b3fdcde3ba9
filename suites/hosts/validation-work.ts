import { isSuccess, type Reply } from '../../judge/exchange.ts';
import type { Arrival } from '../../judge/host/arrival.ts';
import type { HostContext } from '../../judge/host/context.ts';
import type { ActionSample, HostCall } from '../../judge/host/host.ts';
import type { Installation } from '../../judge/host/installation.ts';
import { isObject } from '../../judge/json.ts';
import { decodeSegment } from '../../judge/service/requests.ts';
import { isReading } from './callbacks.ts';
import { tellReply } from './json-notation.ts';

/** How long a validation may try to read its object, in ms: some try as often as a service would. */
const unreadMs = 20_000;

/** How long the service takes to tell of an object where it is slow, in ms. */
const slowMs = 2500;

/** How long a host may leave alone what it could not read, in ms: some ask no more for half a minute. */
const restMs = 35_000;

/** How often what is valid and what is invalid are called at once. */
const timesAtOnce = 3;

/** A sign that is not in ASCII, and what an address has of it where it was read in Latin-1, or in ASCII. */
const accented = '\u00e9';
const misreadings = ['%C3%83%C2%A9', '%EF%BF%BD', '%3F'];

/** Signs that an address has to encode. */
const oddSigns = ' #1?+%41';

type Payload = ActionSample['payload'];

/** Source: extensions, Calls to extensions, row ExternalValidation */
export function expectVerdict(context: HostContext, reply: Reply): void {
  const { expect } = context;
  tellReply(context, reply, 'a validation answer');
  expect(reply.json, 'the validation answer', reply).toBeAnObject();
  const { isValid, message } = Object(reply.json) as { isValid?: unknown; message?: unknown };
  expect(isValid, 'isValid', reply).toSatisfy('a boolean', (value) => typeof value === 'boolean');
  expect(message, 'message', reply).toBeAString();
}

/** Asserts that verdicts follow the objects. Source: extensions, Calls to extensions, row ExternalValidation */
export async function expectOutcomes(context: HostContext): Promise<void> {
  const { samples, stage, given } = context;
  const { valid, invalid } = samples.validation;
  const installation = await stage.installation();
  for (const [payload, outcome] of [
    [valid, true],
    [invalid, false],
    [valid, true],
    [invalid, false],
  ] as const)
    await expectOutcome(context, installation, { objectId: given.unique('object'), ...payload }, outcome);
  await expectOutcomeFollows(context, installation);
  await expectOutcomeOfPlace(context);
  await expectOutcomeOfObject(context, installation);
  await expectOutcomesAtOnce(context, installation);
  await expectOutcomesApart(context, installation);
  await tellOutcomesOfOneRequest(context, installation);
  await expectIdsAsTold(context, installation);
  await tellUnread(context, 403);
  await tellUnread(context, 404);
  await tellUnread(context, 503);
  await tellSlow(context);
  await expectReadAgain(context, 403);
  await expectReadAgain(context, 404);
}

/** Each validation that is answered with a verdict is so again when it comes a second time, as where the answer got lost. */
export async function expectVerdictAgain(context: HostContext, installation: Installation): Promise<void> {
  const { host, records, expect } = context;
  for (const record of records.all.filter(({ type }) => type === 'ExternalValidation')) {
    const call = installation.call(record);
    if ((await host.call(call)).status !== 200) continue;
    const again = await host.call(call);
    expect(again).toAnswer(200);
    expectVerdict(context, again);
  }
}

function callOf({ records, samples }: HostContext, installation: Installation, payload: Payload): HostCall {
  const record = records.named(samples.validation.record, 'ExternalValidation');
  return installation.call(record, { spaceId: installation.spaceId, ...payload });
}

function callValidation(context: HostContext, installation: Installation, payload: Payload): Promise<Reply> {
  return context.host.call(callOf(context, installation, payload));
}

/** The reply. */
async function validate(context: HostContext, installation: Installation, payload: Payload): Promise<Reply> {
  const reply = await callValidation(context, installation, payload);
  context.given.succeeded(reply, 'the validation is answered', ['calls.host.validation-object']);
  return reply;
}

function verdictOf({ json }: Reply): unknown {
  return isObject(json) ? json['isValid'] : undefined;
}

async function expectOutcome(
  context: HostContext,
  installation: Installation,
  payload: Payload,
  outcome: boolean,
): Promise<void> {
  const { given, expect, binding } = context;
  const reply = await validate(context, installation, payload);
  const isValid = verdictOf(reply);
  const sample = `the sample known as ${outcome ? 'valid' : 'invalid'}`;
  const [asked] = installation.arrivals({ where: ({ kind }) => kind !== 'object' && isReading(kind) });
  if (isValid === !outcome && asked !== undefined)
    given.inconclusive(
      `the host asked for ${asked.method} ${asked.path} before it judged ${sample}, which the service that the suite plays does not have`,
    );
  const isRead = installation.arrivals({ kind: 'object' }).length > 0;
  if (isValid === !outcome && isRead && binding.objects === undefined)
    given.inconclusive(
      `the host read the object of ${sample} from the service, which the suite plays without knowing it: add extensionHost.objects to the profile, the members of each object by its id`,
    );
  expect(isValid, `isValid of ${sample}`, reply).toEqual(outcome);
}

/** Asserts that the host does not judge an object by what it read before others edited it. Of SoftTypes nothing is kept. Source: core, Versioning 4 */
async function expectOutcomeFollows(context: HostContext, installation: Installation): Promise<void> {
  const { samples, given, expect, notes } = context;
  const { valid, invalid } = samples.validation;
  const objectId = given.unique('object');
  // the pages of what was read before are none of what it is now
  const readings = (): number =>
    installation.arrivals({
      kind: 'object',
      where: ({ path, target, text }) => !/\/softtype\/page\//i.test(path) && `${target} ${text}`.includes(objectId),
    }).length;
  const isInvalidUnjudged = async (): Promise<boolean> => {
    const unjudged = given.unique('object');
    for (const { objectId: model } of [valid, invalid]) installation.makeElsewhere(unjudged, String(model));
    return verdictOf(await validate(context, installation, { ...valid, objectId: unjudged })) === false;
  };
  if (!installation.makeElsewhere(objectId, String(valid['objectId']))) return;
  const first = await validate(context, installation, { ...valid, objectId });
  const readAtFirst = readings();
  // it may go by more than what the object holds
  if (readAtFirst === 0 || verdictOf(first) !== true) return;
  if (!installation.makeElsewhere(objectId, String(invalid['objectId']))) return;
  const second = await validate(context, installation, { ...valid, objectId });
  if (readings() > readAtFirst) {
    notes.observe('isValid of an object that others edited', String(verdictOf(second)));
    if (verdictOf(second) === true && (await isInvalidUnjudged()))
      notes.remark(
        'an object that was found valid stayed so when others edited it, though one that was edited so before it was judged is invalid',
        second,
      );
    return;
  }
  expect(verdictOf(second), 'isValid of an object that others edited since the host read it', second).toEqual(false);
}

/**
 * Asserts that what was found of an object does not stand for that which has its id and version in another space or installation, where one that was
 * judged nowhere before is invalid by what it holds. Source: extensions, Payloads, row ExternalValidation
 */
async function expectOutcomeOfPlace(context: HostContext): Promise<void> {
  const { samples, stage, given, expect } = context;
  const { valid, invalid } = samples.validation;
  const here = await stage.installation();
  const space = { spaceId: here.addSpace() };
  for (const [name, there, place] of [
    ['space', here, space],
    ['installation', await stage.installation(), {}],
  ] as const) {
    const verdictThere = (objectId: string): Promise<Reply> => {
      there.makeElsewhere(objectId, String(invalid['objectId']), place.spaceId);
      return callValidation(context, there, { ...valid, objectId, ...place });
    };
    const objectId = given.unique('object');
    if (!here.makeElsewhere(objectId, String(valid['objectId']))) return;
    if (verdictOf(await callValidation(context, here, { ...valid, objectId })) !== true) return;
    const judged = await verdictThere(objectId);
    if (verdictOf(judged) !== true || verdictOf(await verdictThere(given.unique('object'))) !== false) continue;
    expect(true, `isValid of an object whose id is that of a valid one in another ${name}`, judged).toEqual(false);
  }
}

/** Asserts that a verdict is on the object, and not on the one in whose context it stands, which may count besides. Source: extensions, Payloads, row ExternalValidation */
async function expectOutcomeOfObject(context: HostContext, installation: Installation): Promise<void> {
  const { samples, expect, notes } = context;
  const { valid, invalid } = samples.validation;
  if (typeof valid['objectId'] !== 'string' || typeof invalid['objectId'] !== 'string') return;
  const verdictIn = async (payload: Payload, contextObjectId: string): Promise<unknown> => {
    const reply = await callValidation(context, installation, { ...payload, contextObjectId });
    if (!isSuccess(reply.status))
      notes.remark(
        `a sample was answered with ${reply.status} in the module of the other, though not by itself`,
        reply,
      );
    return isSuccess(reply.status) ? verdictOf(reply) : undefined;
  };
  if ((await verdictIn(valid, invalid['objectId'])) !== false) return;
  const found = await verdictIn(invalid, valid['objectId']);
  expect(
    found === true ? 'those of their context' : 'their own',
    'verdicts on the samples, each in the module of the other',
  ).toEqual('their own');
}

/** Asserts that validations that are called at once do not get what belongs to others. A token lets its user read, so that one that is read with that of another is told of. */
async function expectOutcomesAtOnce(context: HostContext, installation: Installation): Promise<void> {
  const { host, samples, given, expect, notes } = context;
  const { valid, invalid } = samples.validation;
  const outcomes = Array.from({ length: timesAtOnce }, () => [true, false]).flat();
  const calls = outcomes.map((outcome) => {
    const payload = { objectId: given.unique('object'), ...(outcome ? valid : invalid) };
    return { outcome, call: callOf(context, installation, payload) };
  });
  const judged = await Promise.all(calls.map(async (one) => ({ ...one, reply: await host.call(one.call) })));
  // a host may be busy
  const answered = judged.filter(({ reply }) => isSuccess(reply.status));
  for (const { outcome, reply } of answered)
    expect(
      verdictOf(reply),
      `isValid of the sample known as ${outcome ? 'valid' : 'invalid'} beside the other`,
      reply,
    ).toEqual(outcome);
  const unread = answered.filter(({ call }) => installation.arrivals({ kind: 'object', of: call }).length === 0);
  if (unread.length > 0 && unread.length < answered.length)
    notes.remark(
      `${unread.length} of ${answered.length} validations at once did not read with their own token, unlike the others`,
    );
}

/** What one request sets off has its id, as where a batch promotes two objects; each gets the verdict on its own. Source: extensions, Call envelope, row id */
async function tellOutcomesOfOneRequest(context: HostContext, installation: Installation): Promise<void> {
  const { host, samples, notes } = context;
  const { record, envelope } = callOf(context, installation, samples.validation.valid);
  if (verdictOf(await host.call({ record, envelope })) !== true) return;
  const payload = { spaceId: installation.spaceId, ...samples.validation.invalid };
  const reply = await host.call(installation.call(record, payload, { id: envelope.id }));
  if (isSuccess(reply.status) && verdictOf(reply) === true)
    notes.remark(
      'the sample known as invalid was found valid when its call had the id of one about the other sample',
      reply,
    );
}

/** Asserts that the verdict on an object is not that on one of another service which has its id. Source: core, What the service does, space level */
async function expectOutcomesApart(context: HostContext, installation: Installation): Promise<void> {
  const { samples, stage, given, expect } = context;
  const { valid, invalid } = samples.validation;
  const other = await stage.installation();
  const places = [
    { place: installation, model: String(valid['objectId']), outcome: true },
    { place: other, model: String(invalid['objectId']), outcome: false },
  ];
  const judgedIn = (objectId: string, { place, model }: (typeof places)[number]): Promise<Reply> | undefined =>
    place.makeElsewhere(objectId, model) ? callValidation(context, place, { ...valid, objectId }) : undefined;
  // it may go by more than what the object holds
  for (const one of places) {
    const reply = await judgedIn(given.unique('object'), one);
    if (reply === undefined || !isSuccess(reply.status) || verdictOf(reply) !== one.outcome) return;
  }
  const ofBoth = given.unique('object');
  const replies = await Promise.all(places.map((one) => judgedIn(ofBoth, one)));
  for (const [index, reply] of replies.entries())
    if (reply !== undefined && isSuccess(reply.status))
      expect(verdictOf(reply), 'isValid of an object beside one of another service that has its id', reply).toEqual(
        places[index]?.outcome,
      );
}

/**
 * Asserts that the id of an object, which comes in UTF-8, is read as that. Which signs ids have is not said, so that a host may refuse this one, and
 * one that an address has to encode is told of. Source: extensions, Payloads, row ExternalValidation
 */
async function expectIdsAsTold(context: HostContext, installation: Installation): Promise<void> {
  const { samples, given, expect, notes } = context;
  const { valid } = samples.validation;
  const askedFor = async (name: string, signs: string, more: Payload = {}): Promise<readonly Arrival[]> => {
    installation.makeElsewhere(name + signs, String(valid['objectId']));
    const { status } = await callValidation(context, installation, { ...valid, objectId: name + signs, ...more });
    const inSpace = 'spaceId' in more ? ', in a space of such signs' : '';
    notes.observe(`status of a validation of an object whose id ends with ${signs}${inSpace}`, status);
    return installation.arrivals({ kind: 'object', where: ({ path }) => path.includes(name) });
  };
  const plain = given.unique('object');
  const misread = (await askedFor(plain, accented)).find(({ path }) =>
    misreadings.some((signs) => path.toUpperCase().includes(plain.toUpperCase() + signs)),
  );
  expect(
    misread === undefined ? 'itself' : misread.path,
    `what the host asks for to judge the object ${plain}${accented}`,
    misread?.seen,
  ).toEqual('itself');
  const odd = given.unique('object');
  const other = (await askedFor(odd, oddSigns)).find(({ path }) => !decodeSegment(path).includes(odd + oddSigns));
  if (other !== undefined)
    notes.remark(`the host asked for ${other.path} to judge the object whose id is ${odd}${oddSigns}`);
  const spaceId = installation.spaceId + oddSigns;
  const elsewhere = (await askedFor(given.unique('object'), '', { spaceId })).find(
    ({ path }) => path.includes('/space/') && !decodeSegment(path).includes(`/space/${spaceId}/`),
  );
  if (elsewhere !== undefined)
    notes.remark(`the host asked for ${elsewhere.path} to judge an object of the space whose id is ${spaceId}`);
}

/** What a handler says of an object that it could not read is not said; that it is valid is not known then. A verdict has its form all the same. */
async function tellUnread(context: HostContext, refusal: number): Promise<void> {
  const { samples, stage, clock, notes } = context;
  const installation = await stage.installation();
  installation.refuse('object', refusal);
  const answer = callValidation(context, installation, samples.validation.invalid);
  answer.catch(() => undefined);
  const reply = await clock.until(answer, unreadMs);
  if (reply === undefined || installation.arrivals({ kind: 'object' }).length === 0) return;
  notes.observe(`status of a validation whose object cannot be read (${refusal})`, reply.status, reply);
  if (reply.status > 299) return;
  expectVerdict(context, reply);
  if (verdictOf(reply) === true)
    notes.remark('the sample known as invalid was found valid where the host could not read it');
}

/** A service may take its time to tell of an object, and nobody knows meanwhile that it is valid. */
async function tellSlow(context: HostContext): Promise<void> {
  const { samples, stage, clock, notes } = context;
  const installation = await stage.installation();
  const held = installation.hold('object');
  const answer = callValidation(context, installation, samples.validation.invalid);
  answer.catch(() => undefined);
  const early = await clock.until(answer, slowMs);
  held.release();
  const reply = early ?? (await clock.until(answer, unreadMs));
  if (reply === undefined || held.count === 0 || !isSuccess(reply.status)) return;
  if (verdictOf(reply) === true)
    notes.remark(
      `the sample known as invalid was found valid where the service took ${slowMs / 1000} s to tell of its object`,
    );
}

/** Asserts that a verdict on what could not be read once does not stand for it from then on. Source: extensions, Calls to extensions, row ExternalValidation */
async function expectReadAgain(context: HostContext, refusal: number): Promise<void> {
  const { samples, stage, clock, expect } = context;
  const { valid } = samples.validation;
  const installation = await stage.installation();
  let isRefusing = true;
  installation.refuse('object', refusal, () => isRefusing);
  const refused = callValidation(context, installation, valid);
  refused.catch(() => undefined);
  const before = await clock.until(refused, unreadMs);
  // one that read nothing may go by what it could not read before
  if (before === undefined) return;
  isRefusing = false;
  const { length: readBefore } = installation.arrivals({ kind: 'object' });
  // who found it valid unread shows nothing, and who refused to tell may be busy
  if (!isSuccess(before.status) || verdictOf(before) !== false) return;
  let again = await callValidation(context, installation, valid);
  const isReadAgain = installation.arrivals({ kind: 'object' }).length > readBefore;
  if (isSuccess(again.status) && verdictOf(again) === false && !isReadAgain) {
    await clock.until(new Promise<never>(() => undefined), restMs);
    again = await callValidation(context, installation, valid);
  }
  if (isSuccess(again.status))
    expect(
      verdictOf(again),
      'isValid of the sample known as valid, which the host could not read before',
      again,
    ).toEqual(true);
}
