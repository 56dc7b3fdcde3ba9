import type { MetadataRecord } from '../../../simulator/extension/metadata.ts';
import { replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, reached } from '../proofs.ts';
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
