import { randomUUID } from 'node:crypto';
import { jsonOf } from '../../../contract/json.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, reached, registerEndpoint, scheduleTask } from '../proofs.ts';
import { at, encoded, listAt } from '../service.ts';

export const callsMistakes: Batch = {
  'registrations.space-administrators-too': {
    source: 'extensions: Registration routes',
    breaks: 'A Collection Administrator registers trusted endpoints, and the administrator of a space does not.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isTrusted = call.method === 'POST' && call.url.startsWith('/api/admin/trustedExternalEndpoint');
      const spaces = [...areas.configuration.spaces.values()];
      const isOneOfTheirs = spaces.some((space) => areas.auth.rolesOf(user, space).includes('administrator'));
      if (!isTrusted || !isOneOfTheirs) right(areas, user, access, call);
    }),
    async shows(service) {
      const { alma } = service;
      const fields = { url: 'http://127.0.0.1:9/hook' };
      return (await registerEndpoint({ ...service, cora: alma }, 'trustedExternalEndpoint', fields)).status < 300;
    },
  },

  'metadata.asked-for-with-keys': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata are asked for when an extension is added or updated, and not when it acquires keys.',
    kind: 'moment',
    variant: replaces('apiKeys', 'bringKeys', async (right, areas, call, holder, request, keys) => {
      const answer = await right(areas, call, holder, request, keys);
      const registration = await areas.store.read((reading) =>
        areas.registry.registrationOf(reading, holder.registrationId),
      );
      if (registration?.kind === 'svcExtension') await areas.metadata.fetchMetadata(registration, call.correlationId);
      return answer;
    }),
    async shows(service) {
      const host = await service.host(
        (url) => [{ id: 'keys', permissions: { tokenCallback: `${url}/taken`, permissions: ['SnapshotAPI'] } }],
        always({ status: 200 }),
      );
      await service.cora.post('/api/collection/externalExtension/acquireAccessToken/keys', {
        tokenCallback: `${host.url}/taken`,
        permissions: ['SnapshotAPI'],
      });
      return callsOf(host, 'metadata').length > 1;
    },
  },

  'endpoints.query-of-the-first-one-there': {
    source: 'extensions: Registered external endpoint, row url',
    breaks: 'The address called is that of the endpoint, also where another one differs from it in the query alone.',
    kind: 'copy',
    variant: breaks('requests', 'endpointUrl', (right) => {
      const known = new Map<string, string>();
      return (areas, delivery, callee) => {
        const [bare = ''] = callee.endpoint.url.split('?');
        const url = known.get(bare) ?? callee.endpoint.url;
        known.set(bare, url);
        return right(areas, delivery, { ...callee, endpoint: { ...callee.endpoint, url } });
      };
    }),
    async shows(service) {
      const host = await service.host(() => [], always({ status: 200 }));
      for (const id of ['one', 'two'])
        await registerEndpoint(service, 'externalEndpoint', { id, url: `${host.url}/hook?to=${id}` });
      for (const id of ['one', 'two']) await service.edda.sendToEndpoint(id);
      const calls = await reached(host, 2);
      return !calls.some(({ target }) => target.endsWith('to=two'));
    },
  },

  'endpoints.headers-of-the-first-attempt-alone': {
    source: 'extensions: Registered external endpoint, row headers',
    breaks: 'The configured headers are set on each call, a later attempt as well.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      if (!('endpoint' in callee) || attempt === 1) return request;
      const types = Object.entries(request.headers).filter(([name]) => name.toLowerCase() === 'content-type');
      return { ...request, headers: Object.fromEntries(types) };
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ status: 503 }) });
      const headers = ['content-type', 'x-api-key'].map((name) => ({ name, value: 'text/plain' }));
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, headers });
      await service.edda.sendToEndpoint();
      await reached(host, 1);
      await service.pass(1, 4);
      return (await reached(host, 2)).some((entry) => headerValues(entry, 'x-api-key').length === 0);
    },
  },

  'tokens.life-time-of-the-call-before': {
    source: 'extensions: Limits, token validity',
    breaks: 'A token lives as long as the registration says that it is issued for.',
    kind: 'copy',
    variant: breaks('requests', 'impersonationToken', (right) => {
      const kept = new Map<string, { readonly token: Promise<string>; readonly until: number }>();
      return (areas, userName, minutes) => {
        const known = kept.get(userName);
        if (known !== undefined && known.until > areas.clock.now()) return known.token;
        const token = right(areas, userName, minutes);
        kept.set(userName, { token, until: areas.clock.now() + minutes * 30_000 });
        return token;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ status: 200 }));
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, tokenLifeTime: 5 });
      await service.edda.sendEvent();
      await reached(host, 1);
      await service.edda.sendToEndpoint();
      await reached(host, 2);
      const target = callsTo(host).find((entry) => entry.target.includes('access_token'))?.target ?? '';
      const [, claims = ''] = target.split('access_token=')[1]?.split('.') ?? [];
      const { iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iat: number; exp: number };
      return exp - iat !== 300;
    },
  },

  'calls.no-token-in-the-query-of-a-retry': {
    source: 'extensions: Calls to extensions',
    breaks: 'The token is in the query of a mail too, on each attempt.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      return 'record' in callee && attempt > 1 ? { ...request, url: callee.url } : request;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }], always({ status: 503 }));
      await service.edda.post('/api/space/main/externalEmail', { to: 'a@b.example', subject: 's', body: 'b' });
      await reached(host, 1);
      await service.pass(1, 4);
      return (await reached(host, 2)).some(({ target }) => !target.includes('?'));
    },
  },

  'calls.filter-through-another-charset': {
    source: 'extensions: Call envelope, row informationFilter',
    breaks: 'The filter of the envelope says what that of the trigger said, in whatever script.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'passedFilter', (right, areas, call) => {
      const text = Buffer.from(right(areas, call), 'base64').toString('latin1');
      return Buffer.from(text).toString('base64');
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const filter = { role: 'Prüfer' };
      await service.edda.sendEvent('event', {}, { 'Svc-InformationFilter': encoded(filter) });
      const [call] = await reached(host, 1);
      const text = Buffer.from(call?.envelope?.informationFilter ?? '', 'base64').toString();
      return at(jsonOf(text), '/role') !== filter.role;
    },
  },

  'calls.id-of-the-trigger-before': {
    source: 'extensions: Call envelope, row id',
    breaks: 'The id of a call whose trigger gave none is its own, also after a trigger of the same user that gave one.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'envelopeIdOf', (right) => {
      const given = new Map<string, string>();
      return (areas, call) => {
        if (call.correlationGiven) given.set(call.user.name, call.correlationId);
        return given.get(call.user.name) ?? right(areas, call);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': 'first' });
      await service.edda.sendEvent();
      const calls = await reached(host, 2);
      return calls.filter(({ envelope }) => envelope?.id === 'first').length === 2;
    },
  },

  'events.once-for-each-role': {
    source: 'extensions: Events 1 and 2',
    breaks: 'An event that was acknowledged is not sent again, whoever triggered it.',
    kind: 'role',
    variant: replaces('queue', 'enqueue', async (right, areas, writing, delivery) => {
      const queued = await right(areas, writing, delivery);
      const user = areas.configuration.users.get(delivery.userName);
      const space = areas.configuration.spaces.get(delivery.spaceId);
      if (delivery.kind !== 'event' || user === undefined || space === undefined) return queued;
      for (const _role of areas.auth.rolesOf(user, space).slice(1))
        await right(areas, writing, { ...delivery, id: randomUUID() });
      return queued;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.emil.sendEvent();
      return (await reached(host, 2, 1500)).length > 1;
    },
  },

  'emails.long-subject-is-folded': {
    source: 'extensions: Payloads by extension type, row Email',
    breaks: 'The subject is that of the mail, however long it is.',
    kind: 'value',
    variant: replaces('requests', 'payloadOf', (right, areas, delivery, token) => {
      const payload = right(areas, delivery, token);
      const subject = at(payload, '/subject');
      if (delivery.kind !== 'email' || typeof subject !== 'string') return payload;
      return { ...(payload as object), subject: subject.replaceAll(/(.{76})(?=.)/g, '$1\r\n ') };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      const subject = 'long '.repeat(20);
      await service.edda.post('/api/space/main/externalEmail', { to: 'a@b.example', subject, body: 'b' });
      const [call] = await reached(host, 1);
      return at(call?.envelope?.payload, '/subject') !== subject;
    },
  },

  'actions.context-is-what-is-selected': {
    source: 'extensions: Action content payload',
    breaks: 'The context object is the one whose module it is, also where what is selected is of the same SoftType.',
    kind: 'value',
    variant: replaces('triggers', 'ribbonPayload', async (right, areas, call, reading, body, selected) => {
      const payload = await right(areas, call, reading, body, selected);
      const context = await reading.object(call.space.id, String(body['contextObjectId']));
      if (selected === undefined || context?.softType !== selected.softType) return payload;
      const selectedObject = { $oid: selected.oid };
      return { ...payload, contentPayload: { selectedObject, contextObject: selectedObject } };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'act', extensionType: 'ExternalAction' }]);
      const [one, other] = [
        await service.edda.make('Part', { name: 'a' }),
        await service.edda.make('Part', { name: 'b' }),
      ];
      const body = { kind: 'ribbon', objectId: one.oid, contextObjectId: other.oid };
      await service.edda.post('/api/space/main/externalAction/act', body);
      return at(callsTo(host)[0]?.envelope?.payload, '/contentPayload/contextObject/$oid') !== other.oid;
    },
  },

  'tasks.directory-by-the-file-name': {
    source: 'extensions: External task links, row inputDir',
    breaks: 'inputDir leads to the directory of the input, also where another job had an input of the same name.',
    kind: 'copy',
    variant: breaks('requests', 'taskLinks', (right) => {
      const known = new Map<string, string>();
      return (areas, spaceId, jobId, inputPath, token) =>
        right(areas, spaceId, jobId, inputPath, token).map((link) => {
          if (link.id !== 'inputDir') return link;
          const key = `${spaceId} ${inputPath.split('/').at(-1) ?? ''}`;
          const url = known.get(key) ?? link.url;
          known.set(key, url);
          return { ...link, url };
        });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      for (const directory of ['one', 'two']) await scheduleTask(service, { inputPath: `${directory}/in.csv` });
      const calls = await reached(host, 2);
      const urls = calls.flatMap(({ envelope }) =>
        listAt(envelope?.payload, '/links').filter((link) => at(link, '/id') === 'inputDir'),
      );
      return !urls.some((link) => String(at(link, '/url')).endsWith('/two'));
    },
  },

  'tasks.canceled-runs-on-behind-progress': {
    source: 'extensions: External task status, row 2',
    breaks: 'The job of a task that reports Canceled is reported as failed, also where progress was told before.',
    kind: 'combination',
    variant: replaces('jobs', 'jobAfterReport', (right, areas, job, status, files) => {
      const next = right(areas, job, status, files);
      return status === 'Canceled' && job.progress !== undefined ? { ...next, state: 'Running' } : next;
    }),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const job = await scheduleTask(service);
      await service.edda.put(`${job}/progress`, undefined, { message: 'half' });
      await service.edda.put(`${job}/status/Canceled`, undefined);
      return at((await service.edda.get(job)).json, '/state') !== 'Failed';
    },
  },
};
