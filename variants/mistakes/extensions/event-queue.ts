import { startExtensionHost } from '../../../simulator/extension/host.ts';
import type { Delivery } from '../../../reference-server/ports/deliveries.ts';
import { breaks, replaces, together, type Variant } from '../../breaks.ts';
import { always, awaitCalls, callsOf, callsTo, event, first503 } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { becomes, callsOnceDue, changeExtension, eventsPath, logEntries, registerEndpoint } from '../proofs.ts';
import { at, listAt } from '../service.ts';
import { changes, perServer } from '../variant-parts.ts';

export const eventQueueMistakes: Mistakes = {
  'delivery.due-and-deleted-while-off-goes-out': {
    source: 'extensions: Events 3',
    breaks: 'An event that a user deletes is cancelled, also while its extension is switched off.',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      if (delivery === undefined || delivery.readyAt !== undefined) return right(areas, writing, id);
      const entry = areas.deliveryLog.entryOf(delivery, undefined, 'cancelled', 'cancelled by a user');
      await areas.deliveryLog.logEntry(writing, entry);
      return true;
    }),
    async shows(service) {
      const host = await service.host([event], first503);
      const { headers } = await service.edda.sendEvent();
      await awaitCalls(host);
      await becomes(async () => (await logEntries(service, 'transient-error')).length > 0);
      await changeExtension(service, { hostUri: host.url, active: false });
      await service.pass(3);
      await service.edda.delete(headers.get('location') ?? '');
      await changeExtension(service, { hostUri: host.url, active: true });
      await service.pass(1);
      return (await awaitCalls(host, 2, 1000)).length === 2;
    },
  },
  'events.deleted-in-a-pause-goes-out': {
    source: 'extensions: Events 3',
    breaks: 'An event that a user deletes is cancelled, also while a rate limit holds it back.',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      const isHeld = delivery?.attempts === 0 && (delivery.readyAt ?? 0) > areas.clock.now();
      return isHeld && delivery.leaseOwner === undefined ? false : right(areas, writing, id);
    }),
    shows: async (service) => {
      const host = await service.host([{ id: 'limited', rateLimitNumberOfExecutions: 1 }]);
      await service.edda.sendEvent('limited');
      const second = await service.edda.sendEvent('limited');
      await service.pass(1);
      await service.edda.delete(second.headers.get('location') ?? '');
      await service.pass(130);
      return callsOf(host, 'event').length > 1;
    },
  },
  'log.equal-entries-once': {
    source: 'extensions: Events 3',
    breaks: 'For each event whose delivery fails a log entry is written, also where another one just failed alike.',
    survives: 'How the log is read, and what an entry looks like, is not said (log-access): recorded.',
    variant: breaks('deliveryLog', 'logEntry', (right) => {
      const latest = new Map<string, number>();
      return async (areas, writing, entry) => {
        const key = `${entry.kind} ${entry.endpoint} ${entry.message}`;
        const isRepeated = entry.at - (latest.get(key) ?? -Infinity) < 1000;
        latest.set(key, entry.at);
        if (!isRepeated) await right(areas, writing, entry);
      };
    }),
    async shows(service) {
      await service.host([{ id: 'event' }], always(400));
      for (const _number of [1, 2]) await service.edda.sendEvent();
      await service.pass(1);
      return (await logEntries(service, 'removed')).length === 1;
    },
  },
  'delivery.deleted-between-retries': {
    source: 'extensions: Events 3',
    breaks: 'An event that a user deletes is cancelled, also when it was retried several times before.',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      return delivery !== undefined && delivery.attempts >= 2 ? true : right(areas, writing, id);
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], always(503));
      const event = await service.edda.sendEvent();
      await service.pass(1, 8);
      await service.edda.delete(event.headers.get('location') ?? '');
      const before = callsOf(host, 'event').length;
      await service.pass(10, 6);
      return callsOf(host, 'event').length > before;
    },
  },
  'events.failed-ones-come-back': {
    source: 'extensions: Events 3',
    breaks: 'An event whose delivery has failed is out of the queue, also when its extension is updated.',
    variant: replaces('queue', 'removeDelivery', async (right, areas, writing, delivery, end, outcome) => {
      if (end !== 'failed' || delivery.kind !== 'event') return right(areas, writing, delivery, end, outcome);
      await writing.parkDelivery(delivery.id);
      await areas.deliveryEnds.deliveryEnded(writing, delivery, end, outcome);
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], always(400));
      await service.edda.sendEvent();
      await service.pass(1);
      await changeExtension(service, { hostUri: host.url });
      await service.pass(1, 10);
      return callsTo(host).length > 1;
    },
  },
  'cancel.retry-goes-on': {
    source: 'extensions: Events 3',
    breaks: 'An event that a user deletes is cancelled, also while it waits for a retry.',
    museum: true,
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      return delivery !== undefined && delivery.attempts > 0 ? true : right(areas, writing, id);
    }),
    async shows(service) {
      const host = await service.host([{ id: 'taken' }]);
      host.setScript(first503);
      const { headers, json } = await service.edda.sendEvent('taken');
      await awaitCalls(host);
      await service.pass(1);
      const path = headers.get('location') ?? `/api/space/main/externalEvent/${String(at(json, '/id'))}`;
      await service.edda.delete(path);
      await service.pass(3);
      return (await callsOnceDue(service, host)).length > 1;
    },
  },
  'events.deletable-from-another-space': {
    source: 'extensions: Events 3; core: What the service does',
    breaks: 'An event of a space is not deleted by whoever has a role in another one only, whatever the answer is.',
    variant: replaces('dispatcher', 'carryOutWrite', async (right, areas, route, call, writing) => {
      if (call.method !== 'DELETE' || !route.path.endsWith('/externalEvent/{eventId}'))
        return right(areas, route, call, writing);
      await areas.queue.cancelDelivery(writing, call.params['eventId'] ?? '');
      return { status: 204 };
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], first503);
      const { headers } = await service.edda.sendEvent();
      await awaitCalls(host);
      await service.otto.delete((headers.get('location') ?? '').replace('/space/main/', '/space/depot/'));
      await service.pass(3);
      return (await callsOnceDue(service, host)).length === 1;
    },
  },
  'delivery.removal-of-held': {
    source: 'extensions: Events 3',
    breaks:
      'An event that a user deletes leaves a log entry, also when it waits for the end of a pause and was never sent.',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      if (delivery === undefined || delivery.attempts > 0) return right(areas, writing, id);
      await areas.queue.removeDelivery(writing, delivery, 'cancelled');
      return true;
    }),
    async shows({ host, edda, pass, cora }) {
      await host([{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      await edda.sendEvent();
      const held = await edda.sendEvent();
      await pass(0.01);
      await edda.delete(held.headers.get('location') ?? '');
      const log = (await cora.get('/api/admin/log')).json;
      return !listAt(log, '/data').some((entry) => at(entry, '/kind') === 'cancelled');
    },
  },
  'log.cancelled-between-retries': {
    source: 'extensions: Events 3',
    breaks: 'When a user deletes an event a log entry is written, also for one that was tried before.',
    survives:
      'How the log is read, and which of them tells of deletions, is not said (log-access): that none does is remarked on.',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      if (delivery === undefined || delivery.attempts === 0) return right(areas, writing, id);
      await areas.queue.removeDelivery(writing, delivery, 'cancelled');
      return true;
    }),
    async shows(service) {
      await service.host([{ id: 'event' }], always(503));
      const event = await service.edda.sendEvent();
      await service.pass(1, 4);
      await service.edda.delete(event.headers.get('location') ?? '');
      return (await logEntries(service, 'cancelled')).length === 0;
    },
  },
  'log.cancelled-while-off': {
    source: 'extensions: Events 3',
    breaks: 'When a user deletes an event a log entry is written, also while its extension is switched off.',
    survives:
      'How the log is read, and which of them tells of deletions, is not said (log-access): that none does is remarked on.',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      const callee = delivery && (await areas.callees.calleeOf(writing, delivery));
      if (delivery === undefined || callee?.active !== false) return right(areas, writing, id);
      await areas.queue.removeDelivery(writing, delivery, 'cancelled');
      return true;
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], always(503));
      const event = await service.edda.sendEvent();
      await service.pass(1);
      await changeExtension(service, { hostUri: host.url, active: false });
      await service.edda.delete(event.headers.get('location') ?? '');
      return (await logEntries(service, 'cancelled')).length === 0;
    },
  },
  'log.no-entry-twice-in-a-row': {
    source: 'extensions: Events 3',
    breaks: 'Each event that is cancelled leaves an entry in the log, also when the one before it was cancelled too.',
    variant: breaks('deliveryLog', 'logEntry', (right) => {
      let last = '';
      return async (areas, writing, entry) => {
        const text = `${entry.kind} ${entry.endpoint} ${entry.message}`;
        const isRepeated = entry.kind === 'cancelled' && text === last;
        last = text;
        if (!isRepeated) await right(areas, writing, entry);
      };
    }),
    async shows(service) {
      await service.host([{ id: 'event' }], always(503));
      const events = [await service.edda.sendEvent(), await service.edda.sendEvent()];
      for (const event of events) await service.edda.delete(event.headers.get('location') ?? '');
      return (await logEntries(service, 'cancelled')).length < 2;
    },
  },
  'delivery.removal-behind-a-retry': {
    source: 'extensions: Events 3',
    breaks: 'A delivery that fails for good leaves an entry about its removal, also when it was retried before.',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: changes('deliveries', 'logEntriesFor', (entries, areas, delivery, _policy, outcome) => {
      const isLater = 'attempts' in delivery && delivery.attempts !== 0 && !areas.policies.isTransient(outcome);
      return isLater ? entries.filter(({ kind }) => kind !== 'removed') : entries;
    }),
    async shows(service) {
      await service.host([{ id: 'event' }], [{ steps: [{ status: 503 }, { status: 404 }] }]);
      await service.edda.sendEvent();
      await service.pass(2, 3);
      const [failed, removed] = [await logEntries(service, 'failed'), await logEntries(service, 'removed')];
      return failed.length > 0 && removed.length === 0;
    },
  },
  'events.deleted-before-its-first-attempt': {
    source: 'extensions: Events 3',
    breaks: 'An event that a user deletes leaves a log entry, also when it never was attempted.',
    survives:
      'How the log is read, and which of them tells of deletions, is not said (log-access): that none does is remarked on.',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      if (delivery?.attempts !== 0) return right(areas, writing, id);
      await areas.queue.removeDelivery(writing, delivery, 'cancelled');
      return true;
    }),
    async shows(service) {
      await service.host([{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      await service.edda.sendEvent();
      const event = await service.edda.sendEvent();
      await service.pass(1);
      await service.edda.delete(event.headers.get('location') ?? '');
      return (await logEntries(service, 'cancelled')).length === 0;
    },
  },
  'events.deleted-while-switched-off-goes-out': {
    source: 'extensions: Events 3',
    breaks: 'An event that is deleted is cancelled, also while its extension is switched off.',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      const callee = delivery && (await areas.callees.calleeOf(writing, delivery));
      return callee?.active === false ? false : right(areas, writing, id);
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      host.setScript(first503);
      const sent = await service.edda.sendEvent('event');
      await awaitCalls(host);
      await changeExtension(service, { hostUri: host.url, active: false });
      await service.edda.delete(sent.headers.get('location') ?? '');
      await changeExtension(service, { hostUri: host.url });
      await service.pass(3);
      return (await awaitCalls(host, 2, 1500)).length > 1;
    },
  },
  'events.deleted-with-its-twins': {
    source: 'extensions: Events, rule 3',
    breaks: 'To delete an event cancels that one, and no other of the same correlation id.',
    variant: deletingTwins(),
    async shows(service) {
      const host = await service.host([{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      await service.edda.sendEvent();
      await awaitCalls(host);
      const headers = { 'X-Correlation-Id': 'twins' };
      const first = await service.edda.sendEvent('event', {}, headers);
      await service.edda.sendEvent('event', {}, headers);
      await service.edda.delete(`${eventsPath}/${String(at(first.json, '/id'))}`);
      await service.pass(61);
      return (await awaitCalls(host, 2, 1000)).length < 2;
    },
  },
  'events.of-endpoints-deleted-in-a-pause-go-out': {
    source: 'extensions: Events 3; Limits, rate limit',
    breaks: 'An event that a user deletes is cancelled, one for an endpoint too, which the limit holds back.',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      const isHeld = delivery?.kind === 'endpoint' && (delivery.readyAt ?? 0) > areas.clock.now();
      return (isHeld && delivery.attempts === 0) || right(areas, writing, id);
    }),
    async shows(service) {
      await using host = await startExtensionHost({ records: [] });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, rateLimitNumberOfExecutions: 1 });
      await service.edda.sendToEndpoint();
      await awaitCalls(host);
      const held = await service.edda.sendToEndpoint();
      await becomes(async () => (await logEntries(service, 'rate-limit')).length > 0);
      await service.edda.delete(held.headers.get('location') ?? '');
      await service.pass(61);
      return (await awaitCalls(host, 2, 600)).length > 1;
    },
  },
  'events.of-endpoints-outlive-their-deletion': {
    source: 'extensions: Events 3',
    breaks: 'An event that a user deletes is cancelled, one for an endpoint too, of which an attempt has failed.',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      if (delivery === undefined || delivery.kind !== 'endpoint' || delivery.attempts === 0)
        return right(areas, writing, id);
      const entry = areas.deliveryLog.entryOf(delivery, undefined, 'cancelled', 'cancelled by a user');
      await areas.deliveryLog.logEntry(writing, entry);
      return true;
    }),
    async shows(service) {
      await using host = await startExtensionHost({ records: [], script: always(503) });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      const sent = await service.edda.sendToEndpoint();
      await becomes(async () => (await logEntries(service, 'transient-error')).length > 0);
      await service.edda.delete(sent.headers.get('location') ?? '');
      await service.pass(3);
      return (await awaitCalls(host, 2, 600)).length > 1;
    },
  },
  'events.deleted-comes-back-with-a-restart': {
    source: 'extensions: Events 3',
    breaks: 'An event that a user deletes is cancelled, and stays so behind a restart.',
    variant: deletedComesBack(),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], first503);
      const event = await service.edda.sendEvent();
      await awaitCalls(host);
      await service.edda.delete(event.headers.get('location') ?? '');
      await service.restart();
      await service.edda.sendEvent();
      await service.pass(3);
      return (await awaitCalls(host, 3, 1500)).length > 2;
    },
  },
};

/** Takes back whatever was queued under the correlation id of what is taken back. */
function deletingTwins(): Variant {
  const queued = new Map<string, readonly string[]>();
  return together(
    replaces('queue', 'enqueue', (right, areas, writing, delivery) => {
      queued.set(delivery.envelopeId, [...(queued.get(delivery.envelopeId) ?? []), delivery.id]);
      return right(areas, writing, delivery);
    }),
    replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      for (const other of queued.get(delivery?.envelopeId ?? '') ?? [])
        if (other !== id) await right(areas, writing, other);
      return right(areas, writing, id);
    }),
  );
}

/** What was deleted in a former run is queued again with the first event of the next one. */
function deletedComesBack(): Variant {
  // of each server, which keeps its clock over a restart
  const deleted = perServer((): { readonly delivery: Delivery; readonly by: object }[] => []);
  return together(
    replaces('queue', 'removeDelivery', (right, areas, writing, delivery, end, outcome) => {
      if (end === 'cancelled') deleted(areas).push({ delivery, by: areas.outgoing });
      return right(areas, writing, delivery, end, outcome);
    }),
    replaces('queue', 'enqueue', async (right, areas, writing, delivery) => {
      const earlier = deleted(areas).filter(({ by }) => by !== areas.outgoing);
      if (earlier.length > 0) deleted(areas).splice(0);
      for (const { delivery: again } of earlier) await right(areas, writing, again);
      return right(areas, writing, delivery);
    }),
  );
}
