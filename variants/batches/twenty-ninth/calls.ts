import { randomUUID } from 'node:crypto';
import { jobWith } from '../../../reference-server/areas/jobs.ts';
import { headerValues, type Entry } from '../../../simulator/extension/entry.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import {
  always,
  callsOf,
  callsTo,
  changeExtension,
  claimsIn,
  reached,
  registerEndpoint,
  scheduleTask,
} from '../proofs.ts';
import { at, hostKey, listAt, signatureOver, type Service } from '../service.ts';

const unlimited = { rateLimitNumberOfExecutions: 1000 };

const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };

export const endpointMistakes: Batch = {
  'endpoint.refused-after-an-error': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'An answer that is no transient error ends a delivery that is retried for ever, behind transient ones too.',
    kind: 'moment',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const step = right(areas, delivery, policy, outcome);
      if (step.kind !== 'failed' || policy.retries !== Infinity || delivery.attempts === 0) return step;
      const retry = delivery.attempts + 1;
      return { kind: 'retry', attempts: retry, retry, delayMs: areas.policies.nextRetryDelay(retry) };
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: [{ steps: [{ status: 503 }, { status: 400 }] }] });
      const fields = { url: `${host.url}/hook`, retryForever: true, ...unlimited };
      await registerEndpoint(service, 'externalEndpoint', fields);
      await service.edda.sendToEndpoint();
      await service.pass(3, 6);
      return callsTo(host).length > 2;
    },
  },

  'endpoint.bare-deletions': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'The configured headers are set on every call, also on one whose method has no body.',
    kind: 'combination',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      return request.method === 'DELETE' ? { ...request, headers: {} } : request;
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const headers = [
        { name: 'content-type', value: 'application/json' },
        { name: 'x-proof', value: 'shown' },
      ];
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, method: 'DELETE', headers });
      await service.edda.sendToEndpoint();
      const [call] = await reached(host, 1);
      return call === undefined || headerValues(call, 'x-proof').length === 0;
    },
  },

  'endpoint.token-in-a-header': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'No access token is passed to a simple endpoint, in no header either, whatever its method.',
    kind: 'place',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      if (callee.endpoint.kind !== 'externalEndpoint' || request.method !== 'PATCH') return request;
      const token = await areas.requests.impersonationToken(delivery.userName, 60);
      return { ...request, headers: { ...request.headers, Authorization: `Bearer ${token}` } };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, method: 'PATCH' });
      await service.edda.sendToEndpoint();
      const [call] = await reached(host, 1);
      return call === undefined || headerValues(call, 'authorization').length > 0;
    },
  },

  'endpoint.until-the-full-minute': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The token in the address is valid for as many minutes as are registered, whenever it is issued.',
    kind: 'moment',
    variant: replaces('requests', 'endpointUrl', (right, areas, delivery, callee) => {
      const impersonationToken = (sub: string, minutes: number): Promise<string> => {
        const iat = areas.tokens.secondsNow();
        const exp = (Math.floor(iat / 60) + minutes) * 60;
        return areas.tokens.signClaims({ sub, iat, exp, jti: randomUUID(), scope: 'impersonation' });
      };
      return right(within(areas, { requests: { impersonationToken } }), delivery, callee);
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, tokenLifeTime: 5 });
      await service.edda.sendToEndpoint();
      await service.pass(7);
      await service.edda.sendToEndpoint();
      return (await reached(host, 2)).some((call) => lifetimeIn(call) !== 300);
    },
  },

  'endpoint.one-parameter-of-a-name': {
    source: 'extensions: Registered trusted external endpoint',
    breaks:
      'The parameters of the registered address stay, also those that have one name, and the token comes behind them.',
    kind: 'value',
    variant: replaces('requests', 'endpointUrl', (right, areas, delivery, callee) => {
      const url = new URL(callee.endpoint.url);
      const parameters = Object.fromEntries(url.searchParams);
      if (Object.keys(parameters).length === [...url.searchParams].length) return right(areas, delivery, callee);
      url.search = new URLSearchParams(parameters).toString();
      return right(areas, delivery, { ...callee, endpoint: { ...callee.endpoint, url: url.href } });
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const url = `${host.url}/hook?tag=a&tag=b`;
      await registerEndpoint(service, 'trustedExternalEndpoint', { url });
      await service.edda.sendToEndpoint();
      const [call] = await reached(host, 1);
      return !(call?.target ?? '').includes('tag=a&tag=b');
    },
  },
};

export const callMistakes: Batch = {
  'calls.another-id-later-on': {
    source: 'core: Events',
    breaks: 'The correlation id of the request is passed on by every attempt of the call that it leads to.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      const isLate = attempt >= 3 && delivery.kind !== 'task';
      return right(areas, isLate ? { ...delivery, envelopeId: randomUUID() } : delivery, callee, attempt);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], [{ steps: [{ status: 503 }, { status: 503 }] }]);
      await service.edda.sendEvent('event', {}, { 'x-correlation-id': 'given' });
      await service.pass(3, 6);
      return callsTo(host).some(({ envelope }) => envelope?.id !== 'given');
    },
  },

  'calls.a-mail-for-each-role': {
    source: 'extensions: Calls to extensions',
    breaks: 'A mail is one call, also when its sender has roles on several participants.',
    kind: 'role',
    variant: replaces('queue', 'enqueue', async (right, areas, writing, delivery) => {
      const user = areas.configuration.users.get(delivery.userName);
      const space = areas.configuration.spaces.get(delivery.spaceId);
      const roles = user === undefined || space === undefined ? [] : areas.auth.rolesOf(user, space);
      if (delivery.kind === 'email')
        for (const _role of roles.slice(1)) await right(areas, writing, { ...delivery, id: randomUUID() });
      return right(areas, writing, delivery);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      await service.emil.post('/api/space/main/externalEmail', mail);
      await service.pass(1, 3);
      return callsOf(host, 'email').length > 1;
    },
  },

  'calls.signed-by-the-last-name': {
    source: 'extensions: Authentication 3',
    breaks: 'A call is signed over the path of its route, of which a record may name more than one segment.',
    kind: 'place',
    variant: replaces('requests', 'extensionRequest', (right, areas, delivery, callee) => {
      const signedPath = (url: string) => `/${new URL(url).pathname.split('/').at(-1) ?? ''}`;
      return right(within(areas, { signing: { signedPath } }), delivery, callee);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', endpoint: '/handlers/event' }]);
      await service.edda.sendEvent();
      const [call] = await reached(host, 1);
      const [given] = call === undefined ? [] : headerValues(call, 'authorization');
      return given !== `Bearer ${signatureOver('/handlers/event', hostKey)}`;
    },
  },

  'calls.token-no-older-than-an-hour': {
    source: 'extensions: Authentication 4',
    breaks: 'The token of a call opens the API as long as the registration says, longer than those of users as well.',
    kind: 'value',
    variant: replaces('tokens', 'checkExpiry', (right, areas, claims) => {
      right(areas, claims);
      const { tokenLifetimeSeconds } = areas.configuration.auth;
      if (claims.iat !== undefined && areas.tokens.secondsNow() >= claims.iat + tokenLifetimeSeconds)
        throw areas.tokens.unusableToken('The token is too old.');
    }),
    async shows(service) {
      const made = await service.edda.make('Part', { name: 'n' });
      const host = await service.host(() => [{ id: 'event' }]);
      await changeExtension(service, { hostUri: host.url, tokenLifeTime: 120 });
      await service.edda.sendEvent();
      const [call] = await reached(host, 1);
      await service.pass(4000);
      const authorization = `Bearer ${call?.envelope?.accessToken ?? ''}`;
      return (await service.nobody.get(made.path, { authorization })).status !== 200;
    },
  },

  'calls.success-that-tells-of-an-error': {
    source: 'extensions: Events 2',
    breaks: 'A 200 or 201 is success, whatever its body says; the event is not sent again.',
    kind: 'value',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const step = right(areas, delivery, policy, outcome);
      const isDoubted = outcome.kind === 'answered' && outcome.body.includes('"error"');
      if (step.kind !== 'delivered' || delivery.kind !== 'event' || !isDoubted) return step;
      const retry = delivery.attempts + 1;
      return { kind: 'retry', attempts: retry, retry, delayMs: areas.policies.nextRetryDelay(retry) };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ status: 200, json: { error: 'later' } }));
      await service.edda.sendEvent();
      await service.pass(3, 2);
      return callsTo(host).length > 1;
    },
  },

  'calls.long-ids-are-cut': {
    source: 'extensions: Events 4',
    breaks: 'The correlation id of a call is that of the request, however long it is.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => right(areas, call).slice(0, 64)),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const id = 'i'.repeat(65);
      await service.edda.sendEvent('event', {}, { 'x-correlation-id': id });
      const [call] = await reached(host, 1);
      return call?.envelope?.id !== id;
    },
  },

  'calls.the-second-408': {
    source: 'extensions: Errors 1',
    breaks: 'A 408 is a transient error, the second one in a row as well.',
    kind: 'moment',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isSecond = outcome.kind === 'answered' && outcome.status === 408 && delivery.attempts > 0;
      return isSecond ? { kind: 'failed' } : right(areas, delivery, policy, outcome);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ status: 408 }));
      await service.edda.sendEvent();
      await service.pass(5, 6);
      return callsTo(host).length < 3;
    },
  },

  'validation.retried-as-the-record-says': {
    source: 'extensions: Limits',
    breaks: 'A validation is retried three times; of what its record says about calls the timeout alone counts.',
    kind: 'value',
    variant: replaces('outgoingCalls', 'callWithRetries', async (right, areas, delivery, retries) => {
      const callee = await areas.store.read((reading) => areas.callees.calleeOf(reading, delivery));
      return right(areas, delivery, delivery.kind === 'validation' && callee?.retryForever ? 5 : retries);
    }),
    async shows(service) {
      const made = await service.edda.make('Document', { title: 't' });
      const host = await service.host(() => [{ ...checking, retryForever: true }], always({ status: 503 }));
      const moved = service.edda.move(made, 1);
      await reached(host, 1);
      await service.pass(5, 16);
      await moved;
      return callsOf(host, 'validation').length > 4;
    },
  },

  'validation.token-of-who-came-first': {
    source: 'extensions: Call envelope',
    breaks: 'The token of a validation speaks for the user who triggers it, not for one who did before.',
    kind: 'copy',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const tokens = new Map<string, Promise<string>>();
      return (areas, delivery, callee) => {
        if (delivery.kind !== 'validation') return right(areas, delivery, callee);
        const key = `${delivery.registrationId} ${delivery.recordId}`;
        const impersonationToken = (user: string, minutes: number): Promise<string> => {
          const token = tokens.get(key) ?? areas.requests.impersonationToken(user, minutes);
          tokens.set(key, token);
          return token;
        };
        return right(within(areas, { requests: { impersonationToken } }), delivery, callee);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [checking]);
      for (const user of [service.edda, service.emil]) await user.move(await user.make('Document', { title: 't' }), 1);
      return at(claimsIn(callsOf(host, 'validation')[1]), '/sub') !== 'emil';
    },
  },
};

export const taskMistakes: Batch = {
  'tasks.directory-below-a-directory': {
    source: 'extensions: External task links',
    breaks: 'The link to the directory of the input leads there, also where that lies in another directory.',
    kind: 'combination',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) => {
      const names = inputPath.split('/').filter(Boolean).slice(0, -1);
      return right(areas, spaceId, jobId, inputPath, token).map((link) => {
        if (link.id !== 'inputDir' || names.length < 2) return link;
        return { ...link, url: link.url.replace(/\/fs\/dir\/.*$/, `/fs/dir/${encodeURIComponent(names.join('/'))}`) };
      });
    }),
    async shows(service) {
      await service.edda.upload('outer/inner/input.csv', 'content');
      const url = await linkOf(service, 'inputDir', 'outer/inner/input.csv');
      return (await service.edda.get(url)).status !== 200;
    },
  },

  'tasks.another-name-of-the-token': {
    source: 'extensions: External task links',
    breaks: 'The link for downloads takes the token under the name that downloads know.',
    kind: 'value',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) =>
      right(areas, spaceId, jobId, inputPath, token).map((link) =>
        link.id === 'downloadFile' ? { ...link, url: link.url.replace('?token=', '?access_token=') } : link,
      ),
    ),
    async shows(service) {
      return !(await linkOf(service, 'downloadFile', 'folder/input.csv')).includes('?token=');
    },
  },

  'tasks.status-by-way-of-another-space': {
    source: 'extensions: States and transitions',
    breaks: 'The status of a task is reported in the space of its job; in another one there is no such job.',
    kind: 'place',
    variant: replaces('jobs', 'locateJob', async (right, areas, call, reading) => {
      const job = call.params['status'] === undefined ? undefined : await jobWith(reading, call.params['jobId'] ?? '');
      return job ?? right(areas, call, reading);
    }),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const job = await scheduleTask(service);
      await service.edda.put(`${job.replace('/main/', '/depot/')}/status/Completed`, undefined);
      return at((await service.edda.get(job)).json, '/state') === 'Completed';
    },
  },

  'tasks.log-of-a-cancellation': {
    source: 'extensions: States and transitions',
    breaks: 'A cancelled task may name its log, with whichever token of the user it reports.',
    kind: 'role',
    variant: replaces('jobs', 'reportStatus', (right, areas, call, writing) => {
      const isToken = (call.headers['authorization'] ?? '').split('.').length === 3;
      if (call.params['status'] !== 'Canceled' || isToken || call.json === undefined)
        return right(areas, call, writing);
      const { logFilePath: _log, ...json } = call.json;
      return right(areas, { ...call, json }, writing);
    }),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const job = await scheduleTask(service);
      await service.edda.put(`${job}/status/Canceled`, undefined, { logFilePath: 'folder/log.txt' });
      return at((await service.edda.get(job)).json, '/logFilePath') !== 'folder/log.txt';
    },
  },
};

const checking = {
  id: 'check',
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
};

/** Seconds that the token in the address of a call is valid for. */
function lifetimeIn(call: Entry): number {
  const token = new URL(call.target, 'http://host').searchParams.get('access_token') ?? '';
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || 'null');
  return Number(at(claims, '/exp')) - Number(at(claims, '/iat'));
}

/** Address of a link that a task with this input is given. */
async function linkOf(service: Service, id: string, inputPath: string): Promise<string> {
  const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
  await scheduleTask(service, { inputPath });
  const [call] = await reached(host, 1);
  const link = listAt(call?.json, '/payload/links').find((candidate) => at(candidate, '/id') === id);
  return String(at(link, '/url'));
}
