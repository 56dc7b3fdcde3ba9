import type { Answer } from '../../../reference-server/http/call.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, claimsIn, logged, registerEndpoint } from '../proofs.ts';
import { at, hostKey, listAt } from '../service.ts';

const failing = always({ status: 503 });

export const callMistakes: Batch = {
  'calls.life-of-another-registration': {
    source: 'extensions: Authentication 4',
    breaks: 'A token lives as long as its own registration says, also for a user whom another one was told of before.',
    kind: 'copy',
    variant: breaks('requests', 'impersonationToken', (right) => {
      const lives = new Map<string, number>();
      return (areas, userName, minutes) => {
        const life = lives.get(userName) ?? minutes;
        lives.set(userName, life);
        return right(areas, userName, life);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, tokenLifeTime: 5 });
      await service.edda.sendToEndpoint();
      await service.pass(1, 2);
      await service.edda.sendEvent();
      await service.pass(1, 2);
      const claims = claimsIn(callsOf(host, 'event')[0]);
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) !== 3600;
    },
  },

  'calls.subjects-of-a-column': {
    source: 'extensions: Payloads by extension type, Email',
    breaks: 'A mail carries its subject whole, also one of more than 255 characters.',
    kind: 'value',
    variant: replaces('requests', 'payloadOf', (right, areas, delivery, token) => {
      const payload = right(areas, delivery, token);
      if (delivery.kind !== 'email' || !isContent(payload)) return payload;
      return { ...payload, subject: String(payload['subject']).slice(0, 255) };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 's'.repeat(300), body: 'b' };
      await service.edda.post('/api/space/main/externalEmail', mail);
      await service.pass(1, 2);
      return String(at(callsOf(host, 'email')[0]?.json, '/payload/subject')).length !== 300;
    },
  },

  'calls.upper-case-identifiers': {
    source: 'core: Events',
    breaks: 'The correlation id of the request is passed on as it is, a GUID in upper case too.',
    kind: 'value',
    survives: 'Letter case is a matter of the spelling of a GUID (ledger envelope-id-guid-form); it is remarked on.',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => {
      const id = right(areas, call);
      return /^[\dA-F]{8}(?:-[\dA-F]{4}){3}-[\dA-F]{12}$/i.test(id) ? id.toLowerCase() : id;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const id = '6F9619FF-8B86-4D01-B42D-00CF4FC964FF';
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': id });
      await service.pass(1, 2);
      return callsOf(host, 'event')[0]?.envelope?.id !== id;
    },
  },

  'calls.content-as-text-when-retried': {
    source: 'extensions: Payloads by extension type, ExternalEvent',
    breaks: 'The content payload is an object, on an attempt that is made again as well.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      const { payload } = delivery;
      if (attempt < 2 || delivery.kind !== 'event' || !isContent(payload))
        return right(areas, delivery, callee, attempt);
      const contentPayload = JSON.stringify(payload['contentPayload']);
      return right(areas, { ...delivery, payload: { ...payload, contentPayload } }, callee, attempt);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], [{ steps: [{ status: 503 }] }]);
      await service.edda.sendEvent('event', { a: 1 });
      await service.pass(3, 2);
      return typeof at(callsOf(host, 'event')[1]?.json, '/payload/contentPayload') === 'string';
    },
  },

  'calls.equal-events-are-one': {
    source: 'extensions: Events 1',
    breaks: 'Each event is delivered, also one with the content of another of the same moment.',
    kind: 'moment',
    variant: breaks('queue', 'enqueue', (right) => {
      const last = new Map<string, number>();
      return async (areas, writing, delivery) => {
        const content = JSON.stringify(at(delivery.payload, '/contentPayload') ?? delivery.payload);
        const key = `${areas.policies.endpointKeyOf(delivery)} ${delivery.kind} ${content}`;
        const now = areas.clock.now();
        if (delivery.kind === 'event' && now - (last.get(key) ?? -Infinity) < 1000) return true;
        last.set(key, now);
        return right(areas, writing, delivery);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent('event', { a: 1 });
      await service.edda.sendEvent('event', { a: 1 });
      await service.pass(1, 2);
      return callsOf(host, 'event').length < 2;
    },
  },

  'metadata.below-the-origin': {
    source: 'extensions: Metadata exchange',
    breaks: 'The route of the metadata is below the base URL of the host, also where that has a path.',
    kind: 'place',
    variant: replaces('metadata', 'metadataRequest', (right, areas, extension, correlationId) =>
      right(areas, { ...extension, hostUri: new URL(extension.hostUri).origin }, correlationId),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      host.clearJournal();
      const body = { hostUri: `${host.url}/deep`, apiKey: hostKey, tokenLifeTime: 60 };
      await service.cora.post('/api/admin/svcExtension', body);
      return !host.entries().some(({ target }) => target.startsWith('/deep/'));
    },
  },

  'validation.array-of-one-verdict': {
    source: 'extensions: Errors 5',
    breaks: 'A verdict is a JSON object: an array that holds one is an error of the validation.',
    kind: 'value',
    variant: replaces('validation', 'verdictOf', (right, areas, outcome) => {
      if (outcome.kind !== 'answered' || !/^\s*\[\s*\{.*\}\s*\]\s*$/s.test(outcome.body)) return right(areas, outcome);
      return right(areas, { ...outcome, body: outcome.body.trim().slice(1, -1) });
    }),
    async shows(service) {
      await service.host(
        () => [
          {
            id: 'check',
            extensionType: 'ExternalValidation',
            capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
          },
        ],
        always({ status: 200, json: [{ isValid: true, message: '' }] }),
      );
      const made = await service.edda.make('Document', { title: 't' });
      return (await service.edda.move(made, 1)).status === 204;
    },
  },

  'actions.errors-for-others-are-general': {
    source: 'extensions: Errors 4',
    breaks: 'The messages of an action that failed reach its user, whatever role that has.',
    kind: 'role',
    survives: 'What the service itself answers to whoever runs an action is not shown (ledger trigger-action-binding).',
    variant: replaces('triggers', 'runAction', async (right, areas, call): Promise<Answer> => {
      const answer = await right(areas, call);
      if (answer.status !== 500 || areas.auth.rolesOf(call.user, call.space).includes('administrator')) return answer;
      return { ...answer, raw: JSON.stringify({ errors: [{ message: 'The action failed.' }] }) };
    }),
    async shows(service) {
      await service.host(
        () => [{ id: 'act', extensionType: 'ExternalAction' }],
        always({ status: 500, json: { errors: [{ message: 'no paper' }] } }),
      );
      const answer = await service.edda.post('/api/space/main/externalAction/act', { kind: 'ribbon' });
      return at(answer.json, '/errors/0/message') !== 'no paper';
    },
  },
};

export const retryMistakes: Batch = {
  'rates.one-more-after-the-pause': {
    source: 'extensions: Limits, rate limit',
    breaks: 'A minute takes no more executions than the limit, also the one behind a pause.',
    kind: 'moment',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) => {
      const decision = right(areas, window, now, limit);
      const isBehindPause = (window?.pausedUntil ?? 0) > 0 && decision.window.pausedUntil === 0;
      return isBehindPause ? { ...decision, window: { ...decision.window, executions: 0 } } : decision;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 2 }]);
      for (let left = 8; left > 0; left -= 1) await service.edda.sendEvent();
      await service.pass(1, 3);
      const before = callsOf(host, 'event').length;
      await service.pass(30, 2);
      await service.pass(1, 5);
      return callsOf(host, 'event').length - before > 2;
    },
  },

  'retries.anew-with-another-error': {
    source: 'extensions: Errors 2',
    breaks: 'The gaps grow with every retry, also where one error follows upon another kind of error.',
    kind: 'combination',
    variant: breaks('policies', 'nextStepOf', (right) => {
      const kinds = new Map<string, string>();
      return (areas, delivery, policy, outcome) => {
        const step = right(areas, delivery, policy, outcome);
        const former = kinds.get(delivery.id);
        kinds.set(delivery.id, outcome.kind);
        if (step.kind !== 'retry' || former === undefined || former === outcome.kind) return step;
        return { ...step, delayMs: areas.policies.nextRetryDelay(1) };
      };
    }),
    async shows(service) {
      const host = await service.host(
        () => [{ id: 'event' }],
        [{ steps: [{ status: 503 }, { cut: 'before-answer' }] }],
      );
      await service.edda.sendEvent();
      await service.pass(1, 5);
      return callsOf(host, 'event').length > 2;
    },
  },

  'retries.not-of-unimplemented-methods': {
    source: 'extensions: Errors 1',
    breaks: 'Any 5xx of an endpoint is transient, 501 as well.',
    kind: 'combination',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) =>
      delivery.kind === 'endpoint' && outcome.kind === 'answered' && outcome.status === 501
        ? { kind: 'failed' }
        : right(areas, delivery, policy, outcome),
    ),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ status: 501 }) });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      await service.edda.sendToEndpoint();
      await service.pass(1, 4);
      return host.entries(({ target }) => target.startsWith('/hook')).length < 2;
    },
  },

  'retries.of-what-was-transient-once': {
    source: 'extensions: Errors 1',
    breaks: 'An error that is not transient ends its delivery, also where a former delivery met a transient one.',
    kind: 'copy',
    variant: breaks('policies', 'nextStepOf', (right) => {
      const shaky = new Set<string>();
      return (areas, delivery, policy, outcome) => {
        const step = right(areas, delivery, policy, outcome);
        if (step.kind === 'retry') shaky.add(policy.endpoint);
        if (step.kind !== 'failed' || !shaky.has(policy.endpoint) || outcome.kind !== 'answered') return step;
        return right(areas, delivery, policy, { ...outcome, status: 503 });
      };
    }),
    async shows(service) {
      const host = await service.host(
        () => [{ id: 'event' }],
        [{ steps: [{ status: 503 }, { status: 200 }, { status: 400 }] }],
      );
      await service.edda.sendEvent();
      await service.pass(3, 2);
      await service.edda.sendEvent();
      await service.pass(3, 2);
      return callsOf(host, 'event').length > 3;
    },
  },

  'retries.every-ten-minutes-in-the-end': {
    source: 'extensions: Errors 2',
    breaks: 'Behind the backoff there is a retry every five minutes, after two hours as well.',
    kind: 'moment',
    variant: replaces(
      'policies',
      'nextRetryDelay',
      (right, areas, attempt) => right(areas, attempt) * (attempt > 24 ? 2 : 1),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', retryForever: true }], failing);
      await service.edda.sendEvent();
      await service.pass(60, 12);
      await service.pass(301, 20);
      const before = callsOf(host, 'event').length;
      await service.pass(301, 6);
      return callsOf(host, 'event').length - before < 5;
    },
  },

  'log.no-entry-twice-in-a-row': {
    source: 'extensions: Events 3',
    breaks: 'Each event that is cancelled leaves an entry in the log, also when the one before it was cancelled too.',
    kind: 'copy',
    survives: 'How the log is read is not shown (ledger log-access), so that its entries are observed only.',
    variant: breaks('deliveryLog', 'logEntry', (right) => {
      let last = '';
      return async (areas, writing, entry) => {
        const text = `${entry.kind} ${entry.endpoint} ${entry.message}`;
        const isRepeated = entry.kind === 'cancelled' && text === last;
        last = text;
        if (!isRepeated) await right(areas, writing, entry);
      };
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event' }], failing);
      const events = [await service.edda.sendEvent(), await service.edda.sendEvent()];
      for (const event of events) await service.edda.delete(event.headers.get('location') ?? '');
      return (await logged(service, 'cancelled')).length < 2;
    },
  },
};

export const registrationMistakes: Batch = {
  'registrations.empty-description': {
    source: 'extensions: Registered external endpoint',
    breaks: 'A description is a text, and one without characters is a text.',
    kind: 'value',
    variant: replaces('registrations', 'endpointFrom', (right, areas, body) => {
      if (at(body, '/description') === '') throw new Refusal(400, 'A description must not be empty.');
      return right(areas, body);
    }),
    async shows(service) {
      const fields = { url: 'http://127.0.0.1:9/', description: '' };
      return (await registerEndpoint(service, 'externalEndpoint', fields)).status !== 201;
    },
  },

  'keys.permissions-of-before': {
    source: 'extensions: Registered trusted external endpoint, permissions',
    breaks: 'An endpoint is granted what it is configured for now, not what it was when it was first asked about.',
    kind: 'copy',
    variant: breaks('apiKeys', 'endpointHolders', (right) => {
      const first = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, reading, id) => {
        const holders = await right(areas, reading, id);
        if (holders.length === 0) return holders;
        const known = first.get(id) ?? holders;
        first.set(id, known);
        return known;
      };
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ status: 200 }) });
      const tokenCallback = `${host.url}/keys`;
      const ask = (permission: string) =>
        service.cora.post('/api/collection/externalExtension/acquireAccessToken/hook', {
          tokenCallback,
          permissions: [permission],
        });
      const fields = (permission: string) => ({
        id: 'hook',
        url: `${host.url}/hook`,
        permissions: { tokenCallback, permissions: [permission] },
      });
      await registerEndpoint(service, 'trustedExternalEndpoint', fields('SnapshotAPI'));
      await ask('SnapshotAPI');
      await service.cora.put('/api/admin/trustedExternalEndpoint/hook', undefined, {
        ...fields('LicenseCommunicationAPI'),
        method: 'POST',
        category: 'proof',
        tokenLifeTime: 60,
        headers: [{ name: 'content-type', value: 'application/json' }],
      });
      return (await ask('LicenseCommunicationAPI')).status >= 300;
    },
  },
};

export const taskMistakes: Batch = {
  'tasks.directory-cut-to-its-first-name': {
    source: 'extensions: External task links, inputDir',
    breaks: 'The link to the directory leads to the one that holds the input, also two directories down.',
    kind: 'place',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) =>
      right(areas, spaceId, jobId, inputPath, token).map((link) => {
        const [area = '', rest = ''] = link.url.split('/fs/dir/');
        return link.id === 'inputDir' && rest !== '' ? { ...link, url: `${area}/fs/dir/${rest.split('/')[0]}` } : link;
      }),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'a/b/c.csv' });
      await service.pass(1, 2);
      const links = listAt(callsOf(host, 'task')[0]?.json, '/payload/links');
      return !links.some((link) => String(at(link, '/url')).endsWith('/fs/dir/a/b'));
    },
  },

  'tasks.timeout-of-the-former-one': {
    source: 'extensions: Limits, task timeout',
    breaks: 'A task without a time limit of its own has 600 seconds, also behind one that had another limit.',
    kind: 'copy',
    variant: breaks('triggers', 'taskPayload', (right) => {
      let former: number | undefined;
      return (areas, body) => {
        const payload = right(areas, body);
        if (body['timeout'] === undefined) return { ...payload, timeout: former ?? payload.timeout };
        former = payload.timeout;
        return payload;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const task = { recordId: 'task', inputPath: 'a/c.csv' };
      await service.edda.post('/api/space/main/dx', { ...task, timeout: 30 });
      await service.edda.post('/api/space/main/dx', task);
      await service.pass(1, 2);
      const timeouts = callsOf(host, 'task').map(({ json }) => at(json, '/payload/timeout'));
      return !timeouts.includes(600);
    },
  },

  'tasks.progress-hidden-from-readers': {
    source: 'extensions: Callbacks from an external task, progress',
    breaks: 'The message of a task is shown on its job, whoever reads that.',
    kind: 'role',
    survives: 'How a job is read, and by whom, is not shown (ledger job-route).',
    variant: replaces('jobs', 'locateJob', async (right, areas, call, reading) => {
      const job = await right(areas, call, reading);
      if (call.method !== 'GET' || areas.auth.mayUse(call.user, call.space, 'PUT')) return job;
      const { progress: _hidden, ...shown } = job;
      return shown;
    }),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const job = await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'a/c.csv' });
      await service.pass(1, 2);
      const path = job.headers.get('location') ?? '';
      await service.edda.put(`${path}/progress`, undefined, { message: 'half of it' });
      return !(await service.rita.get(path)).text.includes('half of it');
    },
  },
};
