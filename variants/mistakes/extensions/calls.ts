import { randomUUID } from 'node:crypto';
import { isContent } from '../../../reference-server/areas/content.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import {
  action,
  actionPath,
  always,
  awaitCalls,
  awaitCallsOf,
  callsOf,
  callsTo,
  event,
  mail,
  mailer,
  mailPath,
  quietMs,
  task,
} from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { claimsIn, runAction, sendEvents, waitForRetries } from '../proofs.ts';
import { at, hostKey, listAt, many, type Service } from '../service.ts';
import { changes } from '../variant-parts.ts';

export const callsMistakes: Mistakes = {
  'calls.encoded-slash-divides': {
    source: 'extensions: Calls to extensions',
    breaks: 'The endpoint of the record is called, a slash that is encoded within a name of it included.',
    variant: changes('callees', 'calleeOf', (callee) =>
      callee !== undefined && 'record' in callee ? { ...callee, url: callee.url.replaceAll(/%2f/gi, '/') } : callee,
    ),
    async shows(service) {
      const host = await service.host([{ ...event, endpoint: '/a%2Fb' }]);
      await sendEvents(service);
      return (await awaitCalls(host))[0]?.path === '/a/b';
    },
  },
  'events.times-in-utc': {
    source: 'extensions: Payloads by extension type, row ExternalEvent',
    breaks: 'The content of an event is the JSON that was configured, also a text that is a time.',
    variant: changes('triggeredCalls', 'deliveryOf', (delivery) => {
      const text = JSON.stringify(delivery.payload ?? null);
      const time = /"\d{4}-\d\d-\d\dT[^"]*[+-]\d\d:\d\d"/g;
      const payload: unknown = JSON.parse(text.replace(time, (found) => JSON.stringify(new Date(JSON.parse(found)))));
      return delivery.kind === 'event' ? { ...delivery, payload } : delivery;
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      const time = '2026-05-01T10:00:00+02:00';
      await sendEvents(service, 1, { time });
      return at(callsTo(host)[0]?.json, '/payload/contentPayload/time') !== time;
    },
  },
  'calls.context-goes-with-a-selection-only': {
    source: 'extensions: Payloads by extension type',
    breaks: 'A ribbon action in the object context module has its context object, be nothing selected.',
    variant: replaces('triggers', 'ribbonPayload', async (right, areas, call, reading, body, selected) => {
      return selected === undefined ? { contentPayload: {} } : right(areas, call, reading, body, selected);
    }),
    async shows(service) {
      const host = await service.host([{ id: 'a', extensionType: 'ExternalAction' }]);
      const { edda } = service;
      const made = await edda.make('Part');
      await edda.post('/api/space/main/externalAction/a', { kind: 'ribbon', contextObjectId: made.oid });
      const [entry] = await awaitCallsOf(host, 'action', 1);
      return at(entry?.json, '/payload/contentPayload/contextObject/$oid') !== made.oid;
    },
  },
  'calls.mail-fits-into-255-characters': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The subject of a mail arrives whole.',
    variant: changes('requests', 'payloadOf', (payload, _areas, delivery) => {
      if (delivery.kind !== 'email') return payload;
      return { ...(payload as object), subject: String(at(payload, '/subject')).slice(0, 255) };
    }),
    async shows(service) {
      const host = await service.host([{ id: 'm', extensionType: 'Email' }]);
      const subject = many(300, () => 's').join('');
      await service.edda.post(mailPath, { to: 'a@b.c', subject, body: 'b' });
      const [entry] = await awaitCallsOf(host, 'email', 1);
      return at(entry?.json, '/payload/subject') !== subject;
    },
  },
  'calls.subject-in-three-bytes': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The subject of a mail arrives as it was composed, characters beyond the first plane too.',
    variant: changes('requests', 'payloadOf', (payload, _areas, delivery) =>
      delivery.kind === 'email'
        ? {
            ...(payload as object),
            subject: String(at(payload, '/subject')).replaceAll(/[\u{10000}-\u{10ffff}]/gu, '?'),
          }
        : payload,
    ),
    async shows(service) {
      const host = await service.host([{ id: 'm', extensionType: 'Email' }]);
      await service.edda.post(mailPath, { to: 'a@b.c', subject: '😀', body: 'b' });
      const [entry] = await awaitCallsOf(host, 'email', 1);
      return at(entry?.json, '/payload/subject') === '?';
    },
  },
  'payload.space-of-the-event-before': {
    source: 'extensions: Payloads by extension type, ExternalEvent',
    breaks: 'An event tells the space that it was triggered in, whichever the one before it came from.',
    variant: breaks('triggeredCalls', 'deliveryOf', (right) => {
      const spaces = new Map<unknown, unknown>();
      return (areas, call, triggered) => {
        const delivery = right(areas, call, triggered);
        if (triggered.kind !== 'event') return delivery;
        const key = triggered.registrationId;
        spaces.set(key, spaces.get(key) ?? call.space.id);
        return { ...delivery, payload: { ...Object(delivery.payload), spaceId: spaces.get(key) } };
      };
    }),
    async shows(service) {
      const host = await service.host([event]);
      const { edda } = service;
      await edda.sendEvent();
      await awaitCalls(host);
      await edda.post('/api/space/depot/externalEvent', { recordId: 'event' });
      const [, second] = await awaitCalls(host, 2);
      return at(second?.envelope?.payload, '/spaceId') === 'main';
    },
  },
  'calls.mail-without-a-subject': {
    source: 'extensions: Payloads by extension type',
    breaks: 'A mail has its four members, also where one of them is a text without characters.',
    survives:
      'In which form a member comes that has nothing to tell is not said (optional-payload-members): calls.email.payload-fields records that of a subject without characters.',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { kind, payload } = triggered;
      if (kind !== 'email' || !isContent(payload)) return right(areas, call, triggered);
      const members = Object.entries(payload).filter(([, value]) => value !== '');
      return right(areas, call, { ...triggered, payload: Object.fromEntries(members) });
    }),
    async shows(service) {
      const host = await service.host([mailer]);
      const mail = { recordId: 'mail', to: 'a@b.example', subject: '', body: 'body' };
      await service.edda.post(mailPath, mail);
      await service.pass(1);
      const [call] = callsTo(host);
      return call !== undefined && at(call.json, '/payload/subject') !== '';
    },
  },
  'calls.filter-of-an-action': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The information filter in the payload of an action is Base64.',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { kind, payload } = triggered;
      if (kind !== 'action' || !isContent(payload)) return right(areas, call, triggered);
      const informationFilter = Buffer.from(String(payload['informationFilter']), 'base64').toString();
      return right(areas, call, { ...triggered, payload: { ...payload, informationFilter } });
    }),
    async shows(service) {
      const host = await service.host([action]);
      await runAction(service, { kind: 'ribbon' });
      return at(callsTo(host)[0]?.json, '/payload/informationFilter') === '{}';
    },
  },
  'calls.first-of-form-batch': {
    source: 'extensions: Payloads by extension type',
    breaks:
      'The content of a form action is the payload that the service would have sent, all operations of a batch included.',
    variant: replaces('triggers', 'formPayload', (right, areas, body) => {
      const { contentPayload } = body;
      return right(areas, Array.isArray(contentPayload) ? { ...body, contentPayload: contentPayload[0] } : body);
    }),
    async shows(service) {
      const contentPayload = ['one', 'two'].map((name) => ({
        method: 'POST',
        href: '/api/space/main/softtype/Part/partInput',
        body: { name },
      }));
      const form = { kind: 'form', requestedRoute: '/api/space/main/batch', httpVerb: 'POST', contentPayload };
      return listAt(await payloadOfAction(service, form), '/contentPayload').length !== 2;
    },
  },
  'calls.subject-escaped-with-its-body': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The subject of a mail is as it was composed, also where its body is HTML.',
    variant: changes('requests', 'payloadOf', (payload, _areas, delivery) => {
      if (delivery.kind !== 'email' || !isContent(payload) || !String(payload['body']).startsWith('<')) return payload;
      return { ...payload, subject: String(payload['subject']).replaceAll('&', '&amp;') };
    }),
    async shows(service) {
      const host = await service.host([mailer]);
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 'Q & A', body: '<p>text</p>' };
      await service.edda.post(mailPath, mail);
      await service.pass(1, 2);
      return at(callsTo(host)[0]?.json, '/payload/subject') === 'Q &amp; A';
    },
  },
  'calls.id-of-an-event': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The id in the payload of an event is that of the event, not that of the request.',
    survives:
      'What names the resource of an event is not said (trigger-event-binding): a correlation id, which is unique per request, may.',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { payload } = triggered;
      if (triggered.kind !== 'event' || !isContent(payload)) return right(areas, call, triggered);
      return right(areas, call, { ...triggered, payload: { ...payload, id: call.correlationId } });
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      const event = await service.edda.sendEvent();
      await service.pass(1);
      const id = event.headers.get('location')?.split('/').at(-1);
      return at(callsTo(host)[0]?.json, '/payload/id') !== id;
    },
  },
  'deliveries.other-id-on-a-retry': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The id in the payload is that of the event, in each attempt.',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      if (delivery.kind !== 'event' || attempt === 1) return right(areas, delivery, callee, attempt);
      const payload = { ...Object(delivery.payload), id: randomUUID() };
      return right(areas, { ...delivery, payload }, callee, attempt);
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], [{ steps: [{ status: 503 }], afterwards: 'default' }]);
      await service.edda.sendEvent();
      await awaitCalls(host);
      await service.pass(1, 3);
      const [first, second] = await awaitCalls(host, 2);
      return at(first?.json, '/payload/id') !== at(second?.json, '/payload/id');
    },
  },
  'retries.the-third-attempt-is-encoded-twice': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The content of an event is an object in every attempt to deliver it.',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      const { payload } = delivery;
      if (attempt < 3 || delivery.kind !== 'event' || !isContent(payload))
        return right(areas, delivery, callee, attempt);
      const contentPayload = JSON.stringify(payload['contentPayload']);
      return right(areas, { ...delivery, payload: { ...payload, contentPayload } }, callee, attempt);
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], [{ steps: [{ status: 503 }, { status: 503 }] }]);
      await service.edda.sendEvent('event', { a: 1 });
      await service.pass(1);
      await waitForRetries(service, host, 2);
      return typeof at(callsTo(host)[2]?.envelope?.payload, '/contentPayload') === 'string';
    },
  },
  'calls.batch-of-a-form-by-roles': {
    source: 'extensions: Payloads by extension type',
    breaks: 'A form that sends a batch has the array as its payload, whatever roles its user has.',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { payload } = triggered;
      const content = at(payload, '/contentPayload');
      const roles = areas.auth.rolesOf(call.user, call.space);
      if (roles.length < 2 || !Array.isArray(content)) return right(areas, call, triggered);
      return right(areas, call, { ...triggered, payload: { ...(payload as object), contentPayload: { ...content } } });
    }),
    async shows(service) {
      const host = await service.host([action]);
      await service.emil.post(actionPath, {
        kind: 'form',
        requestedRoute: '/api/space/main/batch',
        httpVerb: 'POST',
        contentPayload: [{ method: 'GET', href: '/api/space/main/softtype/one' }],
      });
      const [entry] = callsOf(host, 'action');
      return entry !== undefined && !Array.isArray(at(entry.json, '/payload/contentPayload'));
    },
  },
  'calls.mail-of-the-first-caller': {
    source: 'extensions: Payloads by extension type',
    breaks: 'An action is told the address of whoever triggers it, whoever did so before.',
    variant: breaks('triggeredCalls', 'deliveryOf', (right) => {
      const addresses = new Map<string | undefined, unknown>();
      return (areas, call, triggered) => {
        const { kind, payload, recordId } = triggered;
        if (kind !== 'action' || !isContent(payload)) return right(areas, call, triggered);
        const email = addresses.get(recordId) ?? payload['email'];
        addresses.set(recordId, email);
        return right(areas, call, { ...triggered, payload: { ...payload, email } });
      };
    }),
    async shows({ host, edda, emil }) {
      const called = await host([action]);
      for (const user of [edda, emil]) await user.post(actionPath, { kind: 'ribbon' });
      const [first, second] = callsTo(called).map(({ json }) => at(json, '/payload/email'));
      return first === second && claimsIn(callsTo(called)[1]) !== null;
    },
  },
  'calls.mail-is-sent-again-after-201': {
    source: 'extensions: Calls to extensions',
    breaks: 'A mail is delivered with 201 as with 200.',
    variant: together(
      replaces(
        'policies',
        'isDelivered',
        (right, areas, kind, outcome) =>
          right(areas, kind, outcome) && !(kind === 'email' && outcome.kind === 'answered' && outcome.status === 201),
      ),
      replaces(
        'policies',
        'isTransient',
        (right, areas, outcome) => right(areas, outcome) || (outcome.kind === 'answered' && outcome.status === 201),
      ),
    ),
    async shows(service) {
      const script = [{ when: { kind: 'email' }, steps: [{ status: 201 }], afterwards: 'last' as const }];
      const host = await service.host([{ id: 'm', extensionType: 'Email' }], script);
      await service.edda.post(mailPath, { to: 'a@b.c', subject: 's', body: 'b' });
      await awaitCallsOf(host, 'email', 1);
      await service.pass(2);
      return (await awaitCallsOf(host, 'email', 2, quietMs)).length > 1;
    },
  },
  'host.base-path-is-lost': {
    source: 'extensions: Calls to extensions',
    breaks: 'A record is called below the hostUri, whose path stays in front of its endpoint.',
    museum: true,
    variant: changes('callees', 'calleeOf', (callee) => {
      if (callee === undefined || !('record' in callee)) return callee;
      return { ...callee, url: new URL(callee.record.endpoint, callee.extension.hostUri).href };
    }),
    async shows(service) {
      const host = await service.host([]);
      const named = { id: 'taken', name: 'taken', version: '1.0.0', endpoint: '/taken' };
      const json = [{ ...named, extensionType: 'ExternalEvent', category: 'proof' }];
      host.setScript([{ when: { kind: 'other', method: 'GET' }, steps: [{ status: 200, json }] }]);
      const body = { hostUri: `${host.url}/below/this`, apiKey: hostKey, tokenLifeTime: 60 };
      await service.cora.post('/api/admin/svcExtension', body);
      await service.edda.sendEvent('taken');
      const [, entry] = await awaitCalls(host, 2);
      return entry?.target !== '/below/this/taken';
    },
  },
  'calls.first-record-of-a-type': {
    source: 'extensions: Calls to extensions',
    breaks: 'A call goes to the endpoint of its record, also where the host has several records of the type.',
    variant: replaces('callees', 'calleeOf', async (right, areas, reading, named) => {
      const callee = await right(areas, reading, named);
      if (callee === undefined || !('record' in callee)) return callee;
      const { extensionType } = callee.record;
      const first = callee.extension.records.find((record) => record.extensionType === extensionType);
      const other = first && (await right(areas, reading, { ...named, recordId: first.id }));
      return { ...callee, url: other?.url ?? callee.url };
    }),
    async shows(service) {
      const host = await service.host(['one', 'two'].map((id) => ({ id, endpoint: `/${id}` })));
      await service.edda.sendEvent('two');
      await service.pass(1, 2);
      return callsTo(host).some(({ path }) => path === '/one');
    },
  },
  'calls.no-query-token-on-a-retry': {
    source: 'extensions: Calls to extensions, last sentence',
    breaks: 'The call of a mail has the token in its query each time that it is tried.',
    variant: changes('requests', 'requestFor', (request, _areas, delivery, _callee, attempt) => {
      if (attempt === 1 || delivery.kind !== 'email') return request;
      return { ...request, url: request.url.replace(/[?&]access_token=[^&]*/, '') };
    }),
    async shows(service) {
      const host = await service.host([mailer], always(503));
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };
      await service.edda.post(mailPath, mail);
      await service.pass(1, 5);
      return callsTo(host).some(({ target }) => !target.includes('token='));
    },
  },
  'calls.path-of-the-host': {
    source: 'extensions: Calls to extensions',
    breaks: 'The endpoint is relative to the host, whose path counts for mail as for all calls.',
    variant: replaces('requests', 'extensionRequest', (right, areas, delivery, callee) => {
      const { extension, record } = callee;
      const url = new URL(record.endpoint, extension.hostUri).href;
      return right(areas, delivery, delivery.kind === 'email' ? { ...callee, url } : callee);
    }),
    async shows(service) {
      const record = {
        id: 'mail',
        version: '1.0.0',
        name: 'mail',
        endpoint: '/mail',
        extensionType: 'Email',
        category: 'proof',
      };
      const host = await service.host([], ({ method }) => ({
        status: 200,
        ...(method === 'GET' && { json: [record] }),
      }));
      const body = { hostUri: `${host.url}/base`, apiKey: hostKey, tokenLifeTime: 60 };
      await service.cora.post('/api/admin/svcExtension', body);
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 'path', body: 'text' };
      await service.edda.post(mailPath, mail);
      const [call] = await host.await(({ method }) => method === 'POST', 1, AbortSignal.timeout(4000));
      return call?.target.startsWith('/mail') ?? false;
    },
  },
  'calls.token-of-a-retry': {
    source: 'extensions: Calls to extensions',
    breaks: 'The call of a task has the token in its query, also when it is made again.',
    variant: changes('requests', 'requestFor', (request, _areas, delivery, callee, attempt) =>
      attempt > 1 && delivery.kind === 'task' ? { ...request, url: callee.url } : request,
    ),
    async shows(service) {
      const host = await service.host([task], [{ steps: [{ status: 503 }] }]);
      await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'input.csv' });
      await service.pass(2, 3);
      return callsTo(host)[1]?.target.includes('token') === false;
    },
  },
  'calls.a-mail-for-each-role': {
    source: 'extensions: Calls to extensions',
    breaks: 'A mail is one call, also when its sender has roles on several participants.',
    variant: replaces('queue', 'enqueue', async (right, areas, writing, delivery) => {
      const user = areas.configuration.users.get(delivery.userName);
      const space = areas.configuration.spaces.get(delivery.spaceId);
      const roles = user === undefined || space === undefined ? [] : areas.auth.rolesOf(user, space);
      if (delivery.kind === 'email')
        for (const _role of roles.slice(1)) await right(areas, writing, { ...delivery, id: randomUUID() });
      return right(areas, writing, delivery);
    }),
    async shows(service) {
      const host = await service.host([mailer]);
      await service.emil.post(mailPath, mail);
      await service.pass(1, 3);
      return callsOf(host, 'email').length > 1;
    },
  },
  'events.created-at-the-second-attempt': {
    source: 'extensions: Calls to extensions, row ExternalEvent',
    breaks: 'An event that is acknowledged by 201 is not sent again, also when that was a retry.',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isMissed = delivery.attempts > 0 && outcome.kind === 'answered' && outcome.status === 201;
      return right(areas, delivery, policy, isMissed ? { ...outcome, status: 503 } : outcome);
    }),
    async shows(service) {
      const script = [{ steps: [{ status: 503 }, { status: 201 }], afterwards: 'last' as const }];
      const host = await service.host([{ id: 'event' }], script);
      await service.edda.sendEvent();
      await service.pass(5, 4);
      return callsOf(host, 'event').length > 2;
    },
  },
  'calls.slash-at-the-end-of-the-endpoint': {
    source: 'extensions: Calls to extensions',
    breaks: 'The path of a call ends with the endpoint of the record, also where that ends with a slash.',
    variant: changes('callees', 'calleeOf', async (callee) =>
      callee !== undefined && 'record' in callee ? { ...callee, url: callee.url.replace(/\/$/, '') } : callee,
    ),
    async shows(service) {
      const host = await service.host([{ ...event, endpoint: '/event/' }]);
      await service.edda.sendEvent('event');
      await service.pass(1);
      return host.entries().some(({ target }) => target === '/event');
    },
  },
};

/** What the host of an action gets. */
async function payloadOfAction(service: Service, body: object): Promise<unknown> {
  const host = await service.host([action]);
  await service.edda.post(actionPath, body);
  return callsOf(host, 'action')[0]?.envelope?.payload;
}
