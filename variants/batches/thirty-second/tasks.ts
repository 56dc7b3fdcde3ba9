import { jobWith, keepJob } from '../../../reference-server/areas/jobs.ts';
import type { MetadataRecord } from '../../../simulator/extension/metadata.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsTo, changeExtension, claimsIn, reached, scheduleTask } from '../proofs.ts';
import { at, hostKey, listAt, type Received, type Service, signatureOver } from '../service.ts';

const task: readonly Partial<MetadataRecord>[] = [{ id: 'task', extensionType: 'ExternalTask' }];
const action: readonly Partial<MetadataRecord>[] = [{ id: 'action', extensionType: 'ExternalAction' }];
const acquirePath = '/api/collection/externalExtension/acquireAccessToken/keeper';
/** Extensions for which an administrator asks at the moment, by the store of their server. */
const asking = new WeakMap<object, Set<string>>();

function askingAt(store: object): Set<string> {
  const found = asking.get(store) ?? new Set<string>();
  asking.set(store, found);
  return found;
}

function keeper(url: string, ...permissions: readonly string[]): Partial<MetadataRecord> {
  return { id: 'keeper', permissions: { tokenCallback: `${url}/keys`, permissions } } as Partial<MetadataRecord>;
}

function sendForm({ edda }: Service, contentPayload: unknown): Promise<Received> {
  const body = { kind: 'form', requestedRoute: '/api/space/main/batch', httpVerb: 'POST', contentPayload };
  return edda.post('/api/space/main/externalAction/action', body);
}

/** Tasks, actions, validations and keys. */
export const taskMistakes: Batch = {
  'validation.the-context-of-the-time-before': {
    source: 'extensions: Payloads by extension type',
    breaks: 'A validation names a context object only where it was asked for in one.',
    kind: 'copy',
    variant: breaks('validation', 'validationPayload', (right) => {
      const kept = new Map<string, unknown>();
      return (areas, call, object) => {
        const payload = right(areas, call, object);
        const key = `${call.user.name} ${object.oid}`;
        const contextObjectId = at(payload, '/contextObjectId') ?? kept.get(key);
        kept.set(key, contextObjectId);
        return contextObjectId === undefined ? payload : { ...payload, contextObjectId };
      };
    }),
    async shows(service) {
      const { edda } = service;
      const capabilities = [{ capabilityType: 'SoftType', capabilities: ['Part'] }];
      const record = { id: 'check', extensionType: 'ExternalValidation', capabilities } as Partial<MetadataRecord>;
      const host = await service.host(() => [record], always({ status: 200, json: { isValid: true, message: '' } }));
      const [one, other] = [await edda.make('Part', { name: 'n' }), await edda.make('Part', { name: 'm' })];
      const path = `/api/space/main/shareValidation/${one.oid}`;
      await edda.post(`${path}?contextObjectId=${other.oid}`);
      await edda.post(path);
      return at(callsTo(host)[1]?.envelope?.payload, '/contextObjectId') !== undefined;
    },
  },
  'actions.a-list-of-one-is-unpacked': {
    source: 'extensions: Payloads by extension type',
    breaks: 'A form action carries the payload that the service would have sent, a list of one as a list.',
    kind: 'value',
    variant: replaces('triggers', 'formPayload', (right, areas, body) => {
      const { contentPayload } = body;
      const isSingle = Array.isArray(contentPayload) && contentPayload.length === 1;
      return right(areas, isSingle ? { ...body, contentPayload: contentPayload[0] } : body);
    }),
    async shows(service) {
      const host = await service.host(() => action, always({ status: 200, json: { statusCode: 200 } }));
      await sendForm(service, [{ method: 'GET', href: '/' }]);
      return !Array.isArray(at(callsTo(host)[0]?.envelope?.payload, '/contentPayload'));
    },
  },
  'actions.the-first-answer-of-a-batch': {
    source: 'extensions: Errors 4',
    breaks: 'For a batch request the responses of an action come back as an array.',
    kind: 'place',
    survives: 'What the request that runs an action gets back is not shown: ledger, trigger-action-binding.',
    variant: replaces('triggers', 'runAction', async (right, areas, call) => {
      const answer = await right(areas, call);
      const body: unknown = answer.raw === undefined ? undefined : JSON.parse(answer.raw.toString());
      return Array.isArray(body) ? { ...answer, raw: JSON.stringify(body[0]) } : answer;
    }),
    async shows(service) {
      const item = { statusCode: 201, location: '/a', svcUOIVersion: 1 };
      await service.host(() => action, always({ status: 200, json: [item, item] }));
      return listAt(await sendForm(service, [{ a: 1 }, { b: 2 }]), '/json').length !== 2;
    },
  },
  'tasks.a-number-sign-in-the-link': {
    source: 'extensions: External task links',
    breaks: 'The link to the input file leads to it, also where its name has to be escaped before the token.',
    kind: 'combination',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) =>
      right(areas, spaceId, jobId, inputPath, token).map((link) =>
        link.id === 'inputFile' ? { ...link, url: link.url.replaceAll('%23', '#') } : link,
      ),
    ),
    async shows(service) {
      const host = await service.host(() => task);
      await scheduleTask(service, { inputPath: 'folder/a#b.csv' });
      const [call] = await reached(host, 1);
      const links = listAt(call?.envelope?.payload, '/links');
      return String(
        at(
          links.find((link) => at(link, '/id') === 'inputFile'),
          '/url',
        ),
      ).includes('#');
    },
  },
  'tokens.the-former-life-time': {
    source: 'extensions: Registered extension',
    breaks: 'A token is valid as long as the registration says now, not as long as it said at the first call.',
    kind: 'copy',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const lifeTimes = new Map<string, number>();
      return (areas, delivery, callee) => {
        const { extension } = callee;
        const tokenLifeTime = lifeTimes.get(extension.id) ?? extension.tokenLifeTime;
        lifeTimes.set(extension.id, tokenLifeTime);
        return right(areas, delivery, { ...callee, extension: { ...extension, tokenLifeTime } });
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent();
      await reached(host, 1);
      await changeExtension(service, { hostUri: host.url, tokenLifeTime: 5 });
      await service.edda.sendEvent();
      const claims = claimsIn((await reached(host, 2))[1]);
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) !== 300;
    },
  },
  'api-keys.the-extension-gets-what-it-asks-for': {
    source: 'extensions: Acquiring API keys',
    breaks: 'Only configured permissions can be requested, also by the extension itself.',
    kind: 'role',
    survives:
      'By which credential an extension asks is not said: ledger, acquire-credential. No profile binds its own signature.',
    variant: together(
      replaces('auth', 'authorize', (right, areas, user, access, call) => {
        right(areas, user, access, call);
        const id = call.params['extensionId'];
        if (id !== undefined) askingAt(areas.store).add(id);
      }),
      replaces('apiKeys', 'acquireComplaint', (right, areas, holder, request) => {
        const complaint = right(areas, holder, request);
        const isAdministrator = askingAt(areas.store).delete(holder.recordId ?? holder.registrationId);
        return !isAdministrator && complaint?.pointer?.startsWith('/permissions/') ? undefined : complaint;
      }),
    ),
    async shows(service) {
      const host = await service.host((url) => [keeper(url, 'SnapshotAPI')], always({ status: 200 }));
      const body = { tokenCallback: `${host.url}/keys`, permissions: ['AdministrationAPI'] };
      const authorization = `Bearer ${signatureOver(acquirePath, hostKey)}`;
      return (await service.nobody.post(acquirePath, body, { authorization })).status < 300;
    },
  },
  'api-keys.the-second-one-is-bare': {
    source: 'extensions: Acquiring API keys',
    breaks: 'Each permission has an object with its key, the second one too.',
    kind: 'place',
    variant: replaces('apiKeys', 'keysBody', (right, areas, keys) => {
      const [first, ...others] = keys;
      const bare = Object.fromEntries(others.map(({ permission, key }) => [permission, key]));
      return { ...right(areas, first === undefined ? [] : [first]), ...bare };
    }),
    async shows(service) {
      const permissions = ['SnapshotAPI', 'TaskUploadAPI'];
      const host = await service.host((url) => [keeper(url, ...permissions)], always({ status: 200 }));
      await service.cora.post(acquirePath, { tokenCallback: `${host.url}/keys`, permissions });
      return typeof at(callsTo(host)[0]?.json, '/TaskUploadAPI') === 'string';
    },
  },
  'tasks.an-acknowledgement-reopens': {
    source: 'extensions: States and transitions',
    breaks: 'A task that was reported as completed stays so, also where the report overtakes the acknowledgement.',
    kind: 'moment',
    variant: replaces('jobs', 'noteTaskStart', async (right, areas, writing, id) => {
      const job = await jobWith(writing, id);
      if (job?.state !== 'Completed') return right(areas, writing, id);
      await keepJob(writing, { ...job, state: 'Running' });
    }),
    async shows(service) {
      const host = await service.host(() => task, always({ status: 200, delayMs: 500 }));
      const job = await scheduleTask(service);
      await reached(host, 1);
      await service.edda.put(`${job}/status/Completed`, undefined, {});
      for (let left = 20; left > 0; left -= 1) {
        await new Promise((resolve) => void setTimeout(resolve, 50));
        if (at((await service.edda.get(job)).json, '/state') === 'Running') return true;
      }
      return false;
    },
  },
  'tasks.not-in-the-name-of-an-administrator': {
    source: 'extensions: Authentication 4',
    breaks: 'The token in the envelope opens the API for the extension as for the user, whatever role that has.',
    kind: 'role',
    variant: replaces('auth', 'userOfToken', async (right, areas, token) => {
      const user = await right(areas, token);
      const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
      if (user === undefined || at(claims, '/scope') !== 'impersonation') return user;
      const roles = [...areas.configuration.spaces.values()].flatMap((space) => areas.auth.rolesOf(user, space));
      return roles.includes('administrator') ? undefined : user;
    }),
    async shows(service) {
      const host = await service.host(() => task);
      const body = { recordId: 'task', inputPath: 'folder/input.csv' };
      const job = (await service.alma.post('/api/space/main/dx', body)).headers.get('location') ?? '';
      await service.pass(1);
      const [call] = await reached(host, 1);
      const authorization = `Bearer ${call?.envelope?.accessToken}`;
      const sent = { headers: { authorization }, body: { message: 'half' } };
      return (await service.nobody.send('PUT', `${job}/progress`, sent)).status === 401;
    },
  },
};
