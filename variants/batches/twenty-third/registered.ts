import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, changeExtension, claimsIn, registerEndpoint } from '../proofs.ts';
import { at, hostKey, many } from '../service.ts';
import { tokenIn } from './calls.ts';

export const registeredMistakes: Batch = {
  'endpoints.name-required': {
    source: 'extensions: Registered external endpoint, row name',
    breaks: 'An endpoint needs no name.',
    kind: 'value',
    variant: replaces('registrations', 'endpointFrom', (right, areas, body) => {
      const endpoint = right(areas, body);
      if (endpoint.name === undefined) throw new Refusal(400, 'Expected a name.');
      return endpoint;
    }),
    async shows(service) {
      const { url } = await service.host(() => []);
      return (await registerEndpoint(service, 'externalEndpoint', { url })).status >= 400;
    },
  },

  'endpoints.lifetime-as-first-registered': {
    source: 'extensions: Registered trusted external endpoint, row tokenLifeTime',
    breaks: 'A token is valid for as many minutes as the endpoint says now.',
    kind: 'copy',
    variant: breaks('requests', 'endpointUrl', (right) => {
      const lifeTimes = new Map<string, number>();
      return (areas, delivery, callee) => {
        const { endpoint } = callee;
        if (endpoint.kind === 'externalEndpoint') return right(areas, delivery, callee);
        const tokenLifeTime = lifeTimes.get(endpoint.id) ?? endpoint.tokenLifeTime;
        lifeTimes.set(endpoint.id, tokenLifeTime);
        return right(areas, delivery, { ...callee, endpoint: { ...endpoint, tokenLifeTime } });
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const fields = { url: `${host.url}/hook`, tokenLifeTime: 60 };
      await registerEndpoint(service, 'trustedExternalEndpoint', fields);
      await service.edda.sendToEndpoint();
      await service.pass(1);
      const path = '/api/admin/trustedExternalEndpoint/hook';
      const { json } = await service.cora.get(path);
      await service.cora.put(path, undefined, { ...(json as object), tokenLifeTime: 5 });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      const claims = tokenIn(callsTo(host)[1]);
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) === 3600;
    },
  },

  'endpoints.token-of-the-first-user': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The token of a call to an endpoint speaks for the user who triggered it, whoever came before.',
    kind: 'role',
    variant: breaks('requests', 'endpointUrl', (right) => {
      const urls = new Map<string, ReturnType<typeof right>>();
      return (areas, delivery, callee) => {
        const url = urls.get(callee.endpoint.url) ?? right(areas, delivery, callee);
        urls.set(callee.endpoint.url, url);
        return url;
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook?a=b` });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      await service.emil.sendToEndpoint();
      await service.pass(1);
      return at(tokenIn(callsTo(host)[1]), '/sub') === 'edda';
    },
  },

  'extensions.host-without-its-path': {
    source: 'extensions: Registration routes, row 3',
    breaks: 'The base URL of a host is taken with its path.',
    kind: 'value',
    variant: replaces('registrations', 'extensionFrom', (right, areas, body) => {
      const fields = right(areas, body);
      return { ...fields, hostUri: new URL(fields.hostUri).origin };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const body = { hostUri: `${host.url}/below`, apiKey: hostKey, tokenLifeTime: 60 };
      await service.cora.post('/api/admin/svcExtension', body);
      return !host.entries().some(({ target }) => target.startsWith('/below/'));
    },
  },

  'extensions.shortest-lifetime': {
    source: 'extensions: Registered extension, row tokenLifeTime',
    breaks: 'A token is valid for the minutes that the registration says, be it one.',
    kind: 'value',
    variant: replaces('requests', 'impersonationToken', (right, areas, userName, minutes) =>
      right(areas, userName, Math.max(minutes, 5)),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await changeExtension(service, { hostUri: host.url, tokenLifeTime: 1 });
      await service.edda.sendEvent();
      await service.pass(1);
      const claims = claimsIn(callsTo(host)[0]);
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) > 60;
    },
  },

  'metadata.ten-records': {
    source: 'extensions: Metadata exchange',
    breaks: 'The metadata is an array of records, however many.',
    kind: 'value',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => right(areas, items.slice(0, 10))),
    async shows(service) {
      await service.host(() => many(11, (number) => ({ id: `event-${number}` })));
      return (await service.edda.sendEvent('event-11')).status >= 400;
    },
  },

  'metadata.timeout-of-another-record': {
    source: 'extensions: Extension metadata record, row requestTimeout',
    breaks: 'A record without a timeout has that of the documents, whatever another one says.',
    kind: 'copy',
    variant: breaks('callees', 'requestTimeoutOf', (right) => {
      let first: number | undefined;
      return (areas, record) => {
        first ??= record.requestTimeout;
        return record.requestTimeout ?? first ?? right(areas, record);
      };
    }),
    async shows(service) {
      const host = await service.host(
        () => [{ id: 'hasty', requestTimeout: 5 }, { id: 'event' }],
        always({ never: true }),
      );
      await service.edda.sendEvent('hasty');
      await service.edda.sendEvent();
      await service.pass(6, 3);
      return callsOf(host, 'event').filter(({ recordId }) => recordId === 'event').length > 1;
    },
  },

  'metadata.mail-without-a-limit': {
    source: 'extensions: Extension metadata record, row rateLimitNumberOfExecutions',
    breaks: 'A record that names no limit has one of five calls a minute, for mail too.',
    kind: 'place',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      const isLimited = 'record' in callee && callee.record.rateLimitNumberOfExecutions !== undefined;
      return delivery.kind === 'email' && !isLimited ? { ...policy, rateLimit: Infinity } : policy;
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const record = {
        id: 'mail',
        version: '1.0.0',
        name: 'mail',
        endpoint: '/mail',
        extensionType: 'Email',
        category: 'c',
      };
      host.setRecords([record]);
      await changeExtension(service, { hostUri: host.url });
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };
      for (const _number of many(6, Number)) await service.edda.post('/api/space/main/externalEmail', mail);
      await service.pass(1, 3);
      return callsOf(host, 'email').length > 5;
    },
  },

  'metadata.asked-after-a-failure': {
    source: 'extensions: Versioning',
    breaks: 'Metadata is fetched again only when an extension is updated, not when a call has failed.',
    kind: 'moment',
    variant: replaces('queue', 'removeDelivery', async (right, areas, writing, delivery, end, outcome) => {
      await right(areas, writing, delivery, end, outcome);
      const registration = await areas.registry.registrationOf(writing, delivery.registrationId);
      if (end === 'failed' && registration?.kind === 'svcExtension')
        await areas.metadata.fetchMetadata(registration, delivery.envelopeId);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ status: 404 }));
      await service.edda.sendEvent();
      await service.pass(1, 2);
      return callsOf(host, 'metadata').length > 1;
    },
  },
};
