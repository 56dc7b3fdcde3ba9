import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, signatureOver } from '../service.ts';
import { eventHost } from './proofs.ts';
import { callsTo, changeExtension, logged } from '../proofs.ts';

export const calls: Batch = {
  'calls.former-key-signs-after-an-update': {
    source: 'extensions: Registered extension',
    breaks: 'After an update of the registration calls are signed with the key that it has now.',
    kind: 'copy',
    variant: breaks('signing', 'signatureHeaders', (right) => {
      const kept = new Map<string, string>();
      return (areas, apiKey, url) => {
        const { origin } = new URL(url);
        const key = kept.get(origin) ?? apiKey;
        kept.set(origin, key);
        return right(areas, key, url);
      };
    }),
    async shows(service) {
      const { host, fire } = await eventHost(service);
      const apiKey = Buffer.alloc(64, 9).toString('base64');
      await changeExtension(service, { hostUri: host.url, apiKey });
      await fire();
      await service.pass(1);
      const sent = callsTo(host)[0]?.headers.find(([name]) => name.toLowerCase() === 'authorization');
      return sent?.[1] !== `Bearer ${signatureOver('/e', apiKey)}`;
    },
  },
  'calls.record-keeps-its-former-endpoint': {
    source: 'extensions: Metadata exchange',
    breaks: 'After an update of the extension a record is called at the endpoint that it names now.',
    kind: 'copy',
    variant: replaces('metadata', 'recordsInForce', (_right, _areas, former, fetched) =>
      fetched.map((record) => {
        const known = former.find(({ id }) => id === record.id);
        return known === undefined ? record : { ...record, endpoint: known.endpoint };
      }),
    ),
    async shows(service) {
      const { host, fire } = await eventHost(service);
      const record = { id: 'e', version: '1.0.1', name: 'e', endpoint: '/new', category: 'c' };
      host.setRecords([{ ...record, extensionType: 'ExternalEvent', rateLimitNumberOfExecutions: 1000 }]);
      await changeExtension(service, { hostUri: host.url });
      await fire();
      await service.pass(1);
      return callsTo(host)[0]?.path !== '/new';
    },
  },
  'calls.after-408-the-wait-does-not-grow': {
    source: 'extensions: Limits, retries',
    breaks: 'Waits double after a 408 as after any other transient error.',
    kind: 'value',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const step = right(areas, delivery, policy, outcome);
      return step.kind === 'retry' && outcome.kind === 'answered' && outcome.status === 408
        ? { ...step, delayMs: 2000 }
        : step;
    }),
    async shows(service) {
      const { host, fire } = await eventHost(service, {}, [{ steps: [{ status: 408 }], afterwards: 'last' }]);
      await fire();
      await service.pass(1, 5);
      return callsTo(host).length > 2;
    },
  },
  'calls.another-error-begins-the-count-anew': {
    source: 'extensions: Limits, retries',
    breaks: 'There are five retries in all, also where one error follows on another.',
    kind: 'combination',
    variant: breaks('policies', 'nextStepOf', (right) => {
      const last = new Map<string, number>();
      return (areas, delivery, policy, outcome) => {
        const status = outcome.kind === 'answered' ? outcome.status : 0;
        const isOther = (last.get(delivery.id) ?? status) !== status;
        last.set(delivery.id, status);
        return right(areas, isOther ? { ...delivery, attempts: 0 } : delivery, policy, outcome);
      };
    }),
    async shows(service) {
      const steps = [{ status: 503 }, { status: 500 }];
      const { host, fire } = await eventHost(service, {}, [{ steps, afterwards: 'again' }]);
      await fire();
      await service.pass(1, 70);
      return callsTo(host).length > 6;
    },
  },
  'calls.endless-retries-are-logged-as-five': {
    source: 'extensions: Errors 3',
    breaks: 'The log entry of a transient error says that retries are endless where they are.',
    kind: 'combination',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) =>
      right(areas, delivery, policy && { ...policy, retries: Math.min(policy.retries, 5) }, outcome, step),
    ),
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    async shows(service) {
      const script = [{ steps: [{ status: 503 }], afterwards: 'last' as const }];
      const { fire } = await eventHost(service, { retryForever: true }, script);
      await fire();
      await service.pass(1);
      return at((await logged(service, 'transient-error'))[0], '/total') !== 'infinity';
    },
  },
  'calls.timeout-is-logged-with-the-default': {
    source: 'extensions: Errors 3',
    breaks:
      'The log entry of a request timeout holds the time that was waited, also where another timeout is configured.',
    kind: 'combination',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, ...args) =>
      right(areas, ...args).map((entry) => (entry.kind === 'timeout' ? { ...entry, waitMs: 100_000 } : entry)),
    ),
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    async shows(service) {
      const { fire } = await eventHost(service, { requestTimeout: 7 }, [
        { steps: [{ never: true }], afterwards: 'last' },
      ]);
      await fire();
      await service.pass(1, 8);
      return at((await logged(service, 'timeout'))[0], '/wait') !== 7;
    },
  },
};
