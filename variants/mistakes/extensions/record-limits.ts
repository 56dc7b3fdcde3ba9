import { type MetadataRecord, Misfit } from '../../../reference-server/areas/records.ts';
import { breaks, replaces } from '../../breaks.ts';
import { always, bareEvent, callsOf, callsTo, event, mailPath } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { askForKeys, changeExtension, holderAt, keyHost, logEntries } from '../proofs.ts';
import { at } from '../service.ts';
import { changes } from '../variant-parts.ts';

const mostExecutions = 60;

export const recordLimitsMistakes: Mistakes = {
  'keys.nothing-is-everything': {
    source: 'extensions: Extension metadata record, permissions',
    breaks: 'An extension whose record lists no permission gets no key.',
    variant: replaces('apiKeys', 'excessPermissions', (right, areas, asked, configured) =>
      configured.length === 0 ? [] : right(areas, asked, configured),
    ),
    async shows(service) {
      return (await askForKeys(service, await keyHost(service), ['SnapshotAPI'])).status < 400;
    },
  },
  'metadata.limit-of-before': {
    source: 'extensions: Extension metadata record, rateLimitNumberOfExecutions',
    breaks: 'A record that names no limit has that of 5, also where it named another before the update.',
    variant: replaces('metadata', 'recordsInForce', (_right, _areas, former, fetched) =>
      fetched.map((record) => ({ ...former.find(({ id }) => id === record.id), ...record })),
    ),
    async shows(service) {
      const host = await service.host([{ ...bareEvent, rateLimitNumberOfExecutions: 1 }]);
      host.setRecords([bareEvent]);
      await changeExtension(service, { hostUri: host.url });
      for (let count = 0; count < 3; count += 1) await service.edda.sendEvent();
      await service.pass(1);
      return callsTo(host).length < 3;
    },
  },
  'metadata.half-a-second': {
    source: 'extensions: Extension metadata record, requestTimeout',
    breaks: 'The timeout of a record is a number, which need not be whole.',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const timeout = at(item, '/requestTimeout');
      return timeout === undefined || Number.isInteger(timeout)
        ? right(areas, item)
        : new Misfit('/requestTimeout', 'must be an integer');
    }),
    async shows({ host, edda }) {
      await host([{ ...bareEvent, requestTimeout: 2.5 }]);
      return (await edda.sendEvent()).status >= 400;
    },
  },
  'rate.by-the-id-of-the-record': {
    source: 'extensions: Extension metadata record, rateLimitNumberOfExecutions',
    breaks: 'A record has a limit of its own, also where that of another extension has the same id.',
    survives: 'Whether records of two hosts may have one id is not said (metadata-duplicate-ids).',
    variant: changes('policies', 'policyOf', (policy, _areas, callee) =>
      'record' in callee ? { ...policy, rateKey: callee.record.id } : policy,
    ),
    async shows(service) {
      const hosts = [];
      for (const _number of [1, 2]) {
        hosts.push(await service.host([{ id: 'event', rateLimitNumberOfExecutions: 1 }]));
        await service.edda.sendEvent();
        await service.pass(1);
      }
      return hosts.flatMap((host) => callsTo(host)).length === 1;
    },
  },
  'retries.share-one-deadline': {
    source: 'extensions: Extension metadata record, requestTimeout',
    breaks: 'Each attempt has the time of requestTimeout, whatever those before it took.',
    variant: breaks('requests', 'requestFor', (right) => {
      const starts = new Map<string, number>();
      return async (areas, delivery, callee, attempt) => {
        const now = areas.clock.now();
        const start = starts.get(delivery.id) ?? now;
        starts.set(delivery.id, start);
        const request = await right(areas, delivery, callee, attempt);
        return { ...request, timeoutMs: Math.max(1, request.timeoutMs - (now - start)) };
      };
    }),
    async shows(service) {
      const host = await service.host(
        [{ id: 'event', requestTimeout: 3 }],
        [{ steps: [{ status: 503 }, { never: true }], afterwards: 'last' }],
      );
      await service.edda.sendEvent();
      await service.pass(1, 8);
      return callsTo(host).length > 2;
    },
  },
  'metadata.forever-until-it-says-no': {
    source: 'extensions: Extension metadata record, row retryForever',
    breaks: 'A record that says nothing of it any more is not retried for ever.',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) =>
      right(areas, former, fetched).map((record) => {
        const before = former.find(({ id }) => id === record.id);
        return before?.retryForever === true ? { retryForever: true, ...record } : record;
      }),
    ),
    async shows(service) {
      const record = { id: 'event', name: 'event', version: '1.0.0', endpoint: '/event' } as const;
      const more = { extensionType: 'ExternalEvent', category: 'proof', rateLimitNumberOfExecutions: 1000 } as const;
      const host = await service.host([{ ...record, ...more, retryForever: true }], always(503));
      host.setRecords([{ ...record, ...more }]);
      await changeExtension(service, { hostUri: host.url });
      await service.edda.sendEvent('event');
      await service.pass(65, 9);
      return callsOf(host, 'event').length > 6;
    },
  },
  'metadata.permissions-of-name-values': {
    source: 'extensions: Extension metadata record',
    breaks: 'A record of any type may configure permissions, one of name values as well.',
    survives: 'What a service does with records of name values is not shown: it may pass over them as a whole.',
    variant: changes('metadata', 'recordFrom', (record) => {
      if (!('extensionType' in record) || record.extensionType !== 'NameValue') return record;
      const { permissions: _permissions, ...rest } = record;
      return rest;
    }),
    async shows(service) {
      const host = await service.host((url) => [{ ...holderAt(url, 'SnapshotAPI'), extensionType: 'NameValue' }]);
      return (await askForKeys(service, host, ['SnapshotAPI'])).status >= 300;
    },
  },
  'metadata.timeout-of-before': {
    source: 'extensions: Extension metadata record, requestTimeout',
    breaks: 'A record without a time limit has the default, where it had one before the update too.',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) =>
      right(areas, former, fetched).map((record) => withFormer(former, record)),
    ),
    async shows(service) {
      const host = await service.host([{ ...event, requestTimeout: 2 }], always({ never: true }));
      host.setRecords([event]);
      await changeExtension(service, { hostUri: host.url });
      await service.edda.sendEvent();
      await service.pass(1, 5);
      return (await logEntries(service, 'timeout')).length > 0;
    },
  },
  'metadata.one-execution-a-second': {
    source: 'extensions: Extension metadata record, rateLimitNumberOfExecutions',
    breaks: 'As many executions a minute are allowed as the record says, more than sixty too.',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) =>
      right(areas, window, now, Math.min(limit, mostExecutions)),
    ),
    async shows(service) {
      await service.host([event]);
      for (let count = 0; count <= mostExecutions; count += 1) await service.edda.sendEvent();
      await service.pass(1, 3);
      return (await logEntries(service, 'rate-limit')).length > 0;
    },
  },
  'delivery.mail-without-a-limit': {
    source: 'extensions: Extension metadata record, rateLimitNumberOfExecutions',
    breaks: 'Five calls a minute are the default for mail as for events.',
    variant: changes('policies', 'policyOf', (policy, _areas, callee, delivery) => {
      const isUnlimited =
        delivery.kind === 'email' && 'record' in callee && callee.record.rateLimitNumberOfExecutions === undefined;
      return isUnlimited ? { ...policy, rateLimit: Infinity } : policy;
    }),
    async shows(service) {
      const record = { id: 'mail', version: '1.0.0', name: 'mail', endpoint: '/mail', category: 'proof' };
      const host = await service.host([]);
      host.setRecords([{ ...record, extensionType: 'Email' }]);
      await changeExtension(service, { hostUri: host.url });
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };
      for (let count = 0; count < 7; count += 1) await service.edda.post(mailPath, mail);
      await service.pass(1, 4);
      return callsOf(host, 'email').length > 5;
    },
  },
  'metadata.last-type-of-the-list-is-not-known': {
    source: 'extensions: Extension metadata record',
    breaks:
      'Each of the thirteen types is supported; an Identity extension may acquire the keys that it is configured for.',
    variant: replaces('metadata', 'isSupportedType', (right, areas, type) => type !== 'Identity' && right(areas, type)),
    survives: 'Which of the types a service supports is not said: records of those that it does not are ignored.',
    async shows(service) {
      const host = await service.host(
        (url) => [{ ...holderAt(url, 'AuthorizationAPI'), extensionType: 'Identity' }],
        always(200),
      );
      return (await askForKeys(service, host, ['AuthorizationAPI'])).status >= 300;
    },
  },
  'calls.longer-than-by-default': {
    source: 'extensions: Extension metadata record',
    breaks: 'The default of 100 seconds is none of a record that says otherwise, nor a limit.',
    variant: replaces('callees', 'requestTimeoutOf', (right, areas, record) =>
      record.requestTimeout === undefined ? right(areas, record) : Math.min(100, right(areas, record)),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'event', requestTimeout: 200 }], always({ never: true }));
      await service.edda.sendEvent();
      await service.pass(1);
      await service.pass(15, 9);
      return callsOf(host, 'event').length > 1;
    },
  },
  'metadata.whole-seconds': {
    source: 'extensions: Extension metadata record',
    breaks: 'The request timeout of a record is a number of seconds, whole or not.',
    survives: 'A registration states whole seconds, and no sentence says what a fraction in a record comes to.',
    variant: replaces('callees', 'requestTimeoutOf', (right, areas, record) => Math.ceil(right(areas, record))),
    async shows(service) {
      await service.host([{ id: 'event', requestTimeout: 2.5 }], always({ never: true }));
      await service.edda.sendEvent();
      await service.pass(0.5, 8);
      return (await logEntries(service, 'timeout')).some((entry) => at(entry, '/wait') !== 2.5);
    },
  },
};

function withFormer(former: readonly MetadataRecord[], record: MetadataRecord): MetadataRecord {
  const { requestTimeout } = former.find(({ id }) => id === record.id) ?? {};
  return { ...(requestTimeout !== undefined && { requestTimeout }), ...record };
}
