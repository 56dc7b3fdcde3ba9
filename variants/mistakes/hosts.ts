import type { Entry } from '../../simulator/extension/entry.ts';
import type { ExtensionHost } from '../../simulator/extension/host.ts';
import type { MetadataRecord } from '../../simulator/extension/metadata.ts';
import type { Script } from '../../simulator/extension/script.ts';
import type { Step } from '../../simulator/extension/step.ts';

/** A record that leaves out what may be left out, and so has the limits that are the rule. */
export const bareEvent = {
  id: 'event',
  version: '1.0.0',
  name: 'event',
  endpoint: '/event',
  extensionType: 'ExternalEvent',
  category: 'proof',
} as const satisfies MetadataRecord;

/** A whole record that no limit holds back. */
export function recordOf(id: string, extensionType = 'ExternalEvent'): MetadataRecord {
  return { ...bareEvent, id, name: id, endpoint: `/${id}`, extensionType, rateLimitNumberOfExecutions: 1000 };
}

export const event = recordOf('event');

export const task = { id: 'task', extensionType: 'ExternalTask' } as const;

export const action = { id: 'action', extensionType: 'ExternalAction' } as const;

export const actionPath = '/api/space/main/externalAction/action';

export const mailer = { id: 'mail', extensionType: 'Email' } as const;

export const mailPath = '/api/space/main/externalEmail';

export const mail = { to: 'a@mail.example', subject: 'subject', body: 'body' } as const;

export const validator = validatorOf('Document');

/** A record that validates objects of these SoftTypes. */
export function validatorOf(...softTypes: readonly string[]) {
  return {
    id: 'validator',
    extensionType: 'ExternalValidation',
    capabilities: [{ capabilityType: 'SoftType', capabilities: [...softTypes] }],
  };
}

/** One answer for every call: a status, or more than that. */
export function always(answer: number | Step): Script {
  return [{ steps: [typeof answer === 'number' ? { status: answer } : answer], afterwards: 'last' }];
}

/** A host that carried tasks out would report on them while a proof does. */
export const tasksLeftAlone: Script = [{ when: { kind: 'task' }, steps: [{ status: 200 }], afterwards: 'last' }];

/** Calls that reached the host, in their order. */
export function callsTo(host: ExtensionHost): readonly Entry[] {
  return host.entries(({ kind }) => kind !== 'metadata');
}

/** Calls of a kind that reached the host. */
export function callsOf(host: ExtensionHost, kind: Entry['kind']): readonly Entry[] {
  return host.entries((entry) => entry.kind === kind);
}

/** Calls that reached the host, once there are so many, or too much time has passed for any that needs none of the service's clock. */
export function awaitCalls(host: ExtensionHost, count = 1, patienceMs = 4000): Promise<readonly Entry[]> {
  return host.await(({ kind }) => kind !== 'metadata', count, AbortSignal.timeout(patienceMs));
}

/** Enough for a call that comes at all. */
export const briefMs = 1500;

/** The requests of a kind that have arrived, once there are so many of them or nobody waits any more. */
export function awaitCallsOf(host: ExtensionHost, kind: string, count: number, waitMs = briefMs) {
  return host.await((entry) => entry.kind === kind, count, AbortSignal.timeout(waitMs));
}

/** What arrived at a path of the host. */
export function callsAt(host: ExtensionHost, path: string): ReturnType<ExtensionHost['entries']> {
  return host.entries((entry) => entry.path === path);
}

/** Enough to see that none comes. */
export const quietMs = 400;

export const first503: Script = [{ steps: [{ status: 503 }] }];
