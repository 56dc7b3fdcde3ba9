import { jsonOf } from '../../../contract/json.ts';
import { headerNames } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { breaks, replaces, together, type Variant } from '../../breaks.ts';
import {
  always,
  awaitCalls,
  callsOf,
  callsTo,
  event,
  first503,
  mail,
  mailer,
  mailPath,
  task,
  validator,
} from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { claimsIn, eventsPath, logEntriesOf } from '../proofs.ts';
import { at, Client, encoded, type Received, type Service, type UserName } from '../service.ts';
import { changes, isRefusal, keeps, mapTexts, perServer, wrapsRequest } from '../variant-parts.ts';

/** What came with the triggers of deliveries, by their id. */
const forwardedHosts = new Map<string, string>();

const left = perServer((): { id?: string } => ({}));

export const envelopeMistakes: Mistakes = {
  'envelope.id-left-by-a-refused-trigger': {
    source: 'extensions: Call envelope',
    breaks: 'A call of a request without a correlation id has an id of its own.',
    variant: together(
      replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
        try {
          const answer = await right(areas, route, call);
          delete left(areas).id;
          return answer;
        } catch (error) {
          if (call.correlationGiven && isRefusal(error, 400, 403, 404, 409, 422)) left(areas).id = call.correlationId;
          throw error;
        }
      }),
      replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) =>
        call.correlationGiven ? right(areas, call) : (left(areas).id ?? right(areas, call)),
      ),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      await service.edda.sendEvent('unknown', {}, { 'X-Correlation-Id': 'left' });
      await service.edda.sendEvent('event');
      const [call] = await awaitCalls(host);
      return call?.envelope?.id === 'left';
    },
  },
  'envelope.offset-of-a-filter-lost': {
    source: 'extensions: Call envelope',
    breaks: 'The information filter arrives as it was sent.',
    variant: changes('triggeredCalls', 'passedFilter', (filter) => {
      const decoded: unknown = JSON.parse(Buffer.from(filter, 'base64').toString());
      return encoded(mapTexts(decoded, (text) => text.replace(/[+-]\d\d:\d\d$/, 'Z')) as object);
    }),
    async shows(service) {
      const host = await service.host([event]);
      const filter = encoded({ time: '2020-02-03T04:05:06+05:00' });
      await service.edda.sendEvent('event', {}, { 'Svc-InformationFilter': filter });
      await service.pass(1);
      const arrived = (await awaitCalls(host))[0]?.envelope?.informationFilter ?? '';
      const { time } = JSON.parse(Buffer.from(arrived, 'base64').toString() || '{}') as { time?: string };
      return Date.parse(String(time)) !== Date.parse('2020-02-03T04:05:06+05:00');
    },
  },
  'envelope.filter-of-the-first-mail': {
    source: 'extensions: Call envelope',
    breaks: 'Each mail that goes to an extension has the information filter of the request that triggered it.',
    variant: breaks('triggeredCalls', 'deliveryOf', (right) => {
      const filters = new Map<string, string>();
      return (areas, call, triggered) => {
        const delivery = right(areas, call, triggered);
        if (delivery.kind !== 'email') return delivery;
        const informationFilter = filters.get(delivery.registrationId) ?? delivery.informationFilter;
        filters.set(delivery.registrationId, informationFilter);
        return { ...delivery, informationFilter };
      };
    }),
    async shows(service) {
      const host = await service.host([mailer], always(200));
      const filters = [{}, { role: 'guest' }].map((filter) => encoded(filter));
      for (const filter of filters)
        await service.edda.post(mailPath, { recordId: 'mail', ...mail }, { 'Svc-InformationFilter': filter });
      await service.pass(1);
      const calls = await awaitCalls(host, 2);
      return calls.length === 2 && !calls.some(({ envelope }) => envelope?.informationFilter === filters[1]);
    },
  },
  'events.token-of-the-latest-user': {
    source: 'extensions: Call envelope, row accessToken',
    breaks:
      'The token of a call speaks for the user who triggered it, also on an attempt after another user triggered one.',
    variant: ofLatestUser(),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], always(503));
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': 'first' });
      await service.emil.sendEvent('event', {}, { 'X-Correlation-Id': 'second' });
      await service.pass(3);
      const attempts = callsOf(host, 'event').filter(({ envelope }) => envelope?.id === 'first');
      return attempts.some((attempt) => at(claimsIn(attempt), '/sub') === 'emil');
    },
  },
  'envelope.third-attempt-has-an-empty-filter': {
    source: 'extensions: Call envelope',
    breaks: 'Every attempt has the information filter of the request that triggered it.',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) =>
      right(areas, attempt > 2 ? { ...delivery, informationFilter: 'e30=' } : delivery, callee, attempt),
    ),
    async shows(service) {
      const host = await service.host([event], always(503));
      const filter = Buffer.from('{"role":"guest"}').toString('base64');
      const headers = { 'X-Correlation-Id': 'filter', 'Svc-InformationFilter': filter };
      await service.edda.sendEvent('event', {}, headers);
      for (const [index, seconds] of [2, 4].entries()) {
        await logEntriesOf(service, 'filter', 'transient-error', index + 1);
        await service.pass(seconds);
      }
      const calls = await awaitCalls(host, 3);
      return calls[2]?.envelope?.informationFilter === 'e30=';
    },
  },
  'headers.filter-in-another-alphabet': {
    source: 'extensions: Call envelope',
    breaks:
      'An extension gets the settings of the information filter as they were sent, letters beyond ASCII included.',
    variant: replaces('triggeredCalls', 'passedFilter', (right, areas, call) => {
      const text = Buffer.from(right(areas, call), 'base64').toString('latin1');
      return Buffer.from(text).toString('base64');
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      const headers = { [headerNames.informationFilter]: encoded({ role: 'Prüferin' }) };
      await service.edda.post(eventsPath, { recordId: 'event' }, headers);
      await service.pass(1);
      const [call] = callsTo(host);
      const text = Buffer.from(call?.envelope?.informationFilter ?? '', 'base64').toString();
      return call !== undefined && !text.includes('Prüferin');
    },
  },
  'envelope.mail-has-no-filter': {
    source: 'extensions: Call envelope, informationFilter',
    breaks: 'The envelope of every call holds the information filter of the request behind it, that of a mail too.',
    variant: changes('triggeredCalls', 'deliveryOf', (delivery, _areas, _call, triggered) =>
      triggered.kind === 'email' ? { ...delivery, informationFilter: 'e30=' } : delivery,
    ),
    shows: async (service) => {
      const host = await service.host([{ id: 'mailer', extensionType: 'Email' }]);
      const filter = encoded({ time: '2026-01-01T00:00:00Z' });
      const body = { recordId: 'mailer', to: 'a@example.org', subject: 's', body: 'b' };
      await service.edda.post(mailPath, body, { 'Svc-InformationFilter': filter });
      await service.pass(1);
      const [call] = host.entries(({ kind }) => kind === 'email');
      return call?.envelope?.informationFilter !== filter;
    },
  },
  'events.names-in-camel-case': {
    source: 'extensions: Call envelope, payload',
    breaks: 'The payload holds what is configured, the names of its members as they are.',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) =>
      right(
        areas,
        call,
        triggered.kind === 'event' ? { ...triggered, payload: inCamelCase(triggered.payload) } : triggered,
      ),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      await service.edda.sendEvent('event', { OrderNumber: 1 });
      await service.pass(1);
      return at(callsTo(host)[0]?.envelope?.payload, '/contentPayload/OrderNumber') === undefined;
    },
  },
  'information-filter.passed-on-as-understood': {
    source: 'extensions: Call envelope, row informationFilter',
    breaks: 'The filter goes on with all that is in it, and not only what the service itself knows.',
    survives:
      'Which fields a filter may have is not shown, so that what becomes of others is not said (information-filter-fields).',
    variant: changes('triggeredCalls', 'passedFilter', (passed, areas, call) =>
      call.headers['svc-informationfilter'] === undefined ? passed : encoded(areas.messages.informationFilterOf(call)),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      await service.edda.sendEvent('event', {}, { 'Svc-InformationFilter': encoded({ role: 'r', view: 'as-built' }) });
      const [call] = await host.await(({ kind }) => kind === 'event', 1, AbortSignal.timeout(4000));
      const filter = Buffer.from(call?.envelope?.informationFilter ?? '', 'base64').toString();
      return call !== undefined && !filter.includes('as-built');
    },
  },
  'envelope.address-as-forwarded': {
    source: 'extensions: Call envelope, row baseAddress',
    breaks: 'The base address is the one that is configured, whatever a header of the trigger says of the host.',
    variant: together(
      replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
        const host = call.headers['x-forwarded-host'];
        if (host !== undefined) forwardedHosts.set(triggered.id, host);
        return right(areas, call, triggered);
      }),
      changes('requests', 'extensionRequest', (request, _areas, delivery) => {
        const host = forwardedHosts.get(delivery.id);
        if (host === undefined) return request;
        const envelope = { ...Object(jsonOf(request.body ?? '')), baseAddress: `http://${host}` };
        return { ...request, body: JSON.stringify(envelope) };
      }),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      await service.edda.sendEvent('event', {}, { 'X-Forwarded-Host': 'other.example' });
      await service.pass(1);
      return callsTo(host)[0]?.envelope?.baseAddress === 'http://other.example';
    },
  },
  'call.length-in-characters': {
    source: 'extensions: Call envelope',
    breaks: 'A call carries all of its envelope, texts of any alphabet too.',
    museum: true,
    variant: wrapsRequest(({ body, ...request }) =>
      body === undefined ? request : { ...request, body: Buffer.from(body).subarray(0, body.length).toString() },
    ),
    async shows(service) {
      const host = await service.host([{ id: 'taken' }]);
      await service.edda.sendEvent('taken', { text: 'ééé' });
      const [entry] = await awaitCalls(host);
      return entry?.json === undefined;
    },
  },
  'calls.token-of-first-scheduler': {
    source: 'extensions: Call envelope (body of every call to a registered extension)',
    breaks:
      'The token in the call of a task speaks for the user who scheduled this job, whoever scheduled the one before it.',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const users = new Map<string, string>();
      return (areas, delivery, callee) => {
        if (delivery.kind !== 'task') return right(areas, delivery, callee);
        const userName = users.get(callee.rateKey) ?? delivery.userName;
        users.set(callee.rateKey, userName);
        return right(areas, { ...delivery, userName }, callee);
      };
    }),
    async shows(service) {
      const host = await service.host([task], always(200));
      await scheduleTask(service, 'edda');
      await service.pass(0.01);
      await scheduleTask(service, 'emil');
      await service.pass(0.01);
      const base = '/api/space/main/user/fs/file';
      await service.emil.upload('mine.txt', 'of emil', base);
      const authorization = `Bearer ${callsOf(host, 'task')[1]?.envelope?.accessToken}`;
      return (await service.nobody.get(`${base}/mine.txt`, { authorization })).status !== 200;
    },
  },
  'envelope.filter-is-the-first-of-the-user': {
    source: 'extensions: Call envelope',
    breaks: 'The information filter is that of the request that triggered the call.',
    variant: keeps('triggeredCalls', 'passedFilter', (call) => call.user.name),
    async shows(service) {
      const host = await service.host([{ id: 'e' }]);
      const second = encoded({ role: 'second' });
      await service.edda.sendEvent('e', {}, { [headerNames.informationFilter]: encoded({ role: 'first' }) });
      await awaitCalls(host);
      await service.edda.sendEvent('e', {}, { [headerNames.informationFilter]: second });
      return at((await awaitCalls(host, 2))[1]?.json, '/informationFilter') !== second;
    },
  },
  'envelope.token-is-that-of-the-user-before': {
    source: 'extensions: Call envelope',
    breaks: 'The token of a call speaks for the user that triggered this one.',
    variant: keeps('requests', 'impersonationToken', (_userName, minutes) => String(minutes)),
    async shows(service) {
      const host = await service.host([{ id: 'e' }]);
      await service.edda.sendEvent('e');
      await awaitCalls(host);
      await service.emil.sendEvent('e');
      return at(claimsIn((await awaitCalls(host, 2))[1]), '/sub') !== 'emil';
    },
  },
  'envelope.base-address-of-the-request': {
    source: 'extensions: Call envelope, baseAddress',
    breaks: 'The base address is the configured one, whatever host the triggering request was sent to.',
    variant: withHostOfTheRequest(),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      await new Client(service.url.replace('127.0.0.1', 'localhost'), 'edda').sendEvent();
      await service.pass(1);
      return String(at(callsOf(host, 'event')[0]?.json, '/baseAddress')).includes('localhost');
    },
  },
  'filter.former-one-instead-of-an-empty-one': {
    source: 'extensions: Call envelope, informationFilter',
    breaks: 'A call carries the filter of its own trigger, also where that is empty and an earlier one was not.',
    variant: breaks('triggeredCalls', 'passedFilter', (right) => {
      const former = new Map<string, string>();
      return (areas, call) => {
        const filter = right(areas, call);
        if (filter === encoded({})) return former.get(call.user.name) ?? filter;
        former.set(call.user.name, filter);
        return filter;
      };
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      const dated = encoded({ time: '2020-01-01T00:00:00Z' });
      await service.edda.sendEvent('event', {}, { 'Svc-InformationFilter': dated });
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': 'plain' });
      await service.pass(1, 2);
      return host
        .entries(({ envelope }) => envelope?.id === 'plain')
        .some(({ json }) => at(json, '/informationFilter') === dated);
    },
  },
  'information-filter.cut-for-the-call': {
    source: 'extensions: Call envelope, informationFilter',
    breaks: 'The envelope holds the Base64 of the whole information filter, however long it is.',
    variant: replaces('triggeredCalls', 'passedFilter', (right, areas, call) => right(areas, call).slice(0, 256)),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      const filter = encoded({ view: 'v'.repeat(300) });
      await service.edda.sendEvent('event', {}, { [headerNames.informationFilter]: filter });
      await service.pass(1);
      const [call] = host.entries(({ kind }) => kind === 'event');
      return at(call?.json, '/informationFilter') !== filter;
    },
  },
  'calls.base-address-of-the-api': {
    source: 'extensions: Call envelope, baseAddress',
    breaks: 'The base address is that of the service as it was configured, and not the root of its API.',
    variant: replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
      const { body = '', ...request } = await right(areas, delivery, callee);
      return { ...request, body: body.replace(/("baseAddress":"[^"]*)"/, '$1/api"') };
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      return callsTo(host)[0]?.envelope?.baseAddress !== service.url;
    },
  },
  'calls.base-address-with-the-root-of-the-api': {
    source: 'extensions: Call envelope, row baseAddress',
    breaks: 'The base address is the configured one in every envelope, in that of a validation too.',
    variant: changes('requests', 'extensionRequest', (request, _areas, delivery) => {
      const envelope: unknown = JSON.parse(request.body ?? 'null');
      if (delivery.kind !== 'validation' || !isContent(envelope)) return request;
      return {
        ...request,
        body: JSON.stringify({ ...envelope, baseAddress: `${String(envelope['baseAddress'])}/api` }),
      };
    }),
    async shows(service) {
      const host = await service.host([validator]);
      const made = await service.edda.make('Document');
      await service.edda.move(made, 1);
      const [call] = callsOf(host, 'validation');
      return call?.envelope?.baseAddress !== service.url;
    },
  },
  'restart.filter-is-lost': {
    source: 'extensions: Call envelope',
    breaks: 'A retry has the information filter of the request, also behind a restart.',
    variant: ofFormerRun(),
    async shows(service) {
      const host = await service.host([event], first503);
      await service.edda.sendEvent('event', {}, { [headerNames.informationFilter]: encoded({ role: 'r' }) });
      await awaitCalls(host);
      await service.restart();
      await service.pass(3);
      const [, retry] = await awaitCalls(host, 2, 1500);
      return retry?.envelope?.informationFilter === encoded({});
    },
  },
};

function ofLatestUser(): Variant {
  return (classes) => {
    let latest: string | undefined;
    return together(
      changes('triggeredCalls', 'deliveryOf', (delivery) => {
        if (delivery.kind === 'event') latest = delivery.userName;
        return delivery;
      }),
      replaces('requests', 'extensionRequest', (right, areas, delivery, callee) =>
        right(
          areas,
          delivery.kind === 'event' ? { ...delivery, userName: latest ?? delivery.userName } : delivery,
          callee,
        ),
      ),
    )(classes);
  };
}

/** The same value with the names of all members begun by a small letter. */
function inCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inCamelCase);
  if (!isContent(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name.charAt(0).toLowerCase() + name.slice(1), inCamelCase(inner)]),
  );
}

function scheduleTask({ as }: Service, user: UserName, inputPath = 'in.csv'): Promise<Received> {
  return as(user).post('/api/space/main/dx', { recordId: 'task', inputPath, taskSettings: {} });
}

function withHostOfTheRequest(): Variant {
  const hosts = new Map<string, string>();
  return together(
    replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      if (call.headers['host'] !== undefined) hosts.set(triggered.id, call.headers['host']);
      return right(areas, call, triggered);
    }),
    changes('requests', 'extensionRequest', (request, _areas, delivery) => {
      const host = hosts.get(delivery.id);
      const envelope: unknown = JSON.parse(request.body ?? 'null');
      if (host === undefined || !isContent(envelope)) return request;
      return { ...request, body: JSON.stringify({ ...envelope, baseAddress: `http://${host}` }) };
    }),
  );
}

/** The filter of a delivery is kept in memory alone. */
function ofFormerRun(): Variant {
  let filters = new Map<string, string>();
  return together(
    breaks('triggeredCalls', 'deliveryOf', (right) => {
      filters = new Map();
      return (areas, call, triggered) => {
        const delivery = right(areas, call, triggered);
        filters.set(delivery.id, delivery.informationFilter);
        return delivery;
      };
    }),
    replaces('requests', 'extensionRequest', (right, areas, delivery, callee) =>
      right(areas, { ...delivery, informationFilter: filters.get(delivery.id) ?? encoded({}) }, callee),
    ),
  );
}
