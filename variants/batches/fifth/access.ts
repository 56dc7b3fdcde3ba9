import { createHash, randomUUID } from 'node:crypto';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, encoded } from '../service.ts';

export const access: Batch = {
  'headers.filter-of-the-other-alphabet': {
    source: 'core: Information filter',
    breaks: 'The information filter is Base64, of whose alphabet plus and slash are a part.',
    kind: 'value',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) => {
      if (/[+/]/.test(call.headers['svc-informationfilter'] ?? '')) throw new Refusal(400, 'Expected Base64.');
      return right(areas, call);
    }),
    shows: async ({ edda }) => {
      const made = await edda.make('Document', { title: 'filtered' });
      const headers = { 'Svc-InformationFilter': encoded({ role: '>>>???' }) };
      return (await edda.get(made.path, headers)).status !== 200;
    },
  },
  'headers.correlation-id-in-lower-case': {
    source: 'core: Common request headers, X-Correlation-Id',
    breaks: 'The correlation id that was given is passed on as it was given, capitals included.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => right(areas, call).toLowerCase()),
    shows: async (service) => {
      const host = await service.host(() => [{ id: 'listener' }]);
      const id = randomUUID().toUpperCase();
      const body = { recordId: 'listener', contentPayload: {} };
      await service.edda.post('/api/space/main/externalEvent', body, { 'X-Correlation-Id': id });
      await service.pass(1);
      const [call] = host.entries(({ kind }) => kind === 'event');
      return call?.envelope?.id !== id;
    },
  },
  'versioning.lock-takes-the-place-of-the-version': {
    source: 'core: Versioning 3',
    breaks: 'A PUT or PATCH for another version is refused, also to whoever holds the lock of the object.',
    kind: 'role',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const user: unknown = Reflect.get(call, 'user');
      const holder = object.content['$lockedBy'];
      if (holder === undefined || !isContent(user) || user['name'] !== holder) return right(areas, call, object);
      areas.versioning.versionHeaderOf(call);
      return object.version;
    }),
    shows: async ({ edda }) => {
      const made = await edda.make('Document', { title: 'locked' });
      await edda.post(`/api/space/main/lock/${made.oid}`);
      return (await edda.merge(made, 7, { note: 'late' })).status !== 409;
    },
  },
  'caching.tags-change-with-a-restart': {
    source: 'core: Versioning 4',
    breaks: 'A read with the tag of data that has not changed gives 304, also after the service was started anew.',
    kind: 'moment',
    variant: breaks('caching', 'etagOf', (right) => {
      const salt = randomUUID();
      return (areas, representation) =>
        `"${createHash('sha256').update(salt).update(right(areas, representation)).digest('hex')}"`;
    }),
    shows: async ({ cora, restart }) => {
      const etag = (await cora.get('/api/collection/template')).headers.get('etag') ?? '';
      await restart();
      return (await cora.get('/api/collection/template', { 'If-None-Match': etag })).status !== 304;
    },
  },
  'caching.held-tag-opens-the-door': {
    source: 'core: Authentication 6 and 7',
    breaks: 'Who has no access to a resource gets 403, also where the tag of it is sent along.',
    kind: 'role',
    variant: breaks('dispatcher', 'carryOut', (right) => {
      const sent = new Map<string, string>();
      return async (areas, route, call) => {
        try {
          const answer = await right(areas, route, call);
          const etag = answer.headers?.['ETag'];
          if (etag !== undefined) sent.set(call.url, etag);
          return answer;
        } catch (error) {
          const held = call.headers['if-none-match'];
          const isHeld = held !== undefined && held === sent.get(call.url);
          if (error instanceof Refusal && error.status === 403 && isHeld) return { status: 304 };
          throw error;
        }
      };
    }),
    shows: async ({ cora, edda }) => {
      const path = '/api/collection/template';
      const etag = (await cora.get(path)).headers.get('etag') ?? '';
      return (await edda.get(path, { 'If-None-Match': etag })).status === 304;
    },
  },
  'roles.kept-from-another-space': {
    source: 'core: Authentication 7',
    breaks: 'The role that a user has in one space opens no other space, also after it was used.',
    kind: 'copy',
    variant: breaks('auth', 'rolesOf', (right) => {
      const known = new Map<string, ReturnType<typeof right>>();
      return (areas, user, space) => {
        const roles = known.get(user.name) ?? right(areas, user, space);
        if (roles.length > 0) known.set(user.name, roles);
        return roles;
      };
    }),
    shows: async ({ edda, otto }) => {
      const made = await edda.make('Document', { title: 'of the main space' });
      const own = await otto.make('Dossier', { title: 'of the depot' });
      if (at(await otto.read(own), '/version') !== 1) return false;
      return (await otto.get(made.path)).status !== 403;
    },
  },
};
