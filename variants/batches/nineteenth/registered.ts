import { Misfit } from '../../../reference-server/areas/records.ts';
import { registrationsOf } from '../../../reference-server/areas/registry.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, changeExtension, registerEndpoint } from '../proofs.ts';
import { at, hostKey, type Received, type Service } from '../service.ts';

export const registrationMistakes: Batch = {
  'endpoints.empty-description': {
    source: 'extensions: Registered external endpoint',
    breaks: 'A description is a text that may be left out; an empty one is no reason to refuse.',
    kind: 'value',
    variant: replaces('registrations', 'endpointFrom', (right, areas, body) => {
      if (at(body, '/description') === '') throw new Refusal(400, 'Expected a description.');
      return right(areas, body);
    }),
    shows: async (service) => (await registered(service, { description: '' })).status >= 400,
  },

  'endpoints.same-name': {
    source: 'extensions: Registered external endpoint',
    breaks: 'A name may be left out and tells nobody apart: two endpoints may have the same.',
    kind: 'combination',
    variant: replaces('registrations', 'createEndpoint', async (right, areas, call, writing) => {
      const { kind, name } = call.json;
      const others = await registrationsOf(writing, kind);
      if (name !== undefined && others.some((other) => at(other, '/name') === name))
        throw new Refusal(409, 'There is an endpoint of this name.');
      return right(areas, call, writing);
    }),
    async shows(service) {
      await registered(service, { id: 'one', name: 'name' });
      return (await registered(service, { id: 'other', name: 'name' })).status >= 400;
    },
  },

  'metadata.long-description': {
    source: 'extensions: Extension metadata record',
    breaks: 'The description of a record is a text, however long.',
    kind: 'value',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) =>
      String(at(item, '/description') ?? '').length > 255
        ? new Misfit('/description', 'must be shorter')
        : right(areas, item),
    ),
    shows: (service) => isLeftOut(service, { description: 'long '.repeat(80) }),
  },

  'metadata.version-with-hyphens': {
    source: 'extensions: Extension metadata record',
    breaks: 'A version may be any that SemVer knows, one with a hyphen inside its pre-release as well.',
    kind: 'value',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) =>
      /-.*-/.test(String(at(item, '/version'))) ? new Misfit('/version', 'must be a version') : right(areas, item),
    ),
    shows: (service) => isLeftOut(service, { version: '1.0.0-rc-1.2' }),
  },

  'metadata.end-at-the-first-stranger': {
    source: 'extensions: Extension metadata record',
    breaks: 'A record of an unsupported type is ignored, and those behind it are not.',
    kind: 'place',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      const end = items.findIndex((item) => !areas.metadata.isSupportedType(String(at(item, '/extensionType'))));
      return right(areas, end < 0 ? items : items.slice(0, end));
    }),
    async shows({ host, edda }) {
      await host(() => [{ id: 'stranger', extensionType: 'Unheard' }, { id: 'event' }]);
      return (await edda.sendEvent()).status >= 400;
    },
  },

  'metadata.from-the-root-of-the-host': {
    source: 'extensions: Registration routes',
    breaks: 'Metadata is asked for below the base URL of the registration, also when that has a path.',
    kind: 'place',
    variant: replaces('metadata', 'metadataRequest', (right, areas, fields, correlationId) =>
      right(areas, { ...fields, hostUri: new URL(fields.hostUri).origin }, correlationId),
    ),
    async shows({ host, cora }) {
      const { url, entries } = await host(() => []);
      await cora.post('/api/admin/svcExtension', { hostUri: `${url}/below`, apiKey: hostKey, tokenLifeTime: 60 });
      return !entries().some(({ target }) => target === '/below/svc/extension');
    },
  },
};

export const keysMistakes: Batch = {
  'keys.once-granted': {
    source: 'extensions: Acquiring API keys',
    breaks: 'Only what is configured can be asked for, also of what was configured and given before.',
    kind: 'copy',
    variant: breaks('apiKeys', 'acquireComplaint', (right) => {
      const granted = new Set<string>();
      return (areas, holder, request) => {
        const key = JSON.stringify([holder.registrationId, holder.recordId, request]);
        const complaint = granted.has(key) ? undefined : right(areas, holder, request);
        if (complaint === undefined) granted.add(key);
        return complaint;
      };
    }),
    async shows(service) {
      const host = await hostOfKeys(service, 'AdministrationAPI');
      await acquire(service, host);
      host.setRecords([recordWith(host.url, 'SnapshotAPI')]);
      await changeExtension(service, { hostUri: host.url });
      return (await acquire(service, host)).status < 400;
    },
  },

  'keys.fresh-ones-only': {
    source: 'extensions: Acquiring API keys',
    breaks: 'The callback gets a key for each permission that was asked for, also for one that it has a key of.',
    kind: 'moment',
    variant: replaces('apiKeys', 'keysBody', (right, areas, keys) =>
      right(
        areas,
        keys.filter(({ fresh }) => fresh),
      ),
    ),
    async shows(service) {
      const host = await hostOfKeys(service, 'AdministrationAPI');
      await acquire(service, host);
      await acquire(service, host);
      const [, second] = host.entries(({ path }) => path === '/keys');
      return at(second?.json, '/AdministrationAPI') === undefined;
    },
  },
};

function registered(service: Service, fields: object): Promise<Received> {
  return registerEndpoint(service, 'externalEndpoint', { url: 'https://nowhere.invalid/', ...fields });
}

/** Whether an event for a record with these fields finds none. */
async function isLeftOut({ host, edda }: Service, fields: object): Promise<boolean> {
  await host(() => [{ id: 'event', ...fields }]);
  return (await edda.sendEvent()).status >= 400;
}

function recordWith(url: string, permission: string) {
  const permissions = { tokenCallback: `${url}/keys`, permissions: [permission] };
  const names = { id: 'event', name: 'event', endpoint: '/event', category: 'proof' };
  return { ...names, version: '1.0.0', extensionType: 'ExternalEvent', permissions };
}

function hostOfKeys(service: Service, permission: string): Promise<ExtensionHost> {
  return service.host((url) => [recordWith(url, permission)], always({ status: 200 }));
}

function acquire({ cora }: Service, { url }: ExtensionHost): Promise<Received> {
  const body = { tokenCallback: `${url}/keys`, permissions: ['AdministrationAPI'] };
  return cora.post('/api/collection/externalExtension/acquireAccessToken/event', body);
}
