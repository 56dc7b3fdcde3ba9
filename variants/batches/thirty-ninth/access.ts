import { headerNames } from '../../../contract/names.ts';
import type { User } from '../../../reference-server/configuration.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { registerEndpoint, tokenOf } from '../proofs.ts';
import { at, editPath, encoded, versionHeader } from '../service.ts';

export const accessMistakes: Batch = {
  'auth.jwt-below-api-only': {
    source: 'core: Authentication 2',
    breaks: 'A JWT opens every space route, also those whose path has no api prefix.',
    kind: 'place',
    variant: replaces('auth', 'authenticate', (right, areas, call) => {
      const credentials = areas.auth.credentialsOf(call.headers);
      const isJwt = credentials?.scheme === 'bearer' && credentials.token.split('.').length === 3;
      if (isJwt && !call.url.startsWith('/api/')) throw areas.tokens.unusableToken('Expected another credential.');
      return right(areas, call);
    }),
    async shows(service) {
      const token = await tokenOf(service, 'edda');
      const { status } = await service.nobody.post(
        '/space/main/softtype',
        [{ $softType: 'Part', data: { name: 'n' } }],
        {
          authorization: `Bearer ${token}`,
        },
      );
      return status === 401;
    },
  },

  'auth.user-of-the-correlation': {
    source: 'core: Authentication 6',
    breaks: 'A request without a token gets 401, also one with the correlation id of an earlier request that had one.',
    kind: 'copy',
    variant: breaks('auth', 'authenticate', (right) => {
      const users = new Map<string, User>();
      return async (areas, call) => {
        const known = users.get(call.correlationId);
        if (known !== undefined && call.headers['authorization'] === undefined) return known;
        const user = await right(areas, call);
        if (call.correlationGiven) users.set(call.correlationId, user);
        return user;
      };
    }),
    async shows({ edda, nobody }) {
      const made = await edda.make('Document', { title: 't' });
      const headers = { [headerNames.correlationId]: 'one-and-the-same' };
      await edda.get(made.path, headers);
      return (await nobody.get(made.path, headers)).status === 200;
    },
  },

  'information-filter.readers-need-none': {
    source: 'core: Common request headers, Svc-InformationFilter',
    breaks: 'The information filter is required of everybody, also of those who may only read.',
    kind: 'role',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) => {
      const { user, space } = call as Partial<Parameters<typeof areas.instances.readInstance>[0]>;
      const isMissing = call.headers[headerNames.informationFilter.toLowerCase()] === undefined;
      if (isMissing && user && space && !areas.auth.mayUse(user, space, 'PUT')) return {};
      return right(areas, call);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't' });
      return (await rita.get(made.path, { [headerNames.informationFilter]: '' })).status === 200;
    },
  },

  'grants.none-without-a-role': {
    source: 'core: Authentication 3 and 6',
    breaks: 'The password grant gives a token to every user with the right password, also to one without any role.',
    kind: 'role',
    variant: replaces('auth', 'userOfPassword', (right, areas, name, password) => {
      const user = right(areas, name, password);
      if (user === undefined || user.collectionAdministrator) return user;
      const spaces = [...areas.configuration.spaces.values()];
      return spaces.some((space) => areas.auth.rolesOf(user, space).length > 0) ? user : undefined;
    }),
    survives:
      'Authentication 3: how a token is asked for is told, not which users get one; whether one without a role does is left open.',
    async shows(service) {
      return (await tokenOf(service, 'nora')) === 'undefined';
    },
  },

  'registrations.trusted-ones-by-space-administrators': {
    source: 'extensions: Registration routes (Collection Administrator)',
    breaks: 'Only a Collection Administrator registers trusted endpoints; the administrator of a space does not.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isMeant = access === 'collection' && call.url.startsWith('/api/admin/trustedExternalEndpoint');
      const spaces = [...areas.configuration.spaces.values()];
      if (isMeant && spaces.some((space) => areas.auth.rolesOf(user, space).includes('administrator'))) return;
      right(areas, user, access, call);
    }),
    async shows(service) {
      const answer = await registerEndpoint({ ...service, cora: service.alma }, 'trustedExternalEndpoint', {
        url: 'http://127.0.0.1:9/hook',
      });
      return answer.status === 201;
    },
  },

  'batch.access-of-the-first-operation': {
    source: 'core: Authentication 6 and 7',
    breaks: 'A role has to allow the method of each operation of a batch, wherever it stands.',
    kind: 'role',
    variant: replaces('batch', 'runOperation', (right, areas, batch, writing, table, operation, index) =>
      right(
        index === 0 ? areas : within(areas, { auth: { authorize: () => undefined } }),
        batch,
        writing,
        table,
        operation,
        index,
      ),
    ),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't' });
      const read = { method: 'GET', href: made.path };
      const edit = { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { title: 'u' } };
      return (await rita.batch([read, edit])).status === 200;
    },
  },

  'files.no-query-token-for-the-collection': {
    source: 'extensions: Authentication 1',
    breaks: 'A download may bring its token in the query, from the collection area as well.',
    kind: 'combination',
    variant: replaces('fileAreas', 'queryCredentialsOf', (right, areas, call) =>
      call.url.startsWith('/api/collection/') ? undefined : right(areas, call),
    ),
    async shows(service) {
      const base = '/api/collection/fs/file';
      await service.cora.upload('a.txt', 'a', base);
      const token = await tokenOf(service, 'cora');
      return (await service.nobody.get(`${base}/a.txt?token=${token}`)).status === 401;
    },
  },

  'caching.tag-of-the-second': {
    source: 'core: Versioning 4',
    breaks: 'Changed data gets 200, also when it changed within the second in which its tag was made.',
    kind: 'moment',
    variant: breaks('caching', 'etagOf', (right) => {
      const tags = new Map<number, Map<number, string>>();
      return (areas, representation) => {
        const second = Math.floor(areas.clock.now() / 1000);
        const ofSecond = tags.get(second) ?? new Map<number, string>();
        const tag = ofSecond.get(representation.length) ?? right(areas, representation);
        ofSecond.set(representation.length, tag);
        tags.set(second, ofSecond);
        return tag;
      };
    }),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      await cora.put(path, undefined, { displayName: 'one' });
      const tag = (await cora.get(path)).headers.get('etag') ?? '';
      await cora.put(path, undefined, { displayName: 'two' });
      return (await cora.get(path, { 'if-none-match': tag })).status === 304;
    },
  },

  'information-filter.cut-for-the-call': {
    source: 'extensions: Call envelope, informationFilter',
    breaks: 'The envelope holds the Base64 of the whole information filter, however long it is.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'passedFilter', (right, areas, call) => right(areas, call).slice(0, 256)),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const filter = encoded({ view: 'v'.repeat(300) });
      await service.edda.sendEvent('event', {}, { [headerNames.informationFilter]: filter });
      await service.pass(1);
      const [call] = host.entries(({ kind }) => kind === 'event');
      return at(call?.json, '/informationFilter') !== filter;
    },
  },

  'jobs.no-body-of-a-type': {
    source: 'extensions: Callbacks from an external task',
    breaks: 'The body of a final status is optional, also where the request names the type that it could have.',
    kind: 'combination',
    variant: replaces('admission', 'admit', (right, areas, call, reading, needs) => {
      const isEmpty = call.body === undefined || call.body.length === 0;
      if (needs.bodyOptional && isEmpty && call.headers['content-type'] !== undefined)
        throw new Refusal(400, 'Expected a JSON body, found none.');
      return right(areas, call, reading, needs);
    }),
    survives:
      'ledger malformed-json-status: an empty text is no JSON, and what a request gets that names that type for one is not said.',
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const job = await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'a.csv' });
      await service.pass(1);
      const path = `${job.headers.get('location') ?? ''}/status/Completed`;
      const { status } = await service.edda.send('PUT', path, { headers: { 'content-type': 'application/json' } });
      return status === 400;
    },
  },
};
