import { randomUUID } from 'node:crypto';
import { jsonOf } from '../../../contract/json.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Undone } from '../../../reference-server/http/refusal.ts';
import type { Script } from '../../../simulator/extension/script.ts';
import { breaks, replaces, together, type Variant } from '../../breaks.ts';
import { always, awaitCalls, callsOf, callsTo, event, first503, mailer, mailPath } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { attempts, logEntries, sendEvents, waitForRetries } from '../proofs.ts';
import { at, listAt } from '../service.ts';
import { changes, withoutAlikes, withoutMarks } from '../variant-parts.ts';

export const eventsMistakes: Mistakes = {
  'events.of-personal-tokens-are-lost': {
    source: 'extensions: Events 1',
    breaks: 'An event that is taken leads to a call, by whichever credential it was set off.',
    variant: replaces('dispatcher', 'carryOutWrite', async (right, areas, route, call, writing) => {
      const answer = await right(areas, route, call, writing);
      const isPersonal = call.headers['authorization']?.includes('svcpat-') === true;
      if (isPersonal && route.path.endsWith('/externalEvent')) throw new Undone(answer);
      return answer;
    }),
    async shows(service) {
      const host = await service.host([event], always(200));
      const { status } = await service.nobody.sendEvent(
        'event',
        {},
        { authorization: 'Bearer svcpat-edda-7d1c0b9e5a' },
      );
      return status === 201 && (await awaitCalls(host, 1, 300)).length === 0;
    },
  },
  'calls.content-with-an-id-of-its-own': {
    source: 'extensions: Payloads by extension type',
    breaks: 'id of the payload is that of the event, whatever the content holds.',
    variant: changes('triggeredCalls', 'deliveryOf', (delivery) => {
      const id = at(delivery.payload, '/contentPayload/id');
      return delivery.kind !== 'event' || id === undefined
        ? delivery
        : { ...delivery, payload: { ...(delivery.payload as object), id } };
    }),
    async shows(service) {
      const host = await service.host([event]);
      await sendEvents(service, 1, { id: 'own' });
      return at((await awaitCalls(host))[0]?.envelope?.payload, '/id') === 'own';
    },
  },
  'deliveries.end-that-was-told-before': {
    source: 'extensions: Events',
    breaks: 'A log entry tells of every event that left the queue undelivered, the second one at its endpoint as well.',
    variant: breaks('deliveries', 'logEntriesFor', (right) => {
      const told = new Set<string>();
      return (areas, delivery, policy, outcome, step) => {
        const entries = right(areas, delivery, policy, outcome, step);
        const key = areas.policies.endpointKeyOf(delivery);
        if (step.kind !== 'failed') return entries;
        if (told.has(key)) return entries.filter(({ kind }) => kind !== 'removed');
        told.add(key);
        return entries;
      };
    }),
    survives: 'ledger log-access: that there is an entry is said, a way to read it is not',
    async shows(service) {
      const host = await service.host([{ id: 'event' }], always(400));
      await service.edda.sendEvent();
      await service.pass(1);
      await awaitCalls(host);
      await service.edda.sendEvent();
      await awaitCalls(host, 2);
      await service.pass(1, 3);
      return (await logEntries(service, 'removed')).length === 1;
    },
  },
  'deliveries.same-content-again': {
    source: 'extensions: Events',
    breaks: 'Success ends the service of that event alone: another one with the same content is delivered, too.',
    variant: takesForDelivered(),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], always(201));
      await service.edda.sendEvent('event', { text: 'same' });
      await awaitCalls(host);
      await service.pass(1);
      await service.edda.sendEvent('event', { text: 'same' });
      await service.pass(1);
      return (await awaitCalls(host, 2, 1500)).length === 1;
    },
  },
  'events.list-of-one-is-unpacked': {
    source: 'extensions: Events 1',
    breaks: 'The payload carries the content that is configured, a list with one value in it too.',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) =>
      right(areas, call, triggered.kind === 'event' ? { ...triggered, payload: inXml(triggered.payload) } : triggered),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      await service.edda.sendEvent('event', { inner: { list: ['one'] } });
      await service.pass(1);
      return !Array.isArray(at(callsTo(host)[0]?.envelope?.payload, '/contentPayload/inner/list'));
    },
  },
  'events.empty-content-is-the-last-one': {
    source: 'extensions: Events 1',
    breaks: 'The payload carries the content of its own event, also an empty one behind one that is not.',
    variant: breaks('triggeredCalls', 'deliveryOf', (right) => {
      const contents = new Map<string, unknown>();
      return (areas, call, triggered) => {
        const delivery = right(areas, call, triggered);
        const { kind, payload, recordId = '' } = delivery;
        if (kind !== 'event' || !isContent(payload)) return delivery;
        const { contentPayload: own } = payload;
        const isEmpty = isContent(own) && Object.keys(own).length === 0;
        const contentPayload = isEmpty ? (contents.get(recordId) ?? own) : own;
        contents.set(recordId, contentPayload);
        return { ...delivery, payload: { ...payload, contentPayload } };
      };
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      await service.edda.sendEvent('event', { first: 1 });
      await awaitCalls(host);
      await service.edda.sendEvent('event', {});
      const [, second] = await awaitCalls(host, 2);
      return at(second?.envelope?.payload, '/contentPayload/first') === 1;
    },
  },
  'events.second-of-one-request-id': {
    source: 'extensions: Events 1',
    breaks: 'Every event is delivered, also the second one that a client triggers under one correlation id.',
    variant: breaks('queue', 'enqueue', (right) => {
      const known = new Set<string>();
      return async (areas, writing, delivery) => {
        const key = `${delivery.recordId ?? delivery.registrationId} ${delivery.envelopeId}`;
        if (delivery.kind === 'event' && known.has(key)) return true;
        known.add(key);
        return right(areas, writing, delivery);
      };
    }),
    survives:
      'core: Common request headers, row X-Correlation-Id: it is unique per request; what becomes of a second request with one is not said.',
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      await service.edda.sendEvent('event', { number: 1 }, { 'X-Correlation-Id': 'same' });
      await service.edda.sendEvent('event', { number: 2 }, { 'X-Correlation-Id': 'same' });
      await service.pass(1, 2);
      return callsOf(host, 'event').length < 2;
    },
  },
  'retry.without-body': {
    source: 'extensions: Events 1',
    breaks: 'Each attempt to deliver an event carries the envelope.',
    museum: true,
    variant: changes('requests', 'requestFor', (request, _areas, _reading, _delivery, attempt) =>
      request === undefined || attempt === 1 ? request : { ...request, body: '' },
    ),
    async shows(service) {
      const { entries } = await attempts(service, first503);
      return entries[1]?.body.length === 0;
    },
  },
  'delivery.equal-events-once': {
    source: 'extensions: Events 1',
    breaks: 'Each event is delivered, also one whose content is that of another a moment ago.',
    variant: breaks('queue', 'enqueue', (right) => {
      const queued = new Map<string, number>();
      return async (areas, writing, delivery) => {
        const now = areas.clock.now();
        const key = JSON.stringify([
          delivery.registrationId,
          delivery.recordId,
          at(delivery.payload, '/contentPayload'),
        ]);
        const isTwin = delivery.kind === 'event' && now - (queued.get(key) ?? -Infinity) < 300_000;
        queued.set(key, now);
        return isTwin || right(areas, writing, delivery);
      };
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      for (let count = 0; count < 2; count += 1) await service.edda.sendEvent('event', { same: true });
      await service.pass(1);
      return callsTo(host).length < 2;
    },
  },
  'events.once-for-each-role': {
    source: 'extensions: Events 1',
    breaks: 'An event is delivered once, however many roles the user has who triggered it.',
    variant: replaces('queue', 'enqueue', async (right, areas, writing, delivery) => {
      const space = areas.configuration.spaces.get(delivery.spaceId);
      const user = areas.configuration.users.get(delivery.userName);
      const isEvent = delivery.kind === 'event' && space !== undefined && user !== undefined;
      const further = isEvent ? areas.auth.rolesOf(user, space).slice(1) : [];
      const queued = await right(areas, writing, delivery);
      for (const _role of further) await right(areas, writing, { ...delivery, id: randomUUID() });
      return queued;
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      await service.emil.sendEvent();
      await service.pass(1, 2);
      return callsOf(host, 'event').length > 1;
    },
  },
  'events.from-the-first-space': {
    source: 'extensions: Events 1',
    breaks: 'The envelope of an event names the space that the event is from, whichever that is.',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { kind, payload } = triggered;
      if (kind !== 'event' || !isContent(payload)) return right(areas, call, triggered);
      const [spaceId = ''] = areas.configuration.spaces.keys();
      return right(areas, call, { ...triggered, payload: { ...payload, spaceId } });
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      await service.edda.post('/api/space/depot/externalEvent', { recordId: 'event', contentPayload: {} });
      await service.pass(1);
      return at(callsOf(host, 'event')[0]?.json, '/payload/spaceId') === 'main';
    },
  },
  'events.error-in-a-success': {
    source: 'extensions: Events 2',
    breaks: 'An event that is answered with 200 was received, whatever the body says.',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isError = outcome.kind === 'answered' && outcome.status === 200 && outcome.body.includes('"error"');
      return right(areas, delivery, policy, isError ? { ...outcome, status: 500 } : outcome);
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], always({ status: 200, json: { error: 'none' } }));
      await sendEvents(service);
      await service.pass(3, 2);
      return callsTo(host).length > 1;
    },
  },
  'mail.created-at-the-second-try': {
    source: 'extensions: Events 2; Calls to extensions, row Email',
    breaks: 'A mail that is answered by 201 is sent, also when it was sent again before.',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isCreated = outcome.kind === 'answered' && outcome.status === 201;
      const isLate = delivery.kind === 'email' && delivery.attempts > 0;
      return right(areas, delivery, policy, isCreated && isLate ? { ...outcome, status: 503 } : outcome);
    }),
    async shows(service) {
      const script: Script = [{ steps: [{ status: 503 }, { status: 201 }], afterwards: 'last' }];
      const host = await service.host([mailer], script);
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };
      await service.edda.post(mailPath, mail);
      await awaitCalls(host);
      await service.pass(1, 10);
      return (await awaitCalls(host, 3, 500)).length > 2;
    },
  },
  'events.status-in-the-body': {
    source: 'extensions: Events 2',
    breaks: 'An event is delivered by 200, and not sent again, whatever status the body speaks of.',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const said = outcome.kind === 'answered' ? Number(at(jsonOf(outcome.body), '/statusCode')) : NaN;
      const isOther = delivery.kind === 'event' && outcome.kind === 'answered' && said >= 500;
      return right(areas, delivery, policy, isOther ? { ...outcome, status: said } : outcome);
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], always({ status: 200, json: { statusCode: 500 } }));
      await service.edda.sendEvent();
      await service.pass(1, 4);
      return callsTo(host).length > 1;
    },
  },
  'events.success-with-an-error-in-its-body': {
    source: 'extensions: Events 2',
    breaks: 'A 200 is a success, whatever its body says.',
    variant: replaces('policies', 'isDelivered', (right, areas, kind, outcome) => {
      const isDoubted = outcome.kind === 'answered' && kind === 'event' && outcome.body.includes('"error"');
      return right(areas, kind, outcome) && !isDoubted;
    }),
    survives:
      'Ledger log-access: the event goes out once either way; what tells a failure from a success is the log alone, and how to read that is not shown.',
    async shows(service) {
      await service.host([{ id: 'event' }], always({ status: 200, json: { error: null } }));
      await service.edda.sendEvent();
      await service.pass(1, 2);
      return (await logEntries(service, 'failed')).length > 0;
    },
  },
  'retry.after-success-without-json': {
    source: 'extensions: Events 2',
    breaks: 'A 200 ends the delivery, whatever is in its body.',
    museum: true,
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isUnread = outcome.kind === 'answered' && outcome.status < 300 && !isJson(outcome.body);
      return right(areas, delivery, policy, isUnread ? { kind: 'failed', reason: 'no JSON' } : outcome);
    }),
    async shows(service) {
      const { entries } = await attempts(service, [{ steps: [{ status: 200, text: 'ok' }] }]);
      return entries.length > 1;
    },
  },
  'events.acknowledged-in-words': {
    source: 'extensions: Events 2',
    breaks: 'Status 200 is success, whatever else the answer says, and such an event is not sent again.',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isDoubted = outcome.kind === 'answered' && outcome.status === 200 && /^[^{["]/.test(outcome.body);
      return right(areas, delivery, policy, isDoubted ? { ...outcome, status: 503 } : outcome);
    }),
    async shows(service) {
      const script = [{ steps: [{ status: 200, text: 'received' }], afterwards: 'last' as const }];
      const host = await service.host([{ id: 'event' }], script);
      await service.edda.sendEvent();
      await service.pass(1, 5);
      return callsTo(host).length > 1;
    },
  },
  'retries.the-last-one-comes-too-late': {
    source: 'extensions: Events 2',
    breaks: 'A call that succeeds in its fifth retry has succeeded.',
    variant: changes('policies', 'nextStepOf', (step, _areas, delivery, policy) =>
      step.kind === 'delivered' && delivery.attempts >= policy.retries ? { kind: 'failed' } : step,
    ),
    async shows(service) {
      const steps = Array.from({ length: 5 }, () => ({ status: 503 }));
      const host = await service.host([{ id: 'event' }], [{ steps }]);
      await service.edda.sendEvent();
      await service.pass(1);
      await waitForRetries(service, host, 5);
      await service.pass(1, 3);
      return (await logEntries(service, 'failed')).length > 0;
    },
  },
  'events.false-is-left-out': {
    source: 'extensions: Payloads by extension type',
    breaks: 'An event tells the content that is configured, false and 0 as well.',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const delivery = right(areas, call, triggered);
      const { payload } = delivery;
      if (!isContent(payload) || !isContent(payload['contentPayload'])) return delivery;
      const some = Object.entries(payload['contentPayload']).filter(([, value]) => value !== false && value !== 0);
      return { ...delivery, payload: { ...payload, contentPayload: Object.fromEntries(some) } };
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      await service.edda.sendEvent('event', { so: true, not: false });
      const [call] = await awaitCalls(host);
      return at(call?.json, '/payload/contentPayload/not') !== false;
    },
  },
  'events.marks-of-serialisers-are-lost': {
    source: 'extensions: Payloads by extension type, row ExternalEvent',
    breaks: 'Any JSON is content of an event, also with members that the serialiser has a meaning of its own for.',
    variant: tells(withoutMarks),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      await service.edda.sendEvent('event', { of: { $type: 'a' } });
      const [call] = await awaitCalls(host);
      return at(call?.json, '/payload/contentPayload/of/$type') !== 'a';
    },
  },
  'events.names-in-any-case': {
    source: 'extensions: Payloads by extension type, row ExternalEvent',
    breaks: 'Any JSON is content of an event, also with names that differ in the case of letters alone.',
    variant: tells(withoutAlikes),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      await service.edda.sendEvent('event', { one: 1, One: 2 });
      const [call] = await awaitCalls(host);
      return at(call?.json, '/payload/contentPayload/one') !== 1;
    },
  },
  'events.content-of-thirty-levels': {
    source: 'extensions: Payloads by extension type, row ExternalEvent',
    breaks: 'The content payload is the configured JSON, below thirty levels as well.',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) =>
      right(
        areas,
        call,
        triggered.kind === 'event' ? { ...triggered, payload: cut(triggered.payload, 31) } : triggered,
      ),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      const content = Array.from({ length: 40 }).reduce<unknown>((deep) => ({ deep }), 'deep');
      await service.edda.sendEvent('event', content);
      return !JSON.stringify((await awaitCalls(host))[0]?.envelope?.payload).includes('"deep":"deep"');
    },
  },
};

/** A value as it comes back from XML. */
function inXml(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = listAt(value, '').map(inXml);
    return items.length === 1 ? items[0] : items;
  }
  if (!isContent(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inXml(inner)]));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Sends nothing again that has the content of what was acknowledged with 201. */
function takesForDelivered(): Variant {
  const delivered = new Set<string>();
  return together(
    replaces('deliveryEnds', 'deliveryEnded', async (right, areas, writing, delivery, end, outcome) => {
      await right(areas, writing, delivery, end, outcome);
      if (outcome?.kind !== 'answered' || outcome.status !== 201) return;
      delivered.add(
        `${areas.policies.endpointKeyOf(delivery)} ${JSON.stringify(at(delivery.payload, '/contentPayload'))}`,
      );
    }),
    replaces('queue', 'enqueue', async (right, areas, writing, delivery) => {
      const content = JSON.stringify(at(delivery.payload, '/contentPayload'));
      if (delivery.kind === 'event' && delivered.has(`${areas.policies.endpointKeyOf(delivery)} ${content}`))
        return true;
      return right(areas, writing, delivery);
    }),
  );
}

/** Events are told with something else made of their payload. */
function tells(otherwise: (payload: unknown) => unknown): Variant {
  return changes('requests', 'payloadOf', (payload, _areas, { kind }) =>
    kind === 'event' ? otherwise(payload) : payload,
  );
}

/** Without what is further below than so many levels. */
function cut(value: unknown, levels: number): unknown {
  if (!isContent(value)) return value;
  if (levels === 0) return {};
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cut(member, levels - 1)]));
}
