import { jobWith } from '../../../reference-server/areas/jobs.ts';
import { capabilitiesOf } from '../../../reference-server/areas/records.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { MetadataRecord } from '../../../simulator/extension/metadata.ts';
import type { Script } from '../../../simulator/extension/script.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Received, type Service, at, listAt, movePath } from '../service.ts';

/** Validations, tasks, actions, tokens and keys. */
export const calls: Batch = {
  'validation.third-soft-type': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A validation applies to each SoftType that is listed, the third one included.',
    kind: 'place',
    variant: replaces('registry', 'validatorsOf', async (right, areas, reading, softTypeId) => {
      const addresses = await right(areas, reading, softTypeId);
      const isEarly = await Promise.all(
        addresses.map(async ({ registrationId, recordId }) => {
          const registration = await areas.registry.registrationOf(reading, registrationId);
          if (registration?.kind !== 'svcExtension') return true;
          const record = registration.records.find(({ id }) => id === recordId);
          return record === undefined || capabilitiesOf(record, 'SoftType').indexOf(softTypeId) < 2;
        }),
      );
      return addresses.filter((_, index) => isEarly[index]);
    }),
    async shows({ edda, host }) {
      await host(
        () => [validationOf('Part', 'Requirement', 'ChangeRequest')],
        [{ steps: [{ status: 200, json: { isValid: false, message: 'no' } }], afterwards: 'last' }],
      );
      const made = await edda.make('ChangeRequest', { subject: 'third' });
      return (await edda.move(made, 1)).status === 204;
    },
  },
  'validation.last-retry-in-vain': {
    source: 'extensions: Limits, retries row 2',
    breaks: 'A validation is tried three times more, and what the third retry brings counts.',
    kind: 'moment',
    variant: replaces('outgoingCalls', 'attempt', async (right, areas, delivery, callee, count) => {
      const outcome = await right(areas, delivery, callee, count);
      return delivery.kind === 'validation' && count > 3 ? { kind: 'failed', reason: 'given up' } : outcome;
    }),
    async shows(service) {
      const { edda } = service;
      const failing = [{ status: 503 }, { status: 503 }, { status: 503 }];
      await service.host(() => [validationOf('Document')], [{ steps: failing }]);
      const made = await edda.make('Document', { title: 'late' });
      return (await whilePassing(service, edda.move(made, 1))).status !== 204;
    },
  },
  'validation.context-lost-on-a-retry': {
    source: 'extensions: Payloads by extension type, ExternalValidation',
    breaks: 'The payload has the object of the context module, on a retry as well.',
    kind: 'combination',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      const { payload } = delivery;
      if (delivery.kind !== 'validation' || attempt === 1 || !isContent(payload))
        return right(areas, delivery, callee, attempt);
      const { contextObjectId: _lost, ...rest } = payload;
      return right(areas, { ...delivery, payload: rest }, callee, attempt);
    }),
    async shows(service) {
      const { edda } = service;
      const host = await service.host(() => [validationOf('Document')], [{ steps: [{ status: 503 }] }]);
      const made = await edda.make('Document', { title: 'in context' });
      const context = await edda.make('Part', { name: 'context' });
      const path = `${movePath(made)}?contextObjectId=${context.oid}`;
      await whilePassing(service, edda.put(path, 1));
      const attempts = host.entries(({ kind }) => kind === 'validation');
      return attempts.length === 2 && attempts[1]?.envelope?.payload?.['contextObjectId'] === undefined;
    },
  },
  'tasks.no-timeout-after-a-restart': {
    source: 'extensions: Limits, task timeout',
    survives: 'What outlives the process is not said (queue-restart), of jobs as little as of events.',
    breaks: 'A task that does not end in time fails, though the service was started again meanwhile.',
    kind: 'moment',
    variant: replaces('jobs', 'startTasks', async () => undefined),
    async shows(service) {
      await service.host(() => [task], acknowledged);
      const job = await schedule(service, 'input.txt', 60);
      await service.pass(1);
      await service.restart();
      await service.pass(120);
      return at((await service.edda.get(job)).json, '/state') === 'Running';
    },
  },
  'tasks.number-sign-in-the-input': {
    source: 'extensions: External task links, inputFile',
    breaks: 'The link of the input file leads to it, whatever is in its name.',
    kind: 'value',
    variant: replaces('requests', 'taskLinks', (right, areas, ...args) =>
      right(areas, ...args).map((link) =>
        link.id === 'inputFile' ? { ...link, url: link.url.replaceAll('%23', '#') } : link,
      ),
    ),
    async shows(service) {
      await service.edda.upload('input%20%231.txt', 'content');
      const host = await service.host(() => [task], acknowledged);
      await schedule(service, 'input #1.txt');
      await service.pass(1);
      const [call] = host.entries(({ kind }) => kind === 'task');
      const link = listAt(call?.json, '/payload/links').find((found) => at(found, '/id') === 'inputFile');
      return (await fetch(String(at(link, '/url')))).status !== 200;
    },
  },
  'tasks.reported-through-another-space': {
    source: 'core: Authentication 6 and 7; extensions: Callbacks from an external task',
    breaks: 'A job belongs to its space: a role in another one lets nobody report on it.',
    kind: 'role',
    variant: replaces(
      'jobs',
      'locateJob',
      async (right, areas, call, reading) =>
        (await jobWith(reading, call.params['jobId'] ?? '')) ?? right(areas, call, reading),
    ),
    async shows(service) {
      await service.host(() => [task], acknowledged);
      const job = await schedule(service, 'input.txt');
      await service.pass(1);
      await service.otto.put(`${job.replace('/main/', '/depot/')}/status/Completed`, undefined);
      return at((await service.edda.get(job)).json, '/state') === 'Completed';
    },
  },
  'actions.version-of-the-first-time': {
    source: 'extensions: Payloads by extension type, ExternalAction, svcUOIVersion',
    breaks: 'An action is told the version that the selected object has, not the one of an earlier action.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'deliveryOf', (right) => {
      const versions = new Map<unknown, unknown>();
      return (areas, call, triggered) => {
        const { payload, kind } = triggered;
        if (kind !== 'action' || !isContent(payload) || payload['objectId'] === undefined)
          return right(areas, call, triggered);
        const { objectId, svcUOIVersion } = payload;
        versions.set(objectId, versions.get(objectId) ?? svcUOIVersion);
        return right(areas, call, { ...triggered, payload: { ...payload, svcUOIVersion: versions.get(objectId) } });
      };
    }),
    async shows(service) {
      const { edda } = service;
      const host = await service.host(() => [record('proof-action', 'ExternalAction')]);
      const made = await edda.make('Document', { title: 'selected' });
      const run = () =>
        edda.post('/api/space/main/externalAction/proof-action', { kind: 'ribbon', objectId: made.oid });
      await run();
      await edda.merge(made, 1, { note: 'edited' });
      await run();
      const [, second] = host.entries(({ kind }) => kind === 'action');
      return second?.envelope?.payload?.['svcUOIVersion'] === 1;
    },
  },
  'tokens.of-the-first-user': {
    source: 'extensions: Call envelope, accessToken',
    breaks: 'The token speaks for the user that triggered the call, not for the one before.',
    kind: 'role',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const users = new Map<string, string>();
      return (areas, delivery, callee) => {
        const { rateKey } = callee;
        const userName = users.get(rateKey) ?? delivery.userName;
        users.set(rateKey, userName);
        return right(areas, { ...delivery, userName }, callee);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [event]);
      await service.edda.sendEvent(event.id);
      await service.pass(1);
      await service.emil.sendEvent(event.id);
      await service.pass(1);
      const [, second] = host.entries(({ kind }) => kind === 'event');
      const [, claims = ''] = second?.envelope?.accessToken?.split('.') ?? [];
      return Buffer.from(claims, 'base64url').toString().includes('"edda"');
    },
  },
  'tokens.used-once-never-over': {
    source: 'extensions: Limits, token validity',
    breaks: 'A token ends after its life time, also when it was used before.',
    kind: 'copy',
    variant: breaks('tokens', 'verifyToken', (right) => {
      const seen = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, token) => {
        const claims = seen.get(token) ?? (await right(areas, token));
        seen.set(token, claims);
        return claims;
      };
    }),
    async shows(service) {
      const made = await service.edda.make('Document', { title: 'read by token' });
      const host = await service.host(() => [event]);
      await service.edda.sendEvent(event.id);
      await service.pass(1);
      const [call] = host.entries(({ kind }) => kind === 'event');
      const authorization = `Bearer ${call?.envelope?.accessToken ?? ''}`;
      const first = (await service.nobody.get(made.path, { authorization })).status;
      await service.pass(61 * 60);
      return first === 200 && (await service.nobody.get(made.path, { authorization })).status === 200;
    },
  },
  'keys.rotated-once': {
    source: 'extensions: Limits, permission key rotation',
    breaks: 'Keys are rotated every 24 hours, not on the first day only.',
    kind: 'moment',
    variant: breaks('apiKeys', 'isKeyDue', (right) => {
      let rotatedAt: number | undefined;
      return (areas, key) => {
        if (rotatedAt !== undefined && key.issuedAt >= rotatedAt) return false;
        const isDue = right(areas, key);
        if (isDue) rotatedAt = areas.clock.now();
        return isDue;
      };
    }),
    async shows(service) {
      const host = await service.host(
        (url) => [{ ...event, permissions: { tokenCallback: `${url}/keys`, permissions: ['AdministrationAPI'] } }],
        [{ when: { path: '/keys' }, steps: [{ status: 204 }], afterwards: 'last' }],
      );
      const acquire = (): Promise<Received> =>
        service.cora.post(`/api/collection/externalExtension/acquireAccessToken/${event.id}`, {
          tokenCallback: `${host.url}/keys`,
          permissions: ['AdministrationAPI'],
        });
      for (let day = 0; day < 3; day += 1) {
        await acquire();
        await service.pass(24 * 60 * 60 + 60);
      }
      const keys = host
        .entries(({ path }) => path === '/keys')
        .map(({ json }) => at(json, '/AdministrationAPI/apiKey'));
      return keys.length === 3 && keys[0] !== keys[1] && keys[1] === keys[2];
    },
  },
};

const acknowledged: Script = [{ when: { kind: 'task' }, steps: [{ status: 200 }], afterwards: 'last' }];

const event = record('proof-event', 'ExternalEvent');

const task = record('proof-task', 'ExternalTask');

function record(id: string, extensionType: string): MetadataRecord {
  return {
    id,
    version: '1.0.0',
    name: id,
    endpoint: `/${id}`,
    extensionType,
    category: 'proof',
    rateLimitNumberOfExecutions: 1000,
  };
}

function validationOf(...softTypes: readonly string[]): MetadataRecord {
  const capabilities = [{ capabilityType: 'SoftType', capabilities: softTypes }];
  return { ...record('proof-validation', 'ExternalValidation'), capabilities };
}

/** Path of the job. */
async function schedule({ edda }: Service, inputPath: string, timeout = 600): Promise<string> {
  const answer = await edda.post('/api/space/main/dx', { recordId: task.id, inputPath, timeout });
  return answer.headers.get('location') ?? '';
}

/** What waits for the clock gets its time. */
async function whilePassing<T>({ pass }: Service, waiting: Promise<T>): Promise<T> {
  const isOver = waiting.then(() => true);
  while (!(await Promise.race([isOver, Promise.resolve(false)]))) await pass(1);
  return waiting;
}
