import { headerValues } from '../../../simulator/extension/entry.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsTo, changeExtension, logged } from '../proofs.ts';
import { at, hostKey, signatureOver, type Service } from '../service.ts';

const event = () => [{ id: 'event' }];

const validator = () => [
  {
    extensionType: 'ExternalValidation',
    capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
  },
];

/** Sends events, and lets those go out that may. */
async function sendEvents({ edda, pass }: Service, count = 1, payload: unknown = {}): Promise<void> {
  for (let left = count; left > 0; left -= 1) await edda.sendEvent('event', payload);
  await pass(1);
}

export const callsMistakes: Batch = {
  'events.times-in-utc': {
    source: 'extensions: Payloads by extension type, row ExternalEvent',
    breaks: 'The content of an event is the JSON that was configured, also a text that is a time.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const delivery = right(areas, call, triggered);
      const text = JSON.stringify(delivery.payload ?? null);
      const time = /"\d{4}-\d\d-\d\dT[^"]*[+-]\d\d:\d\d"/g;
      const payload: unknown = JSON.parse(text.replace(time, (found) => JSON.stringify(new Date(JSON.parse(found)))));
      return delivery.kind === 'event' ? { ...delivery, payload } : delivery;
    }),
    async shows(service) {
      const host = await service.host(event);
      const time = '2026-05-01T10:00:00+02:00';
      await sendEvents(service, 1, { time });
      return at(callsTo(host)[0]?.json, '/payload/contentPayload/time') !== time;
    },
  },

  'calls.below-the-root-of-the-host': {
    source: 'extensions: Calls to extensions, row ExternalEvent',
    breaks: 'An endpoint stands below the URI of its host, whatever path that has.',
    kind: 'place',
    variant: replaces('callees', 'calleeOf', async (right, areas, ...args) => {
      const callee = await right(areas, ...args);
      if (callee === undefined || !('record' in callee)) return callee;
      return { ...callee, url: new URL(callee.record.endpoint, callee.extension.hostUri).href };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', endpoint: '/event' }]);
      await changeExtension(service, { hostUri: `${host.url}/base` });
      await sendEvents(service);
      return callsTo(host).at(-1)?.target !== '/base/event';
    },
  },

  'calls.signature-without-the-last-slash': {
    source: 'extensions: Authentication 3',
    breaks: 'The signature is over the path of the call, its last slash included.',
    kind: 'value',
    variant: replaces('signing', 'signedPath', (right, areas, url) => right(areas, url).replace(/(?<=.)\/$/, '')),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', endpoint: '/event/' }]);
      await sendEvents(service);
      const [call] = callsTo(host);
      const signed = `Bearer ${signatureOver('/event/', hostKey)}`;
      return call !== undefined && headerValues(call, 'authorization')[0] !== signed;
    },
  },

  'events.error-in-a-success': {
    source: 'extensions: Events 2',
    breaks: 'An event that is answered with 200 was received, whatever the body says.',
    kind: 'value',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isError = outcome.kind === 'answered' && outcome.status === 200 && outcome.body.includes('"error"');
      return right(areas, delivery, policy, isError ? { ...outcome, status: 500 } : outcome);
    }),
    async shows(service) {
      const host = await service.host(event, always({ status: 200, json: { error: 'none' } }));
      await sendEvents(service);
      await service.pass(3, 2);
      return callsTo(host).length > 1;
    },
  },

  'events.limited-once': {
    source: 'extensions: Registered external endpoint, rateLimitNumberOfExecutions',
    breaks: 'What exceeds the limit waits for a pause of a minute, also what exceeds it after the first one.',
    kind: 'moment',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) => {
      const wasPaused = window !== undefined && window.pausedUntil > 0 && now >= window.pausedUntil;
      return wasPaused ? { kind: 'run', window } : right(areas, window, now, limit);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      await sendEvents(service, 4);
      await service.pass(30, 3);
      return callsTo(host).length > 2;
    },
  },

  'events.limit-logged-once': {
    source: 'extensions: Errors 3',
    breaks: 'An entry is written whenever the limit is exceeded, not the first time alone.',
    kind: 'moment',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: breaks('deliveryLog', 'logEntry', (right) => {
      const told = new Set<string>();
      return async (areas, writing, entry) => {
        if (entry.kind === 'rate-limit' && told.has(entry.endpoint)) return;
        if (entry.kind === 'rate-limit') told.add(entry.endpoint);
        await right(areas, writing, entry);
      };
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      await sendEvents(service, 3);
      await service.pass(30, 6);
      return (await logged(service, 'rate-limit')).length < 2;
    },
  },

  'validation.praise': {
    source: 'extensions: Calls to extensions, row ExternalValidation',
    breaks: 'What is found valid is valid, also where the message says something.',
    kind: 'value',
    variant: replaces('validation', 'verdictOf', (right, areas, outcome) => {
      const verdict = right(areas, outcome);
      return verdict.kind === 'valid' && verdict.message !== '' ? { ...verdict, kind: 'invalid' } : verdict;
    }),
    async shows({ host, edda }) {
      await host(validator, always({ status: 200, json: { isValid: true, message: 'well done' } }));
      return (await edda.move(await edda.make('Document', { title: 't' }), 1)).status !== 204;
    },
  },
};
