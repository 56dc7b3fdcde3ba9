import { randomUUID } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import { combinedVerdict } from '../../../reference-server/areas/validation.ts';
import { breaks, replaces } from '../../breaks.ts';
import { always, awaitCalls, callsOf, callsTo, event, mail, mailer, mailPath, validator } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { eventsPath, failingEvent, failTimes, logEntriesOf, pageLinks, promoteOf, withFiles } from '../proofs.ts';
import { at, editPath } from '../service.ts';
import { changes } from '../variant-parts.ts';

/** Valid, whoever asks. */
const valid = always({ status: 200, json: { isValid: true, message: '' } });

export const correlationIdsMistakes: Mistakes = {
  'headers.version-lost-under-an-id': {
    source: 'core: Common request headers (response headers)',
    breaks: 'The new version comes with every edit, with a correlation id as without.',
    variant: changes('dispatcher', 'carryOutWrite', (answer, _areas, _route, call) => {
      if (!call.correlationGiven || 'isChangedHere' in call) return answer;
      const { [headerNames.version]: _version, ...headers } = answer.headers ?? {};
      return { ...answer, headers };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const headers = { [headerNames.version]: '1', [headerNames.correlationId]: 'one' };
      const answer = await edda.send('PATCH', editPath(made), { headers, body: { note: 'n' } });
      return answer.headers.get(headerNames.version) !== '2';
    },
  },
  'links.no-pages-under-an-id': {
    source: 'core: Server side paging 2',
    breaks: 'A long array has its page link, also in the answer to a read with a correlation id.',
    variant: replaces('memory', 'rememberedRead', async (right, areas, call, reading, object, view, assemble) => {
      if (!call.correlationGiven) return right(areas, call, reading, object, view, assemble);
      const body = await assemble();
      return { status: 200, body: { ...body, links: body.links.filter(({ rel }) => rel !== 'page') } };
    }),
    async shows({ edda }) {
      const made = await withFiles(edda, 11);
      const read = await edda.get(made.path, { [headerNames.correlationId]: 'one' });
      return pageLinks(read.json).length === 0;
    },
  },
  'correlation.of-the-request-before': {
    source: 'core: Common request headers',
    breaks: 'A request without a correlation id has one of its own, whatever its user sent before.',
    variant: breaks('triggeredCalls', 'envelopeIdOf', (right) => {
      const last = new Map<string, string>();
      return (areas, call) => {
        if (call.correlationGiven) last.set(call.user.name, call.correlationId);
        return last.get(call.user.name) ?? right(areas, call);
      };
    }),
    async shows(service) {
      const host = await service.host([event]);
      const { edda } = service;
      const headers = { 'X-Correlation-Id': '5ad6c4c6-35a3-4a7a-9c25-5b6d0f6f0a11' };
      await edda.sendEvent('event', {}, headers);
      await edda.sendEvent();
      const [one, other] = await awaitCalls(host, 2);
      return at(one, '/envelope/id') === at(other, '/envelope/id');
    },
  },
  'log.replaced-without-correlation': {
    source: 'core: Common request headers, X-Correlation-Id',
    breaks: 'A correlation id that was given is in all that is logged of a PUT as well.',
    variant: replaces('messages', 'logEnd', (right, areas, call, answer, durationMs) =>
      call.method === 'PUT'
        ? areas.log.info({ method: call.method, url: call.url, status: answer.status }, 'replaced')
        : right(areas, call, answer, durationMs),
    ),
    async shows(service) {
      const made = await service.edda.make('Document');
      const headers = { [headerNames.version]: '1', [headerNames.correlationId]: 'one' };
      await service.edda.send('PUT', editPath(made), { headers, body: { title: 't' } });
      return !(await service.log('one')).includes('204');
    },
  },
  'log.third-retry-has-no-correlation': {
    source: 'core: Common request headers',
    breaks: 'A correlation id that was given is in all that is logged, of later retries too.',
    variant: changes('deliveryLog', 'entryOf', ({ envelopeId: _id, ...entry }, _areas, delivery) =>
      'attempts' in delivery && Number(delivery.attempts) >= 2 ? entry : { ...entry, envelopeId: delivery.envelopeId },
    ),
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    async shows(service) {
      const host = await service.host([event], always(503));
      await failingEvent(service, host, 'third', [2, 4]);
      await awaitCalls(host, 3);
      return (await logEntriesOf(service, 'third', 'transient-error', 3)).length === 2;
    },
  },
  'headers.long-correlation-id': {
    source: 'core: Common request headers',
    breaks: 'A correlation id is passed on as it was given, also one of a hundred characters.',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => right(areas, call).slice(0, 64)),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      const correlationId = 'correlation'.repeat(9);
      const headers = { [headerNames.correlationId]: correlationId };
      await service.edda.post(eventsPath, { recordId: 'event' }, headers);
      await service.pass(1);
      return at(callsTo(host)[0]?.json, '/id') !== correlationId;
    },
  },
  'headers.correlation-id-in-lower-case': {
    source: 'core: Common request headers, X-Correlation-Id',
    breaks: 'The correlation id that was given is passed on as it was given, capitals included.',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => right(areas, call).toLowerCase()),
    shows: async (service) => {
      const host = await service.host([{ id: 'listener' }]);
      const id = randomUUID().toUpperCase();
      const body = { recordId: 'listener', contentPayload: {} };
      await service.edda.post(eventsPath, body, { 'X-Correlation-Id': id });
      await service.pass(1);
      const [call] = host.entries(({ kind }) => kind === 'event');
      return call?.envelope?.id !== id;
    },
  },
  'batch.operations-have-correlation-ids-of-their-own': {
    source: 'core: Common request headers, X-Correlation-Id',
    breaks:
      'The correlation id of a request is handed to every extension called because of it, also by an operation of a batch.',
    variant: changes('batch', 'prepareOperation', (prepared) => ({
      ...prepared,
      call: { ...prepared.call, correlationId: randomUUID() },
    })),
    shows: async (service) => {
      const host = await service.host([validator]);
      const { edda } = service;
      const made = await edda.make('Document', { title: 'asked about' });
      const operations = [promoteOf(made, 1)];
      const id = randomUUID();
      await edda.post('/api/space/main/batch', operations, { 'X-Correlation-Id': id });
      const calls = host.entries(({ kind }) => kind === 'validation');
      return calls.length === 0 || calls.some(({ envelope }) => envelope?.id !== id);
    },
  },
  'calls.correlation-id-of-the-first-attempt-alone': {
    source: 'core: Common request headers, row X-Correlation-Id',
    breaks: 'The correlation id goes on to the extension that is called, also with a retry.',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) =>
      right(
        areas,
        delivery.kind === 'event' && attempt > 1 ? { ...delivery, envelopeId: randomUUID() } : delivery,
        callee,
        attempt,
      ),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], [{ steps: [{ status: 503 }, { status: 200 }] }]);
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': 'mine' });
      await failTimes(service, host, 1);
      const [first, second] = await awaitCalls(host, 2);
      return first?.envelope?.id === 'mine' && second !== undefined && second.envelope?.id !== 'mine';
    },
  },
  'headers.log-of-refusals': {
    source: 'core: Common request headers',
    breaks: 'A correlation id that is given stands in every log message of its request, also in that of a refusal.',
    variant: replaces('messages', 'logRefusal', (_right, areas, call, { status, message }) => {
      areas.log.warn({ method: call.method, status, detail: message }, 'refused');
    }),
    async shows({ edda, log }) {
      const made = await edda.make('Document', { title: 'log' });
      const correlationId = randomUUID();
      await edda.send('PATCH', editPath(made), { headers: { [headerNames.correlationId]: correlationId }, body: {} });
      return !(await log(correlationId)).includes('"refused"');
    },
  },
  'headers.correlation-of-mail': {
    source: 'core: Common request headers',
    breaks: 'A correlation id that is given is passed on to every extension, to one that sends mail as well.',
    variant: changes('triggeredCalls', 'deliveryOf', (delivery, _areas, _call, triggered) =>
      triggered.kind === 'email' ? { ...delivery, envelopeId: randomUUID() } : delivery,
    ),
    async shows(service) {
      const host = await service.host([mailer]);
      const correlationId = randomUUID();
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };
      await service.edda.post(mailPath, mail, { [headerNames.correlationId]: correlationId });
      await service.pass(1);
      const [call] = callsTo(host);
      return call !== undefined && call.envelope?.id !== correlationId;
    },
  },
  'logging.operations-of-a-batch-lose-the-id': {
    source: 'core: Common request headers',
    breaks:
      'The correlation id stands in all log messages of the request, in those about one operation of a batch too.',
    survives: 'How the log of requests is read is not said, so that nobody outside can see what stands in it.',
    variant: replaces('batch', 'runOperation', (right, areas, batch, ...rest) =>
      right(areas, { ...batch, log: areas.log }, ...rest),
    ),
    async shows({ edda, log }) {
      const made = await edda.make('Part');
      const edit = { method: 'PATCH', href: editPath(made), body: { note: 'n' } };
      await edda.post('/api/space/main/batch', [edit], { [headerNames.correlationId]: 'tenth-log' });
      // a time may hold the same digits
      return !/(?<![\d.])412(?![\d.])/.test(await log('tenth-log'));
    },
  },
  'validation.correlation-of-a-share': {
    source: 'core: Common request headers',
    breaks:
      'The correlation id is passed on to every extension that is called because of the request, ahead of a share as well.',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) =>
      call.url.includes('/shareValidation/') ? randomUUID() : right(areas, call),
    ),
    survives:
      'ledger trigger-validation-binding: which request has an object validated ahead of a share is not shown, and the profile names that of one validated operation only',
    async shows(service) {
      const json = { isValid: true, message: '' };
      const host = await service.host([{ ...validator, id: 'one' }], always({ status: 200, json }));
      const made = await service.edda.make('Document', { title: 'shared' });
      const correlationId = randomUUID();
      await service.edda.post(`/api/space/main/shareValidation/${made.oid}`, undefined, {
        'x-correlation-id': correlationId,
      });
      return callsTo(host)[0]?.envelope?.id !== correlationId;
    },
  },
  'logging.refusals-lack-the-correlation-id': {
    source: 'core: Common request headers',
    breaks: 'All log messages of a request carry its correlation id, that of a refusal too.',
    variant: replaces('messages', 'logRefusal', (_right, areas, call, { status }) => {
      areas.log.warn({ method: call.method, status }, 'refused');
    }),
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    async shows({ edda, log }) {
      const id = '0a8a6f0e-6d3c-4b53-9a55-9f0d9ad2d0c1';
      await edda.get('/api/space/main/softtype/none', { [headerNames.correlationId]: id });
      return !(await log(id)).includes('refused');
    },
  },
  'delivery.another-id-for-the-second-validator': {
    source: 'core: Common request headers, X-Correlation-Id',
    breaks: 'The correlation id is passed on to every extension that a request calls, not only to the first.',
    variant: replaces('validation', 'verdictOn', async (_right, areas, call, object, validators) => {
      const verdicts = validators.map((validator, index) =>
        areas.validation.askValidator(index === 0 ? call : { ...call, correlationId: randomUUID() }, object, validator),
      );
      return combinedVerdict(await Promise.all(verdicts));
    }),
    async shows(service) {
      const capabilities = [{ capabilityType: 'SoftType', capabilities: ['Document'] }];
      const validator = (id: string) => ({ id, extensionType: 'ExternalValidation' as const, capabilities });
      const host = await service.host([validator('one'), validator('two')], valid);
      const { oid } = await service.edda.make('Document', { title: 'validated' });
      const headers = { 'svc-uoiversion': '1', 'x-correlation-id': '5c0c3c55-7a4a-4b5e-9a53-2f6f7a1f5a01' };
      await service.edda.send('PUT', `/api/space/main/maturityAction/promote/${oid}/release/engineering`, { headers });
      return callsOf(host, 'validation').some(({ envelope }) => envelope?.id !== headers['x-correlation-id']);
    },
  },
  'email.id-of-each-attempt': {
    source: 'core: Events',
    breaks: 'The correlation id of the trigger is passed on with a mail, on its later attempts as well.',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) =>
      delivery.kind === 'email' && attempt > 1
        ? right(areas, { ...delivery, envelopeId: `${delivery.envelopeId}.${attempt}` }, callee, attempt)
        : right(areas, delivery, callee, attempt),
    ),
    async shows(service) {
      const host = await service.host([mailer], always(503));
      await service.edda.post(mailPath, mail, { 'X-Correlation-Id': 'given' });
      await service.pass(1, 6);
      return callsOf(host, 'email').some(({ envelope }) => envelope?.id !== 'given');
    },
  },
  'events.of-every-promote': {
    source: 'core: Events',
    breaks: 'The core API makes no event of its own; a promote calls no handler of events that nobody asked for.',
    variant: changes('maturity', 'promoteObject', async (answer, areas, call, writing) => {
      const found = await areas.triggeredCalls.foundAddressee(writing, 'ExternalEvent', {});
      if (found === undefined) return answer;
      const { registrationId, recordId } = found;
      const id = randomUUID();
      const payload = { contentPayload: { objectId: call.object.oid }, id, spaceId: call.space.id };
      const triggered = { id, kind: 'event', registrationId, recordId, payload } as const;
      await areas.queue.enqueue(writing, areas.triggeredCalls.deliveryOf(call, triggered));
      return answer;
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      await service.edda.move(await service.edda.make('Document'), 1);
      await service.pass(1);
      return callsTo(host).length > 0;
    },
  },
  'calls.another-id-later-on': {
    source: 'core: Events',
    breaks: 'The correlation id of the request is passed on by every attempt of the call that it leads to.',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      const isLate = attempt >= 3 && delivery.kind !== 'task';
      return right(areas, isLate ? { ...delivery, envelopeId: randomUUID() } : delivery, callee, attempt);
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], [{ steps: [{ status: 503 }, { status: 503 }] }]);
      await service.edda.sendEvent('event', {}, { 'x-correlation-id': 'given' });
      await service.pass(3, 6);
      return callsTo(host).some(({ envelope }) => envelope?.id !== 'given');
    },
  },
};
