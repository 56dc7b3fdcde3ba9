import { jsonOf } from '../../../contract/json.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { CallOutcome } from '../../../reference-server/ports/deliveries.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, changeExtension, registerEndpoint, scheduleTask } from '../proofs.ts';
import { at, hostKey, listAt, type Service, signatureOver } from '../service.ts';

const leewaySeconds = 30;

const task = { id: 'task', extensionType: 'ExternalTask' };

/** Calls to extensions and endpoints, and what becomes of them. */
export const callsMistakes: Batch = {
  'actions.another-spelling-in-forms': {
    source: 'core: Names; extensions: Payloads by extension type, row ExternalAction',
    breaks: 'The version of the selected object has the name with the neutral prefix, in the payload of a form too.',
    kind: 'place',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { kind, payload } = triggered;
      if (kind !== 'action' || !isContent(payload) || payload['requestedRoute'] === undefined)
        return right(areas, call, triggered);
      const { svcUOIVersion, ...rest } = payload;
      const version = svcUOIVersion === undefined ? {} : { svcUoiVersion: svcUOIVersion };
      return right(areas, call, { ...triggered, payload: { ...rest, ...version } });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      const { oid } = await service.edda.make('Document', { title: 't' });
      await runForm(service, { objectId: oid });
      return at(callsOf(host, 'action')[0]?.envelope?.payload, '/svcUOIVersion') === undefined;
    },
  },

  'endpoint.retries-are-posts': {
    source: 'extensions: Registered external endpoint (simple), method',
    breaks: 'The configured method is used for the call, for its retries too.',
    kind: 'combination',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      return attempt > 1 && request.body !== undefined ? { ...request, method: 'POST' } : request;
    }),
    async shows(service) {
      const host = await service.host(() => [], always({ status: 503 }));
      const headers = [
        { name: 'content-type', value: 'application/json' },
        { name: 'authorization', value: `Bearer ${signatureOver('/hook', hostKey)}` },
      ];
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, method: 'PUT', headers });
      await service.edda.sendToEndpoint();
      await service.pass(1, 4);
      return callsTo(host)[1]?.method === 'POST';
    },
  },

  'token.half-a-minute-longer': {
    source: 'extensions: Registered trusted external endpoint, tokenLifeTime',
    breaks: 'The token stays valid for so many minutes, and no second longer.',
    kind: 'moment',
    survives: 'How exactly the end of a token is kept is not said (token-claims): recorded.',
    variant: replaces('tokens', 'checkExpiry', (right, areas, claims) => {
      const isImpersonating = at(claims, '/scope') === 'impersonation';
      right(areas, isImpersonating ? { ...claims, exp: claims.exp + leewaySeconds } : claims);
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, tokenLifeTime: 1 });
      const { path } = await service.edda.make('Document', { title: 't' });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      const token = new URL(callsTo(host)[0]?.target ?? '', host.url).searchParams.get('access_token') ?? '';
      await service.pass(70);
      return (await service.nobody.get(path, { authorization: `Bearer ${token}` })).status === 200;
    },
  },

  'email.ampersand-beside-tags': {
    source: 'extensions: Payloads by extension type, row Email',
    breaks: 'The body of a mail is the text that was composed, an ampersand in HTML too.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { kind, payload } = triggered;
      if (kind !== 'email' || !isContent(payload) || !/<\w/.test(String(payload['body'])))
        return right(areas, call, triggered);
      const body = String(payload['body']).replaceAll(/&(?!\w+;)/g, '&amp;');
      return right(areas, call, { ...triggered, payload: { ...payload, body } });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      const body = '<p>this & that</p>';
      await service.edda.post('/api/space/main/externalEmail', { to: 'a@b.example', subject: 's', body });
      await service.pass(1);
      return at(callsTo(host)[0]?.envelope?.payload, '/body') !== body;
    },
  },

  'actions.route-without-its-query': {
    source: 'extensions: Payloads by extension type, row ExternalAction',
    breaks: 'requestedRoute is the route that the service would have used, its query included.',
    kind: 'value',
    variant: replaces('triggers', 'formPayload', (right, areas, body) =>
      right(areas, { ...body, requestedRoute: String(body['requestedRoute']).split('?', 1)[0] }),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      const requestedRoute = '/api/space/main/softtype/Document/documentInput?group.port=value';
      await runForm(service, { requestedRoute });
      return at(callsOf(host, 'action')[0]?.envelope?.payload, '/requestedRoute') !== requestedRoute;
    },
  },

  'tasks.input-without-an-ending': {
    source: 'extensions: External task links, uploadFileStream',
    breaks: 'The link leads to where the input file is, also where the name of that has no ending.',
    kind: 'value',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) => {
      const links = right(areas, spaceId, jobId, inputPath, token);
      const isFile = inputPath.split('/').at(-1)?.includes('.') === true;
      return isFile
        ? links
        : links.map((link) =>
            link.id === 'uploadFileStream'
              ? { ...link, url: `${link.url}/${encodeURIComponent(inputPath.split('/').at(-1) ?? '')}` }
              : link,
          );
    }),
    async shows(service) {
      const host = await service.host(() => [task]);
      await scheduleTask(service, { inputPath: 'folder/input' });
      const links = listAt(callsOf(host, 'task')[0]?.envelope?.payload, '/links');
      const link = links.find((each) => at(each, '/id') === 'uploadFileStream');
      return !String(at(link, '/url')).endsWith('/stream/folder');
    },
  },

  'validation.verdict-beside-an-error': {
    source: 'extensions: Calls to extensions, row ExternalValidation; Errors 1',
    breaks: 'A 5xx status is a transient error, which is retried, also where a verdict comes with it.',
    kind: 'combination',
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
        () => [{ id: 'validator', extensionType: 'ExternalValidation', capabilities }],
        [{ steps, afterwards: 'last' }],
      );
      const promoted = service.edda.move(await service.edda.make('Document', { title: 't' }), 1);
      await service.pass(1, 4);
      return (await promoted).status === 204;
    },
  },

  'tasks.input-can-be-fetched-once': {
    source: 'extensions: Callbacks from an external task, text below',
    breaks: 'The external service downloads its input by the link, as often as it needs to.',
    kind: 'copy',
    variant: breaks('fileAreas', 'queryCredentialsOf', (right) => {
      const used = new Set<string>();
      return (areas, call) => {
        const credentials = right(areas, call);
        const token = credentials?.scheme === 'bearer' ? credentials.token : '';
        const [, payload = ''] = token.split('.');
        if (!Buffer.from(payload, 'base64url').toString().includes('impersonation')) return credentials;
        if (used.has(token)) return undefined;
        used.add(token);
        return credentials;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [task]);
      await service.edda.upload('folder/input.csv', 'a,b');
      await scheduleTask(service);
      const links = listAt(callsOf(host, 'task')[0]?.envelope?.payload, '/links');
      const url = String(
        at(
          links.find((each) => at(each, '/id') === 'inputFile'),
          '/url',
        ),
      );
      const answers = [await service.nobody.get(url), await service.nobody.get(url)];
      return answers[0]?.status === 200 && answers[1]?.status === 401;
    },
  },

  'signing.path-of-before-an-update': {
    source: 'extensions: Authentication 3',
    breaks: 'The signature is one over the path of the call, also after an update has changed the endpoint.',
    kind: 'copy',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const known = new Map<string, string>();
      return async (areas, delivery, callee) => {
        const request = await right(areas, delivery, callee);
        const key = `${callee.rateKey} ${callee.extension.apiKey}`;
        const Authorization = known.get(key) ?? request.headers['Authorization'] ?? '';
        known.set(key, Authorization);
        return { ...request, headers: { ...request.headers, Authorization } };
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', endpoint: '/first' }]);
      const send = async () => {
        await service.edda.sendEvent();
        await service.pass(1);
      };
      await send();
      const record = { id: 'event', name: 'event', version: '1.0.0', category: 'proof', endpoint: '/second' };
      host.setRecords([{ ...record, extensionType: 'ExternalEvent' }]);
      await changeExtension(service, { hostUri: host.url });
      await send();
      const [, second] = callsTo(host);
      if (second === undefined) return false;
      return headerValues(second, 'authorization')[0] !== `Bearer ${signatureOver('/second', hostKey)}`;
    },
  },

  'events.list-of-one-is-unpacked': {
    source: 'extensions: Events 1',
    breaks: 'The payload carries the content that is configured, a list with one value in it too.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) =>
      right(areas, call, triggered.kind === 'event' ? { ...triggered, payload: inXml(triggered.payload) } : triggered),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent('event', { inner: { list: ['one'] } });
      await service.pass(1);
      return !Array.isArray(at(callsTo(host)[0]?.envelope?.payload, '/contentPayload/inner/list'));
    },
  },
};

function runForm({ edda }: Service, fields: object) {
  const form = { kind: 'form', requestedRoute: '/api/space/main/batch', httpVerb: 'POST', contentPayload: {} };
  return edda.post('/api/space/main/externalAction/action', { ...form, ...fields });
}

function isVerdict(outcome: CallOutcome): boolean {
  return outcome.kind === 'answered' && typeof at(jsonOf(outcome.body), '/isValid') === 'boolean';
}

/** A value as it comes back from XML. */
function inXml(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = listAt(value, '').map(inXml);
    return items.length === 1 ? items[0] : items;
  }
  if (!isContent(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inXml(inner)]));
}
