import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { headerNames } from '../../../contract/names.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import { awaitCalls, awaitCallsOf, callsOf, callsTo, task, validator } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { promoteOf, promoteOne } from '../proofs.ts';
import { at, many, movePath, versionHeader } from '../service.ts';
import { attemptsOf, changes, during } from '../variant-parts.ts';

/** Correlation ids of the requests that scheduled a task, by its job. */
const schedulers = new Map<string, string>();

export const callCorrelationMistakes: Mistakes = {
  'calls.validation-in-batch-has-an-id-of-its-own': {
    source: 'extensions: Call envelope',
    breaks: 'A validation that a batch causes has the correlation id of the batch.',
    variant: during('validatedWrites', 'validatedBatch', (asking) =>
      replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) =>
        asking.isOn() ? randomUUID() : right(areas, call),
      ),
    ),
    async shows(service) {
      const host = await service.host([validator]);
      const operation = promoteOf(await service.edda.make('Document'), 1);
      const correlation = randomUUID();
      await service.edda.post('/api/space/main/batch', [operation], { [headerNames.correlationId]: correlation });
      const [entry] = await awaitCallsOf(host, 'validation', 1);
      return entry?.envelope?.id !== correlation;
    },
  },
  'tasks.id-of-the-request': {
    source: 'extensions: Call envelope',
    breaks: 'The call of a task has the id of its job, also when the request that scheduled it had a correlation id.',
    variant: together(
      replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
        if (triggered.kind === 'task' && call.correlationGiven) schedulers.set(triggered.id, call.correlationId);
        return right(areas, call, triggered);
      }),
      changes('requests', 'extensionRequest', (request, _areas, delivery) => {
        const id = schedulers.get(delivery.id);
        return id === undefined ? request : { ...request, body: JSON.stringify({ ...bodyOf(request), id }) };
      }),
    ),
    async shows(service) {
      const host = await service.host([task]);
      const headers = { [headerNames.correlationId]: randomUUID() };
      const job = await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'a.csv' }, headers);
      await service.pass(1);
      return at(callsTo(host)[0]?.json, '/id') !== job.headers.get('location')?.split('/').at(-1);
    },
  },
  'calls.correlation-id-in-lower-case': {
    source: 'extensions: Call envelope, id',
    breaks: 'The id of the envelope is the GUID of the triggering request as it was written there.',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, ...args) => right(areas, ...args).toLowerCase()),
    async shows(service) {
      const host = await service.host([{ id: 'proof' }]);
      const id = randomUUID().toUpperCase();
      await service.edda.sendEvent('proof', {}, { [headerNames.correlationId]: id });
      const [call] = await awaitCalls(host);
      return call?.envelope?.id !== id;
    },
  },
  'validation.retry-has-another-id': {
    source: 'extensions: Call envelope',
    breaks: 'A correlation id that was given is that of every attempt of a validation.',
    variant: replaces('outgoingCalls', 'preparedRequest', (right, areas, delivery, callee, count) => {
      const isAgain = delivery.kind === 'validation' && count > 1;
      return right(areas, isAgain ? { ...delivery, envelopeId: randomUUID() } : delivery, callee, count);
    }),
    async shows(service) {
      const host = await service.host([validator], [{ steps: [{ status: 503 }] }]);
      const { edda } = service;
      const made = await edda.make('Document');
      const promote = edda.send('PUT', movePath(made), {
        headers: { [headerNames.version]: '1', [headerNames.correlationId]: 'tenth-given' },
      });
      await awaitCalls(host);
      await service.pass(2);
      await promote;
      return callsTo(host)[1]?.envelope?.id !== 'tenth-given';
    },
  },
  'calls.another-id-for-validations': {
    source: 'extensions: Call envelope',
    breaks: 'The id of the envelope is the correlation id of the promote that asks for a validation.',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => {
      return call.params['levelId'] === undefined ? right(areas, call) : randomUUID();
    }),
    async shows(service) {
      const host = await service.host([validator]);
      const id = randomUUID();
      await promoteOne(service, { [headerNames.correlationId]: id });
      const [call] = callsOf(host, 'validation');
      return call !== undefined && call.envelope?.id !== id;
    },
  },
  'correlation.percent-decoded': {
    source: 'extensions: Events 4',
    breaks: 'The correlation id of the trigger is reused as it is, with percent signs in it too.',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) =>
      right(areas, call).replaceAll(/%[2-7][0-9a-f]/gi, decodeURIComponent),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      const id = 'run%2F7';
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': id });
      await service.pass(1);
      return callsTo(host)[0]?.envelope?.id === 'run/7';
    },
  },
  'envelope.guids-in-small-letters': {
    source: 'extensions: Events 4',
    breaks: 'The correlation id of the trigger is that of the call letter by letter, in capitals where it was so.',
    survives: 'Letter case is a matter of the spelling of a GUID (envelope-id-guid-form); it is remarked on.',
    variant: changes('triggeredCalls', 'envelopeIdOf', (id) =>
      /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id) ? id.toLowerCase() : id,
    ),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      const id = '3F2504E0-4F89-11D3-9A0C-0305E82C3301';
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': id });
      return (await awaitCalls(host))[0]?.envelope?.id !== id;
    },
  },
  'envelope.id-in-memory-alone': {
    source: 'extensions: Events 4',
    breaks:
      'The correlation id of the trigger is that of the call, also where the service was started anew in between.',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const known = new Set<string>();
      return (areas, delivery, callee) => {
        const isUnknown = delivery.kind === 'event' && attemptsOf(delivery) > 0 && !known.has(delivery.id);
        if (!isUnknown) known.add(delivery.id);
        return right(areas, isUnknown ? { ...delivery, envelopeId: delivery.id } : delivery, callee);
      };
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], [{ steps: [{ status: 503 }] }]);
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': 'mine' });
      await awaitCalls(host);
      await service.restart();
      await service.pass(3);
      const [, again] = await awaitCalls(host, 2);
      return again !== undefined && again.envelope?.id !== 'mine';
    },
  },
  'envelope.id-of-latest-request': {
    source: 'extensions: Events 4',
    breaks: 'A call carries the correlation id of the request that led to it, whatever else was asked meanwhile.',
    museum: true,
    variant: (classes) => {
      let latest: string | undefined;
      return together(
        replaces('dispatcher', 'answer', async (right, areas, call, work) => {
          latest = call.correlationId;
          await setImmediate();
          return right(areas, call, work);
        }),
        replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => latest ?? right(areas, call)),
      )(classes);
    },
    async shows(service) {
      const host = await service.host([{ id: 'taken' }]);
      const ids = many(24, (number) => `correlated-${number}`);
      await Promise.all(ids.map((id) => service.edda.sendEvent('taken', {}, { [headerNames.correlationId]: id })));
      const entries = await awaitCalls(host, ids.length);
      return new Set(entries.map(({ envelope }) => envelope?.id)).size < ids.length;
    },
  },
  'events.correlation-of-one-call': {
    source: 'extensions: Events 4',
    breaks: 'The correlation id of a request is that of the calls it triggers, of the second one as well.',
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
      const called = await host([validator, { ...validator, id: 'other' }]);
      const made = await edda.make('Document', { title: 'correlated' });
      const id = randomUUID();
      const headers = { ...versionHeader(1), [headerNames.correlationId]: id };
      await edda.send('PUT', movePath(made), { headers });
      return callsOf(called, 'validation').some(({ envelope }) => envelope?.id !== id);
    },
  },
};

function bodyOf({ body = '{}' }: { readonly body?: string }): object {
  return Object(JSON.parse(body));
}
