import { AsyncLocalStorage } from 'node:async_hooks';
import { jsonOf } from '../../../contract/json.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { capabilitiesOf } from '../../../reference-server/areas/records.ts';
import { registrationOf } from '../../../reference-server/areas/registry.ts';
import type { CallOutcome } from '../../../reference-server/ports/deliveries.ts';
import type { Step as HostStep } from '../../../simulator/extension/step.ts';
import { breaks, replaces, Step, together, within } from '../../breaks.ts';
import { always, awaitCalls, callsOf, validator, validatorOf } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { changeExtension, promoteOf, promoteOne, promotes, removeExtension, waitForRetries } from '../proofs.ts';
import { at, many, movePath, type Service } from '../service.ts';
import { changes, during, keeps, perServer } from '../variant-parts.ts';

const extensionsPath = '/api/admin/svcExtension';

const minuteMs = 60_000;

/** Until when records that answered without form are passed over. */
const broken = perServer(() => new Map<string, number>());

/** SoftTypes whose list of validators went with one of those on it, and who was on it besides. */
const forgotten = perServer(() => new Map<string, Set<string>>());

/** What the work around it has left of its retries. */
const budgets = new AsyncLocalStorage<{ left: number }>();

const inBatch = new Step();

export const validationMistakes: Mistakes = {
  'validators-forgotten-with-neighbour': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'Where two extensions validate one SoftType, the other one is still asked when the first is deleted.',
    variant: together(
      replaces('dispatcher', 'carryOutElsewhere', async (right, areas, route, call) => {
        if (route.method !== 'DELETE' || !route.path.startsWith(extensionsPath)) return right(areas, route, call);
        const gone = await areas.store.read((reading) => registrationOf(reading, call.params['id'] ?? ''));
        const answer = await right(areas, route, call);
        const records = gone?.kind === 'svcExtension' ? gone.records : [];
        const types = records
          .filter(({ extensionType }) => extensionType === 'ExternalValidation')
          .flatMap((record) => capabilitiesOf(record, 'SoftType'));
        for (const type of types) {
          const left = await areas.store.read((reading) => areas.registry.validatorsOf(reading, type));
          forgotten(areas).set(type, new Set(left.map(({ registrationId }) => registrationId)));
        }
        return answer;
      }),
      // an edit puts an extension on its lists again
      replaces('queue', 'resumeDeliveries', (right, areas, writing, id) => {
        for (const ids of forgotten(areas).values()) ids.delete(id);
        return right(areas, writing, id);
      }),
      changes('registry', 'validatorsOf', (found, areas, _reading, type) =>
        found.filter(({ registrationId }) => !forgotten(areas).get(type)?.has(registrationId)),
      ),
    ),
    async shows(service) {
      const first = await service.host([{ ...validatorOf('Document'), id: 'first' }]);
      const second = await service.host([{ ...validatorOf('Document'), id: 'second' }]);
      await removeExtension(service, first.url);
      await service.edda.move(await service.edda.make('Document'), 1);
      return callsOf(second, 'validation').length === 0;
    },
  },
  'inactive-validator-asked-in-batch': {
    source: 'extensions: Registered extension, active',
    breaks: 'An extension that is switched off is not called, by a promote in a batch neither.',
    variant: together(
      replaces('dispatcher', 'carryOut', (right, areas, route, call) =>
        route.path.endsWith('/batch') ? inBatch.run(() => right(areas, route, call)) : right(areas, route, call),
      ),
      replaces('validation', 'validatorsFor', async (right, areas, reading, type) => {
        if (!inBatch.isOn()) return right(areas, reading, type);
        const addresses = await areas.registry.validatorsOf(reading, type);
        const found = await Promise.all(addresses.map((address) => areas.triggeredCalls.addresseeAt(reading, address)));
        return found.filter((addressee) => addressee !== undefined);
      }),
    ),
    async shows(service) {
      const host = await service.host([validator]);
      const made = await service.edda.make('Document');
      await changeExtension(service, { hostUri: host.url, active: false });
      await service.edda.batch([promoteOf(made, 1)]);
      return callsOf(host, 'validation').length > 0;
    },
  },
  'batch-shares-retry-budget': {
    source: 'extensions: Limits, retries row 2',
    breaks: 'Each validation is tried again three times, also where one batch leads to several.',
    variant: together(
      replaces('validatedWrites', 'validatedBatch', (right, areas, batch, table) =>
        budgets.run({ left: 3 }, () => right(areas, batch, table)),
      ),
      replaces('outgoingCalls', 'callWithRetries', (right, areas, delivery, retries) =>
        right(areas, delivery, Math.min(retries, budgets.getStore()?.left ?? retries)),
      ),
      replaces('outgoingCalls', 'attempt', (right, areas, delivery, callee, count) => {
        const budget = budgets.getStore();
        if (budget !== undefined && count > 1) budget.left -= 1;
        return right(areas, delivery, callee, count);
      }),
    ),
    async shows(service) {
      const made = [await service.edda.make('Document'), await service.edda.make('Document')] as const;
      const steps = [{ status: 503 }, { status: 503 }];
      const host = await service.host(
        [validator],
        made.map(({ oid }) => ({ when: { kind: 'validation', objectId: oid }, steps })),
      );
      const ended = service.edda.batch(made.map((one) => promoteOf(one, 1))).then(() => true);
      const soon = (): Promise<boolean> => new Promise((resolve) => setTimeout(resolve, 30, false));
      for (let left = 60; left > 0 && !(await Promise.race([ended, soon()])); left -= 1) await service.pass(1);
      await ended;
      return callsOf(host, 'validation').length < 6;
    },
  },
  'validation.broken-one-is-passed-over-for-a-while': {
    source: 'extensions: Errors 5',
    breaks: 'A malformed answer is an error of the validation, and lets nobody pass who asks next.',
    variant: replaces('validation', 'askValidator', async (right, areas, call, object, validator) => {
      const id = `${validator.registrationId} ${validator.recordId}`;
      if (areas.clock.now() < (broken(areas).get(id) ?? 0)) return { kind: 'valid', message: '' };
      const verdict = await right(areas, call, object, validator);
      if (verdict.kind === 'error') broken(areas).set(id, areas.clock.now() + minuteMs);
      return verdict;
    }),
    async shows(service) {
      const host = await service.host([validator], always({ status: 200, text: 'no JSON' }));
      await promoteOne(service);
      await promoteOne(service);
      return callsOf(host, 'validation').length === 1;
    },
  },
  'validation.second-validator-without-context': {
    source: 'extensions: Payloads by extension type, row ExternalValidation',
    breaks: 'Every validator learns the context object, the second one too.',
    variant: breaks('validation', 'askValidator', (right) => {
      const asked = new WeakSet<object>();
      return (areas, call, object, validator) => {
        const isSecond = asked.has(call.params);
        asked.add(call.params);
        return right(areas, isSecond ? { ...call, query: new URLSearchParams() } : call, object, validator);
      };
    }),
    async shows(service) {
      const host = await service.host([validator, { ...validator, id: 'second' }]);
      const document = await service.edda.make('Document');
      await service.edda.put(`${movePath(document)}?contextObjectId=context`, 1);
      const calls = callsOf(host, 'validation');
      return calls.length === 2 && calls.some((call) => at(call.envelope?.payload, '/contextObjectId') === undefined);
    },
  },
  'validation.object-of-the-operation-before': {
    source: 'extensions: Payloads by extension type, row ExternalValidation',
    breaks: 'The object told of is the one to validate, also where the request has several.',
    variant: breaks('validation', 'validationPayload', (right) => {
      const first = new Map<string, string>();
      return (areas, call, object) => {
        const oid = call.correlationGiven ? (first.get(call.correlationId) ?? object.oid) : object.oid;
        if (call.correlationGiven) first.set(call.correlationId, oid);
        return right(areas, call, { ...object, oid });
      };
    }),
    async shows(service) {
      const host = await service.host([validator]);
      const made = await Promise.all(many(2, () => service.edda.make('Document')));
      const moves = made.map((each) => promoteOf(each, 1));
      await service.edda.post('/api/space/main/batch', moves, { 'X-Correlation-Id': 'mine' });
      const ids = callsOf(host, 'validation').map(({ envelope }) => at(envelope?.payload, '/objectId'));
      return ids.length === 2 && new Set(ids).size === 1;
    },
  },
  'validation.retry-without-context': {
    source: 'extensions: Payloads by extension type, row ExternalValidation',
    breaks: 'A validation in a context names it, in its retries too.',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      const { kind, payload } = delivery;
      if (kind !== 'validation' || attempt === 1 || !isContent(payload)) return right(areas, delivery, callee, attempt);
      const { contextObjectId: _lost, ...rest } = payload;
      return right(areas, { ...delivery, payload: rest }, callee, attempt);
    }),
    async shows(service) {
      const host = await service.host([validator], [{ steps: [{ status: 503 }] }]);
      const context = await service.edda.make('Part');
      const made = await service.edda.make('Document');
      const promoted = service.edda.put(`${movePath(made)}?contextObjectId=${context.oid}`, 1);
      await service.pass(1, 4);
      await promoted;
      const retry = callsOf(host, 'validation')[1]?.envelope?.payload;
      return retry !== undefined && at(retry, '/contextObjectId') === undefined;
    },
  },
  'validation.context-of-before': {
    source: 'extensions: Payloads by extension type, row ExternalValidation',
    breaks: 'There is a contextObjectId only where the validation has a context, not where an earlier one had.',
    variant: breaks('validation', 'validationPayload', (right) => {
      const contexts = new Map<string, unknown>();
      return (areas, call, object) => {
        const payload = right(areas, call, object);
        const contextObjectId = at(payload, '/contextObjectId') ?? contexts.get(object.oid);
        contexts.set(object.oid, contextObjectId);
        return contextObjectId === undefined ? payload : { ...payload, contextObjectId };
      };
    }),
    async shows(service) {
      const host = await service.host([validator]);
      const context = await service.edda.make('Part');
      const made = await service.edda.make('Document');
      await service.edda.put(`${movePath(made)}?contextObjectId=${context.oid}`, 1);
      await service.edda.put(movePath(made), 2);
      return at(callsOf(host, 'validation')[1]?.envelope?.payload, '/contextObjectId') !== undefined;
    },
  },
  'validation.praise': {
    source: 'extensions: Calls to extensions, row ExternalValidation',
    breaks: 'What is found valid is valid, also where the message says something.',
    variant: changes('validation', 'verdictOf', (verdict) =>
      verdict.kind === 'valid' && verdict.message !== '' ? { ...verdict, kind: 'invalid' } : verdict,
    ),
    async shows({ host, edda }) {
      await host([validator], always({ status: 200, json: { isValid: true, message: 'well done' } }));
      return (await edda.move(await edda.make('Document'), 1)).status !== 204;
    },
  },
  'calls.invalid-without-words-is-valid': {
    source: 'extensions: Calls to extensions, row ExternalValidation',
    breaks: 'isValid alone says whether the object is valid, be the message empty.',
    variant: changes('validation', 'verdictOf', (verdict) =>
      verdict.kind === 'invalid' && verdict.message === '' ? { kind: 'valid', message: '' } : verdict,
    ),
    async shows({ host, edda }) {
      const records = [{ ...validator, id: 'v' }];
      const step = { status: 200, json: { isValid: false, message: '' } };
      await host(records, [{ when: { kind: 'validation' }, steps: [step], afterwards: 'last' }]);
      return promotes(edda, await edda.make('Document'));
    },
  },
  'validation.verdict-is-remembered': {
    source: 'extensions: Calls to extensions, ExternalValidation',
    breaks: 'Every promote asks the extension anew, also one of an object that was found wanting before.',
    survives: 'Whether what nobody has changed is asked about again is not said; where it is not, that is remarked on.',
    variant: keeps(
      'validation',
      'askValidator',
      (_call, object, validator) => `${object.oid} ${object.version} ${validator.recordId}`,
    ),
    shows: async ({ host, edda }) => {
      const capabilities = [{ capabilityType: 'SoftType', capabilities: ['Document'] }];
      const no = { status: 200, json: { isValid: false, message: 'not yet' } };
      await host(
        [{ extensionType: 'ExternalValidation', capabilities }],
        [{ when: { kind: 'validation' }, steps: [no] }],
      );
      const made = await edda.make('Document', { title: 'asked twice' });
      await edda.move(made, 1);
      return (await edda.move(made, 1)).status >= 400;
    },
  },
  'validation.verdict-beside-an-error': {
    source: 'extensions: Calls to extensions, row ExternalValidation; Errors 1',
    breaks: 'A 5xx status is a transient error, which is retried, also where a verdict comes with it.',
    variant: together(
      replaces('policies', 'isTransient', (right, areas, outcome) => !isVerdict(outcome) && right(areas, outcome)),
      replaces('validation', 'verdictOf', (right, areas, outcome) =>
        right(areas, outcome.kind === 'answered' && isVerdict(outcome) ? { ...outcome, status: 200 } : outcome),
      ),
    ),
    async shows(service) {
      const steps = [
        { status: 503, json: { isValid: true, message: '' } },
        { status: 200, json: { isValid: false, message: 'm' } },
      ];
      const capabilities = [{ capabilityType: 'SoftType', capabilities: ['Document'] }];
      await service.host(
        [{ id: 'validator', extensionType: 'ExternalValidation', capabilities }],
        [{ steps, afterwards: 'last' }],
      );
      const promoted = service.edda.move(await service.edda.make('Document'), 1);
      await service.pass(1, 4);
      return (await promoted).status === 204;
    },
  },
  'validation.a-comma-at-the-end-is-passed-over': {
    source: 'extensions: Errors 5',
    breaks: 'A malformed answer is an error of the validation, one that merely has a comma too many as well.',
    variant: replaces('validation', 'verdictOf', (right, areas, outcome) =>
      right(
        areas,
        outcome.kind === 'answered' ? { ...outcome, body: outcome.body.replaceAll(/,\s*([}\]])/g, '$1') } : outcome,
      ),
    ),
    async shows(service) {
      const answer = { status: 200, headers: { 'content-type': 'application/json' }, text: '{"isValid":true,}' };
      await service.host([validatorOf('Document')], always(answer));
      const made = await service.edda.make('Document');
      return (await service.edda.put(movePath(made), 1)).status < 300;
    },
  },
  'validation.nonsense-after-a-retry-is-a-yes': {
    source: 'extensions: Errors 5',
    breaks: 'A malformed answer is an error of the validation, also when it comes on a retry.',
    variant: changes('outgoingCalls', 'attempt', (outcome, _areas, delivery, _callee, count) => {
      if (delivery.kind !== 'validation' || count === 1 || outcome.kind !== 'answered') return outcome;
      const isMalformed = outcome.status === 200 && !outcome.body.includes('isValid');
      return isMalformed ? { ...outcome, body: '{"isValid":true,"message":""}' } : outcome;
    }),
    async shows(service) {
      const capabilities = [{ capabilityType: 'SoftType', capabilities: ['Document'] }];
      const host = await service.host(
        [{ id: 'check', extensionType: 'ExternalValidation', capabilities }],
        [{ steps: [{ status: 503 }, { status: 200, text: 'nonsense' }], afterwards: 'last' }],
      );
      const made = await service.edda.make('Document');
      const moved = service.edda.move(made, 1);
      await awaitCalls(host);
      for (let left = 5; left > 0; left -= 1) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        await service.pass(3);
      }
      return (await moved).status === 204;
    },
  },
  'validation.loose-before-sharing': {
    source: 'extensions: Errors 5',
    breaks: 'A malformed answer is an error of the validation before a share too.',
    survives:
      'How the validation before a share is brought about, and what its caller sees, is not shown (trigger-validation-binding).',
    variant: replaces('validation', 'verdictOn', (right, areas, call, ...rest) => {
      const verdictOf: typeof areas.validation.verdictOf = (outcome) => {
        const verdict = areas.validation.verdictOf(outcome);
        const isMalformed = verdict.kind === 'error' && outcome.kind === 'answered' && outcome.status === 200;
        return isMalformed ? { kind: 'valid', message: '' } : verdict;
      };
      const loose = within(areas, { validation: { verdictOf } });
      return right(call.url.includes('/shareValidation/') ? loose : areas, call, ...rest);
    }),
    async shows(service) {
      const { oid } = await makeValidated(service, { status: 200, json: { isValid: 'yes', message: '' } });
      return (await service.edda.post(`/api/space/main/shareValidation/${oid}`)).status < 300;
    },
  },
  'validation.module-lost-in-a-batch': {
    source: 'extensions: Payloads by extension type, row ExternalValidation',
    breaks: 'A validator learns the context object also where the promote is an operation of a batch.',
    variant: during('validatedWrites', 'validatedBatch', (step) =>
      replaces('validation', 'validationPayload', (right, areas, call, object) =>
        right(areas, step.isOn() ? { ...call, query: new URLSearchParams() } : call, object),
      ),
    ),
    async shows(service) {
      const host = await service.host([validator]);
      const document = await service.edda.make('Document');
      const promote = promoteOf(document, 1);
      await service.edda.batch([{ ...promote, href: `${promote.href}?contextObjectId=context` }]);
      const [call] = callsOf(host, 'validation');
      return call !== undefined && at(call.envelope?.payload, '/contextObjectId') === undefined;
    },
  },
  'validation.of-what-is-asked-about-at-the-same-time': {
    source: 'extensions: Payloads by extension type, row ExternalValidation',
    breaks: 'The verdict on an object is none on another that is validated at the same moment.',
    variant: breaks('validation', 'verdictOn', (right) => {
      const pending = new Map<string, ReturnType<typeof right>>();
      return async (areas, call, object, validators) => {
        const key = validators.map(({ recordId }) => recordId).join(' ');
        const verdict = pending.get(key) ?? right(areas, call, object, validators);
        pending.set(key, verdict);
        try {
          return await verdict;
        } finally {
          pending.delete(key);
        }
      };
    }),
    async shows(service) {
      const host = await service.host(
        [validator],
        always({ status: 200, json: { isValid: true, message: '' }, delayMs: 50 }),
      );
      const made = await Promise.all(many(2, () => service.edda.make('Document')));
      await Promise.all(made.map((each) => service.edda.move(each, 1)));
      return callsOf(host, 'validation').length === 1;
    },
  },
  'validation.nothing-behind-a-retry': {
    source: 'extensions: Errors, 5; Limits, retries, row 2',
    breaks: 'An empty answer to the retry of a validation says that the object is valid.',
    variant: replaces('outgoingCalls', 'attempt', async (right, areas, delivery, callee, count) => {
      const outcome = await right(areas, delivery, callee, count);
      const isEmpty = outcome.kind === 'answered' && outcome.status === 200 && outcome.body === '';
      if (!isEmpty || delivery.kind !== 'validation' || count === 1) return outcome;
      return { ...outcome, body: '{"isValid":true,"message":""}' };
    }),
    async shows(service) {
      const host = await service.host([validator]);
      host.setScript([{ steps: [{ status: 503 }, { status: 200 }] }]);
      const made = await service.edda.make('Document');
      const moved = service.edda.move(made, 1);
      await waitForRetries(service, host, 1);
      return (await moved).status < 300;
    },
  },
};

function isVerdict(outcome: CallOutcome): boolean {
  return outcome.kind === 'answered' && typeof at(jsonOf(outcome.body), '/isValid') === 'boolean';
}

/** A document about which an extension gives this answer. */
async function makeValidated(service: Service, answer: HostStep) {
  await service.host([validator], always(answer));
  return service.edda.make('Document');
}
