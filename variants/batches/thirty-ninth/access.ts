import { headerNames } from '../../../contract/names.ts';
import type { User } from '../../../reference-server/configuration.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { tokenOf } from '../proofs.ts';
import { at, encoded } from '../service.ts';

export const accessMistakes: Batch = {
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
