import { headerNames } from '../../../contract/names.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { breaks, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo, changeExtension, claimsIn, registerEndpoint } from '../proofs.ts';
import { at, encoded, hostKey, listAt, signatureOver, type Received, type Service } from '../service.ts';

export const endpointMistakes: Batch = {
  'endpoints.trusted-one-off-by-default': {
    source: 'extensions: Registered external endpoint',
    breaks: 'An endpoint is active unless it says otherwise, a trusted one as well.',
    kind: 'place',
    variant: replaces('registrations', 'trustedEndpointFrom', (right, areas, body) => {
      const fields = right(areas, body);
      return { ...fields, active: at(body, '/active') === true };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, tokenLifeTime: 5 });
      await callHook(service);
      return callsTo(host).length === 0;
    },
  },

  'endpoints.plus-in-a-query': {
    source: 'extensions: Registered external endpoint',
    breaks: 'The address that is called is the registered one, with its query as it is encoded there.',
    kind: 'value',
    variant: replaces('requests', 'endpointUrl', async (right, areas, ...args) => {
      const url = await right(areas, ...args);
      return url.replaceAll('%2B', '+');
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook?sum=1%2B1` });
      await callHook(service);
      return callsTo(host).some(({ target }) => !target.includes('1%2B1'));
    },
  },
};

export const callsMistakes: Batch = {
  'calls.nulls-left-out': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The content of an event is the JSON that was configured, members that are null included.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const delivery = right(areas, call, triggered);
      if (delivery.kind !== 'event') return delivery;
      const text = JSON.stringify(delivery.payload, (_name, value: unknown) => (value === null ? undefined : value));
      return { ...delivery, payload: JSON.parse(text) as unknown };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent('event', { none: null });
      await service.pass(1);
      return callsTo(host).some(({ json }) => at(json, '/payload/contentPayload/none') === undefined);
    },
  },

  'calls.filter-of-an-earlier-trigger': {
    source: 'extensions: Call envelope',
    breaks: 'A call carries the information filter of its own trigger, also where its user sent another one before.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'passedFilter', (right) => {
      const filters = new Map<string, string>();
      return (areas, call) => {
        const filter = filters.get(call.user.name) ?? right(areas, call);
        filters.set(call.user.name, filter);
        return filter;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const [first, second] = [{ time: '2026-01-01T00:00:00Z' }, { time: '2026-02-01T00:00:00Z' }].map(encoded);
      for (const filter of [first, second])
        await service.edda.sendEvent('event', {}, { [headerNames.informationFilter]: filter ?? '' });
      await service.pass(1);
      return !callsTo(host).some(({ envelope }) => envelope?.informationFilter === second);
    },
  },

  'calls.guid-in-lower-case': {
    source: 'extensions: Call envelope',
    breaks: 'The id of a call equals the correlation id of its trigger, in whatever case that is written.',
    kind: 'value',
    survives:
      'A GUID is the same in either letter case, so that one that is passed on in the other equals it: the change is remarked by calls.envelope.id-from-correlation.',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => {
      const id = right(areas, call);
      return /^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/i.test(id) ? id.toLowerCase() : id;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const id = 'A1B2C3D4-0000-4000-8000-ABCDEF012345';
      await service.edda.sendEvent('event', {}, { [headerNames.correlationId]: id });
      await service.pass(1);
      return callsTo(host).some(({ envelope }) => envelope?.id !== id);
    },
  },

  'calls.form-that-sends-a-batch': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The content of a form action is what the form would have sent, the array of a batch as well.',
    kind: 'value',
    variant: replaces('triggers', 'formPayload', (right, areas, body) => {
      const payload = right(areas, body);
      const content = at(payload, '/contentPayload');
      return Array.isArray(content) ? { ...payload, contentPayload: { operations: content } } : payload;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      const requestedRoute = '/api/space/main/batch';
      const contentPayload = [{ method: 'GET', href: '/api/space/main/softtype/one' }];
      const body = { kind: 'form', requestedRoute, httpVerb: 'POST', contentPayload };
      await service.edda.post('/api/space/main/externalAction/action', body);
      return callsTo(host).some(({ json }) => !Array.isArray(at(json, '/payload/contentPayload')));
    },
  },

  'tokens.of-another-life-time': {
    source: 'extensions: Registered trusted external endpoint',
    breaks:
      'A token is valid for the minutes that its endpoint says, also where one with more was made for the user before.',
    kind: 'copy',
    variant: breaks('requests', 'impersonationToken', (right) => {
      const known = new Map<string, { readonly token: Promise<string>; readonly exp: number }>();
      return (areas, userName, lifeTimeMinutes) => {
        const now = areas.tokens.secondsNow();
        const kept = known.get(userName);
        if (kept !== undefined && now < kept.exp) return kept.token;
        const token = right(areas, userName, lifeTimeMinutes);
        known.set(userName, { token, exp: now + lifeTimeMinutes * 60 });
        return token;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const made = await service.edda.make('Document', { title: 'token' });
      await service.edda.sendEvent();
      await service.pass(1);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, tokenLifeTime: 5 });
      await callHook(service);
      const [call] = callsTo(host).filter(({ path }) => path === '/hook');
      const token = new URL(call?.target ?? '', host.url).searchParams.get('access_token');
      await service.pass(6 * 60);
      return (await service.nobody.get(made.path, { authorization: `Bearer ${token}` })).status === 200;
    },
  },

  'tokens.of-who-came-last': {
    source: 'extensions: Call envelope',
    breaks:
      'The token of a call speaks for the user who triggered it, also when another one triggers something before it is retried.',
    kind: 'moment',
    variant: together(
      replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
        lastUsers.set(areas.outgoing, call.user.name);
        return right(areas, call, triggered);
      }),
      replaces('requests', 'impersonationToken', (right, areas, userName, lifeTimeMinutes) =>
        right(areas, lastUsers.get(areas.outgoing) ?? userName, lifeTimeMinutes),
      ),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], [{ steps: [{ status: 503 }] }]);
      await service.edda.sendEvent();
      await service.pass(1);
      await service.alma.sendEvent();
      await service.pass(1, 4);
      const [first, ...later] = callsTo(host);
      const retries = later.filter(({ correlationId }) => correlationId === first?.correlationId);
      return retries.some((entry) => at(claimsIn(entry), '/sub') !== 'edda');
    },
  },

  'signing.key-of-before-an-update': {
    source: 'extensions: Authentication 3',
    breaks: 'A call is signed with the key that its extension has now.',
    kind: 'copy',
    variant: breaks('signing', 'signatureHeaders', (right) => {
      const keys = new Map<string, string>();
      return (areas, apiKey, url) => {
        const { origin } = new URL(url);
        const key = keys.get(origin) ?? apiKey;
        keys.set(origin, key);
        return right(areas, key, url);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const apiKey = Buffer.alloc(64, 9).toString('base64');
      await changeExtension(service, { hostUri: host.url, apiKey, tokenLifeTime: 60 });
      await service.edda.sendEvent();
      await service.pass(1);
      return callsTo(host).some(
        (entry) => headerValues(entry, 'authorization')[0] !== `Bearer ${signatureOver(entry.path, apiKey)}`,
      );
    },
  },
};

export const tasksMistakes: Batch = {
  'tasks.space-in-a-link': {
    source: 'extensions: External task links',
    breaks: 'The link to the input of a task leads to it, also where its name has a space.',
    kind: 'value',
    variant: replaces('requests', 'taskLinks', (right, areas, ...args) =>
      right(areas, ...args).map((link) => ({ ...link, url: link.url.replaceAll('%20', '+') })),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      await service.edda.upload('in%20put.csv', 'a,b');
      await schedule(service, 'in put.csv');
      const links = listAt(callsTo(host)[0]?.json, '/payload/links');
      const url = at(
        links.find((link) => at(link, '/id') === 'inputFile'),
        '/url',
      );
      return (await service.nobody.get(String(url))).status !== 200;
    },
  },

  'tasks.status-without-a-body': {
    source: 'extensions: Callbacks from an external task',
    breaks: 'The body of a status is optional.',
    kind: 'place',
    variant: replaces('jobs', 'reportedFilesOf', (right, areas, call) => {
      if (call.json === undefined) throw new Refusal(400, 'Expected a body.');
      return right(areas, call);
    }),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const location = (await schedule(service, 'input.csv')).headers.get('location') ?? '';
      return (await service.edda.put(`${location}/status/Completed`, undefined)).status >= 400;
    },
  },
};

export const validationMistakes: Batch = {
  'validation.kept-verdict': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A validation is made for each evaluation: what was not valid before may be valid by now.',
    kind: 'copy',
    variant: breaks('validation', 'askValidator', (right) => {
      const verdicts = new Map<string, ReturnType<typeof right>>();
      return (areas, call, object, validator) => {
        const verdict = verdicts.get(object.oid) ?? right(areas, call, object, validator);
        verdicts.set(object.oid, verdict);
        return verdict;
      };
    }),
    async shows({ host, edda }) {
      const capabilities = [{ capabilityType: 'SoftType', capabilities: ['Document'] }];
      await host(
        () => [{ id: 'validation', extensionType: 'ExternalValidation', capabilities }],
        [{ steps: [{ status: 200, json: { isValid: false, message: 'not yet' } }] }],
      );
      const made = await edda.make('Document', { title: 'verdict' });
      await edda.move(made, 1);
      await edda.merge(made, 1, { note: 'valid now' });
      return (await edda.move(made, 2)).status !== 204;
    },
  },
};

export const metadataMistakes: Batch = {
  'metadata.refreshed-daily': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked for when an extension is added or updated, and not because a day has gone by.',
    kind: 'moment',
    variant: breaks('outgoingCalls', 'preparedRequest', (right) => {
      const fetched = new Map<string, number>();
      return async (areas, delivery, callee, count) => {
        const now = areas.clock.now();
        if (!('extension' in callee)) return right(areas, delivery, callee, count);
        const { hostUri } = callee.extension;
        const isOld = now - (fetched.get(hostUri) ?? now) >= 24 * 60 * 60 * 1000;
        if (isOld || !fetched.has(hostUri)) fetched.set(hostUri, now);
        if (isOld) await areas.metadata.fetchMetadata(callee.extension, delivery.envelopeId);
        return right(areas, delivery, callee, count);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      await service.pass(25 * 60 * 60);
      await service.edda.sendEvent();
      await service.pass(1);
      return host.entries(({ kind }) => kind === 'metadata').length > 1;
    },
  },

  'metadata.one-unknown-type': {
    source: 'extensions: Extension metadata record',
    breaks: 'A record of a type that is not supported is ignored, and those beside it are not.',
    kind: 'place',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      const isUnknown = items.some((item) => !areas.metadata.isSupportedType(String(at(item, '/extensionType'))));
      return isUnknown ? { records: [], complaints: ['The metadata do not fit the schema.'] } : right(areas, items);
    }),
    async shows({ host, edda }) {
      await host(() => [{ id: 'event' }, { id: 'other', extensionType: 'Telepathy' }]);
      return (await edda.sendEvent()).status >= 400;
    },
  },

  'metadata.of-a-host-that-is-known': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked for when an extension is updated, also where its host stays the same.',
    kind: 'copy',
    variant: breaks('metadata', 'fetchMetadata', (right) => {
      const known = new Map<string, ReturnType<typeof right>>();
      return (areas, extension, correlationId) => {
        const metadata = known.get(extension.hostUri) ?? right(areas, extension, correlationId);
        known.set(extension.hostUri, metadata);
        return metadata;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await changeExtension(service, { hostUri: host.url, apiKey: hostKey, tokenLifeTime: 30 });
      return host.entries(({ kind }) => kind === 'metadata').length < 2;
    },
  },
};

const lastUsers = new WeakMap<object, string>();

async function callHook({ edda, pass }: Service): Promise<void> {
  await edda.post('/api/space/main/externalEvent', { endpointId: 'hook', contentPayload: {} });
  await pass(1);
}

async function schedule({ edda, pass }: Service, inputPath: string): Promise<Received> {
  const answer = await edda.post('/api/space/main/dx', { recordId: 'task', inputPath });
  await pass(1);
  return answer;
}
