import { permissionNames } from '../../contract/names.ts';
import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import { isSuccess } from '../../judge/files/stored-file.ts';
import { bringingNothing, brought, membersOf, requestsTo } from './words.ts';

export const refusedCases = {
  'api-keys.acquire.callback-mismatch-refused': scenario(async (context) => {
    const { given, apiKeys, expect } = context;
    const holder = await given.keyHolder({ callbackPath: '/keys/here' });
    await bringingNothing(context, holder, async () => {
      for (const tokenCallback of [...othersThan(holder.tokenCallback), undefined])
        expect(await apiKeys.acquire(holder, { tokenCallback })).notToSucceed();
    });
  }),

  'api-keys.acquire.unconfigured-permission-refused': scenario(async (context) => {
    const { given, apiKeys, expect } = context;
    const holder = await given.keyHolder({ permissions: ['AdministrationAPI'] });
    await bringingNothing(context, holder, async () => {
      for (const name of ['SnapshotAPI', 'ConformanceAPI'])
        expect(await apiKeys.acquire(holder, { permissions: [name] })).notToSucceed();
    });
  }),

  'api-keys.acquire.mixed-request-no-excess': scenario(async (context) => {
    const { given, apiKeys, expect, notes } = context;
    const permissions = ['AdministrationAPI', 'SnapshotAPI'];
    const holder = await given.keyHolder({ permissions: permissions.slice(0, 1) });
    for (const asked of [permissions, permissions.toReversed()]) {
      await brought(context, holder);
      const { length } = apiKeys.callbacks(holder);
      const reply = await apiKeys.acquire(holder, { permissions: asked });
      const isTaken = isSuccess(reply.status);
      if (isTaken) await apiKeys.callback(holder, length);
      await brought(context, holder);
      const posts = apiKeys.callbacks(holder).slice(length);
      expect(posts.length, 'posts up to the keys that are asked for last').toEqual(isTaken ? 2 : 1);
      for (const post of posts) expect(membersOf(post), 'members brought').toEqual(holder.permissions);
      notes.observe(
        `a request for ${asked.join(', ')} with the former configured`,
        isTaken ? 'granted in part' : 'refused',
      );
    }
  }),

  'api-keys.acquire.own-configuration': scenario(async (context) => {
    const { given, apiKeys, expect, notes } = context;
    const one = await given.keyHolder({ permissions: ['AdministrationAPI', 'LicenseCommunicationAPI'] });
    const { tokenCallback, permissions, ...other } = await given.keyHolder({
      permissions: ['SnapshotAPI', 'TaskUploadAPI'],
    });
    await bringingNothing(context, { ...other, tokenCallback, permissions }, () =>
      bringingNothing(context, one, async () => {
        for (const body of [{ tokenCallback }, { permissions }, { tokenCallback, permissions }])
          expect(await apiKeys.acquire(one, body)).notToSucceed();
        const unknown = await apiKeys.acquireUnder(given.unique('nobody'), one);
        expect(unknown).notToSucceed();
        notes.observe('status under an unknown id', unknown.status, unknown);
      }),
    );
  }),

  'api-keys.acquire.no-permissions-refused': scenario(async (context) => {
    const { given, apiKeys, expect } = context;
    const holder = await given.keyHolder({ permissions: null });
    for (const name of permissionNames) expect(await apiKeys.acquire(holder, { permissions: [name] })).notToSucceed();
    await brought(context, await given.keyHolder());
    expect(requestsTo(holder), 'requests to an extension without permissions').toEqual([]);
  }),
} satisfies SomeCasesOf<'api-keys'>;

/** Addresses that are not the configured one, though some of them lead to the same place. */
function othersThan(callback: string): readonly string[] {
  const { origin, pathname, port, hostname, protocol } = new URL(callback);
  const otherPort = port === '8443' ? '9443' : '8443';
  const letters = pathname.replace(/[^/]+$/, (name) => name.toUpperCase());
  return [
    `${callback}-elsewhere`,
    `${protocol}//${hostname}:${otherPort}${pathname}`,
    `${callback}?again=1`,
    `${callback}/`,
    `${origin}${letters}`,
  ];
}
