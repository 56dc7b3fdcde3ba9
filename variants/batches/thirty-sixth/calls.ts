import { type Entry, headerValues } from '../../../simulator/extension/entry.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf, changeExtension, claimsIn, reached, registerEndpoint } from '../proofs.ts';
import { at, listAt, type Service } from '../service.ts';

export const callsMistakes: Batch = {
  'calls.trusted-for-a-day': {
    source: 'extensions: Registered trusted external endpoint, row tokenLifeTime',
    breaks: 'The token is valid for as many minutes as are registered, also where that is more than a day.',
    kind: 'value',
    variant: replaces('requests', 'endpointUrl', (right, areas, delivery, callee) => {
      const { endpoint } = callee;
      if (endpoint.kind === 'externalEndpoint') return right(areas, delivery, callee);
      const tokenLifeTime = Math.min(endpoint.tokenLifeTime, 1440);
      return right(areas, delivery, { ...callee, endpoint: { ...endpoint, tokenLifeTime } });
    }),
    async shows(service) {
      const entry = await calledHook(service, '/hook', { tokenLifeTime: 2000 });
      const [, payload = ''] = (queryOf(entry).get('access_token') ?? '').split('.');
      const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) !== 2000 * 60;
    },
  },

  'calls.parameter-of-two-values': {
    source: 'extensions: Registered trusted external endpoint, text below',
    breaks: 'The token is appended to the query that the address has, in which a name may stand twice.',
    kind: 'value',
    variant: replaces('requests', 'endpointUrl', async (right, areas, delivery, callee) => {
      const url = new URL(await right(areas, delivery, callee));
      url.search = new URLSearchParams(Object.fromEntries(url.searchParams)).toString();
      return url.href;
    }),
    async shows(service) {
      const entry = await calledHook(service, '/hook?tag=a&tag=b', {});
      return queryOf(entry).getAll('tag').length !== 2;
    },
  },

  'calls.key-of-a-trusted-endpoint': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'A trusted endpoint has the headers that are configured, the one for authorization among them.',
    kind: 'combination',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      if (callee.endpoint.kind === 'externalEndpoint') return request;
      const headers = Object.entries(request.headers).filter(([name]) => name.toLowerCase() !== 'authorization');
      return { ...request, headers: Object.fromEntries(headers) };
    }),
    async shows(service) {
      const headers = [
        { name: 'content-type', value: 'application/json' },
        { name: 'Authorization', value: 'ApiKey own' },
      ];
      const entry = await calledHook(service, '/hook', { headers });
      return entry !== undefined && headerValues(entry, 'authorization')[0] !== 'ApiKey own';
    },
  },

  'calls.life-time-of-the-first-day': {
    source: 'extensions: Registered extension, row tokenLifeTime',
    breaks: 'The token is valid for as long as is registered now, after an update as well.',
    kind: 'moment',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const first = new Map<string, number>();
      return (areas, delivery, callee) => {
        const { extension } = callee;
        const tokenLifeTime = first.get(extension.id) ?? extension.tokenLifeTime;
        first.set(extension.id, tokenLifeTime);
        return right(areas, delivery, { ...callee, extension: { ...extension, tokenLifeTime } });
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      await changeExtension(service, { hostUri: host.url, tokenLifeTime: 5 });
      await service.edda.sendEvent();
      await service.pass(1);
      const claims = claimsIn(callsOf(host, 'event')[1]);
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) > 300;
    },
  },

  'calls.validator-knows-the-first-user': {
    source: 'extensions: Call envelope, row accessToken',
    breaks: 'The token of a validation speaks for who triggered this one, not for who triggered the first.',
    kind: 'copy',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const first = new Map<string, string>();
      return (areas, delivery, callee) => {
        if (delivery.kind !== 'validation') return right(areas, delivery, callee);
        const userName = first.get(callee.extension.id) ?? delivery.userName;
        first.set(callee.extension.id, userName);
        return right(areas, { ...delivery, userName }, callee);
      };
    }),
    async shows({ edda, emil, host: hostOf }) {
      const host = await hostOf(() => [validator]);
      for (const user of [edda, emil]) await user.move(await edda.make('Document', { title: 't' }), 1);
      return at(claimsIn(callsOf(host, 'validation')[1]), '/sub') === 'edda';
    },
  },

  'calls.base-address-of-a-retry': {
    source: 'extensions: Call envelope, row baseAddress',
    breaks: 'The base address is that of the service, on a further attempt as well.',
    kind: 'combination',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      if (attempt < 2 || 'endpoint' in callee || request.body === undefined) return request;
      const envelope: object = JSON.parse(request.body);
      return { ...request, body: JSON.stringify({ ...envelope, baseAddress: new URL(callee.url).origin }) };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], [{ steps: [{ status: 503 }] }]);
      await service.edda.sendEvent();
      await service.pass(3, 2);
      const [first, second] = callsOf(host, 'event');
      return second !== undefined && second.envelope?.baseAddress !== first?.envelope?.baseAddress;
    },
  },

  'actions.batch-of-one': {
    source: 'extensions: text on the action content payload',
    breaks: 'A form action is sent what the service would have sent: a batch of one operation is an array.',
    kind: 'value',
    variant: replaces('triggers', 'formPayload', (right, areas, body) => {
      const payload = right(areas, body);
      const content = listAt(payload, '/contentPayload');
      return content.length === 1 ? { ...payload, contentPayload: content[0] } : payload;
    }),
    async shows({ edda, host: hostOf }) {
      const host = await hostOf(() => [{ id: 'act', extensionType: 'ExternalAction' }]);
      await edda.post('/api/space/main/externalAction/act', {
        kind: 'form',
        requestedRoute: '/api/space/main/batch',
        httpVerb: 'POST',
        contentPayload: [{ method: 'GET', href: '/api/space/main/softtype/x' }],
      });
      const [entry] = callsOf(host, 'action');
      return entry !== undefined && listAt(entry.envelope?.payload, '/contentPayload').length !== 1;
    },
  },

  'validation.not-for-administrators': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'An object of a listed SoftType is validated, whoever promotes it.',
    kind: 'role',
    variant: replaces('validation', 'verdictOn', async (right, areas, call, object, validators) =>
      areas.auth.rolesOf(call.user, call.space).includes('administrator')
        ? { kind: 'valid', message: '' }
        : right(areas, call, object, validators),
    ),
    async shows({ edda, alma, host: hostOf }) {
      const host = await hostOf(() => [validator]);
      await alma.move(await edda.make('Document', { title: 't' }), 1);
      return callsOf(host, 'validation').length === 0;
    },
  },

  'calls.payload-without-nulls': {
    source: 'extensions: Payloads by extension type, row ExternalEvent',
    breaks: 'The content payload of an event is the configured JSON, with every null in its arrays.',
    kind: 'value',
    variant: replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      if (delivery.kind !== 'event' || request.body === undefined) return request;
      const body: unknown = JSON.parse(request.body, (_name, value: unknown) =>
        Array.isArray(value) ? value.filter((item) => item !== null) : value,
      );
      return { ...request, body: JSON.stringify(body) };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent('event', { list: [1, null, 2] });
      await service.pass(1);
      const [entry] = callsOf(host, 'event');
      return entry !== undefined && listAt(entry.envelope?.payload, '/contentPayload/list').length !== 3;
    },
  },

  'validation.not-again-after-408': {
    source: 'extensions: Errors 1; Limits, retries row 2',
    breaks: 'A validation that meets 408 is tried again, as with any transient error.',
    kind: 'combination',
    variant: replaces('outgoingCalls', 'callWithRetries', (right, areas, delivery, retries) => {
      if (delivery.kind !== 'validation') return right(areas, delivery, retries);
      const strict = within(areas, {
        policies: {
          isTransient: (outcome) =>
            !(outcome.kind === 'answered' && outcome.status === 408) && areas.policies.isTransient(outcome),
        },
      });
      return right(strict, delivery, retries);
    }),
    async shows(service) {
      const host = await service.host(() => [validator], [{ steps: [{ status: 408 }] }]);
      const moving = service.edda.move(await service.edda.make('Document', { title: 't' }), 1);
      await reached(host, 1);
      await service.pass(3);
      return (await moving).status !== 204;
    },
  },
};

const validator = {
  id: 'check',
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
};

/** The call of a trusted endpoint at this path of a host. */
async function calledHook(service: Service, path: string, fields: object): Promise<Entry | undefined> {
  const host = await service.host(() => []);
  await registerEndpoint(service, 'trustedExternalEndpoint', { url: host.url + path, ...fields });
  await service.edda.sendToEndpoint();
  await service.pass(1);
  return host.entries((entry) => entry.path === '/hook')[0];
}

function queryOf(entry: Entry | undefined): URLSearchParams {
  return new URLSearchParams(entry?.target.split('?')[1] ?? '');
}
