import { createHmac } from 'node:crypto';
import { detach } from '../../../reference-server/ports/store.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, hostKey, listAt, many, signatureOver } from '../service.ts';
import { eventHost } from './proofs.ts';
import { callsTo, changeExtension, logged } from '../proofs.ts';

function subjectOf(token: unknown): unknown {
  return at(JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString()), '/sub');
}

function macOf(path: string, key: string): string {
  return createHmac('sha512', Buffer.from(key, 'base64')).update(path).digest('base64');
}

export const calls: Batch = {
  'calls.token-of-the-first-user-is-kept': {
    source: 'extensions: Authentication 4',
    breaks: 'The token of a call impersonates the user who triggered it, not who triggered one before.',
    kind: 'copy',
    variant: breaks('requests', 'impersonationToken', (right) => {
      const kept = new Map<number, Promise<string>>();
      return (areas, userName, lifeTime) => {
        const token = kept.get(lifeTime) ?? right(areas, userName, lifeTime);
        kept.set(lifeTime, token);
        return token;
      };
    }),
    async shows(service) {
      const { host, fire } = await eventHost(service);
      await fire();
      await service.pass(1);
      await service.emil.post('/api/space/main/externalEvent', { recordId: 'e', contentPayload: {} });
      await service.pass(1);
      return subjectOf(callsTo(host)[1]?.envelope?.accessToken) !== 'emil';
    },
  },
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
  'calls.refused-call-fetches-metadata-anew': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked for when an extension is added or updated, not after a call that it did not know.',
    kind: 'moment',
    variant: replaces('deliveries', 'recordOutcome', async (right, areas, writing, attempt) => {
      const { callee, outcome, delivery } = attempt;
      await right(areas, writing, attempt);
      if ('extension' in callee && outcome.kind === 'answered' && outcome.status === 404)
        void detach(() => areas.metadata.fetchMetadata(callee.extension, delivery.envelopeId));
    }),
    async shows(service) {
      const { host, fire } = await eventHost(service, {}, [{ steps: [{ status: 404 }] }]);
      await fire();
      await service.pass(1);
      return host.entries(({ kind }) => kind === 'metadata').length > 1;
    },
  },
  'calls.context-is-selected-as-well': {
    source: 'extensions: Payloads by extension type',
    breaks: 'A ribbon action that is run from an object context names a selected object only when one is selected.',
    kind: 'combination',
    variant: replaces('triggers', 'ribbonPayload', async (right, areas, call, reading, body, selected) => {
      const payload = await right(areas, call, reading, body, selected);
      const context = at(payload, '/contentPayload/contextObject');
      if (selected !== undefined || context === undefined) return payload;
      return { ...payload, contentPayload: { selectedObject: context, contextObject: context } };
    }),
    async shows(service) {
      const { host } = await eventHost(service, { extensionType: 'ExternalAction' });
      const { oid } = await service.edda.make('Part', { name: 'p' });
      const body = { kind: 'ribbon', contextObjectId: oid };
      await service.edda.post('/api/space/main/externalAction/e', body);
      return at(callsTo(host)[0]?.json, '/payload/contentPayload/selectedObject') !== undefined;
    },
  },
  'calls.input-link-breaks-at-a-number-sign': {
    source: 'extensions: External task links',
    breaks: 'The link to the input file leads there whatever the name of the file.',
    kind: 'value',
    variant: replaces('requests', 'taskLinks', (right, areas, ...args) =>
      right(areas, ...args).map((one) => ({ ...one, url: one.url.replaceAll('%23', '#') })),
    ),
    async shows(service) {
      const { host } = await eventHost(service, { extensionType: 'ExternalTask' });
      await service.edda.upload('in%231.csv', 'input');
      await service.edda.post('/api/space/main/dx', { recordId: 'e', inputPath: 'in#1.csv' });
      await service.pass(1);
      const links = listAt(callsTo(host)[0]?.json, '/payload/links');
      const url = at(
        links.find((one) => at(one, '/id') === 'inputFile'),
        '/url',
      );
      return (await service.nobody.get(String(url))).text !== 'input';
    },
  },
  'calls.cancelled-task-loses-its-log': {
    source: 'extensions: External task status',
    breaks: 'The path of a log that comes with the status Canceled is kept on the job.',
    kind: 'place',
    variant: replaces('jobs', 'jobAfterReport', (right, areas, job, status, files) =>
      right(areas, job, status, status === 'Canceled' ? {} : files),
    ),
    async shows(service) {
      const { edda } = service;
      await eventHost(service, { extensionType: 'ExternalTask' });
      const created = await edda.post('/api/space/main/dx', { recordId: 'e', inputPath: 'in.csv' });
      await service.pass(1);
      const path = created.headers.get('location') ?? '';
      await edda.put(`${path}/status/Canceled`, undefined, { logFilePath: 'log.txt' });
      return at((await edda.get(path)).json, '/logFilePath') !== 'log.txt';
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
  'calls.backoff-begins-anew-at-its-end': {
    source: 'extensions: Errors 2',
    breaks: 'Once a retry comes every 5 minutes, it stays so.',
    kind: 'value',
    variant: replaces('policies', 'nextRetryDelay', (right, areas, attempt) => right(areas, ((attempt - 1) % 10) + 1)),
    async shows(service) {
      const script = [{ steps: [{ status: 503 }], afterwards: 'last' as const }];
      const { host, fire } = await eventHost(service, { retryForever: true }, script);
      await fire();
      for (let retry = 1; retry <= 10; retry += 1) await service.pass(Math.min(2 ** retry, 300) + 1);
      const before = callsTo(host).length;
      await service.pass(60);
      return callsTo(host).length > before;
    },
  },
  'calls.after-a-pause-nothing-is-limited': {
    source: 'extensions: Limits, rate limit',
    breaks: 'What was queued during a pause goes out within the limit again.',
    kind: 'moment',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) => {
      const decision = right(areas, window, now, limit);
      const isAfterPause = decision.kind === 'run' && window !== undefined && window.pausedUntil > 0;
      return isAfterPause && decision.window.executions === 1
        ? { ...decision, window: { ...decision.window, executions: -1000 } }
        : decision;
    }),
    async shows(service) {
      const { host, fire } = await eventHost(service, { rateLimitNumberOfExecutions: 2 });
      for (let number = 0; number < 8; number += 1) await fire();
      await service.pass(1);
      await service.pass(1, 65);
      return callsTo(host).length > 4;
    },
  },
  'calls.limit-of-one-lets-two-pass': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'A limit of one execution a minute is one.',
    kind: 'value',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) =>
      right(areas, window, now, limit === 1 ? 2 : limit),
    ),
    async shows(service) {
      const { host, fire } = await eventHost(service, { rateLimitNumberOfExecutions: 1 });
      await fire();
      await fire();
      await service.pass(1);
      return callsTo(host).length > 1;
    },
  },
  'calls.changed-limit-is-not-noticed': {
    source: 'extensions: Extension metadata record',
    breaks: 'After an update the rate limit is that of the metadata fetched with it.',
    kind: 'copy',
    variant: breaks('policies', 'policyOf', (right) => {
      const kept = new Map<string, number>();
      return (areas, callee, delivery) => {
        const policy = right(areas, callee, delivery);
        const rateLimit = kept.get(policy.rateKey) ?? policy.rateLimit;
        kept.set(policy.rateKey, rateLimit);
        return { ...policy, rateLimit };
      };
    }),
    async shows(service) {
      const { host, fire } = await eventHost(service, { rateLimitNumberOfExecutions: 1 });
      await fire();
      await service.pass(1);
      const record = { id: 'e', version: '1.0.1', name: 'e', endpoint: '/e', category: 'c' };
      host.setRecords([{ ...record, extensionType: 'ExternalEvent', rateLimitNumberOfExecutions: 3 }]);
      await changeExtension(service, { hostUri: host.url });
      await service.pass(1, 130);
      for (let number = 0; number < 3; number += 1) await fire();
      await service.pass(1);
      return callsTo(host).length < 4;
    },
  },
  'calls.deleted-event-is-tried-again': {
    source: 'extensions: Events 3',
    breaks: 'An event that a user deletes between two attempts is cancelled.',
    kind: 'moment',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) =>
      ((await writing.delivery(id))?.attempts ?? 0) > 0 ? false : right(areas, writing, id),
    ),
    async shows(service) {
      const { host, fire } = await eventHost(service, {}, [{ steps: [{ status: 503 }], afterwards: 'last' }]);
      const path = await fire();
      await service.pass(1);
      await service.edda.delete(path);
      await service.pass(1, 8);
      return callsTo(host).length > 1;
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
  'calls.signature-replaces-characters-once': {
    source: 'extensions: Authentication 3',
    breaks: 'In a signature every plus and every slash is replaced.',
    kind: 'value',
    variant: replaces('signing', 'signatureHeaders', (_right, areas, apiKey, url) => {
      const [text = ''] = macOf(areas.signing.signedPath(url), apiKey).split('=');
      return { Authorization: `Bearer ${text.replace('+', '-').replace('/', '_')}` };
    }),
    async shows(service) {
      const endpoint = many(100, (number) => `/e${number}`).find((path) => macOf(path, hostKey).split('+').length > 2);
      const { host, fire } = await eventHost(service, { endpoint: endpoint ?? '' });
      await fire();
      await service.pass(1);
      return callsTo(host)[0]?.signature?.ok !== true;
    },
  },
  'calls.no-timeout-beyond-the-default': {
    source: 'extensions: Limits, request timeout',
    breaks: 'A request timeout that is longer than the default is waited for.',
    kind: 'value',
    variant: replaces('callees', 'requestTimeoutOf', (right, areas, record) =>
      record.requestTimeout === undefined ? right(areas, record) : Math.min(record.requestTimeout, 100),
    ),
    async shows(service) {
      const record = { requestTimeout: 150 };
      const { fire } = await eventHost(service, record, [{ steps: [{ never: true }], afterwards: 'last' }]);
      await fire();
      await service.pass(1);
      await service.pass(110);
      return (await logged(service, 'timeout')).length > 0;
    },
  },
};
