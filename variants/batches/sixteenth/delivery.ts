import { Refusal } from '../../../reference-server/http/refusal.ts';
import { together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo, logged, registerEndpoint } from '../proofs.ts';
import { at, signatureOver } from '../service.ts';
import { acquire, failing, hostOfKeys, keysBrought, promotedWith, promoteOne, validator } from './scenes.ts';

export const validationMistakes: Batch = {
  'validation.null-for-an-object': {
    source: 'extensions: Errors 5',
    breaks: 'A validation whose answer is missing or malformed has failed; null is no object.',
    kind: 'value',
    variant: replaces('validation', 'verdictOf', (right, areas, outcome) => {
      const isNull = outcome.kind === 'answered' && outcome.status === 200 && outcome.body.trim() === 'null';
      return isNull ? { kind: 'valid', message: '' } : right(areas, outcome);
    }),
    async shows(service) {
      return (await promotedWith(service, { text: 'null' })) === 204;
    },
  },

  'validation.object-in-an-array': {
    source: 'extensions: Errors 5',
    breaks: 'The answer of a validation is an object; an array with one in it is none.',
    kind: 'value',
    variant: replaces('validation', 'verdictOf', (right, areas, outcome) => {
      if (outcome.kind !== 'answered' || !outcome.body.startsWith('[{')) return right(areas, outcome);
      return right(areas, { ...outcome, body: outcome.body.slice(1, -1) });
    }),
    async shows(service) {
      return (await promotedWith(service, { json: [{ isValid: true, message: '' }] })) === 204;
    },
  },

  'validation.told-by-its-message': {
    source: 'extensions: Calls to extensions',
    breaks: 'isValid says whether an object is valid, also when the message is empty.',
    kind: 'combination',
    variant: replaces('validation', 'verdictOf', (right, areas, outcome) => {
      const verdict = right(areas, outcome);
      return verdict.kind === 'invalid' && verdict.message === '' ? { kind: 'valid', message: '' } : verdict;
    }),
    async shows(service) {
      return (await promotedWith(service, { json: { isValid: false, message: '' } })) === 204;
    },
  },

  'validation.context-of-itself': {
    source: 'extensions: Payloads by extension type',
    breaks: 'A validation has a contextObjectId only where there is a context object.',
    kind: 'value',
    variant: replaces('validation', 'validationPayload', (right, areas, call, object) => {
      return { contextObjectId: object.oid, ...right(areas, call, object) };
    }),
    async shows(service) {
      const host = await service.host(() => [validator]);
      await promoteOne(service);
      return typeof at(callsTo(host)[0]?.json, '/payload/contextObjectId') === 'string';
    },
  },

  'validation.retries-of-a-stubborn-record': {
    source: 'extensions: Limits',
    breaks: 'A validation is retried three times, whatever its record says about retries.',
    kind: 'combination',
    variant: replaces('outgoingCalls', 'callWithRetries', async (right, areas, delivery, retries) => {
      const callee = await areas.store.read((reading) => areas.callees.calleeOf(reading, delivery));
      return right(areas, delivery, callee?.retryForever === true ? 5 : retries);
    }),
    async shows(service) {
      const host = await service.host(() => [{ ...validator, retryForever: true }], failing);
      const promoted = promoteOne(service);
      await service.pass(2, 40);
      await promoted;
      return callsTo(host).length > 4;
    },
  },
};

export const keysMistakes: Batch = {
  'keys.opened-by-any-key': {
    source: 'extensions: Permission names',
    breaks: 'The key that administers is that for AdministrationAPI, and no other.',
    kind: 'value',
    variant: replaces('apiKeys', 'opensAdministration', () => true),
    async shows(service) {
      const host = await hostOfKeys(service, 'AuthorizationAPI');
      await acquire(service, host, ['AuthorizationAPI']);
      const [key] = keysBrought(host, 'AuthorizationAPI');
      const path = '/admin/fileupload/main';
      const body = { sourceDirectory: await service.directory(), writeLog: false };
      const authorization = `Bearer ${signatureOver(path, String(key))}`;
      return (await service.nobody.post(path, body, { authorization })).status < 400;
    },
  },

  'keys.young-by-use': {
    source: 'extensions: Limits',
    breaks: 'A key is rotated 24 hours after it was issued, also when it was asked for in between.',
    kind: 'moment',
    variant: (classes) => {
      const asked = new Map<unknown, number>();
      return together(
        replaces('apiKeys', 'isKeyDue', (right, areas, key) => {
          const isDue = right(areas, { ...key, issuedAt: asked.get(key.key) ?? key.issuedAt });
          asked.set(key.key, areas.clock.now());
          return isDue;
        }),
        replaces('apiKeys', 'isKeyValid', (right, areas, key) => {
          return right(areas, { ...key, issuedAt: asked.get(key.key) ?? key.issuedAt });
        }),
      )(classes);
    },
    async shows(service) {
      const host = await hostOfKeys(service, 'AdministrationAPI');
      for (let count = 0; count < 3; count += 1) {
        await acquire(service, host, ['AdministrationAPI']);
        await service.pass(13 * 60 * 60);
      }
      const keys = keysBrought(host, 'AdministrationAPI');
      return keys.length === 3 && keys[0] === keys[2];
    },
  },

  'keys.first-of-a-request': {
    source: 'extensions: Acquiring API keys',
    breaks: 'The callback brings a key for each permission that was asked for.',
    kind: 'value',
    variant: replaces('apiKeys', 'grantedPermissions', (right, areas, asked, configured) =>
      right(areas, asked.slice(0, 1), configured),
    ),
    async shows(service) {
      const host = await hostOfKeys(service, 'AdministrationAPI', 'AuthorizationAPI');
      await acquire(service, host, ['AdministrationAPI', 'AuthorizationAPI']);
      return keysBrought(host, 'AuthorizationAPI')[0] === undefined;
    },
  },

  'keys.first-of-an-endpoint': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'A trusted endpoint may ask for each of its permissions, the second as well as the first.',
    kind: 'place',
    variant: replaces('apiKeys', 'endpointHolders', async (right, areas, reading, id) => {
      const holders = await right(areas, reading, id);
      return holders.map(({ permissions, ...holder }) => ({
        ...holder,
        ...(permissions && { permissions: { ...permissions, permissions: permissions.permissions.slice(0, 1) } }),
      }));
    }),
    async shows(service) {
      const host = await hostOfKeys(service, 'AdministrationAPI');
      const permissions = {
        tokenCallback: `${host.url}/keys`,
        permissions: ['AdministrationAPI', 'AuthorizationAPI'],
      };
      await registerEndpoint(service, 'trustedExternalEndpoint', {
        url: `${host.url}/hook`,
        tokenLifeTime: 5,
        permissions,
      });
      return (await acquire(service, host, ['AuthorizationAPI'], 'hook')).status >= 400;
    },
  },
};

export const deliveryMistakes: Batch = {
  'metadata.one-record-of-a-name': {
    source: 'extensions: Extension metadata record',
    breaks: 'Records are told apart by their id; two may have one name.',
    kind: 'value',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      const { records, complaints } = right(areas, items);
      return { records: [...new Map(records.map((record) => [record.name, record])).values()], complaints };
    }),
    async shows({ host, edda }) {
      await host(() => ['event', 'other'].map((id) => ({ id, name: 'Notifier', endpoint: `/${id}` })));
      return (await edda.sendEvent()).status >= 400;
    },
  },

  'metadata.empty-description': {
    source: 'extensions: Extension metadata record',
    breaks: 'The description of a record is any text or none, an empty one as well.',
    kind: 'value',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      return right(
        areas,
        items.filter((item) => at(item, '/description') !== ''),
      );
    }),
    async shows({ host, edda }) {
      await host(() => [{ id: 'event', description: '' }]);
      return (await edda.sendEvent()).status >= 400;
    },
  },

  'registration.empty-description': {
    source: 'extensions: Registered external endpoint',
    breaks: 'The description of an endpoint is any text or none, an empty one as well.',
    kind: 'value',
    variant: replaces('registrations', 'endpointFrom', (right, areas, body) => {
      if (at(body, '/description') === '') throw new Refusal(400, 'Expected a description.');
      return right(areas, body);
    }),
    async shows(service) {
      return (
        (await registerEndpoint(service, 'externalEndpoint', { url: 'http://127.0.0.1:9/hook', description: '' }))
          .status !== 201
      );
    },
  },

  'delivery.201-after-a-retry': {
    source: 'extensions: Events 2',
    breaks: '201 is a success, of a retry as well as of the first attempt.',
    kind: 'moment',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isLate = delivery.attempts > 0 && outcome.kind === 'answered' && outcome.status === 201;
      return right(areas, delivery, policy, isLate ? { ...outcome, status: 500 } : outcome);
    }),
    async shows(service) {
      const script = [{ steps: [{ status: 503 }, { status: 201 }], afterwards: 'last' as const }];
      const host = await service.host(() => [{ id: 'event' }], script);
      await service.edda.sendEvent();
      await service.pass(2, 10);
      return callsTo(host).length > 2;
    },
  },

  'delivery.hundred-seconds-at-most': {
    source: 'extensions: Limits',
    breaks: 'requestTimeout says how long an answer is waited for, also beyond the default.',
    kind: 'value',
    variant: replaces('callees', 'requestTimeoutOf', (right, areas, record) =>
      Math.min(right(areas, record), record.requestTimeout === undefined ? 600 : 100),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', requestTimeout: 150 }], [{ steps: [{ never: true }] }]);
      await service.edda.sendEvent();
      await service.pass(10, 13);
      return callsTo(host).length > 1;
    },
  },

  'delivery.retries-of-an-endpoint': {
    source: 'extensions: Limits',
    breaks: 'A call to an endpoint is retried five times, as an event is.',
    kind: 'place',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      return { ...policy, retries: Math.min(policy.retries, delivery.kind === 'endpoint' ? 3 : Infinity) };
    }),
    async shows(service) {
      await registerEndpoint(service, 'externalEndpoint', {
        url: 'http://127.0.0.1:9/hook',
        rateLimitNumberOfExecutions: 1000,
      });
      await service.edda.sendToEndpoint();
      await service.pass(5, 16);
      return (await logged(service, 'transient-error')).length < 5;
    },
  },

  'delivery.last-power-below-five-minutes': {
    source: 'extensions: Errors 2',
    breaks: 'The backoff goes up to five minutes.',
    kind: 'value',
    variant: replaces('policies', 'nextRetryDelay', (right, areas, attempt) =>
      Math.min(right(areas, attempt), 256_000),
    ),
    async shows(service) {
      await service.host(() => [{ id: 'event', retryForever: true }], failing);
      await service.edda.sendEvent();
      await service.pass(15, 40);
      const waits = (await logged(service, 'transient-error')).map((entry) => Number(at(entry, '/wait')));
      return waits.length >= 9 && Math.max(...waits) < 300;
    },
  },
};
