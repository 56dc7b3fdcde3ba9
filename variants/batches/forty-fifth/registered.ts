import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsTo, reached, registerEndpoint } from '../proofs.ts';
import { at, hostKey, signatureOver, type Service } from '../service.ts';

/** Metadata of extensions and keys that they acquire. */
export const registeredMistakes: Batch = {
  'metadata.percent-twice': {
    source: 'extensions: Extension metadata record, endpoint',
    breaks: 'A call goes to the route that the record names, one with encoded characters as it is.',
    kind: 'value',
    variant: replaces('requests', 'extensionRequest', (right, areas, delivery, callee) =>
      right(areas, delivery, { ...callee, url: callee.url.replaceAll('%', '%25') }),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', endpoint: '/a%20b' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      return callsTo(host)[0]?.path === '/a%2520b';
    },
  },

  'metadata.asked-for-after-a-failure': {
    source: 'extensions: Versioning',
    breaks: 'Metadata are fetched when an extension is added or updated, not when a call of it has failed for good.',
    kind: 'moment',
    variant: replaces('deliveries', 'recordOutcome', async (right, areas, writing, attempt) => {
      await right(areas, writing, attempt);
      const { callee, outcome } = attempt;
      if ('extension' in callee && outcome.kind === 'answered' && outcome.status === 404)
        void areas.metadata.fetchMetadata(callee.extension, attempt.delivery.envelopeId);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ status: 404 }));
      await service.edda.sendEvent();
      await reached(host, 1);
      await service.pass(1, 2);
      return host.entries(({ kind }) => kind === 'metadata').length > 1;
    },
  },

  'keys.administration-of-endpoints': {
    source: 'extensions: Permission names, AdministrationAPI',
    breaks: 'A key for administration opens bulk upload, that of a trusted endpoint too.',
    kind: 'role',
    variant: replaces('apiKeys', 'acquiredAdministrationKeys', (right, areas, reading) =>
      right(areas, {
        ...reading,
        document: (kind, id) => reading.document(kind, id),
        documents: async (kind) =>
          (await reading.documents(kind)).filter(
            ({ text }) => kind !== 'apiKey' || at(JSON.parse(text), '/recordId') !== undefined,
          ),
      }),
    ),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ status: 200 }) });
      const tokenCallback = `${host.url}/keys`;
      const asked = ['AdministrationAPI'];
      await registerEndpoint(service, 'trustedExternalEndpoint', {
        url: `${host.url}/hook`,
        permissions: { permissions: asked, tokenCallback },
      });
      const path = '/api/collection/externalExtension/acquireAccessToken/hook';
      await service.cora.post(path, { tokenCallback, permissions: asked });
      const apiKey = String(at(callsTo(host)[0]?.json, '/AdministrationAPI/apiKey'));
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'key.txt'), 'content');
      const authorization = `Bearer ${signatureOver('/admin/fileupload/main', apiKey)}`;
      const settings = { sourceDirectory, writeLog: false };
      return (await service.nobody.post('/admin/fileupload/main', settings, { authorization })).status === 401;
    },
  },

  'keys.callback-with-former-ones': {
    source: 'extensions: Acquiring API keys',
    breaks: 'The callback brings keys for the permissions that are asked for, not for those of before.',
    kind: 'copy',
    variant: breaks('apiKeys', 'issueKeys', (right) => {
      const former = new Map<string, readonly string[]>();
      return (areas, writing, holder, permissions) => {
        const id = `${holder.registrationId} ${holder.recordId}`;
        const all = [...new Set([...(former.get(id) ?? []), ...permissions])];
        former.set(id, all);
        return right(areas, writing, holder, all);
      };
    }),
    async shows(service) {
      const names = ['SnapshotAPI', 'TaskUploadAPI'];
      const { host, acquire } = await keyHolder(service, names);
      await acquire(['SnapshotAPI']);
      await acquire(['TaskUploadAPI']);
      return at(callsTo(host)[1]?.json, '/SnapshotAPI') !== undefined;
    },
  },

  'keys.a-day-from-the-last-acquisition': {
    source: 'extensions: Authentication 5',
    breaks: 'A key is another one a day after it was made, also where it was asked for meanwhile.',
    kind: 'moment',
    variant: replaces('apiKeys', 'issueKeys', async (right, areas, writing, holder, permissions) =>
      (await right(areas, writing, holder, permissions)).map((key) => ({ ...key, issuedAt: areas.clock.now() })),
    ),
    async shows(service) {
      const { host, acquire } = await keyHolder(service, ['SnapshotAPI']);
      await acquire(['SnapshotAPI']);
      await service.pass(23 * 3600);
      await acquire(['SnapshotAPI']);
      await service.pass(2 * 3600);
      await acquire(['SnapshotAPI']);
      const [first, , third] = callsTo(host).map(({ json }) => at(json, '/SnapshotAPI/apiKey'));
      return first !== undefined && first === third;
    },
  },
};

/** A record that may have these keys, and how its host asks for them. */
async function keyHolder(service: Service, permissions: readonly string[]) {
  const host = await service.host(
    (url) => [{ id: 'holder', permissions: { tokenCallback: `${url}/keys`, permissions: [...permissions] } }],
    always({ status: 200 }),
  );
  const path = '/api/collection/externalExtension/acquireAccessToken/holder';
  return {
    host,
    acquire: (asked: readonly string[]) =>
      service.nobody.post(
        path,
        { tokenCallback: `${host.url}/keys`, permissions: asked },
        { authorization: `Bearer ${signatureOver(path, hostKey)}` },
      ),
  };
}
