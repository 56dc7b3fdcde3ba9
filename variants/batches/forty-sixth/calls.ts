import { jsonOf } from '../../../contract/json.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsTo, logged } from '../proofs.ts';
import { at, listAt } from '../service.ts';

const mail = { to: 'a@mail.example', subject: 's', body: 'b' };
const actionPath = '/api/space/main/externalAction/action';
const action = { id: 'action', extensionType: 'ExternalAction' };

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
};

/** What calls carry. */
export const payloadMistakes: Batch = {
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
};
