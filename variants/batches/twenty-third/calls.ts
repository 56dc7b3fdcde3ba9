import { capabilitiesOf } from '../../../reference-server/areas/records.ts';
import type { Verdict } from '../../../reference-server/http/call.ts';
import type { Entry } from '../../../simulator/extension/entry.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, logged, scheduleTask } from '../proofs.ts';
import { at, listAt } from '../service.ts';

export const deliveryMistakes: Batch = {
  'delivery.mail-created-is-sent-again': {
    source: 'extensions: Calls to extensions, row Email',
    breaks: 'A mail is acknowledged by 201 as by 200.',
    kind: 'value',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isCreated = delivery.kind === 'email' && outcome.kind === 'answered' && outcome.status === 201;
      return right(areas, delivery, policy, isCreated ? { ...outcome, status: 503 } : outcome);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }], always({ status: 201 }));
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };
      await service.edda.post('/api/space/main/externalEmail', mail);
      await service.pass(3, 2);
      return callsOf(host, 'email').length > 1;
    },
  },

  'delivery.delays-of-all-to-an-endpoint': {
    source: 'extensions: Limits, retries',
    breaks: 'The first retry of an event comes after two seconds, whatever failed at its endpoint before.',
    kind: 'combination',
    variant: breaks('policies', 'nextStepOf', (right) => {
      const failures = new Map<string, number>();
      return (areas, delivery, policy, outcome) => {
        const step = right(areas, delivery, policy, outcome);
        const count = step.kind === 'retry' ? (failures.get(policy.endpoint) ?? 0) + 1 : 0;
        failures.set(policy.endpoint, count);
        return step.kind === 'retry' ? { ...step, delayMs: areas.policies.nextRetryDelay(count) } : step;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ status: 503 }));
      await service.edda.sendEvent();
      await service.edda.sendEvent();
      await service.pass(1, 3);
      return callsOf(host, 'event').length < 4;
    },
  },

  'delivery.second-request-timeout': {
    source: 'extensions: Errors 1',
    breaks: 'Status 408 is a transient error, the second time as well.',
    kind: 'moment',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) =>
      delivery.attempts > 0 && outcome.kind === 'answered' && outcome.status === 408
        ? { kind: 'failed' }
        : right(areas, delivery, policy, outcome),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ status: 408 }));
      await service.edda.sendEvent();
      await service.pass(3, 4);
      return callsOf(host, 'event').length < 3;
    },
  },

  'delivery.removed-without-a-word': {
    source: 'extensions: Errors 3',
    breaks: 'Removal from the queue is logged, also where an error was not transient.',
    kind: 'value',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) =>
      right(areas, delivery, policy, outcome, step).filter(
        ({ kind }) => kind !== 'removed' || areas.policies.isTransient(outcome),
      ),
    ),
    async shows(service) {
      await service.host(() => [{ id: 'event' }], always({ status: 404 }));
      await service.edda.sendEvent();
      await service.pass(1, 2);
      return (await logged(service, 'removed')).length === 0;
    },
  },
};

export const callsMistakes: Batch = {
  'calls.token-of-a-second-try': {
    source: 'extensions: Calls to extensions',
    breaks: 'The token stands in the query of a task call, that of a retry too.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      return delivery.kind === 'task' && attempt > 1 ? { ...request, url: callee.url } : request;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }], always({ status: 503 }));
      await scheduleTask(service);
      await service.pass(3, 2);
      return callsOf(host, 'task')[1]?.target.includes('access_token=') === false;
    },
  },

  'validation.verdict-of-before': {
    source: 'extensions: Errors 5',
    breaks: 'A malformed answer is an error of the validation, also where the one before was right.',
    kind: 'copy',
    variant: breaks('validation', 'askValidator', (right) => {
      const verdicts = new Map<string, Verdict>();
      return async (areas, call, object, validator) => {
        const verdict = await right(areas, call, object, validator);
        const key = `${validator.recordId} ${object.oid}`;
        if (verdict.kind === 'error' && verdict.message.endsWith('isValid')) return verdicts.get(key) ?? verdict;
        verdicts.set(key, verdict);
        return verdict;
      };
    }),
    async shows(service) {
      const capabilities = [{ capabilityType: 'SoftType', capabilities: ['Document'] }];
      const steps = [{ json: { isValid: true, message: '' } }, { text: 'valid' }].map((step) => ({
        status: 200,
        ...step,
      }));
      await service.host(() => [{ id: 'v', extensionType: 'ExternalValidation', capabilities }], [{ steps }]);
      const made = await service.edda.make('Document', { title: 't' });
      await service.edda.move(made, 1);
      return (await service.edda.move(made, 2)).status < 400;
    },
  },

  'validation.second-capability': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A validation applies to the SoftTypes of each capability of its record.',
    kind: 'place',
    variant: replaces('registry', 'validatorsOf', async (right, areas, reading, softTypeId) => {
      const addresses = await right(areas, reading, softTypeId);
      const found = await Promise.all(addresses.map((address) => areas.triggeredCalls.addresseeAt(reading, address)));
      return addresses.filter((_address, index) =>
        found[index]?.record.capabilities?.[0]?.capabilities.includes(softTypeId),
      );
    }),
    async shows(service) {
      const capabilities = ['Part', 'Document'].map((id) => ({ capabilityType: 'SoftType', capabilities: [id] }));
      const answer = always({ status: 200, json: { isValid: false, message: 'no' } });
      await service.host(() => [{ id: 'v', extensionType: 'ExternalValidation', capabilities }], answer);
      const made = await service.edda.make('Document', { title: 't' });
      return (await service.edda.move(made, 1)).status < 400;
    },
  },

  'tasks.second-file-type': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A task manages each of the file types that its record lists.',
    kind: 'place',
    variant: replaces('triggers', 'assertManages', (right, areas, record, path) => {
      const capabilities = capabilitiesOf(record, 'MimeType').slice(0, 1);
      right(areas, { ...record, capabilities: [{ capabilityType: 'MimeType', capabilities }] }, path);
    }),
    async shows(service) {
      const capabilities = [{ capabilityType: 'MimeType', capabilities: ['text/plain', 'text/csv'] }];
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask', capabilities }]);
      return (await scheduleTask(service)) === '';
    },
  },

  'tasks.directory-of-a-deep-input': {
    source: 'extensions: External task links, row inputDir',
    breaks: 'The directory of the input is the one that holds the file, however deep.',
    kind: 'place',
    variant: replaces('requests', 'taskLinks', (right, areas, ...args) =>
      right(areas, ...args).map((link) =>
        link.id === 'inputDir' ? { ...link, url: link.url.replace(/(\/fs\/dir\/[^/]+).*/, '$1') } : link,
      ),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      await scheduleTask(service, { inputPath: 'a/b/input.csv' });
      const links = listAt(callsOf(host, 'task')[0]?.json, '/payload/links');
      const directory = links.find((link) => at(link, '/id') === 'inputDir');
      return !String(at(directory, '/url')).endsWith('/a/b');
    },
  },

  'keys.known-ones-left-out': {
    source: 'extensions: Acquiring API keys',
    breaks: 'The callback gets a key for each permission asked for, also one that was brought before.',
    kind: 'copy',
    variant: replaces('apiKeys', 'keysBody', (right, areas, keys) =>
      right(
        areas,
        keys.filter(({ fresh }) => fresh),
      ),
    ),
    async shows(service) {
      let tokenCallback = '';
      const permissions = ['SnapshotAPI'];
      const host = await service.host(
        (url) => [{ id: 'event', permissions: { permissions, tokenCallback: (tokenCallback = `${url}/keys`) } }],
        [{ when: { path: '/keys' }, steps: [{ status: 200 }], afterwards: 'last' }],
      );
      const path = '/api/collection/externalExtension/acquireAccessToken/event';
      for (let left = 2; left > 0; left -= 1) await service.cora.post(path, { tokenCallback, permissions });
      const [, second] = host.entries((entry) => entry.path === '/keys');
      return second !== undefined && at(second.json, '/SnapshotAPI') === undefined;
    },
  },
};

/** Claims of the token in the query of a call. */
export function tokenIn(entry: Entry | undefined): unknown {
  const token = new URL(entry?.target ?? '/', 'http://host.invalid').searchParams.get('access_token') ?? '';
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || 'null');
}
