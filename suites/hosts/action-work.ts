import { isDeepStrictEqual } from 'node:util';
import { isSuccess, type Reply } from '../../judge/exchange.ts';
import type { Arrival } from '../../judge/host/arrival.ts';
import type { HostContext } from '../../judge/host/context.ts';
import type { ActionSample, HostCall } from '../../judge/host/host.ts';
import type { Installation } from '../../judge/host/installation.ts';
import type { Creation, Edit } from '../../judge/host/played/objects.ts';
import { actionPayload, isRibbon, readableObject } from '../../judge/host/payloads.ts';
import { isObject } from '../../judge/json.ts';

/** More than what a page or a portion may take. */
const manyOperations = 150;

/** An action that was called. */
export interface Acted {
  readonly installation: Installation;
  readonly call: HostCall;
  readonly payload: ActionSample['payload'];
  readonly reply: Reply;
  /** What the service that the suite plays refused because of it. */
  readonly refused: Arrival | undefined;
}

/** What an action that edits its object in the place of the service says of that. That it has to go by the version it was told, and to tell the one that it made, is said of the service alone. Source: core, Errors 1 */
export async function tellOfEdits({ host, expect, notes }: HostContext, acted: Acted): Promise<void> {
  const { installation, call, payload, reply } = acted;
  const [otherwise] = installation.arrivals({
    of: call,
    where: ({ method, path, target }) =>
      [path, target].includes(String(payload['requestedRoute'])) &&
      ![payload['httpVerb'], 'GET', 'HEAD'].includes(method),
  });
  if (otherwise !== undefined)
    notes.remark(
      `the action sent ${otherwise.method} to the route that the form requests with ${String(payload['httpVerb'])}`,
    );
  tellOtherContent(notes, acted);
  tellLostQuery(notes, acted);
  const edit = editBecauseOf(installation, call);
  if (edit === undefined || edit.isInBatch) return;
  const made = Number(edit.version) + 1;
  const told = isObject(reply.json) ? reply.json['svcUOIVersion'] : undefined;
  if (Number.isInteger(told) && told !== made)
    notes.remark(`the action tells version ${String(told)} of an object of which the service made version ${made}`);
  const { objectId, svcUOIVersion } = payload;
  const isOfObject = edit.path.endsWith(`/${encodeURIComponent(String(objectId))}`);
  if (!isOfObject || typeof svcUOIVersion !== 'number') return;
  installation.editElsewhere();
  const later = installation.call(call.record, payload);
  const answer = await host.call(later);
  notes.observe('status of an action on a version that is over', answer.status);
  if (answer.status === 200) expectNoErrorCode(expect, answer, 'an action on a version that is over');
  if (editBecauseOf(installation, later) !== undefined)
    notes.remark('an action on a version of its object that others edited since wrote over what they made of it');
}

/** Status 200 says that the action succeeded. Source: extensions, Errors 4 */
export function expectNoErrorCode(expect: HostContext['expect'], reply: Reply, what: string): void {
  expect(isObject(reply.json) && reply.json['statusCode'], `statusCode of ${what}`, reply).toSatisfy(
    'no code of an error',
    (code) => !(Number(code) >= 400),
  );
}

/** Asserts that an action does not tell of success whose own request the service refused each time that it was sent. Source: extensions, Errors 4 */
export function expectRefusalTold({ expect }: HostContext, { installation, call, payload, reply }: Acted): void {
  const sent = installation.arrivals({
    of: call,
    where: ({ method, path, target }) =>
      method === payload['httpVerb'] && [path, target].includes(String(payload['requestedRoute'])),
  });
  if (sent.length === 0 || sent.some(({ seen }) => seen.status < 400)) return;
  expect(
    isSuccess(reply.status) ? 'done' : 'failed',
    `what is told of a form whose ${String(payload['httpVerb'])} the service refused each time`,
    reply,
  ).toEqual('failed');
}

/** What a route asks for behind its path belongs to it. Source: extensions, Payloads, row ExternalAction (requestedRoute) */
function tellLostQuery(notes: HostContext['notes'], { installation, call, payload }: Acted): void {
  const route = String(payload['requestedRoute']);
  const [path] = route.split('?');
  if (path === route) return;
  const asked = installation.arrivals({ of: call, where: (arrival) => arrival.path === path });
  const bare = asked.find(({ method, target }) => method === payload['httpVerb'] && target === path);
  if (bare !== undefined && asked.every(({ target }) => target === path))
    notes.remark(`the action sent ${bare.method} to the route that the form requests without the query of that`);
}

/** What a form holds may be changed on its way, but not by how it is written again. Source: extensions, Payloads, Action content payload */
function tellOtherContent(notes: HostContext['notes'], { installation, call, payload }: Acted): void {
  const [forwarded] = installation.arrivals({
    of: call,
    where: ({ method, target }) => target === payload['requestedRoute'] && method === payload['httpVerb'],
  });
  const other = forwarded === undefined ? undefined : otherKindIn(payload['contentPayload'], forwarded.json);
  if (other !== undefined) notes.remark(`the action sends to the route of the form ${other}`);
}

/** The first member that is of another kind of JSON than it was, though it says the same. */
function otherKindIn(wanted: unknown, sent: unknown, at = ''): string | undefined {
  const isEmptied = isObject(wanted) && Object.keys(wanted).length === 0 && Array.isArray(sent) && sent.length === 0;
  const isKeyed = Array.isArray(wanted) && isObject(sent);
  const isRespelled =
    typeof wanted !== typeof sent && isNumeric(wanted) && isNumeric(sent) && Number(wanted) === Number(sent);
  const isTextRespelled = typeof wanted === 'string' && typeof sent === 'string' && isSpelledOtherwise(wanted, sent);
  if (isEmptied || isKeyed || isRespelled || isTextRespelled)
    return `${JSON.stringify(sent)} at ${JSON.stringify(at)}, where that has ${JSON.stringify(wanted)}`;
  if (typeof wanted !== 'object' || typeof sent !== 'object' || wanted === null || sent === null) return undefined;
  return Object.entries(wanted)
    .map(([name, value]) =>
      Object.hasOwn(sent, name) ? otherKindIn(value, Reflect.get(sent, name), `${at}/${name}`) : undefined,
    )
    .find((found) => found !== undefined);
}

/** The same moment, or a text whose signs outside ASCII are lost: what becomes of a text that is read and written by some libraries. */
function isSpelledOtherwise(wanted: string, sent: string): boolean {
  if (wanted === sent) return false;
  const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(wanted) && Date.parse(wanted) === Date.parse(sent);
  const isLost = ['?', '\u{FFFD}'].some((sign) =>
    [/[^\0-\x7f]/g, /[^\0-\x7f]/gu].some((other) => wanted.replaceAll(other, sign) === sent),
  );
  return isMoment || isLost;
}

function isNumeric(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^-?\d/.test(value));
}

/** What an action that creates an object in the place of the service says of that: whether it has to be that object and its version is not said. Source: extensions, Errors 4 */
export function observeCreation({ notes }: HostContext, acted: Acted): void {
  const { payload, reply } = acted;
  const [created, ...others] = creationsOf(acted);
  if (created === undefined || others.length > 0 || payload['httpVerb'] !== 'POST' || !isObject(reply.json)) return;
  const isLedTo = createdAt([created], reply.json) !== undefined;
  notes.observe('location of an action that created an object', isLedTo ? 'that object' : 'another');
  const { svcUOIVersion } = reply.json;
  if (editBecauseOf(acted.installation, acted.call) === undefined)
    notes.observe('svcUOIVersion of an action that created an object', svcUOIVersion === 1 ? '1' : 'another');
}

/** Asserts that the results of operations that each created an object are about one each. Source: extensions, Errors 4 (batch) */
export function expectResultsApart({ expect, notes }: HostContext, acted: Acted, operations: readonly unknown[]): void {
  const { reply } = acted;
  const creations = creationsOf(acted);
  const isCreating = (operation: unknown): boolean =>
    isObject(operation) && String(operation['method']).toUpperCase() === 'POST';
  const results = Array.isArray(reply.json) ? (reply.json as readonly unknown[]) : [];
  // a host may have made more, or others, than it was asked for
  if (!operations.every(isCreating) || creations.length !== operations.length) return;
  if (results.length !== operations.length) return;
  const told = results.map((result) => createdAt(creations, result));
  const twice = told.filter((one, index) => one !== undefined && told.indexOf(one) !== index);
  expect(twice.length, 'results of a batch that are about an object of which another one tells', reply).toEqual(0);
  const wanted = operations.map((operation) => {
    const alike = creations.filter(({ content }) => isDeepStrictEqual(content, Object(operation)['body']));
    return alike.length === 1 ? alike[0] : undefined;
  });
  if (told.some((one, index) => one !== undefined && wanted[index] !== undefined && one !== wanted[index]))
    notes.remark('the results of a batch do not stand in the order of its operations');
}

function creationsOf({ installation, call }: Acted): readonly Creation[] {
  return installation.creations.filter(({ callId }) => callId === call.envelope.id);
}

/** The created object to which a location leads. */
function createdAt(creations: readonly Creation[], result: unknown): Creation | undefined {
  const location = isObject(result) ? String(result['location']) : '';
  const segments = location.replace(/[?#].*$/, '').split('/');
  return creations.find(({ oid }) => segments.includes(oid));
}

/** The last edit that the service took because of a call. */
function editBecauseOf({ edits }: Installation, { envelope }: HostCall): Edit | undefined {
  return edits.filter(({ callId, seen }) => callId === envelope.id && isSuccess(seen.status)).at(-1);
}

/** Asserts the form of each result of a batch. Source: extensions, Errors 4 (batch) */
export function expectResults(
  context: HostContext,
  reply: Reply,
  operations: readonly unknown[],
  which: string = 'of the batch',
): void {
  const results = Array.isArray(reply.json) ? (reply.json as readonly unknown[]) : [];
  results.forEach((result, index) => {
    const { method } = Object(operations[index]) as Readonly<Record<string, unknown>>;
    const verb = typeof method === 'string' ? { httpVerb: method } : {};
    expectResult(context, reply, result, verb, `result ${index + 1} ${which}`);
  });
}

/** Asserts the form of the result of an action. Source: extensions, Errors 4 */
export function expectResult(
  { expect, notes, binding }: HostContext,
  reply: Reply,
  result: unknown,
  payload: ActionSample['payload'],
  what: string,
): void {
  expect(result, what, reply).toBeAnObject();
  const { statusCode, location, svcUOIVersion } = Object(result) as Readonly<Record<string, unknown>>;
  expect(statusCode, `statusCode of ${what}`, reply).toBeAnInteger();
  // it need not have made anything, nor changed anything
  const isBare = isRibbon(payload) || payload['httpVerb'] === 'GET' || payload['httpVerb'] === 'DELETE';
  const isMissing = (member: unknown): boolean => isBare && (member ?? undefined) === undefined;
  if (isMissing(location)) notes.observe('location of an action that makes nothing', 'missing');
  else expect(location, `location of ${what}`, reply).toBeAString();
  if (String(location).startsWith(`${new URL(binding.hostUri).origin}/`))
    notes.remark(`location of ${what} leads to the host, and not to the service`, reply);
  if (isMissing(svcUOIVersion)) notes.observe('svcUOIVersion of an action that makes nothing', 'missing');
  else expect(svcUOIVersion, `svcUOIVersion of ${what}`, reply).toBeAnInteger();
  // several objects are made, or other things done, by a POST as well
  const isCreation =
    payload['httpVerb'] === 'POST' && !/\/(?:batch|softtype)\/?$/i.test(String(payload['requestedRoute']));
  const makesNothing = ['GET', 'PUT', 'PATCH', 'DELETE'].includes(String(payload['httpVerb']));
  const isSuccess = Number(statusCode) >= 200 && Number(statusCode) < 300;
  const right = isCreation ? statusCode === 201 : isSuccess && !(makesNothing && statusCode === 201);
  if (
    isCreation &&
    typeof location === 'string' &&
    location.replace(/^https?:\/\/[^/]+/i, '') === payload['requestedRoute']
  )
    notes.remark(`location of ${what} is the route that the form requests, and not where what was made is`, reply);
  if (!right)
    notes.remark(
      `statusCode ${String(statusCode)} does not fit the verb ${String(payload['httpVerb'] ?? 'of the action')}`,
    );
}

export async function act(
  { host, records, stage, given, binding }: HostContext,
  sample: ActionSample,
  prepare?: (installation: Installation) => void,
): Promise<Acted> {
  const installation = await stage.installation();
  prepare?.(installation);
  const { spaceId } = installation;
  const parts = {
    samples: binding.samples ?? {},
    objects: binding.objects,
    spaceId,
    informationFilter: Buffer.from('{}').toString('base64'),
    unique: given.unique,
  };
  const payload = actionPayload(parts, sample.payload);
  const call = installation.call(records.named(sample.record, 'ExternalAction'), payload);
  const reply = await host.call(call);
  return {
    installation,
    call,
    payload,
    reply,
    refused: installation.arrivals({ where: ({ seen }) => seen.status >= 400 })[0],
  };
}

/** A batch of one operation is one as well, where the host takes it: its results are an array still. */
export async function expectArrayOfOne(context: HostContext, operations: readonly unknown[]): Promise<void> {
  const sample = context.samples.action('batch');
  const contentPayload = operations.slice(0, 1);
  const { reply } = await act(context, { ...sample, payload: { ...sample.payload, contentPayload } });
  context.notes.observe('status of an action over a batch of one operation', reply.status, reply);
  if (reply.status !== 200) return;
  context.expect(reply.json, 'the answer to a batch of one operation', reply).toBeAnArray();
}

/** Batches of what the host takes, otherwise put together: whether it takes them is not said, but each operation has its result. */
export async function expectOtherBatches(context: HostContext, operations: readonly unknown[]): Promise<void> {
  const { notes, expect, given, binding } = context;
  const sample = context.samples.action('batch');
  const { spaceId } = sample.payload;
  const oid = readableObject({ objects: binding.objects, unique: given.unique });
  const read = { method: 'GET', href: `/api/space/${typeof spaceId === 'string' ? spaceId : 'main'}/softtype/${oid}` };
  for (const [what, contentPayload] of [
    ['the other way round', operations.toReversed()],
    ['with a GET behind it', [...operations, read]],
    ['with a DELETE behind it', [...operations, { ...read, method: 'DELETE' }]],
    ['of many', repeated(operations, manyOperations)],
  ] as const) {
    const { reply } = await act(context, { ...sample, payload: { ...sample.payload, contentPayload } });
    notes.observe(`status of an action over a batch ${what}`, reply.status, reply);
    if (reply.status !== 200) continue;
    expect(reply.json, `the answer to a batch ${what}`, reply).toBeAnArray();
    const results = Array.isArray(reply.json) ? (reply.json as readonly unknown[]) : [];
    expect(results.length, `number of results of a batch ${what}`, reply).toEqual(contentPayload.length);
    expectResults(context, reply, contentPayload, `of a batch ${what}`);
  }
}

function repeated(values: readonly unknown[], length: number): readonly unknown[] {
  return values.length === 0 ? values : Array.from({ length }, (_none, index) => values[index % values.length]);
}

/** The form that succeeds, in the place of a DELETE: whether a host takes it is not said. */
export async function expectDeletion(context: HostContext): Promise<void> {
  const sample = context.samples.action('success');
  if (isRibbon(sample.payload)) return;
  const acted = await act(context, { ...sample, payload: { ...sample.payload, httpVerb: 'DELETE' } });
  const { payload, reply } = acted;
  context.notes.observe('status of an action in the place of a DELETE', reply.status, reply);
  if (!isSuccess(reply.status)) return;
  context.expect(reply).toAnswer(200);
  expectResult(context, reply, reply.json, payload, 'the answer to a DELETE');
}

/** The form that succeeds where it makes something, with nothing selected: whether a host takes it is not said. */
export async function expectMadeOfNothing(context: HostContext): Promise<void> {
  const sample = context.samples.action('success');
  const { objectId: _selected, svcUOIVersion: _version, ...unselected } = sample.payload;
  if (isRibbon(sample.payload) || sample.payload['httpVerb'] !== 'POST') return;
  const { payload, reply } = await act(context, { ...sample, payload: unselected });
  context.notes.observe('status of an action with nothing selected', reply.status, reply);
  if (reply.status === 200) expectResult(context, reply, reply.json, payload, 'the answer where nothing is selected');
}
