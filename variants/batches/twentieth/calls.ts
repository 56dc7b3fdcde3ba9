import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, logged, registerEndpoint } from '../proofs.ts';
import type { Received, Service } from '../service.ts';

export const deliveryMistakes: Batch = {
  'delivery.timeout-of-the-last-attempt': {
    source: 'extensions: Errors 3',
    breaks: 'Every request timeout is logged, that of the last attempt as well.',
    kind: 'moment',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) =>
      right(areas, delivery, policy, outcome, step).filter(({ kind }) => kind !== 'timeout' || step.kind === 'retry'),
    ),
    async shows(service) {
      await service.host(() => [{ id: 'event', requestTimeout: 2 }], always({ never: true }));
      await service.edda.sendEvent();
      await service.pass(35, 14);
      return (await logged(service, 'timeout')).length === 5;
    },
  },

  'delivery.removal-behind-a-retry': {
    source: 'extensions: Events 3',
    breaks: 'A delivery that fails for good leaves an entry about its removal, also when it was retried before.',
    kind: 'combination',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) => {
      const entries = right(areas, delivery, policy, outcome, step);
      const isLater = 'attempts' in delivery && delivery.attempts !== 0 && !areas.policies.isTransient(outcome);
      return isLater ? entries.filter(({ kind }) => kind !== 'removed') : entries;
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event' }], [{ steps: [{ status: 503 }, { status: 404 }] }]);
      await service.edda.sendEvent();
      await service.pass(2, 3);
      const [failed, removed] = [await logged(service, 'failed'), await logged(service, 'removed')];
      return failed.length > 0 && removed.length === 0;
    },
  },
};

export const callsMistakes: Batch = {
  'calls.token-of-another-endpoint': {
    source: 'extensions: Authentication 6',
    breaks: 'A simple endpoint gets no token, also when a trusted one at its host got one before.',
    kind: 'copy',
    variant: breaks('requests', 'endpointUrl', (right) => {
      const queries = new Map<string, string>();
      return async (areas, delivery, callee) => {
        const url = new URL(await right(areas, delivery, callee));
        if (callee.endpoint.kind === 'trustedExternalEndpoint') queries.set(url.origin, url.search);
        else url.search ||= queries.get(url.origin) ?? '';
        return url.href;
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { id: 'trusted', url: `${host.url}/trusted` });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      for (const id of ['trusted', 'hook']) {
        await service.edda.sendToEndpoint(id);
        await service.pass(1);
      }
      return callsTo(host)[1]?.target.includes('access_token') === true;
    },
  },

  'calls.token-of-a-retry': {
    source: 'extensions: Calls to extensions',
    breaks: 'The call of a task has the token in its query, also when it is made again.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      return attempt > 1 && delivery.kind === 'task' ? { ...request, url: callee.url } : request;
    }),
    async shows(service) {
      const host = await service.host(
        () => [{ id: 'task', extensionType: 'ExternalTask' }],
        [{ steps: [{ status: 503 }] }],
      );
      await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'input.csv' });
      await service.pass(2, 3);
      return callsTo(host)[1]?.target.includes('token') === false;
    },
  },

  'registration.content-type-by-letter': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'The content type has to be among the headers, in whatever case its name is written.',
    kind: 'value',
    survives:
      'That the name may be written in another case than that of the document is not said: its case records it.',
    variant: replaces('registrations', 'requireHeaders', (right, areas, headers) => {
      if (!headers.some(({ name }) => name === 'content-type')) throw new Refusal(400, 'Expected a content-type.');
      right(areas, headers);
    }),
    async shows(service) {
      const headers = [{ ...contentType, name: 'Content-Type' }];
      return (await registerEndpoint(service, 'externalEndpoint', { url: service.url, headers })).status >= 400;
    },
  },

  'validation.behind-another-capability': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'The capability SoftType lists what a validation applies to, also where it is not the first capability.',
    kind: 'place',
    variant: replaces('validation', 'validatorsFor', async (right, areas, reading, softTypeId) => {
      const validators = await right(areas, reading, softTypeId);
      return validators.filter(({ record }) => record.capabilities?.[0]?.capabilityType === 'SoftType');
    }),
    async shows(service) {
      const other = { capabilityType: 'BaseType', capabilities: ['Anything'] };
      const host = await service.host(() => [validator([other, forDocuments])]);
      await promoted(service);
      return callsOf(host, 'validation').length === 0;
    },
  },
};

const contentType = { name: 'content-type', value: 'application/json' };

const forDocuments = { capabilityType: 'SoftType', capabilities: ['Document'] };

function validator(capabilities: readonly (typeof forDocuments)[]) {
  return { id: 'validation', extensionType: 'ExternalValidation' as const, capabilities: [...capabilities] };
}

async function promoted({ edda }: Service): Promise<Received> {
  return edda.move(await edda.make('Document', { title: 'promoted' }), 1);
}
