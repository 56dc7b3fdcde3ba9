import { secondSpaceOfEditor } from '../../../judge/service/soft-types.ts';
import { basePathOf } from '../../../contract/address.ts';
import { base64 } from '../../../contract/base64.ts';
import type { TriggerName } from '../../../contract/profile.ts';
import { comparableId } from '../../../judge/service/guid.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isObject } from '../../../judge/json.ts';
import { withCorrelationId } from '../../../judge/service/requests.ts';
import { type Changes, isSuccess, type Reply } from '../../../judge/exchange.ts';
import { type Call, type CalledType, tells } from '../../../judge/extension/call.ts';
import type {
  Endpoint,
  EndpointOptions,
  Extension,
  ExtensionOptions,
  WaitOptions,
} from '../../../judge/extension/extension.ts';
import { ownCall } from '../../../judge/extension/own-call.ts';
import {
  callWaitMs,
  expectCall,
  expectNoCall,
  stayQuiet,
  triggeredTypes,
} from '../../../judge/extension/trigger-calls.ts';
import { type Mail, requestsIn, type Triggered } from '../../../judge/extension/triggers.ts';
import type { Thing } from '../../../judge/things.ts';
import { PreconditionFailed, unlessRefused } from '../../../judge/violation.ts';
import { anyEdit } from '../../../judge/service/writes.ts';
import { partHere } from '../../../judge/case/part.ts';
import { CallMissing } from './missing-calls.ts';

/** A year, and where that is too long a day: how long a token may live is not said. */
const lastingMinutes = [525_600, 1440] as const;
/** How long a validation call is waited for before it is looked for elsewhere, in ms. */
const shortWaitMs = 2000;

/** A trigger and the call that came of it. */
export interface Made {
  readonly triggered: Triggered;
  readonly call: Call;
}

type Content = Readonly<Record<string, unknown>>;

/** A registered extension whose tokens outlive the hours that other cases let pass where the suite moves the clock. */
export function lastingExtension(context: CaseContext, options: ExtensionOptions = {}): Promise<Extension> {
  return withLastingLife(context, (life) => context.given.extension({ ...life, ...options }));
}

/** The same of a trusted endpoint. */
export function lastingEndpoint(context: CaseContext, options: EndpointOptions = {}): Promise<Endpoint> {
  return withLastingLife(context, (registration) =>
    context.given.endpoint({ trusted: true, registration, ...options }),
  );
}

async function withLastingLife<T>(
  { clock }: CaseContext,
  make: (life: { readonly tokenLifeTime?: number }) => Promise<T>,
): Promise<T> {
  for (const tokenLifeTime of clock.controlled ? lastingMinutes : []) {
    const made = await unlessRefused(() => make({ tokenLifeTime }));
    if (made !== undefined) return made;
  }
  return make({});
}

export async function triggerEvent(
  context: CaseContext,
  extension: Extension,
  changes?: Changes,
  content?: Content,
  options?: WaitOptions,
): Promise<Made> {
  const send = () => context.triggers.event(extension, content, changes);
  // what is sent as it is has no place for a mark of the suite: the id of the event may stand in the call, and need not
  if (content === undefined) {
    const triggered = await send();
    const call = await extension.arrived({ kind: 'event', about: triggered }, options);
    if (call === undefined) throw missingCall('event', triggered);
    return { triggered, call };
  }
  return callAfter(context, extension, { kind: 'event', trigger: 'event', send, marks: ({ id }) => [id] });
}

/** A call of an endpoint that was not called before. */
export async function triggerEndpoint(context: CaseContext, endpoint: Endpoint, content?: unknown): Promise<Made> {
  const triggered = await context.triggers.endpoint(endpoint, content);
  return { triggered, call: await endpointCall(context, endpoint) };
}

/** The first call of an endpoint after a trigger that was accepted. Where none comes, that of a plain one has to: then it is missing. */
export async function endpointCall(context: CaseContext, endpoint: Endpoint): Promise<Call> {
  const { given, triggers } = context;
  const call: Call | undefined = await endpoint.arrived({ kind: 'endpoint' });
  if (call !== undefined) return call;
  const plain = await given.endpoint();
  await triggers.endpoint(plain);
  await plain.call({ kind: 'endpoint' });
  expectCall(context, call, 'the call of an endpoint');
  return given.present<Call>(call, 'the call of an endpoint');
}

interface ValidationOptions {
  readonly changes?: Changes;
  readonly contextObjectId?: string;
}

/** The validation of an object that this extension did not validate before. */
export async function triggerValidation(
  context: CaseContext,
  extension: Extension,
  thing: Thing,
  options: ValidationOptions = {},
): Promise<Made> {
  const { changes = withCorrelationId(partHere().id()), ...rest } = options;
  extension.concern(thing);
  const triggered = await context.triggers.validation(thing, { ...rest, extension, ...changes });
  const call = await extension.arrived({ kind: 'validation', objectId: thing.oid });
  if (call === undefined) tellPassedBy(context, triggered.reply);
  // with its answer: another case may have taken an extension away that was asked before this one
  if (call === undefined)
    throw new PreconditionFailed('a validation call about the object of triggers.validation', triggered.reply, [
      'calls.validation.payload-fields',
    ]);
  return { triggered, call };
}

/** Calls of validations that begin in no module: of a fresh object, and of one that may have been validated in a module before. */
export async function validateOutside(
  context: CaseContext,
  extension: Extension,
  former: Thing,
): Promise<readonly Call[]> {
  const callsAbout = () => extension.calls({ kind: 'validation', objectId: former.oid });
  const { call } = await triggerValidation(context, extension, await context.given.object());
  const known = callsAbout().length;
  await unlessRefused(async () => triggerValidation(context, extension, await context.given.current(former)));
  return [call, ...callsAbout().slice(known)];
}

/** As `triggerValidation`; the call is also known by its correlation id, whatever object it names. */
export async function triggerAnyValidation(context: CaseContext, extension: Extension, thing: Thing): Promise<Call> {
  const id = partHere().id();
  extension.concern(thing);
  const { reply } = await context.triggers.validation(thing, withCorrelationId(id));
  const own = await extension.arrived({ kind: 'validation', objectId: thing.oid }, { withinMs: shortWaitMs });
  const call =
    own ??
    (await context.trace()).find(
      (any) => any.kind === 'validation' && comparableId(any.envelope.id) === id && isAt(extension, any),
    );
  if (call === undefined) {
    tellPassedBy(context, reply);
    throw new PreconditionFailed('a validation call of triggers.validation', reply);
  }
  return call;
}

/** An operation that passes while an extension of the case is not asked: those of other cases may have been, which a profile can rule out. */
function tellPassedBy({ notes, profile }: CaseContext, reply: Reply): void {
  if (profile.all.expect?.severalValidations !== 'all' || !isSuccess(reply.status)) return;
  notes.bound('severalValidations', 'who is asked where an extension is passed by', 'one', reply);
}

function isAt({ url }: Extension, { target }: Call): boolean {
  return target.startsWith(`${basePathOf(url)}/`);
}

interface ActionOptions {
  readonly thing?: Thing;
  readonly changes?: Changes;
}

/** What an action of any kind is triggered by: the ribbon, or else a form that asks for nothing. */
export function sendAnyAction({ triggers, profile }: CaseContext, extension: Extension): Promise<Triggered> {
  if (profile.all.triggers?.actionRibbon !== undefined) return triggers.actionRibbon(extension);
  return triggers.actionForm(extension, { requestedRoute: '/', httpVerb: 'POST', payload: {} });
}

/** An action of the kind that the profile can trigger: from the ribbon, or else that of a form. */
export function triggerAction(
  context: CaseContext,
  extension: Extension,
  { thing, changes }: ActionOptions = {},
): Promise<Made> {
  if (context.profile.all.triggers?.actionRibbon === undefined)
    return triggerForm(
      context,
      extension,
      thing === undefined ? createForm(context) : editForm(context, thing),
      changes,
    );
  return triggerRibbon(context, extension, thing === undefined ? {} : { thing }, changes);
}

export function triggerRibbon(
  context: CaseContext,
  extension: Extension,
  selection: Parameters<CaseContext['triggers']['actionRibbon']>[1],
  changes?: Changes,
): Promise<Made> {
  return callAfter(context, extension, {
    kind: 'action',
    trigger: selection?.context === undefined ? 'actionRibbon' : 'actionRibbonInContext',
    send: () => context.triggers.actionRibbon(extension, selection, changes),
    marks: () => [selection?.thing?.oid, selection?.context?.oid],
  });
}

export type Form = Parameters<CaseContext['triggers']['actionForm']>[1];

export function triggerForm(context: CaseContext, extension: Extension, sent: Form, changes?: Changes): Promise<Made> {
  return callAfter(context, extension, {
    kind: 'action',
    trigger: 'actionForm',
    send: () => context.triggers.actionForm(extension, sent, changes),
    marks: () => [sent.thing?.oid, ...(hasPlaceFor(context, 'actionForm', 'payload') ? textsOf(sent.payload) : [])],
  });
}

/** The texts among the members of a payload that are long enough to be nobody else's. */
function textsOf(payload: unknown): readonly string[] {
  return Object.values(Object(payload)).filter(
    (text): text is string => typeof text === 'string' && text.length > 10 && JSON.stringify(text) === `"${text}"`,
  );
}

/** The form that edits an object. */
export function editForm(context: CaseContext, thing: Thing): Form {
  const payload = anyEdit(context);
  return {
    requestedRoute: pathOf(context.service.requests.merge(thing, payload).url),
    httpVerb: 'PATCH',
    payload,
    thing,
  };
}

/** The form that makes an object. */
export function createForm({ given, service }: CaseContext): Form {
  const payload = given.body();
  return { requestedRoute: pathOf(service.requests.create(payload).url), httpVerb: 'POST', payload };
}

export function pathOf(url: string): string {
  return new URL(url).pathname;
}

interface CallAfterOptions<T> {
  readonly kind: 'action' | 'email' | 'event';
  readonly trigger: TriggerName;
  readonly send: () => Promise<T>;
  /** Texts by which the call is known among those of others; none where the trigger has no place for any. */
  readonly marks: (triggered: T) => readonly (string | undefined)[];
}

/** The call of that kind that a trigger leads to, once it has ended. */
async function callAfter<T extends Triggered>(
  { profile }: CaseContext,
  extension: Extension,
  { kind, trigger, send, marks }: CallAfterOptions<T>,
): Promise<{ readonly triggered: T; readonly call: Call }> {
  const before = extension.calls({ kind });
  const triggered = await send();
  const known = marks(triggered).filter((mark) => mark !== undefined);
  const call = await ownCall(extension, { kind, template: profile.all.triggers?.[trigger], marks: known, before });
  const isAgain = (one: Call): boolean =>
    !before.includes(one) && before.some(({ envelope: { id } }) => id !== undefined && id === one.envelope.id);
  if (call === undefined) throw missingCall(kind, triggered, extension.calls({ kind, where: isAgain }).length > 0);
  await extension.ended(1, { kind, where: (one) => one === call });
  return { triggered, call };
}

/** What is missing where no call of a trigger is known as its own, and on which rules that stands. @param isAgain whether a call came that counts as a further attempt at one before */
function missingCall(kind: CallAfterOptions<Triggered>['kind'], { reply }: Triggered, isAgain = false): CallMissing {
  const another = isAgain ? '; one came, with the id of the envelope of a call before it' : '';
  const what = `a call of kind ${kind} (the trigger was answered with ${reply.status}${another})`;
  if (kind !== 'event') return new CallMissing(what);
  return new CallMissing(what, undefined, [
    'calls.extension.post-to-endpoint',
    ...(isAgain ? (['calls.envelope.id-from-correlation'] as const) : []),
  ]);
}

/** A mail with a subject and a body that nobody else composes, and its call. */
export async function triggerMail(
  context: CaseContext,
  extension: Extension,
  compose: (mark: string) => Pick<Mail, 'subject' | 'body'> & Partial<Mail>,
): Promise<{ readonly triggered: Triggered & Mail; readonly call: Call }> {
  const mark = context.given.unique('composed');
  const isShown = hasPlaceFor(context, 'email', 'subject') || hasPlaceFor(context, 'email', 'body');
  return callAfter(context, extension, {
    kind: 'email',
    trigger: 'email',
    send: () => context.triggers.email(extension, compose(mark)),
    marks: () => [isShown ? mark : undefined],
  });
}

/**
 * How a subject without characters comes is not said, nor whether what triggers a mail takes blanks and line ends around its body.
 * Source: ledger optional-payload-members, trigger-email-binding
 */
export async function recordOddMails(context: CaseContext): Promise<void> {
  const { given, triggers, notes } = context;
  if (!hasPlaceFor(context, 'email', 'subject') || !hasPlaceFor(context, 'email', 'body')) return;
  const extension = await given.extension({ types: ['Email'] });
  const callWith = (text: string) =>
    extension.arrived({ kind: 'email', where: (call) => tells(call, text) }, { withinMs: callWaitMs });
  const text = given.unique('body');
  const mail = await unlessRefused(() => triggers.email(extension, { subject: '', body: text }));
  const call = mail && (await callWith(text));
  const subject = call && JSON.stringify(call.payload['subject'] ?? null);
  notes.observe('a mail without a subject', mail === undefined ? 'is not taken' : (subject ?? 'leads to no call'));
  const marker = given.unique('body');
  const body = `\n ${marker}\r\n`;
  const padded = await unlessRefused(() => triggers.email(extension, { subject: given.unique('subject'), body }));
  const came = padded && (await callWith(marker));
  notes.observe('blanks and line ends around the body of a mail are kept', came?.payload['body'] === body);
}

/** Where the same call is triggered in the second space; undefined unless the profile has one, and such a trigger with the space in its path. */
export function urlInSecondSpace(
  { profile }: CaseContext,
  { reply }: Triggered,
  name: TriggerName = 'event',
): string | undefined {
  const { space, triggers } = profile.all;
  const secondSpace = secondSpaceOfEditor(profile.all);
  const { url } = reply.exchange.request;
  const template = triggers?.[name];
  const pathOfSpace = (id: string): string => `/space/${encodeURIComponent(id)}/`;
  const isAlone = template !== undefined && requestsIn(template).length === 1;
  if (secondSpace === undefined || !isAlone || !url.includes(pathOfSpace(space))) return undefined;
  return url.replace(pathOfSpace(space), pathOfSpace(secondSpace.space));
}

/** Whether the trigger of tasks has a place for the timeout, of its own or in the settings. */
export function takesTimeout(context: CaseContext): boolean {
  const inSettings =
    context.profile.all.tasks?.timeoutSetting !== undefined && hasPlaceFor(context, 'task', 'taskSettings');
  return inSettings || hasPlaceFor(context, 'task', 'timeout');
}

export function assumeTimeoutTaken(context: CaseContext): void {
  if (!takesTimeout(context))
    context.given.inconclusive(
      'The trigger has no place for {{timeout}}: add it to triggers.task of the profile, or name tasks.timeoutSetting.',
    );
}

/** Whether a trigger of the profile has a place for that value. */
export function hasPlaceFor({ profile }: CaseContext, trigger: TriggerName, placeholder: string): boolean {
  return JSON.stringify(profile.all.triggers?.[trigger] ?? []).includes(`{{${placeholder}}}`);
}

/** What has no place in a trigger is not sent, and cannot come back in the call. */
export function assertPlaceFor(context: CaseContext, trigger: TriggerName, placeholder: string): void {
  if (hasPlaceFor(context, trigger, placeholder)) return;
  context.given.inconclusive(
    `triggers.${trigger} of the profile has no place for {{${placeholder}}}, so that what the call has to hold is not known`,
  );
}

/** A type of call that the profile can trigger. */
interface TriggerableType {
  readonly type: CalledType;
  /** Triggers one call at an extension that has one record of each type. */
  readonly call: (extension: Extension, changes: Changes) => Promise<Made>;
}

/** A call that came of a trigger of its type. */
interface MadeOfType extends Made {
  readonly type: CalledType;
}

/** The types of calls that the profile can trigger. @param isAlone whether the case has what calls nobody by name to itself */
export function triggerableTypes(context: CaseContext, isAlone = false): readonly TriggerableType[] {
  const { triggers, given, profile } = context;
  const { triggers: bound, routes, softTypes } = profile.all;
  const hasType = softTypes?.primary !== undefined;
  const all: readonly (TriggerableType & { readonly isBound: boolean })[] = [
    {
      type: 'ExternalEvent',
      isBound: bound?.event !== undefined,
      call: (extension, changes) => triggerEvent(context, extension, changes),
    },
    {
      type: 'ExternalValidation',
      isBound:
        hasType &&
        (isAlone
          ? bound?.validation !== undefined && routes?.registrationDelete !== undefined
          : triggeredTypes(context).includes('ExternalValidation')),
      call: async (extension, changes) => triggerValidation(context, extension, await given.object(), { changes }),
    },
    {
      type: 'ExternalTask',
      isBound: bound?.task !== undefined,
      call: async (extension, changes) => {
        const triggered = await triggers.task(extension, {}, changes);
        return { triggered, call: await extension.call({ kind: 'task', about: triggered }) };
      },
    },
    {
      type: 'Email',
      isBound: isAlone ? bound?.email !== undefined : triggeredTypes(context).includes('Email'),
      call: async (extension, changes) => {
        const triggered = await triggers.email(extension, {}, changes);
        return { triggered, call: await extension.call({ kind: 'email', about: triggered }) };
      },
    },
    {
      type: 'ExternalAction',
      isBound: hasType && (bound?.actionRibbon !== undefined || bound?.actionForm !== undefined),
      call: async (extension, changes) => triggerAction(context, extension, { thing: await given.object(), changes }),
    },
  ];
  return all.filter(({ isBound }) => isBound);
}

/** An extension with a record of each of these types. */
export function extensionFor(
  context: CaseContext,
  of: readonly TriggerableType[],
  options: ExtensionOptions = {},
): Promise<Extension> {
  return lastingExtension(context, { types: of.map(({ type }) => type), ...options });
}

/**
 * One call of each type that the profile can trigger, for what a document says of every call to an extension; of an event at least, of any
 * other as far as the service makes it.
 */
export async function callEachType(
  context: CaseContext,
  options: ExtensionOptions = {},
  changesOf: () => Changes = () => withCorrelationId(partHere().id()),
): Promise<readonly MadeOfType[]> {
  const of = triggerableTypes(context);
  const extension = await extensionFor(context, of, options);
  const made: MadeOfType[] = [];
  for (const { type, call } of of) {
    const trigger = () => call(extension, changesOf());
    const one = type === 'ExternalEvent' ? await trigger() : await unlessRefused(trigger);
    if (one === undefined) context.notes.observe(`a call of type ${type}`, 'does not come');
    else made.push({ type, ...one });
  }
  return made;
}

/** Who may have no role, or none for what a trigger does. */
const strangers = [null, 'noRole', 'outsider', 'reader'] as const;

/** Of an action the extension itself may be who refuses, and an object may be held valid before anybody looks who asks. */
const refusedBehindCall: ReadonlySet<string> = new Set(['ExternalAction', 'ExternalValidation']);

/** Whoever is refused a trigger calls nobody by it. To whom triggers are open is not said. Source: core, Authentication 6 */
export async function expectRefusedCallsNobody(context: CaseContext): Promise<void> {
  const { notes, profile } = context;
  const of = triggerableTypes(context).filter(({ type }) => !refusedBehindCall.has(type));
  const extension = await extensionFor(context, of);
  const known = strangers.filter((as) => as === null || profile.all.identities[as] !== undefined);
  let isRefused = true;
  for (const { type, call } of of)
    for (const as of known) {
      const outcome = await insteadOfFailure(() => call(extension, { as }));
      notes.observe(`a trigger of type ${type} by ${as ?? 'nobody'}`, outcome ?? 'leads to a call');
      isRefused &&= outcome === 401 || outcome === 403;
    }
  // of a call that came nobody can tell which of them set it off
  if (!isRefused) return;
  await stayQuiet(context);
  expectNoCall(context, extension, 'calls that refused triggers led to');
}

/** The status of a refusal, or that nothing came; undefined where a call did. */
async function insteadOfFailure(trigger: () => Promise<unknown>): Promise<number | string | undefined> {
  try {
    await trigger();
    return undefined;
  } catch (error) {
    if (!(error instanceof PreconditionFailed)) throw error;
    const { status = 0 } = error.reply ?? {};
    return status >= 400 ? status : 'leads to no call';
  }
}

/** The value that a text of standard Base64 holds as JSON; undefined where it is none. */
export function filterIn(text: unknown): unknown {
  if (typeof text !== 'string' || !base64.test(text)) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'base64')));
  } catch {
    return undefined;
  }
}

/**
 * Asserts that a filter holds what the filter of the trigger says. A service that writes it anew may spell its times otherwise, and fill in
 * what it lacks. Source: ledger information-filter-without-trigger
 */
export function expectFilter({ expect, notes }: CaseContext, filter: unknown, sent: unknown, what: string): void {
  if (!isObject(filter) || !isObject(sent)) return expect(filter, what).toEqual(sent);
  const found = Object.entries(sent).map(([name, value]) => [name, isSame(filter[name], value) ? value : filter[name]]);
  expect(Object.fromEntries(found), what).toEqual(sent);
  const further = Object.keys(filter).filter((name) => !Object.hasOwn(sent, name));
  if (further.length > 0) notes.observe(`members of ${what} that its trigger did not send`, further.join(', '));
}

/** Asserts that what a service hands on of a filter that was sent is the same on every attempt. */
export function expectFilterKept(context: CaseContext, attempts: readonly Call[], sent: object): void {
  const [first, ...retries] = attempts.map(({ envelope }) => filterIn(envelope.informationFilter));
  const members = Object.entries(isObject(first) ? first : {});
  const handedOn = Object.fromEntries(members.filter(([name]) => Object.hasOwn(sent, name)));
  for (const retry of retries) expectFilter(context, retry, handedOn, 'information filter of a retry');
}

/** Of two texts that are times, whether they are the same one. */
function isSame(found: unknown, sent: unknown): boolean {
  return typeof found === 'string' && typeof sent === 'string' && Date.parse(found) === Date.parse(sent);
}

/** The same call, triggered in the second space, names that one, where the profile has one and such a trigger with the space in its path. */
export async function expectSecondSpace(
  context: CaseContext,
  name: TriggerName,
  first: Triggered,
  again: (changes: { readonly url: string }) => Promise<Made>,
): Promise<void> {
  const { expect, notes, profile } = context;
  const { secondSpace } = profile.all;
  const url = urlInSecondSpace(context, first, name);
  if (secondSpace === undefined || url === undefined) return;
  const made = await unlessRefused(() => again({ url }));
  if (made === undefined) return notes.observe(`a call by ${name} in the second space`, 'is not made');
  expect(made.call.payload['spaceId'], `spaceId of a call by ${name} in the second space`).toEqual(secondSpace.space);
}

/** Ids of digits, which stand for the text: behind a zero, before a fraction, with one more, with another one at the end. A program may take one for the beginning of another, or two for one number. */
export function nearlyOneId(text: string): readonly string[] {
  const digits = `1${BigInt(`0x${Buffer.from(text).toString('hex').slice(-12)}`)}`;
  const another = digits.endsWith('7') ? '8' : '7';
  return [digits, `0${digits}`, `${digits}.0`, `${digits}0`, digits.slice(0, -1) + another];
}

/** Id of the object that the payload of an action names so; undefined where the member has no value. */
export function oidIn(
  { contentPayload }: Readonly<Record<string, unknown>>,
  member: 'selectedObject' | 'contextObject',
): unknown {
  const object = isObject(contentPayload) ? contentPayload[member] : undefined;
  return isObject(object) ? object['$oid'] : (object ?? undefined);
}

/** A member that does not apply has no value; whether it is left out, null or an empty text is recorded. Source: ledger optional-payload-members */
export function assertEmpty(
  { expect, notes }: CaseContext,
  payload: Readonly<Record<string, unknown>>,
  name: string,
  where: string,
): void {
  expect(payload[name] ?? '', `${name} ${where}`).toEqual('');
  notes.observe(`${name} ${where}`, emptiness(payload[name]));
}

function emptiness(value: unknown): string {
  if (value === undefined) return 'absent';
  return value === null ? 'null' : 'an empty text';
}
