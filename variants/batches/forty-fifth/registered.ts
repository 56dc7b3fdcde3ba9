import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsTo } from '../proofs.ts';
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
