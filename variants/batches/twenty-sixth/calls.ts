import { randomUUID } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { TaskLink } from '../../../reference-server/areas/requests.ts';
import type { Entry } from '../../../simulator/extension/entry.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, reached, scheduleTask } from '../proofs.ts';
import { at, listAt, many, movePath, versionHeader } from '../service.ts';

const task = { id: 'task', extensionType: 'ExternalTask' };
const action = { id: 'action', extensionType: 'ExternalAction' };
const actionRoute = '/api/space/main/externalAction/action';
const validator = {
  id: 'validation',
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
};

function linkOf(entry: Entry | undefined, id: string): string {
  const links = listAt(entry?.json, '/payload/links');
  return String(
    at(
      links.find((link) => at(link, '/id') === id),
      '/url',
    ),
  );
}

export const taskMistakes: Batch = {
  'tasks.lost-at-the-last-retry': {
    source: 'extensions: Calls to extensions',
    breaks: 'A task that is acknowledged goes on in the background, also when its last retry was acknowledged.',
    kind: 'moment',
    variant: replaces('deliveryEnds', 'deliveryEnded', (right, areas, writing, delivery, end, outcome) => {
      const isLast = delivery.kind === 'task' && 'attempts' in delivery && Number(delivery.attempts) >= 5;
      return right(areas, writing, delivery, isLast ? 'failed' : end, outcome);
    }),
    async shows(service) {
      await service.host(() => [task], [{ steps: [...many(5, () => ({ status: 503 }))] }]);
      const job = await scheduleTask(service);
      await service.pass(5, 14);
      return at((await service.edda.get(job)).json, '/state') === 'Failed';
    },
  },

  'tasks.links-by-input': {
    source: 'extensions: External task links',
    breaks: 'The links of a task report to its own job, also when another job had the same input.',
    kind: 'copy',
    variant: breaks('requests', 'taskLinks', (right) => {
      const known = new Map<string, readonly TaskLink[]>();
      return (areas, spaceId, jobId, inputPath, token) => {
        const links = known.get(inputPath) ?? right(areas, spaceId, jobId, inputPath, token);
        known.set(inputPath, links);
        return links;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [task]);
      await scheduleTask(service);
      const job = await scheduleTask(service);
      return !linkOf(callsOf(host, 'task')[1], 'taskStatus').includes(job);
    },
  },

  'tasks.input-with-a-number-sign': {
    source: 'extensions: External task links',
    breaks: 'The link to the input of a task leads to it, also when its name has to be encoded.',
    kind: 'value',
    variant: replaces('requests', 'taskLinks', (right, areas, ...args) =>
      right(areas, ...args).map((link) => ({ ...link, url: link.url.replaceAll('%23', '#').replaceAll('%3F', '?') })),
    ),
    async shows(service) {
      const host = await service.host(() => [task]);
      await service.edda.upload('list%231.csv', 'a,b');
      await scheduleTask(service, { inputPath: 'list#1.csv' });
      return (await service.nobody.get(linkOf(callsOf(host, 'task')[0], 'inputFile'))).text !== 'a,b';
    },
  },

  'tasks.first-directory-of-the-input': {
    source: 'extensions: External task links',
    breaks: 'Uploads of a task go to the path of its input unless it says otherwise, however deep that is.',
    kind: 'place',
    variant: replaces('requests', 'taskLinks', (right, areas, ...args) =>
      right(areas, ...args).map((link) => ({ ...link, url: link.url.replace(/(\/stream\/[^/]+).*/, '$1') })),
    ),
    async shows(service) {
      const host = await service.host(() => [task]);
      await scheduleTask(service, { inputPath: 'one/two/input.csv' });
      return !linkOf(callsOf(host, 'task')[0], 'uploadFileStream').endsWith('/stream/one/two');
    },
  },

  'tasks.progress-once-a-second': {
    source: 'extensions: Callbacks from an external task',
    breaks: 'The message of a progress report is shown on the job, also when another one came just before.',
    kind: 'moment',
    variant: breaks('jobs', 'jobAfterProgress', (right) => {
      const reported = new Map<string, number>();
      return (areas, job, progress) => {
        const now = areas.clock.now();
        if (now - (reported.get(job.id) ?? 0) < 1000) return job;
        reported.set(job.id, now);
        return right(areas, job, progress);
      };
    }),
    async shows(service) {
      await service.host(() => [task]);
      const job = await scheduleTask(service);
      for (const message of ['one', 'two']) await service.edda.put(`${job}/progress`, undefined, { message });
      return at((await service.edda.get(job)).json, '/progress') !== 'two';
    },
  },
};

export const payloadMistakes: Batch = {
  'mail.escaped-text': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The body of a mail is what was composed, plain text with signs of HTML in it as well.',
    kind: 'value',
    variant: replaces('requests', 'payloadOf', (right, areas, delivery, token) => {
      const payload = right(areas, delivery, token);
      if (delivery.kind !== 'email' || !isContent(payload) || /<\w/.test(String(payload['body']))) return payload;
      return { ...payload, body: String(payload['body']).replaceAll('&', '&amp;').replaceAll('<', '&lt;') };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      const body = 'one < two & three';
      await service.edda.post('/api/space/main/externalEmail', {
        recordId: 'mail',
        to: 'a@b.example',
        subject: 's',
        body,
      });
      await service.pass(1);
      return at(callsOf(host, 'email')[0]?.json, '/payload/body') !== body;
    },
  },

  'events.content-of-the-event-before': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The content payload of an event is its own, without members of the one before.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'deliveryOf', (right) => {
      const contents = new Map<string | undefined, Content>();
      return (areas, call, triggered) => {
        const { kind, payload, recordId } = triggered;
        if (kind !== 'event' || !isContent(payload) || !isContent(payload['contentPayload']))
          return right(areas, call, triggered);
        const contentPayload = { ...contents.get(recordId), ...payload['contentPayload'] };
        contents.set(recordId, contentPayload);
        return right(areas, call, { ...triggered, payload: { ...payload, contentPayload } });
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      for (const name of ['one', 'two']) await service.edda.sendEvent('event', { [name]: name });
      await service.pass(1);
      return callsOf(host, 'event').some(
        ({ json }) => Object.keys(Object(at(json, '/payload/contentPayload'))).length > 1,
      );
    },
  },

  'actions.context-that-is-selected': {
    source: 'extensions: Payloads by extension type',
    breaks: 'An action in the context module is told the context object, also when that is what is selected.',
    kind: 'value',
    variant: replaces('triggers', 'ribbonPayload', (right, areas, call, reading, body, selected) => {
      const isSame = body['contextObjectId'] === selected?.oid;
      return right(areas, call, reading, isSame ? { ...body, contextObjectId: undefined } : body, selected);
    }),
    async shows({ host, edda }) {
      const called = await host(() => [action]);
      const { oid } = await edda.make('Document', { title: 'context' });
      await edda.post(actionRoute, { kind: 'ribbon', objectId: oid, contextObjectId: oid });
      return at(callsOf(called, 'action')[0]?.json, '/payload/contentPayload/contextObject/$oid') !== oid;
    },
  },

  'actions.batch-of-one': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The payload of a form action is what would have been sent, an array of one operation as well.',
    kind: 'value',
    variant: replaces('triggers', 'formPayload', (right, areas, body) => {
      const { contentPayload } = body;
      const isOne = Array.isArray(contentPayload) && contentPayload.length === 1;
      return right(areas, isOne ? { ...body, contentPayload: contentPayload[0] } : body);
    }),
    async shows({ host, edda }) {
      const called = await host(() => [action]);
      const contentPayload = [{ method: 'GET', href: '/api/space/main/softtype/none' }];
      const form = { kind: 'form', requestedRoute: '/api/space/main/batch', httpVerb: 'POST', contentPayload };
      await edda.post(actionRoute, form);
      return listAt(callsOf(called, 'action')[0]?.json, '/payload/contentPayload').length !== 1;
    },
  },
};

export const deliveryMistakes: Batch = {
  'delivery.one-a-window-after-a-pause': {
    source: 'extensions: Limits',
    breaks: 'As many executions a minute as the limit says, also after the first pause.',
    kind: 'moment',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) => {
      const decision = right(areas, window, now, limit);
      const isAfterPause = decision.kind === 'run' && decision.window.executions === 1 && window?.pausedUntil;
      return isAfterPause ? { ...decision, window: { ...decision.window, executions: limit } } : decision;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 3 }]);
      for (let count = 0; count < 6; count += 1) await service.edda.sendEvent();
      await service.pass(1, 3);
      await service.pass(30, 2);
      await service.pass(1, 3);
      return callsOf(host, 'event').length < 6;
    },
  },

  'delivery.transient-once-and-for-all': {
    source: 'extensions: Errors 1',
    breaks: 'An error that is not transient ends the retries, also when a transient one came first.',
    kind: 'moment',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isLater = outcome.kind === 'answered' && outcome.status >= 400 && delivery.attempts > 0;
      return right(areas, delivery, policy, isLater ? { ...outcome, status: 503 } : outcome);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], [{ steps: [{ status: 503 }, { status: 400 }] }]);
      await service.edda.sendEvent();
      await service.pass(3, 4);
      return callsOf(host, 'event').length > 2;
    },
  },

  'validation.retried-for-ever': {
    source: 'extensions: Limits',
    breaks: 'A validation is retried three times, whatever its record says of retries.',
    kind: 'combination',
    variant: replaces('outgoingCalls', 'callWithRetries', async (right, areas, delivery, retries) => {
      const callee = await areas.store.read((reading) => areas.callees.calleeOf(reading, delivery));
      return right(areas, delivery, callee?.retryForever && retries > 0 ? Infinity : retries);
    }),
    async shows(service) {
      const host = await service.host(() => [{ ...validator, retryForever: true }], always({ status: 503 }));
      const made = await service.edda.make('Document', { title: 'validated' });
      const answer = service.edda.move(made, 1).catch(() => undefined);
      for (let count = 1; count <= 4; count += 1) {
        await reached(host, count);
        await service.pass(2 ** count);
      }
      const calls = await reached(host, 5, 500).catch(() => []);
      void answer;
      return calls.length > 4;
    },
  },

  'validation.object-of-the-batch': {
    source: 'extensions: Payloads by extension type',
    breaks: 'A validation is told the object to validate, also of the second promote of a batch.',
    kind: 'copy',
    variant: breaks('validation', 'validationPayload', (right) => {
      const payloads = new Map<string, object>();
      return (areas, call, object) => {
        const payload = payloads.get(call.correlationId) ?? right(areas, call, object);
        payloads.set(call.correlationId, payload);
        return payload;
      };
    }),
    async shows({ host, edda }) {
      const called = await host(() => [validator]);
      const both = [await edda.make('Document', { title: 'one' }), await edda.make('Document', { title: 'two' })];
      await edda.batch(both.map((made) => ({ method: 'PUT', href: movePath(made), headers: versionHeader(1) })));
      const ids = callsOf(called, 'validation').map(({ json }) => at(json, '/payload/objectId'));
      return !both.every(({ oid }) => ids.includes(oid));
    },
  },

  'events.correlation-of-one-call': {
    source: 'extensions: Events 4',
    breaks: 'The correlation id of a request is that of the calls it triggers, of the second one as well.',
    kind: 'combination',
    variant: breaks('triggeredCalls', 'envelopeIdOf', (right) => {
      const used = new Set<string>();
      return (areas, call) => {
        const id = right(areas, call);
        if (used.has(id)) return randomUUID();
        used.add(id);
        return id;
      };
    }),
    async shows({ host, edda }) {
      const called = await host(() => [validator, { ...validator, id: 'other' }]);
      const made = await edda.make('Document', { title: 'correlated' });
      const id = randomUUID();
      const headers = { ...versionHeader(1), [headerNames.correlationId]: id };
      await edda.send('PUT', movePath(made), { headers });
      return callsOf(called, 'validation').some(({ envelope }) => envelope?.id !== id);
    },
  },
};
