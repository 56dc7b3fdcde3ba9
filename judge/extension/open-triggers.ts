import type { TriggerName } from '../../contract/profile.ts';
import type { RuleId } from '../../contract/rule.ts';
import type { Changes, Reply } from '../exchange.ts';
import { describe } from '../describe.ts';
import type { Thing } from '../given.ts';
import { valueAt } from '../json-pointer.ts';
import type { BoundProfile } from '../profile.ts';
import { requestFrom, type PlaceholderValues } from '../requests/placeholders.ts';
import type { Target } from '../target.ts';
import { PreconditionFailed } from '../violation.ts';
import type { CalledType, Extension, Triggered, Triggers } from './extension.ts';

export interface TriggerParts {
  readonly service: Target;
  readonly profile: BoundProfile;
  readonly unique: (prefix?: string) => string;
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
      const triggered = accepted(
        'event',
        await sent(parts, 'event', marker, { ...values, payload: content ?? { marker } }, changes),
      );
      return content === undefined ? triggered : byItsId(triggered);
    },
    endpoint: async (endpoint, content, changes) => {
      const marker = unique('call');
      return accepted(
        'endpoint',
        await sent(parts, 'endpoint', marker, { endpointId: endpoint.id, payload: content ?? { marker } }, changes),
      );
    },
    validation: (thing, { contextObjectId, ...changes } = {}) => {
      const name = contextObjectId === undefined ? 'validation' : 'validationInContext';
      return sent(parts, name, thing.oid, { ...thingValues(parts, thing), contextObjectId }, changes);
    },
    task: async (extension, values = {}, changes) => {
      const marker = unique('task');
      const { inputPath = `/${marker}.csv`, taskSettings = { marker }, timeout } = values;
      const sentValues = { ...addressOf(extension, 'ExternalTask'), inputPath, taskSettings, timeout };
      return byItsId(accepted('task', await sent(parts, 'task', marker, sentValues, changes)));
    },
    email: async (extension, mail = {}, changes) => {
      const marker = unique('mail');
      const { to = 'someone@example.com', subject = `Subject ${marker}`, body = `Body ${marker}` } = mail;
      const values = { ...addressOf(extension, 'Email'), to, subject, body };
      return { ...accepted('email', await sent(parts, 'email', marker, values, changes)), to, subject, body };
    },
    actionForm: (extension, { thing, ...form }, changes) =>
      sent(
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
      return sent(parts, name, thing?.oid ?? context?.oid ?? unique('ribbon'), values, changes);
    },
    deleteEvent: (event, changes) =>
      bound(parts, routes.eventDelete, 'routes.eventDelete', { eventId: event.id }, changes),
    job: (task, changes) => bound(parts, routes.job, 'routes.job', { jobId: task.id }, changes),
    log: async (changes) => {
      if (routes.deliveryLog === undefined) return undefined;
      return service.send(
        { ...requestFrom({ as: 'administrator', ...routes.deliveryLog }, spaceValues(parts)), unbooked: true },
        changes,
      );
    },
  };
}

async function sent(
  parts: TriggerParts,
  name: TriggerName,
  marker: string,
  values: PlaceholderValues,
  changes?: Changes,
): Promise<Triggered> {
  const template = parts.profile.all.triggers?.[name];
  if (template === undefined) throw new PreconditionFailed(`a trigger: add triggers.${name} to the profile`);
  const request = { ...requestFrom(template, { ...spaceValues(parts), ...values }), unbooked: true as const };
  const reply = await parts.service.send(request, changes);
  return { reply, marker, id: idOf(reply, template.idPath) };
}

/** Rules that say that the call behind a trigger is made: where the trigger itself is refused the case cannot judge. */
const standsOn: Readonly<Partial<Record<TriggerName, readonly RuleId[]>>> = {
  event: ['metadata.records.optional-fields-omitted'],
};

function accepted(name: TriggerName, triggered: Triggered): Triggered {
  const { reply } = triggered;
  if (reply.status >= 200 && reply.status < 300) return triggered;
  throw new PreconditionFailed(
    `the trigger triggers.${name} of the profile to be accepted (it says ${describe(reply.text, 200)})`,
    reply,
    standsOn[name],
  );
}

/** The call shows the id of the event, or of the job, wherever the content does not hold the marker. */
function byItsId(triggered: Triggered): Triggered {
  return { ...triggered, marker: triggered.id ?? triggered.marker };
}

async function bound(
  parts: TriggerParts,
  template: Parameters<typeof requestFrom>[0] | undefined,
  key: string,
  values: PlaceholderValues,
  changes?: Changes,
): Promise<Reply> {
  if (template === undefined) throw new PreconditionFailed(`a route: add ${key} to the profile`);
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
  const location = reply.headers['location']?.split(/[?#]/)[0];
  const told: unknown = valueAt(reply.json, idPath ?? '/id');
  if (idPath === undefined && location !== undefined)
    return decodeURIComponent(location.split('/').findLast((segment) => segment !== '') ?? '');
  return typeof told === 'string' || typeof told === 'number' ? String(told) : undefined;
}
