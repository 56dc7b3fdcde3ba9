import { AsyncLocalStorage } from 'node:async_hooks';
import { isContent } from '../../../reference-server/areas/content.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, logged, registerEndpoint } from '../proofs.ts';
import { at, movePath, versionHeader } from '../service.ts';

/** A validator of these SoftTypes. */
function validatorOf(...capabilities: readonly string[]) {
  return {
    extensionType: 'ExternalValidation',
    capabilities: [{ capabilityType: 'SoftType', capabilities: [...capabilities] }],
  } as const;
}

/** The same value with the names of all members begun by a small letter. */
function inCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inCamelCase);
  if (!isContent(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name.charAt(0).toLowerCase() + name.slice(1), inCamelCase(inner)]),
  );
}

/** The SoftType whose validators were looked for first in a request. */
interface FirstType {
  softTypeId?: string;
}

/** Calls to extensions, and what becomes of them. */
export const callsMistakes: Batch = {
  'validation.validators-of-the-first-in-a-batch': {
    source: 'extensions: Extension metadata record, text on the capability use, first sentence',
    breaks: 'A validation applies to the SoftTypes that are listed, whichever SoftType a batch has moved before.',
    kind: 'combination',
    variant: (classes) => {
      const request = new AsyncLocalStorage<FirstType>();
      return together(
        replaces('dispatcher', 'carryOut', (right, areas, route, call) =>
          request.run({}, () => right(areas, route, call)),
        ),
        replaces('validation', 'validatorsFor', (right, areas, reading, softTypeId) => {
          const first = request.getStore() ?? {};
          first.softTypeId ??= softTypeId;
          return right(areas, reading, first.softTypeId);
        }),
      )(classes);
    },
    async shows(service) {
      const host = await service.host(() => [validatorOf('Document')]);
      const change = await service.edda.make('ChangeRequest', { subject: 's' });
      const document = await service.edda.make('Document', { title: 't' });
      const move = (href: string) => ({ method: 'PUT', href, headers: versionHeader(1) });
      await service.edda.batch([move(movePath(change)), move(movePath(document))]);
      return callsTo(host).length === 0;
    },
  },

  'events.names-in-camel-case': {
    source: 'extensions: Call envelope, payload',
    breaks: 'The payload holds what is configured, the names of its members as they are.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) =>
      right(
        areas,
        call,
        triggered.kind === 'event' ? { ...triggered, payload: inCamelCase(triggered.payload) } : triggered,
      ),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent('event', { OrderNumber: 1 });
      await service.pass(1);
      return at(callsTo(host)[0]?.envelope?.payload, '/contentPayload/OrderNumber') === undefined;
    },
  },

  'validation.second-validator-without-context': {
    source: 'extensions: Payloads by extension type, row ExternalValidation',
    breaks: 'Every validator learns the context object, the second one too.',
    kind: 'combination',
    variant: breaks('validation', 'askValidator', (right) => {
      const asked = new WeakSet<object>();
      return (areas, call, object, validator) => {
        const isSecond = asked.has(call.params);
        asked.add(call.params);
        return right(areas, isSecond ? { ...call, query: new URLSearchParams() } : call, object, validator);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [validatorOf('Document'), validatorOf('Document')]);
      const document = await service.edda.make('Document', { title: 't' });
      await service.edda.put(`${movePath(document)}?contextObjectId=context`, 1);
      const calls = callsOf(host, 'validation');
      return calls.length === 2 && calls.some((call) => at(call.envelope?.payload, '/contextObjectId') === undefined);
    },
  },

  'email.plus-of-an-address-is-a-blank': {
    source: 'extensions: Payloads by extension type, row Email',
    breaks: 'A mail goes to the address that was given, with a plus sign in it too.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { kind, payload } = triggered;
      if (kind !== 'email' || !isContent(payload)) return right(areas, call, triggered);
      return right(areas, call, {
        ...triggered,
        payload: { ...payload, to: String(payload['to']).replaceAll('+', ' ') },
      });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      const to = 'a+b@mail.example';
      await service.edda.post('/api/space/main/externalEmail', { to, subject: 's', body: 'b' });
      await service.pass(1);
      return at(callsTo(host)[0]?.envelope?.payload, '/to') !== to;
    },
  },

  'log.equal-entries-once': {
    source: 'extensions: Events 3',
    breaks: 'For each event whose delivery fails a log entry is written, also where another one just failed alike.',
    kind: 'combination',
    survives: 'How the log is read, and what an entry looks like, is not said (log-access): recorded.',
    variant: breaks('deliveryLog', 'logEntry', (right) => {
      const latest = new Map<string, number>();
      return async (areas, writing, entry) => {
        const key = `${entry.kind} ${entry.endpoint} ${entry.message}`;
        const isRepeated = entry.at - (latest.get(key) ?? -Infinity) < 1000;
        latest.set(key, entry.at);
        if (!isRepeated) await right(areas, writing, entry);
      };
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event' }], always({ status: 400 }));
      for (const _number of [1, 2]) await service.edda.sendEvent();
      await service.pass(1);
      return (await logged(service, 'removed')).length === 1;
    },
  },

  'correlation.percent-decoded': {
    source: 'extensions: Events 4',
    breaks: 'The correlation id of the trigger is reused as it is, with percent signs in it too.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) =>
      right(areas, call).replaceAll(/%[2-7][0-9a-f]/gi, decodeURIComponent),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const id = 'run%2F7';
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': id });
      await service.pass(1);
      return callsTo(host)[0]?.envelope?.id === 'run/7';
    },
  },

  'validation.a-comma-at-the-end-is-passed-over': {
    source: 'extensions: Errors 5',
    breaks: 'A malformed answer is an error of the validation, one that merely has a comma too many as well.',
    kind: 'value',
    variant: replaces('validation', 'verdictOf', (right, areas, outcome) =>
      right(
        areas,
        outcome.kind === 'answered' ? { ...outcome, body: outcome.body.replaceAll(/,\s*([}\]])/g, '$1') } : outcome,
      ),
    ),
    async shows(service) {
      const answer = { status: 200, headers: { 'content-type': 'application/json' }, text: '{"isValid":true,}' };
      await service.host(() => [validatorOf('Document')], always(answer));
      const made = await service.edda.make('Document', { title: 't' });
      return (await service.edda.put(movePath(made), 1)).status < 300;
    },
  },

  'retries.for-ever-by-address': {
    source: 'extensions: Registered external endpoint (simple), retryForever',
    breaks: 'An endpoint that does not retry for ever gives up, also where another one of its address goes on.',
    kind: 'combination',
    variant: breaks('policies', 'policyOf', (right) => {
      const retriesOf = new Map<string, number>();
      return (areas, callee, delivery) => {
        const policy = right(areas, callee, delivery);
        const retries = retriesOf.get(callee.url) ?? policy.retries;
        retriesOf.set(callee.url, retries);
        return { ...policy, retries };
      };
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ status: 503 }) });
      const fields = { url: `${host.url}/hook`, rateLimitNumberOfExecutions: 1000 };
      await registerEndpoint(service, 'externalEndpoint', { ...fields, retryForever: true });
      await registerEndpoint(service, 'externalEndpoint', { ...fields, id: 'other', method: 'PUT' });
      for (const id of ['hook', 'other']) await service.edda.sendToEndpoint(id);
      for (const seconds of [1, 3, 5, 9, 17, 33, 65, 129]) await service.pass(seconds);
      return callsTo(host).filter(({ method }) => method === 'PUT').length > 6;
    },
  },

  'rate.by-the-id-of-the-record': {
    source: 'extensions: Extension metadata record, rateLimitNumberOfExecutions',
    breaks: 'A record has a limit of its own, also where that of another extension has the same id.',
    kind: 'combination',
    survives: 'Whether records of two hosts may have one id is not said (metadata-duplicate-ids).',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      return 'record' in callee ? { ...policy, rateKey: callee.record.id } : policy;
    }),
    async shows(service) {
      const hosts = [];
      for (const _number of [1, 2]) {
        hosts.push(await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }]));
        await service.edda.sendEvent();
        await service.pass(1);
      }
      return hosts.flatMap((host) => callsTo(host)).length === 1;
    },
  },
};
