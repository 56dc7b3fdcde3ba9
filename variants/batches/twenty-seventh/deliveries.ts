import { randomBytes } from 'node:crypto';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, changeExtension, logged } from '../proofs.ts';
import { hostKey, signatureOver } from '../service.ts';

/** When calls go out, and when again. */
export const deliveryMistakes: Batch = {
  'delivery.neighbour-retries-for-ever': {
    source: 'extensions: Registered external endpoint, row retryForever',
    breaks: 'Who does not ask for endless retries has five, also beside another record of its host that asks for them.',
    kind: 'copy',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      const isBeside = 'extension' in callee && callee.extension.records.some(({ retryForever }) => retryForever);
      return isBeside ? { ...policy, retries: Infinity } : policy;
    }),
    async shows(service) {
      const host = await service.host(
        () => [{ id: 'event' }, { id: 'endless', retryForever: true }],
        always({ status: 503 }),
      );
      await service.edda.sendEvent();
      await service.pass(70, 8);
      return callsOf(host, 'event').length > 6;
    },
  },

  'delivery.refused-ones-leave-without-a-word': {
    source: 'extensions: Events 3',
    breaks: 'The removal of an event from the queue is logged, also when the extension let nobody in.',
    kind: 'value',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) => {
      const entries = right(areas, delivery, policy, outcome, step);
      const isShut = outcome.kind === 'answered' && (outcome.status === 401 || outcome.status === 403);
      return isShut ? entries.filter(({ kind }) => kind !== 'removed') : entries;
    }),
    survives: 'silence log-access: no way to read the log is shown, and an entry says that the event has failed',
    async shows(service) {
      await service.host(() => [{ id: 'event' }], always({ status: 403 }));
      await service.edda.sendEvent();
      await service.pass(1);
      return (await logged(service, 'removed')).length === 0;
    },
  },

  'signing.key-of-the-first-attempt': {
    source: 'extensions: Registered extension, row apiKey',
    breaks: 'A call is signed with the key of the extension, also when it got that key since the first attempt.',
    kind: 'moment',
    variant: breaks('requests', 'requestFor', (right) => {
      const keys = new Map<string, string>();
      return (areas, delivery, callee, attempt) => {
        if (!('extension' in callee)) return right(areas, delivery, callee, attempt);
        const apiKey = keys.get(delivery.id) ?? callee.extension.apiKey;
        keys.set(delivery.id, apiKey);
        return right(areas, delivery, { ...callee, extension: { ...callee.extension, apiKey } }, attempt);
      };
    }),
    survives: 'silence inactive-queue: what an update means for calls that wait already is not said',
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', endpoint: '/event' }], always({ status: 503 }));
      await service.edda.sendEvent();
      await service.pass(1);
      await changeExtension(service, { hostUri: host.url, apiKey: randomBytes(64).toString('base64') });
      await service.pass(3);
      const [, second] = callsOf(host, 'event');
      return (
        second !== undefined &&
        headerValues(second, 'Authorization')[0] === `Bearer ${signatureOver('/event', hostKey)}`
      );
    },
  },

  'metadata.route-of-a-mail-from-the-root': {
    source: 'extensions: Registered extension, row hostUri',
    breaks: 'The route of a record is below hostUri, also where hostUri has a path and the record is that of mails.',
    kind: 'combination',
    variant: replaces('callees', 'calleeOf', async (right, areas, reading, address) => {
      const callee = await right(areas, reading, address);
      if (callee === undefined || !('record' in callee) || callee.record.extensionType !== 'Email') return callee;
      return { ...callee, url: new URL(callee.record.endpoint, callee.extension.hostUri).href };
    }),
    async shows(service) {
      const named = { id: 'mail', name: 'mail', version: '1.0.0', category: 'proof' };
      const record = { ...named, endpoint: '/mail', extensionType: 'Email' };
      const host = await service.host(
        () => [],
        ({ path }) => (path.endsWith('/svc/extension') ? { status: 200, json: [record] } : { status: 200 }),
      );
      const body = { hostUri: `${host.url}/below/here`, apiKey: hostKey, tokenLifeTime: 60 };
      await service.cora.post('/api/admin/svcExtension', body);
      await service.edda.post('/api/space/main/externalEmail', { to: 'a@b.example', subject: 's', body: 'text' });
      await service.pass(1);
      return callsTo(host).some(({ path }) => path === '/mail');
    },
  },
};

/** API keys. */
export const keyMistakes: Batch = {
  'api-keys.administrators-get-what-they-ask-for': {
    source: 'extensions: Acquiring API keys',
    breaks: 'Only permissions of the metadata can be requested, by a Collection Administrator neither.',
    kind: 'role',
    variant: (classes) => {
      let isAdministrator = false;
      const marked = replaces('auth', 'authorize', (right, areas, user, access, call) => {
        right(areas, user, access, call);
        isAdministrator = call.url.includes('/acquireAccessToken/');
      })(classes);
      return replaces('apiKeys', 'excessPermissions', (right, areas, asked, configured) => {
        const excess = isAdministrator ? [] : right(areas, asked, configured);
        isAdministrator = false;
        return excess;
      })(marked);
    },
    async shows(service) {
      const host = await service.host(
        (url) => [{ id: 'holder', permissions: { tokenCallback: `${url}/keys`, permissions: ['SnapshotAPI'] } }],
        always({ status: 200 }),
      );
      const body = { tokenCallback: `${host.url}/keys`, permissions: ['LicenseCommunicationAPI'] };
      return (await service.cora.post(acquirePath('holder'), body)).status < 300;
    },
  },
};

function acquirePath(id: string): string {
  return `/api/collection/externalExtension/acquireAccessToken/${id}`;
}
