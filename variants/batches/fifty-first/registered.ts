import { Misfit } from '../../../reference-server/areas/records.ts';
import { registrationsOf } from '../../../reference-server/areas/registry.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { type Variant, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, changeExtension, reached, registerEndpoint } from '../proofs.ts';
import { at, hostKey, type Service } from '../service.ts';

type Permission = 'AdministrationAPI' | 'SnapshotAPI';

/** A record that may have keys. */
function holder(url: string, ...permissions: readonly Permission[]) {
  return { id: 'holder', permissions: { tokenCallback: `${url}/keys`, permissions: [...permissions] } };
}

function acquire({ cora }: Service, url: string, permissions: readonly Permission[], id = 'holder') {
  const path = `/api/collection/externalExtension/acquireAccessToken/${id}`;
  return cora.post(path, { tokenCallback: `${url}/keys`, permissions });
}

/** The keys that the callback was brought, one body a call. */
function broughtTo(host: ExtensionHost): readonly unknown[] {
  return host.entries(({ path }) => path === '/keys').map(({ json }) => json);
}

/** Whether keys are due is asked of the first of those that are acquired together. */
function dueTogether(): Variant {
  let answer: boolean | undefined;
  return together(
    replaces('apiKeys', 'isKeyDue', (right, areas, key) => (answer ??= right(areas, key))),
    replaces('apiKeys', 'issueKeys', async (right, areas, writing, who, permissions) => {
      answer = undefined;
      return right(areas, writing, who, permissions);
    }),
  );
}

/** What is registered, and what it may have. */
export const registeredMistakes: Batch = {
  'registration.names-are-unique': {
    source: 'extensions: Registered external endpoint, name',
    breaks: 'The id tells endpoints apart: two of them may have one name.',
    kind: 'combination',
    variant: replaces('registrations', 'createEndpoint', async (right, areas, call, writing) => {
      const { name, kind } = call.json;
      const others = await registrationsOf(writing, kind);
      if (name !== undefined && others.some((other) => 'name' in other && other.name === name))
        throw new Refusal(409, `There is an endpoint ${name} already.`, { pointer: '/name' });
      return right(areas, call, writing);
    }),
    async shows(service) {
      const fields = { url: 'https://nowhere.invalid/hook', name: 'same' };
      await registerEndpoint(service, 'externalEndpoint', { ...fields, id: 'one' });
      return (await registerEndpoint(service, 'externalEndpoint', { ...fields, id: 'other' })).status >= 400;
    },
  },

  'registration.base-in-small-letters': {
    source: 'extensions: Registered extension, hostUri',
    breaks: 'The base URL of a host is what is registered, with the capitals of its path.',
    kind: 'value',
    variant: replaces('registrations', 'extensionFrom', (right, areas, body) => {
      const fields = right(areas, body);
      return { ...fields, hostUri: fields.hostUri.toLowerCase() };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const body = { hostUri: `${host.url}/Base`, apiKey: hostKey, tokenLifeTime: 60 };
      await service.cora.post('/api/admin/svcExtension', body);
      return host.entries().some(({ target }) => target.startsWith('/base/'));
    },
  },

  'api-keys.due-as-the-first-of-them': {
    source: 'extensions: Limits, permission key rotation',
    breaks: 'Every key is rotated after a day, also where one that is asked for with it is younger.',
    kind: 'combination',
    variant: (classes) => dueTogether()(classes),
    async shows(service) {
      const both = ['SnapshotAPI', 'AdministrationAPI'] as const;
      const host = await service.host((url) => [holder(url, ...both)], always({ status: 200 }));
      await acquire(service, host.url, ['AdministrationAPI']);
      await service.pass(12 * 3600);
      await acquire(service, host.url, ['SnapshotAPI']);
      await service.pass(12 * 3600 + 60);
      await acquire(service, host.url, both);
      const [first, , last] = broughtTo(host).map((body) => at(body, '/AdministrationAPI/apiKey'));
      return first !== undefined && first === last;
    },
  },

  'metadata.version-ten-is-older-than-nine': {
    source: 'extensions: Versioning, first sentence',
    breaks: 'Versions are those of SemVer, by which ten comes behind nine; what an update brings counts.',
    kind: 'copy',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) =>
      right(areas, former, fetched).map((record) => {
        const old = former.find(({ id }) => id === record.id);
        return old !== undefined && record.version < old.version ? old : record;
      }),
    ),
    async shows(service) {
      const record = {
        id: 'event',
        name: 'event',
        extensionType: 'ExternalEvent',
        category: 'proof',
        rateLimitNumberOfExecutions: 1000,
      } as const;
      const host = await service.host(() => [{ ...record, version: '9.0.0', endpoint: '/nine' }]);
      host.setRecords([{ ...record, version: '10.0.0', endpoint: '/ten' }]);
      await changeExtension(service, { hostUri: host.url });
      await service.edda.sendEvent();
      return (await reached(host, 1))[0]?.path === '/nine';
    },
  },

  'api-keys.ids-in-small-letters': {
    source: 'extensions: Authentication 5, first part',
    breaks: 'A trusted endpoint may ask for its keys, also where its id has capitals.',
    kind: 'value',
    variant: replaces('apiKeys', 'endpointHolders', (right, areas, reading, id) =>
      right(areas, reading, id.toLowerCase()),
    ),
    async shows(service) {
      const host = await service.host(() => [], always({ status: 200 }));
      const { permissions } = holder(host.url, 'SnapshotAPI');
      await registerEndpoint(service, 'trustedExternalEndpoint', { id: 'Hook', url: `${host.url}/hook`, permissions });
      return (await acquire(service, host.url, ['SnapshotAPI'], 'Hook')).status === 404;
    },
  },

  'metadata.long-categories-left-out': {
    source: 'extensions: Extension metadata record, category',
    breaks: 'The category is a text, however long.',
    kind: 'value',
    survives: 'How long a category may be is not said: a service may take no more than so many characters.',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const record = right(areas, item);
      const isLong = !(record instanceof Misfit) && record.category.length > 50;
      return isLong ? new Misfit('/category', 'must have at most 50 characters') : record;
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event', category: 'events of interest '.repeat(4) }]);
      return (await service.edda.sendEvent()).status >= 400;
    },
  },
};
