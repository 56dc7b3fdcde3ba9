import { randomUUID } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import type { SpaceCall } from '../../../reference-server/http/call.ts';
import type { Entry } from '../../../simulator/extension/entry.ts';
import type { MetadataRecord } from '../../../simulator/extension/metadata.ts';
import type { Script } from '../../../simulator/extension/script.ts';
import { breaks, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { changeExtension, reached } from '../proofs.ts';
import { at, many, movePath, signatureOver, versionHeader } from '../service.ts';

export const eventRecord = (): readonly Partial<MetadataRecord>[] => [{ id: 'proof' }];

const validator: Partial<MetadataRecord> = {
  id: 'proof',
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
};

/** Every call fails, for the time being. */
const unavailable: Script = [{ steps: [{ status: 503 }], afterwards: 'last' }];

function claimOf(call: Entry | undefined, name: string): unknown {
  const [, payload = ''] = (call?.envelope?.accessToken ?? '').split('.');
  return at(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')), `/${name}`);
}

/** Operations of batches, as they are asked about ahead of the change set. */
const inBatch = new WeakSet<SpaceCall>();

export const calls: Batch = {
  'calls.correlation-id-in-lower-case': {
    source: 'extensions: Call envelope, id',
    breaks: 'The id of the envelope is the GUID of the triggering request as it was written there.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, ...args) => right(areas, ...args).toLowerCase()),
    async shows(service) {
      const host = await service.host(eventRecord);
      const id = randomUUID().toUpperCase();
      await service.edda.sendEvent('proof', {}, { [headerNames.correlationId]: id });
      const [call] = await reached(host, 1);
      return call?.envelope?.id !== id;
    },
  },
  'calls.retries-have-ids-of-their-own': {
    source: 'extensions: Events 4',
    breaks: 'A repeated call has the correlation id of the triggering request as the first one has.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) =>
      right(areas, attempt > 1 ? { ...delivery, envelopeId: randomUUID() } : delivery, callee, attempt),
    ),
    async shows(service) {
      const host = await service.host(eventRecord, [{ steps: [{ status: 503 }] }]);
      const id = randomUUID();
      await service.edda.sendEvent('proof', {}, { [headerNames.correlationId]: id });
      await reached(host, 1);
      await service.pass(2);
      const [, again] = await reached(host, 2);
      return again?.envelope?.id !== id;
    },
  },
  'calls.token-of-whoever-came-first': {
    source: 'extensions: Authentication 4',
    breaks: 'The token in an envelope speaks for the user whose request triggered the call.',
    kind: 'copy',
    variant: breaks('requests', 'impersonationToken', (right) => {
      const kept = new Map<number, Promise<string>>();
      return (areas, userName, lifeTimeMinutes) => {
        const token = kept.get(lifeTimeMinutes) ?? right(areas, userName, lifeTimeMinutes);
        kept.set(lifeTimeMinutes, token);
        return token;
      };
    }),
    async shows(service) {
      const host = await service.host(eventRecord);
      await service.edda.sendEvent('proof');
      await reached(host, 1);
      await service.emil.sendEvent('proof');
      const [, second] = await reached(host, 2);
      return claimOf(second, 'sub') !== 'emil';
    },
  },
  'calls.life-time-of-the-first-registration': {
    source: 'extensions: Registered extension, tokenLifeTime',
    breaks: 'Tokens live as long as the registration says now.',
    kind: 'copy',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const kept = new Map<string, number>();
      return (areas, delivery, callee) => {
        const { extension } = callee;
        const tokenLifeTime = kept.get(extension.id) ?? extension.tokenLifeTime;
        kept.set(extension.id, tokenLifeTime);
        return right(areas, delivery, { ...callee, extension: { ...extension, tokenLifeTime } });
      };
    }),
    async shows(service) {
      const host = await service.host(eventRecord);
      await service.edda.sendEvent('proof');
      await reached(host, 1);
      await changeExtension(service, { hostUri: host.url, tokenLifeTime: 7 });
      await service.edda.sendEvent('proof');
      const [, second] = await reached(host, 2);
      return Number(claimOf(second, 'exp')) - Number(claimOf(second, 'iat')) !== 7 * 60;
    },
  },
  'calls.metadata-signed-with-the-former-key': {
    source: 'extensions: Authentication 3',
    breaks: 'The metadata of an updated extension is asked for under the key of the update.',
    kind: 'copy',
    variant: breaks('metadata', 'metadataRequest', (right) => {
      const kept = new Map<string, string>();
      return (areas, extension, correlationId) => {
        const apiKey = kept.get(extension.hostUri) ?? extension.apiKey;
        kept.set(extension.hostUri, apiKey);
        return right(areas, { ...extension, apiKey }, correlationId);
      };
    }),
    async shows(service) {
      const host = await service.host(eventRecord);
      const apiKey = Buffer.alloc(64, 9).toString('base64');
      await changeExtension(service, { hostUri: host.url, apiKey });
      const asked = host.entries(({ kind }) => kind === 'metadata').at(-1);
      const expected = `Bearer ${signatureOver('/svc/extension', apiKey)}`;
      return !asked?.headers.some(([name, value]) => name.toLowerCase() === 'authorization' && value === expected);
    },
  },
  'calls.validation-in-a-batch-has-another-id': {
    source: 'core: Common request headers, X-Correlation-Id',
    breaks: 'An extension that is asked because of an operation of a batch gets the correlation id of the batch.',
    kind: 'combination',
    variant: together(
      replaces('batch', 'prepareOperation', (right, areas, ...args) => {
        const prepared = right(areas, ...args);
        inBatch.add(prepared.call);
        return prepared;
      }),
      replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) =>
        inBatch.has(call) ? randomUUID() : right(areas, call),
      ),
    ),
    async shows(service) {
      const { edda } = service;
      const host = await service.host(() => [validator]);
      const made = await edda.make('Document', { title: 't' });
      const id = randomUUID();
      const operation = { method: 'PUT', href: movePath(made), headers: versionHeader(1) };
      await edda.post('/api/space/main/batch', [operation], { [headerNames.correlationId]: id });
      const [call] = await reached(host, 1);
      return call?.envelope?.id !== id;
    },
  },
  'calls.verdict-out-of-a-list': {
    source: 'extensions: Errors 5',
    breaks: 'A validation is answered by an object; a list that holds one is malformed.',
    kind: 'value',
    variant: replaces('validation', 'verdictOf', (right, areas, outcome) => {
      if (outcome.kind !== 'answered' || !outcome.body.startsWith('[')) return right(areas, outcome);
      return right(areas, { ...outcome, body: JSON.stringify(at(JSON.parse(outcome.body), '/0')) });
    }),
    async shows({ edda, host }) {
      const json = [{ isValid: true, message: '' }];
      await host(() => [validator], [{ steps: [{ status: 200, json }], afterwards: 'last' }]);
      const made = await edda.make('Document', { title: 't' });
      return (await edda.move(made, 1)).status < 300;
    },
  },
  'calls.validation-retried-as-configured': {
    source: 'extensions: Limits, retries',
    breaks: 'A validation is tried three times more, whatever its record says about retries.',
    kind: 'combination',
    variant: replaces('outgoingCalls', 'callWithRetries', async (right, areas, delivery, retries) => {
      const callee = await areas.store.read((store) => areas.callees.calleeOf(store, delivery));
      return right(areas, delivery, retries === 3 && callee?.retryForever ? 5 : retries);
    }),
    async shows(service) {
      const { edda } = service;
      const host = await service.host(() => [{ ...validator, retryForever: true }], unavailable);
      const made = await edda.make('Document', { title: 't' });
      const moved = edda.move(made, 1).then(() => 'answered');
      for (const attempt of [1, 2, 3]) {
        await reached(host, attempt);
        await service.pass(2 ** attempt);
      }
      await reached(host, 4);
      const again = service.pass(16).then(() => reached(host, 5));
      const fifth = again.then((found) => (found.length > 4 ? 'asked again' : 'quiet'));
      return (await Promise.race([moved, fifth])) === 'asked again';
    },
  },
  'calls.retries-counted-by-endpoint': {
    source: 'extensions: Limits, retries',
    breaks: 'The first retry of an event follows after two seconds, however often another event has failed there.',
    kind: 'copy',
    variant: breaks('policies', 'nextStepOf', (right) => {
      const counts = new Map<string, number>();
      return (areas, delivery, policy, outcome) => {
        const attempts = counts.get(policy.rateKey) ?? 0;
        const step = right(areas, { ...delivery, attempts }, policy, outcome);
        counts.set(policy.rateKey, step.kind === 'retry' ? attempts + 1 : 0);
        return step.kind === 'retry' ? { ...step, attempts: delivery.attempts + 1 } : step;
      };
    }),
    async shows(service) {
      const host = await service.host(eventRecord, unavailable);
      await service.edda.sendEvent('proof');
      await reached(host, 1);
      await service.edda.sendEvent('proof');
      await reached(host, 2);
      await service.pass(2);
      return (await reached(host, 4, 2000)).length < 4;
    },
  },
  'calls.delay-overflows': {
    source: 'extensions: Errors 2',
    breaks: 'Retries go on every five minutes, in the third hour too.',
    kind: 'value',
    variant: replaces('policies', 'nextRetryDelay', (right, areas, attempt) =>
      attempt > 30 ? Math.max(0, 1 << attempt) * 1000 : right(areas, attempt),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'proof', retryForever: true }], unavailable);
      await service.edda.sendEvent('proof');
      for (const attempt of many(30, (n) => n)) {
        await reached(host, attempt);
        await service.pass(Math.min(2 ** attempt, 300));
      }
      await reached(host, 31);
      return (await reached(host, 32, 1500)).length > 31;
    },
  },
  'calls.no-limit-behind-a-pause': {
    source: 'extensions: Registered external endpoint, rateLimitNumberOfExecutions',
    breaks: 'What waited for the end of a pause is held to the limit as well.',
    kind: 'moment',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) => {
      const isOver = window !== undefined && window.pausedUntil > 0 && now >= window.pausedUntil;
      return isOver
        ? { kind: 'run', window: { startedAt: now, executions: -1_000_000, pausedUntil: 0 } }
        : right(areas, window, now, limit);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'proof', rateLimitNumberOfExecutions: 2 }]);
      for (const _ of many(7, (n) => n)) await service.edda.sendEvent('proof');
      await reached(host, 2);
      await service.pass(61);
      return (await reached(host, 5, 2000)).length > 4;
    },
  },
  'calls.failed-validations-leave-no-line': {
    source: 'extensions: Errors 3',
    breaks: 'A transient error of a validation is logged as that of an event is.',
    kind: 'place',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) =>
      delivery.kind === 'validation' ? [] : right(areas, delivery, policy, outcome, step),
    ),
    async shows(service) {
      const { edda } = service;
      const host = await service.host(() => [validator], [{ steps: [{ status: 503 }] }]);
      const made = await edda.make('Document', { title: 't' });
      const moved = edda.move(made, 1);
      await reached(host, 1);
      await service.pass(2);
      await moved;
      return !(await service.cora.get('/api/admin/log')).text.includes('transient-error');
    },
  },
};
