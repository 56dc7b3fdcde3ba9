import { randomUUID } from 'node:crypto';
import { jobWith } from '../../../reference-server/areas/jobs.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf, callsTo, reached, registerEndpoint, scheduleTask } from '../proofs.ts';
import { at, listAt, type Service } from '../service.ts';

const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };

export const endpointMistakes: Batch = {
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
};

/** Address of a link that a task with this input is given. */
async function linkOf(service: Service, id: string, inputPath: string): Promise<string> {
  const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
  await scheduleTask(service, { inputPath });
  const [call] = await reached(host, 1);
  const link = listAt(call?.json, '/payload/links').find((candidate) => at(candidate, '/id') === id);
  return String(at(link, '/url'));
}
