import type { IdentityName, Profile, TriggerName } from '../../contract/profile.ts';
import type { TriggerRequest, TriggerTemplate } from '../../contract/profile/calls-out.ts';
import type { RuleId } from '../../contract/rule.ts';
import { describe } from '../describe.ts';
import { isSuccess, type Changes, type Reply, type RequestSpec } from '../exchange.ts';
import { type CalledType, holdsWhole } from './call.ts';
import type { Endpoint, Extension } from './extension.ts';
import { valueAt } from '../json.ts';
import type { BoundProfile } from '../profile.ts';
import type { CaseRecord } from '../case/record.ts';
import { lastOfLocation, type PlaceholderValues, requestFrom, takenFrom } from '../service/requests.ts';
import type { Target } from '../service/target.ts';
import type { Thing } from '../things.ts';
import type { Clock } from '../time/clock.ts';
import { PreconditionFailed, UnfitProfile } from '../violation.ts';
import { readTime, sleep } from '../time/real-time.ts';

/** What a trigger set off. */
export interface Triggered {
  readonly reply: Reply;
  /** When it was sent, in ms of the clock: whatever came of it began later. */
  readonly sentAt: number;
  /** A text by which the call is known, for `about` in a filter. */
  readonly marker: string;
  /** Whether it stands in what was sent. */
  readonly isSent: boolean;
  /** Id of the event or job; undefined where the answer shows none. */
  readonly id: string | undefined;
  /** A text of the answer that stands in the call, where the profile says so. */
  readonly shown?: string | undefined;
}

/** Requests of the profile that make the service call out. Each needs the `trigger-` word of its name. */
export interface Triggers {
  /** One event for the ExternalEvent record; `payload` is its content. @throws {PreconditionFailed} unless it is accepted */
  event(
    extension: Extension,
    payload?: Readonly<Record<string, unknown>>,
    changes?: Changes & { readonly recordId?: string },
  ): Promise<Triggered>;
  /** One call of a simple or trusted endpoint. @throws {PreconditionFailed} unless it is accepted */
  endpoint(endpoint: Endpoint, payload?: unknown, changes?: Changes): Promise<Triggered>;
  /** The validated operation on an object; its reply is the outcome. */
  validation(thing: Thing, changes?: ContextChanges): Promise<Triggered>;
  /** @throws {PreconditionFailed} unless it is accepted */
  task(
    extension: Extension,
    values?: {
      readonly inputPath?: string;
      readonly taskSettings?: Readonly<Record<string, unknown>>;
      readonly timeout?: number;
    },
    changes?: Changes,
  ): Promise<Triggered>;
  /** @throws {PreconditionFailed} unless it is accepted */
  email(extension: Extension, mail?: Partial<Mail>, changes?: Changes): Promise<Triggered & Mail>;
  actionForm(
    extension: Extension,
    form: {
      readonly requestedRoute: string;
      readonly httpVerb: string;
      readonly payload: unknown;
      readonly thing?: Thing;
    },
    changes?: Changes,
  ): Promise<Triggered>;
  actionRibbon(
    extension: Extension,
    selection?: { readonly thing?: Thing; readonly context?: Thing },
    changes?: Changes,
  ): Promise<Triggered>;
  /** Needs `event-delete`. */
  deleteEvent(event: Triggered, changes?: Changes): Promise<Reply>;
  /** Needs `job-read`. */
  job(task: Triggered, changes?: Changes): Promise<Reply>;
  /** Log entries of deliveries; undefined where the profile has no routes.deliveryLog. */
  log(changes?: Changes): Promise<Reply | undefined>;
}

/** A validation from the context object module has the id of the object there, and the extension that is meant. */
type ContextChanges = Changes & { readonly contextObjectId?: string; readonly extension?: Extension };

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly body: string;
}

/** Between two tries of a trigger whose extension is perhaps not put to use yet, in ms. */
const settlingPauseMs = 250;

export interface TriggerParts {
  readonly record: Pick<CaseRecord, 'settlesAt'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly service: Target;
  readonly profile: BoundProfile;
  readonly unique: (prefix?: string) => string;
  /** Path of a file that a task may be given; undefined where the suite cannot upload one. */
  readonly taskInput: () => Promise<string | undefined>;
}

/** The triggers that the profile binds. Source: ledger trigger-* */
export function openTriggers(parts: TriggerParts): Triggers {
  const { service, unique } = parts;
  const { routes = {} } = parts.profile.all;
  return {
    event: async (extension, content, { recordId, ...changes } = {}) => {
      const marker = unique('event');
      const values =
        recordId === undefined
          ? addressOf(extension, 'ExternalEvent')
          : { recordId, registrationId: extension.registration?.id };
      const triggered = assumeAccepted(
        'event',
        await sendTrigger(parts, 'event', marker, { ...values, payload: content ?? { marker } }, changes),
      );
      if (triggered.isSent) return triggered;
      if (content === undefined) assumeShown('event', triggered);
      return byItsId(triggered);
    },
    endpoint: async (endpoint, content, changes) => {
      const marker = unique('call');
      return assumeAccepted(
        'endpoint',
        await sendTrigger(
          parts,
          'endpoint',
          marker,
          { endpointId: endpoint.id, payload: content ?? { marker } },
          changes,
        ),
      );
    },
    validation: (thing, changes) => sendValidation(parts, thing, changes),
    task: async (extension, values = {}, changes) => {
      const marker = unique('task');
      // a service may look for the file before it takes the job
      const { inputPath = (await parts.taskInput()) ?? `/${marker}.csv`, timeout } = values;
      const taskSettings = withTimeout(parts, values.taskSettings ?? { marker }, timeout);
      const sentValues = { ...addressOf(extension, 'ExternalTask'), inputPath, taskSettings, timeout };
      return byItsId(assumeAccepted('task', await sendTrigger(parts, 'task', marker, sentValues, changes)));
    },
    email: async (extension, mail = {}, changes) => {
      const marker = unique('mail');
      const { to = 'someone@example.com', subject = `Subject ${marker}`, body = `Body ${marker}` } = mail;
      const values = { ...addressOf(extension, 'Email'), to, subject, body };
      return {
        ...assumeAccepted('email', await sendTrigger(parts, 'email', marker, values, changes)),
        to,
        subject,
        body,
      };
    },
    actionForm: (extension, { thing, ...form }, changes) =>
      sendTrigger(
        parts,
        'actionForm',
        unique('form'),
        { ...addressOf(extension, 'ExternalAction'), ...form, ...(thing && thingValues(parts, thing)) },
        changes,
      ),
    actionRibbon: (extension, { thing, context } = {}, changes) => {
      const name = context === undefined ? 'actionRibbon' : 'actionRibbonInContext';
      const values = {
        ...addressOf(extension, 'ExternalAction'),
        ...(thing && thingValues(parts, thing)),
        contextObjectId: context?.oid,
      };
      return sendTrigger(parts, name, thing?.oid ?? context?.oid ?? unique('ribbon'), values, changes);
    },
    deleteEvent: (event, changes) =>
      sendBound(parts, routes.eventDelete, 'routes.eventDelete', { eventId: event.id }, changes),
    job: (task, changes) => sendBound(parts, routes.job, 'routes.job', { jobId: task.id }, changes),
    log: async (changes) => {
      if (routes.deliveryLog === undefined) return undefined;
      return service.send(
        { ...requestFrom({ as: 'administrator', ...routes.deliveryLog }, spaceValues(parts)), unbooked: true },
        changes,
      );
    },
  };
}

/** From the context object module the record to be called may be asked for. */
function sendValidation(
  parts: TriggerParts,
  thing: Thing,
  { contextObjectId, extension, ...changes }: ContextChanges = {},
): Promise<Triggered> {
  const values = thingValues(parts, thing);
  if (contextObjectId === undefined) return sendTrigger(parts, 'validation', thing.oid, values, changes);
  const called = extension && addressOf(extension, 'ExternalValidation');
  return sendTrigger(parts, 'validationInContext', thing.oid, { ...values, ...called, contextObjectId }, changes);
}

/** The settings of a task, with its timeout where the profile says that it stands in there. */
function withTimeout(
  { profile }: TriggerParts,
  settings: Readonly<Record<string, unknown>>,
  timeout: number | undefined,
): Readonly<Record<string, unknown>> {
  const { timeoutSetting } = profile.all.tasks ?? {};
  return timeoutSetting === undefined || timeout === undefined ? settings : { ...settings, [timeoutSetting]: timeout };
}

async function sendTrigger(
  parts: TriggerParts,
  name: TriggerName,
  marker: string,
  values: PlaceholderValues,
  changes?: Changes,
): Promise<Triggered> {
  const template = parts.profile.all.triggers?.[name];
  if (template === undefined) throw new UnfitProfile(`a trigger: add triggers.${name} to the profile`);
  const requests = requestsIn(template);
  const counting = countingIn(requests);
  let known: PlaceholderValues = { ...spaceValues(parts), ...values };
  let counted: Omit<Triggered, 'isSent'> | undefined;
  let isSent = false;
  for (const request of requests) {
    const spec = requestFrom(request, known);
    isSent ||= holdsWhole(JSON.stringify(spec), marker);
    const { reply, sentAt } = await sendUntilSettled(parts, name, spec, changes);
    if (request === counting)
      counted = { reply, marker, sentAt, id: idOf(reply, request.idPath), shown: textAt(reply, request.shownPath) };
    if (!isSuccess(reply.status)) {
      if (counted !== undefined) return { ...counted, isSent };
      throw new PreconditionFailed(
        `every request of the trigger triggers.${name} of the profile to be accepted (it says ${describe(reply.text, 200)})`,
        reply,
        standsOn[name],
      );
    }
    known = { ...known, ...takenFrom(reply, request.take) };
  }
  if (counted === undefined) throw new UnfitProfile(`a trigger: triggers.${name} of the profile is empty`);
  return { ...counted, isSent };
}

export function requestsIn(template: TriggerTemplate): readonly TriggerRequest[] {
  return Array.isArray(template) ? template : [template];
}

function countingIn(requests: readonly TriggerRequest[]): TriggerRequest | undefined {
  return requests.find(({ answer }) => answer === true) ?? requests.at(-1);
}

/** Who sets off what comes of a trigger: the editor, unless the profile says of the request whose answer counts that somebody else sends it. */
export function senderOf({ triggers }: Pick<Profile, 'triggers'>, name: TriggerName): IdentityName {
  return countingIn(requestsIn(triggers?.[name] ?? []))?.as ?? 'editor';
}

/** Whether the call of an endpoint is set off by the route that sets off an event, so that both are events of one kind. */
export function endpointsGetEvents({ triggers }: Pick<Profile, 'triggers'>): boolean {
  const [event, endpoint] = [triggers?.event, triggers?.endpoint].map((template) =>
    countingIn(requestsIn(template ?? [])),
  );
  return event !== undefined && event.method === endpoint?.method && event.path === endpoint.path;
}

/** For whom the token of an event or of the call of an endpoint may speak: for who sets it off, or for the owner of the subscription. */
export function speakersOf(profile: Pick<Profile, 'triggers'>, name: 'event' | 'endpoint'): ReadonlySet<IdentityName> {
  return new Set([senderOf(profile, name), profile.triggers?.subscribedAs ?? senderOf(profile, name)]);
}

async function sendUntilSettled(
  { service, record, clock }: TriggerParts,
  name: TriggerName,
  spec: RequestSpec,
  changes?: Changes,
): Promise<Pick<Triggered, 'reply' | 'sentAt'>> {
  const request = { ...spec, unbooked: true as const, mayFail: true as const };
  for (;;) {
    const sentAt = clock.now();
    const reply = await service.send(request, changes);
    if (!isUnsettled(name, reply) || readTime() >= record.settlesAt) return { reply, sentAt };
    await sleep(settlingPauseMs);
  }
}

/** Whether a service may say so for as long as it has not put an extension to use; the outcome of what was called is another answer. */
function isUnsettled(name: TriggerName, { status }: Reply): boolean {
  if (status === 404) return true;
  return ['event', 'endpoint', 'task', 'email'].includes(name) && status >= 400 && status < 500;
}

/** Rules that say that the call behind a trigger is made: where the trigger itself is refused the case cannot judge. */
const standsOn: Readonly<Partial<Record<TriggerName, readonly RuleId[]>>> = {
  event: ['metadata.records.optional-fields-omitted'],
};

function assumeAccepted(name: TriggerName, triggered: Triggered): Triggered {
  const { reply } = triggered;
  if (isSuccess(reply.status)) return triggered;
  throw new PreconditionFailed(
    `the trigger triggers.${name} of the profile to be accepted (it says ${describe(reply.text, 200)})`,
    reply,
    standsOn[name],
  );
}

/** @throws {UnfitProfile} nothing would tell the call from others */
function assumeShown(name: TriggerName, { id, shown }: Triggered): void {
  if (id !== undefined || shown !== undefined) return;
  throw new UnfitProfile(
    `a text by which the call is known: let triggers.${name} of the profile send {{payload}}, or say by idPath where its answer has an id`,
  );
}

/** The call shows the text that the profile says, else the id of the event or the job, wherever the content does not hold the marker. */
function byItsId(triggered: Triggered): Triggered {
  return { ...triggered, marker: triggered.shown ?? triggered.id ?? triggered.marker };
}

async function sendBound(
  parts: TriggerParts,
  template: Parameters<typeof requestFrom>[0] | undefined,
  key: string,
  values: PlaceholderValues,
  changes?: Changes,
): Promise<Reply> {
  if (template === undefined) throw new UnfitProfile(`a route: add ${key} to the profile`);
  return parts.service.send(
    { ...requestFrom(template, { ...spaceValues(parts), ...values }), unbooked: true },
    changes,
  );
}

function addressOf(extension: Extension, type: CalledType): PlaceholderValues {
  return { recordId: extension.record(type).id, registrationId: extension.registration?.id };
}

function spaceValues({ profile }: TriggerParts): PlaceholderValues {
  const { space, participant, maturity } = profile.all;
  return { spaceId: space, participantId: participant, processId: maturity?.processId, levelId: maturity?.levelId };
}

function thingValues(parts: TriggerParts, thing: Thing): PlaceholderValues {
  const { definitionId, inputSchemaId, outputSchemaId } = thing.type;
  return {
    ...spaceValues(parts),
    spaceId: thing.space,
    objectId: thing.oid,
    version: thing.version,
    definitionId,
    inputSchemaId,
    outputSchemaId,
  };
}

/** Where the profile says, else the last segment of Location, else `id` of the body. */
function idOf(reply: Reply, idPath: string | undefined): string | undefined {
  const located = idPath === undefined ? lastOfLocation(reply) : undefined;
  return located ?? textAt(reply, idPath ?? '/id');
}

function textAt(reply: Reply, path: string | undefined): string | undefined {
  const told: unknown = path === undefined ? undefined : valueAt(reply.json, path);
  return typeof told === 'string' || typeof told === 'number' ? String(told) : undefined;
}
