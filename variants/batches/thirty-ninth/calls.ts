import { randomUUID } from 'node:crypto';
import { Misfit } from '../../../reference-server/areas/records.ts';
import { withParameter } from '../../../reference-server/areas/callees.ts';
import { headerValues, type Entry } from '../../../simulator/extension/entry.ts';
import { startExtensionHost, type ExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, changeExtension, logged, reached, registerEndpoint } from '../proofs.ts';
import { at, encoded, listAt, signatureOver, type Service } from '../service.ts';

const longKey = Buffer.alloc(100, 9).toString('base64');

const otherKey = Buffer.alloc(64, 8).toString('base64');

const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };

export const callsMistakes: Batch = {
  'callees.tasks-ten-a-minute': {
    source: 'extensions: Extension metadata record, rateLimitNumberOfExecutions',
    breaks: 'A record that names no limit is executed five times a minute, one of tasks as well.',
    kind: 'place',
    variant: replaces('callees', 'calleeOf', async (right, areas, reading, address) => {
      const callee = await right(areas, reading, address);
      const isMeant = callee !== undefined && 'record' in callee && callee.record.extensionType === 'ExternalTask';
      if (!isMeant || callee.record.rateLimitNumberOfExecutions !== undefined) return callee;
      return { ...callee, rateLimitNumberOfExecutions: 10 };
    }),
    async shows(service) {
      const record = { id: 'task', extensionType: 'ExternalTask', version: '1.0.0', name: 'task', endpoint: '/task' };
      const host = await service.host(() => [{ id: 'none' }]);
      host.setRecords([{ ...record, category: 'proof' }]);
      await changeExtension(service, { hostUri: host.url });
      for (let left = 6; left > 0; left -= 1)
        await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'a.csv' });
      await service.pass(1, 3);
      return callsOf(host, 'task').length > 5;
    },
  },

  'delivery-log.retries-of-endpoints-from-zero': {
    source: 'extensions: Errors 3',
    breaks: 'The log tells the number of the retry out of the total, for the calls of an endpoint as well.',
    kind: 'place',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) =>
      right(areas, delivery, policy, outcome, step).map((entry) =>
        delivery.kind === 'endpoint' && entry.retry !== undefined ? { ...entry, retry: entry.retry - 1 } : entry,
      ),
    ),
    survives: 'ledger log-access: the entries are listed without a form or a way to read them.',
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ status: 503 }) });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      await service.edda.sendToEndpoint();
      await reached(host, 1);
      await service.pass(1);
      const [entry] = await logged(service, 'transient-error');
      return at(entry, '/retry') === 0;
    },
  },

  'callees.endpoint-at-the-root': {
    source: 'extensions: Extension metadata record, endpoint',
    breaks: 'An endpoint is relative to the host URI, also where that has a path of its own.',
    kind: 'place',
    variant: replaces('callees', 'calleeOf', async (right, areas, reading, address) => {
      const callee = await right(areas, reading, address);
      if (callee === undefined || !('record' in callee)) return callee;
      return { ...callee, url: new URL(callee.record.endpoint, `${callee.extension.hostUri}/`).href };
    }),
    survives:
      'ledger endpoint-joining: how an endpoint with a slash before it is joined is open, and as a reference it leads to the root of the host.',
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', endpoint: '/event' }]);
      const hostUri = `${host.url}/base`;
      await changeExtension(service, { hostUri });
      await service.edda.sendEvent();
      await service.pass(1);
      return host.entries(({ target }) => target === '/event').length > 0;
    },
  },

  'requests.token-of-the-query-for-an-hour': {
    source: 'extensions: Limits, token validity',
    breaks: 'The token in the query is valid for tokenLifeTime minutes, like the one in the envelope.',
    kind: 'place',
    variant: replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      if (!areas.requests.hasTokenQuery(delivery.kind)) return request;
      const token = await areas.requests.impersonationToken(delivery.userName, 60);
      return { ...request, url: withParameter(callee.url, areas.requests.tokenParameter(delivery.kind), token) };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      await changeExtension(service, { hostUri: host.url, tokenLifeTime: 5 });
      await service.edda.post('/api/space/main/externalEmail', mail);
      await service.pass(1);
      const [call] = callsOf(host, 'email');
      const token = new URL(call?.target ?? '', host.url).searchParams.get('access_token') ?? '';
      const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || 'null');
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) !== 300;
    },
  },

  'validation.retries-used-up': {
    source: 'extensions: Limits, retries of a validation',
    breaks: 'Each validation is retried three times, also after one that was retried in vain.',
    kind: 'copy',
    variant: breaks('outgoingCalls', 'callWithRetries', (right) => {
      const usedUp = new Set<string | undefined>();
      return async (areas, delivery, retries) => {
        const outcome = await right(areas, delivery, usedUp.has(delivery.recordId) ? 0 : retries);
        if (areas.policies.isTransient(outcome)) usedUp.add(delivery.recordId);
        return outcome;
      };
    }),
    async shows(service) {
      const host = await service.host(
        () => [
          {
            id: 'check',
            extensionType: 'ExternalValidation',
            capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
          },
        ],
        always({ status: 503 }),
      );
      const first = await promotedWith(service, host);
      const second = await promotedWith(service, host);
      return first === 4 && second < 4;
    },
  },

  'policies.shorter-second-wait': {
    source: 'extensions: Extension metadata record, requestTimeout',
    breaks: 'Every attempt may take the timeout of the record, a retry as well.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      return attempt > 1 ? { ...request, timeoutMs: request.timeoutMs / 2 } : request;
    }),
    async shows(service) {
      const host = await service.host(
        () => [{ id: 'event' }],
        [{ steps: [{ status: 503 }, { never: true }], afterwards: 'last' }],
      );
      await service.edda.sendEvent();
      await service.pass(1, 3);
      await reached(host, 2);
      await service.pass(60);
      return (await logged(service, 'timeout')).length > 0;
    },
  },

  'requests.key-of-the-first-attempt': {
    source: 'extensions: Registered extension, apiKey',
    breaks:
      'Calls are signed with the key of the extension, also the retry of one that began before the key was changed.',
    kind: 'combination',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const keys = new Map<string, string>();
      return (areas, delivery, callee) => {
        const apiKey = keys.get(delivery.id) ?? callee.extension.apiKey;
        keys.set(delivery.id, apiKey);
        return right(areas, delivery, { ...callee, extension: { ...callee.extension, apiKey } });
      };
    }),
    survives:
      'Authentication 3: whether the key of the trigger or that of the moment signs what waited while it was changed is not said.',
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', endpoint: '/event' }], always({ status: 503 }));
      await service.edda.sendEvent();
      await reached(host, 1);
      await changeExtension(service, { hostUri: host.url, apiKey: otherKey });
      await service.pass(1, 3);
      const second = host.entries(({ path }) => path === '/event')[1];
      return second !== undefined && !isSigned(second, otherKey);
    },
  },

  'signing.keys-of-64-bytes': {
    source: 'extensions: Authentication 2 and 3',
    breaks: 'The whole key signs, also one that is longer than the signature.',
    kind: 'value',
    variant: replaces('signing', 'signPath', (right, areas, apiKey, path) =>
      right(areas, Buffer.from(apiKey, 'base64').subarray(0, 64).toString('base64'), path),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await changeExtension(service, { hostUri: host.url, apiKey: longKey });
      const asked = host.entries(({ path }) => path === '/svc/extension').at(-1);
      return asked !== undefined && !isSigned(asked, longKey);
    },
  },

  'events.mails-share-an-id': {
    source: 'extensions: Call envelope, id',
    breaks: 'A generated id is unique per request, also of two mails that one user sends in one minute.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'envelopeIdOf', (right) => {
      const ids = new Map<string, string>();
      return (areas, call) => {
        if (call.correlationGiven || !call.url.endsWith('/externalEmail')) return right(areas, call);
        const key = `${call.user.name} ${Math.floor(areas.clock.now() / 60_000)}`;
        const id = ids.get(key) ?? right(areas, call);
        ids.set(key, id);
        return id;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      for (let left = 3; left > 0; left -= 1) await service.edda.post('/api/space/main/externalEmail', mail);
      await service.pass(1);
      const ids = callsOf(host, 'email').map(({ envelope }) => envelope?.id);
      return new Set(ids).size < ids.length;
    },
  },

  'actions.no-null-in-the-content': {
    source: 'extensions: Payloads by extension type, ExternalAction',
    breaks: 'The content of a form is what would have been sent to its route, a null in it as well.',
    kind: 'value',
    variant: replaces('triggers', 'formPayload', (right, areas, body) => withoutNulls(right(areas, body))),
    async shows(service) {
      const call = await actionCall(service, { contentPayload: { title: 't', note: null } });
      return at(call?.json, '/payload/contentPayload/note') !== null;
    },
  },

  'actions.decoded-route': {
    source: 'extensions: Payloads by extension type, ExternalAction, requestedRoute',
    breaks: 'The requested route is the one that would have been used, with what is encoded in it.',
    kind: 'value',
    variant: replaces('triggers', 'formPayload', (right, areas, body) => {
      const payload = right(areas, body);
      return { ...payload, requestedRoute: decodeURIComponent(String(at(payload, '/requestedRoute'))) };
    }),
    async shows(service) {
      const requestedRoute = '/api/space/main/softtype/page/Document/documentFull/files%2F1%2Frevisions/x/1';
      const call = await actionCall(service, { requestedRoute });
      return at(call?.json, '/payload/requestedRoute') !== requestedRoute;
    },
  },

  'actions.selected-in-its-own-module': {
    source: 'extensions: Payloads by extension type, ribbon actions',
    breaks: 'The selected object is told with the context object, also where both are one.',
    kind: 'combination',
    variant: replaces('triggers', 'ribbonPayload', (right, areas, call, reading, body, selected) =>
      right(areas, call, reading, body, body['contextObjectId'] === selected?.oid ? undefined : selected),
    ),
    survives:
      'Payloads, Action content payload: whether the context object can be the selected one as well is not said.',
    async shows(service) {
      const { oid } = await service.edda.make('Document', { title: 't' });
      const call = await actionCall(service, { kind: 'ribbon', objectId: oid, contextObjectId: oid });
      return at(call?.json, '/payload/contentPayload/selectedObject/$oid') !== oid;
    },
  },

  'metadata.versions-of-builds-before-release': {
    source: 'extensions: Versioning',
    breaks: 'A version may be any of SemVer, also one with a pre-release and a build.',
    kind: 'value',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const record = right(areas, item);
      const isBoth = !(record instanceof Misfit) && /-.*\+/.test(record.version);
      return isBoth ? new Misfit('/version', 'must match the pattern') : record;
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event', version: '2.0.0-rc.1+exp.sha.5114f85' }]);
      return (await service.edda.sendEvent()).status !== 201;
    },
  },

  'metadata.unsupported-ones-take-an-id': {
    source: 'extensions: Extension metadata record, extensionType',
    breaks: 'A record of an unsupported type is ignored, so that it takes no id from another one.',
    kind: 'combination',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      const taken = new Set<unknown>();
      const left = items.filter((item) => {
        if (taken.has(at(item, '/id'))) return false;
        if (!areas.metadata.isSupportedType(String(at(item, '/extensionType')))) taken.add(at(item, '/id'));
        return true;
      });
      return right(areas, left);
    }),
    survives: 'ledger metadata-duplicate-ids: what becomes of two records of one id is open, whatever their types.',
    async shows(service) {
      await service.host(() => [{ id: 'event', extensionType: 'Unheard' as 'Email' }, { id: 'event' }]);
      return (await service.edda.sendEvent()).status !== 201;
    },
  },

  'metadata.nothing-is-no-answer': {
    source: 'extensions: Metadata exchange',
    breaks: 'The array of an update counts, also an empty one.',
    kind: 'value',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) =>
      fetched.length === 0 ? former : right(areas, former, fetched),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      host.setRecords([]);
      await changeExtension(service, { hostUri: host.url });
      return (await service.edda.sendEvent()).status === 201;
    },
  },

  'validation.second-list-of-softtypes': {
    source: 'extensions: Extension metadata record, capabilities',
    breaks: 'A validation applies to the SoftTypes of every item of its capabilities, not of the first alone.',
    kind: 'place',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) =>
      right(areas, former, fetched).map((record) =>
        record.capabilities === undefined ? record : { ...record, capabilities: firstOfEachType(record.capabilities) },
      ),
    ),
    async shows(service) {
      const host = await service.host(() => [
        {
          id: 'check',
          extensionType: 'ExternalValidation',
          capabilities: [
            { capabilityType: 'SoftType', capabilities: ['ChangeRequest'] },
            { capabilityType: 'SoftType', capabilities: ['Document'] },
          ],
        },
      ]);
      const made = await service.edda.make('Document', { title: 't' });
      await service.edda.move(made, 1);
      return callsOf(host, 'validation').length === 0;
    },
  },

  'validation.own-ids-in-a-batch': {
    source: 'extensions: Events 4',
    breaks: 'A call has the correlation id of the request that led to it, a validation in a batch as well.',
    kind: 'combination',
    variant: replaces('validatedWrites', 'validatedBatch', async (right, areas, batch, table) => ({
      ...(await right(areas, { ...batch, correlationId: randomUUID() }, table)),
      correlationId: batch.correlationId,
    })),
    async shows(service) {
      const host = await service.host(() => [
        {
          id: 'check',
          extensionType: 'ExternalValidation',
          capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
        },
      ]);
      const { oid } = await service.edda.make('Document', { title: 't' });
      const href = `/api/space/main/maturityAction/promote/${oid}/release/engineering`;
      const promote = { method: 'PUT', href, headers: { 'Svc-UOIVersion': '1' } };
      await service.edda.post('/api/space/main/batch', [promote], { 'X-Correlation-Id': 'of-the-batch' });
      return callsOf(host, 'validation').some(({ envelope }) => envelope?.id !== 'of-the-batch');
    },
  },
};

function firstOfEachType<T extends { readonly capabilityType: string }>(capabilities: readonly T[]): T[] {
  const types = capabilities.map(({ capabilityType }) => capabilityType);
  return capabilities.filter(({ capabilityType }, index) => types.indexOf(capabilityType) === index);
}

function withoutNulls(value: object): object {
  return JSON.parse(JSON.stringify(value, (_name, inner: unknown) => (inner === null ? undefined : inner))) as object;
}

function isSigned(entry: Entry, key: string): boolean {
  return headerValues(entry, 'authorization')[0] === `Bearer ${signatureOver(entry.path, key)}`;
}

/** The call of an action, of a form unless the fields say otherwise. */
async function actionCall(service: Service, fields: object): Promise<Entry | undefined> {
  const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
  const form = { kind: 'form', requestedRoute: '/api', httpVerb: 'POST', contentPayload: {} };
  await service.edda.post(
    '/api/space/main/externalAction/action',
    { ...form, ...fields },
    {
      'Svc-InformationFilter': encoded({}),
    },
  );
  return callsOf(host, 'action')[0];
}

/** How often the host is asked about the promote of a fresh object, which it never lets pass. */
async function promotedWith(service: Service, host: ExtensionHost): Promise<number> {
  const before = callsOf(host, 'validation').length;
  const made = await service.edda.make('Document', { title: 't' });
  const moved = service.edda.move(made, 1);
  await reached(host, before + 1);
  for (let left = 4; left > 0; left -= 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    await service.pass(9);
  }
  await moved;
  return listAt(callsOf(host, 'validation'), '').length - before;
}
