import { jsonOf } from '../../../contract/json.ts';
import { keepJob, jobWith } from '../../../reference-server/areas/jobs.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, logged, reached } from '../proofs.ts';
import { at, listAt, movePath } from '../service.ts';

const mail = { to: 'a@mail.example', subject: 's', body: 'b' };
const actionPath = '/api/space/main/externalAction/action';
const action = { id: 'action', extensionType: 'ExternalAction' };

/** Tokens, by the id in them, of deliveries that were acknowledged, and those of deliveries that may be. */
const revoked = new Set<unknown>();
const tokensOf = new Map<string, unknown[]>();

/** How calls go out, and what follows from them. */
export const callsMistakes: Batch = {
  'email.first-record-of-its-host': {
    source: 'extensions: What the service does',
    breaks: 'Mail goes by the extension that replaces the component for it, wherever its record stands.',
    kind: 'place',
    variant: replaces('triggeredCalls', 'foundAddressee', async (right, areas, reading, type, named) => {
      const found = await right(areas, reading, type, named);
      return type === 'Email' && found?.callee.extension.records[0]?.id !== found?.recordId ? undefined : found;
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event' }, { id: 'mail', extensionType: 'Email' }]);
      return (await service.edda.post('/api/space/main/externalEmail', mail)).status >= 400;
    },
  },

  'rate.retries-beside-the-pause': {
    source: 'extensions: Registered external endpoint (simple), rateLimitNumberOfExecutions',
    breaks: 'All requests to the endpoint pause, those that are tried again too.',
    kind: 'combination',
    survives: 'What a pause does to a retry that is due is not said: recorded.',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      const isRetry = 'attempts' in delivery && Number(delivery.attempts) > 0;
      return isRetry ? { ...policy, rateKey: `${policy.rateKey} again` } : policy;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }], always({ status: 503 }));
      await service.edda.sendEvent('event', { first: 1 });
      await service.pass(1);
      await service.edda.sendEvent('event', { second: 2 });
      await service.pass(1, 6);
      return callsTo(host).length > 1;
    },
  },

  'status.no-json-is-no-success': {
    source: 'extensions: Events 2',
    breaks: 'An event is delivered by 200, whatever stands in the body.',
    kind: 'value',
    survives:
      'The event is sent once and no more: that it counts as failed stands in the log alone, which no documented route shows.',
    variant: replaces('policies', 'isDelivered', (right, areas, kind, outcome) => {
      const isReadable = outcome.kind !== 'answered' || outcome.body === '' || jsonOf(outcome.body) !== undefined;
      return (isReadable || kind !== 'event') && right(areas, kind, outcome);
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event' }], always({ status: 200, text: 'OK' }));
      await service.edda.sendEvent();
      await service.pass(1, 2);
      return (await logged(service, 'failed')).length > 0;
    },
  },

  'token.ends-with-the-acknowledgement': {
    source: 'extensions: Events 2',
    breaks: 'The extension works after it has acknowledged: its token is good for that as long as it lives.',
    kind: 'combination',
    variant: together(
      replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
        const request = await right(areas, delivery, callee);
        const token = String(at(jsonOf(request.body ?? ''), '/accessToken'));
        const claims = jsonOf(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
        if (delivery.kind === 'event')
          tokensOf.set(delivery.id, [...(tokensOf.get(delivery.id) ?? []), at(claims, '/jti')]);
        return request;
      }),
      replaces('deliveryEnds', 'deliveryEnded', (right, areas, writing, delivery, end, outcome) => {
        for (const id of tokensOf.get(delivery.id) ?? []) revoked.add(id);
        tokensOf.delete(delivery.id);
        return right(areas, writing, delivery, end, outcome);
      }),
      replaces('tokens', 'checkExpiry', (right, areas, claims) => {
        if (revoked.has(at(claims, '/jti'))) throw areas.tokens.unusableToken('The token was revoked.');
        right(areas, claims);
      }),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const { path } = await service.edda.make('Document', { title: 't' });
      await service.edda.sendEvent();
      await service.pass(1, 2);
      const token = callsTo(host)[0]?.envelope?.accessToken ?? '';
      return (await service.nobody.get(path, { authorization: `Bearer ${token}` })).status === 401;
    },
  },

  'log.removal-after-timeouts': {
    source: 'extensions: Events 3',
    breaks: 'That an event was removed from the queue is logged, where its last attempt ran out of time too.',
    kind: 'combination',
    survives: 'No documented route shows the log: entries are recorded.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) => {
      const entries = right(areas, delivery, policy, outcome, step);
      return outcome.kind === 'timeout' ? entries.filter(({ kind }) => kind !== 'removed') : entries;
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event', requestTimeout: 1 }], always({ never: true }));
      await service.edda.sendEvent();
      await service.pass(1, 80);
      return (await logged(service, 'failed')).length > 0 && (await logged(service, 'removed')).length === 0;
    },
  },

  'action.first-error-alone': {
    source: 'extensions: Errors 4',
    breaks: 'All errors that an action answers with are shown.',
    kind: 'value',
    survives: 'What whoever runs an action gets of its answer is not shown, but for the web client: recorded.',
    variant: replaces('triggers', 'runAction', async (right, areas, call) => {
      const answer = await right(areas, call);
      const errors = listAt(jsonOf(String(answer.raw)), '/errors');
      return errors.length > 1 ? { ...answer, raw: JSON.stringify({ errors: errors.slice(0, 1) }) } : answer;
    }),
    async shows(service) {
      const errors = [{ message: 'one' }, { message: 'two' }];
      await service.host(() => [action], always({ status: 500, json: { errors } }));
      const { json } = await service.edda.post(actionPath, { kind: 'ribbon' });
      return listAt(json, '/errors').length === 1;
    },
  },

  'jobs.running-once-more': {
    source: 'extensions: External task links, row taskStatus',
    breaks: 'A report updates the status of the task, one that comes before its call is acknowledged too.',
    kind: 'moment',
    variant: replaces('jobs', 'noteTaskStart', async (right, areas, writing, id) => {
      const job = await jobWith(writing, id);
      if (job?.taskStatus === undefined) return right(areas, writing, id);
      await keepJob(writing, { ...job, state: 'Running' });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }], always({ delayMs: 300 }));
      const job = await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'folder/input.csv' });
      const path = job.headers.get('location') ?? '';
      const passed = service.pass(1);
      await reached(host, 1);
      await service.edda.put(`${path}/status/Completed`, undefined);
      await passed;
      await host.await(({ ending }) => ending !== undefined, 2, AbortSignal.timeout(4000));
      await service.pass(1, 3);
      return at((await service.edda.get(path)).json, '/state') === 'Running';
    },
  },
};

/** What calls carry. */
export const payloadMistakes: Batch = {
  'validation.object-of-the-first-promote': {
    source: 'extensions: Payloads by extension type, row ExternalValidation',
    breaks: 'The payload names the object to validate, each of those of a batch in its turn.',
    kind: 'copy',
    variant: breaks('validation', 'validationPayload', (right) => {
      const objects = new Map<string, string>();
      return (areas, call, object) => {
        const objectId = objects.get(call.correlationId) ?? object.oid;
        objects.set(call.correlationId, objectId);
        return { ...right(areas, call, object), objectId };
      };
    }),
    async shows(service) {
      const host = await service.host(() => [
        {
          id: 'validator',
          extensionType: 'ExternalValidation',
          capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
        },
      ]);
      const all = [
        await service.edda.make('Document', { title: 't' }),
        await service.edda.make('Document', { title: 'u' }),
      ];
      const headers = { 'Svc-UOIVersion': '1' };
      await service.edda.batch(all.map((made) => ({ method: 'PUT', href: movePath(made), headers })));
      const ids = callsOf(host, 'validation').map((call) => at(call, '/envelope/payload/objectId'));
      return ids.length > 1 && new Set(ids).size === 1;
    },
  },

  'email.lines-as-mail-has-them': {
    source: 'extensions: Payloads by extension type, row Email',
    breaks: 'The body of a mail is what was composed, to the ends of its lines.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { kind, payload } = triggered;
      if (kind !== 'email') return right(areas, call, triggered);
      const body = String(at(payload, '/body')).replace(/\r?\n/g, '\r\n');
      return right(areas, call, { ...triggered, payload: { ...Object(payload), body } });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      await service.edda.post('/api/space/main/externalEmail', { ...mail, body: 'a\nb' });
      await service.pass(1);
      return at(callsTo(host)[0]?.envelope?.payload, '/body') === 'a\r\nb';
    },
  },

  'action.batch-of-one': {
    source: 'extensions: Payloads by extension type, text on the action content payload',
    breaks: 'The content is what the service would have sent, be it a batch of one operation.',
    kind: 'value',
    variant: replaces('triggers', 'formPayload', (right, areas, body) => {
      const { contentPayload } = body;
      const isOne = Array.isArray(contentPayload) && contentPayload.length === 1;
      return right(areas, isOne ? { ...body, contentPayload: contentPayload[0] } : body);
    }),
    async shows(service) {
      const host = await service.host(() => [action]);
      const contentPayload = [{ method: 'GET', href: '/api/space/main/softtype/x' }];
      const form = { kind: 'form', requestedRoute: '/api/space/main/batch', httpVerb: 'POST', contentPayload };
      await service.edda.post(actionPath, form);
      return !Array.isArray(at(callsTo(host)[0]?.envelope?.payload, '/contentPayload'));
    },
  },
};
