import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, registerEndpoint, scheduleTask } from '../proofs.ts';
import { at, listAt, type Service } from '../service.ts';

export const callsMistakes: Batch = {
  'calls.address-written-anew': {
    source: 'extensions: Registered external endpoint',
    breaks: 'The address that is called is the registered one, its query included.',
    kind: 'value',
    survives:
      'A blank in a query has two spellings, and nothing says which: calls.simple.method compares what names and values a query holds.',
    variant: replaces('requests', 'endpointUrl', async (right, areas, ...args) => {
      const url = new URL(await right(areas, ...args));
      url.search = String(url.searchParams);
      return url.href;
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook?all&name=a%20b` });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return callsTo(host)[0]?.target !== '/hook?all&name=a%20b';
    },
  },

  'calls.longer-than-by-default': {
    source: 'extensions: Extension metadata record',
    breaks: 'The default of 100 seconds is none of a record that says otherwise, nor a limit.',
    kind: 'value',
    variant: replaces('callees', 'requestTimeoutOf', (right, areas, record) =>
      record.requestTimeout === undefined ? right(areas, record) : Math.min(100, right(areas, record)),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', requestTimeout: 200 }], always({ never: true }));
      await service.edda.sendEvent();
      await service.pass(1);
      await service.pass(15, 9);
      return callsOf(host, 'event').length > 1;
    },
  },

  'keys.more-than-an-endpoint-asked': {
    source: 'extensions: Authentication 5',
    breaks: 'A trusted endpoint gets the keys that it asked for, and no others of its configuration.',
    kind: 'place',
    variant: replaces('apiKeys', 'issueKeys', (right, areas, writing, holder, permissions) => {
      const all = holder.recordId === undefined ? holder.permissions?.permissions : undefined;
      return right(areas, writing, holder, all ?? permissions);
    }),
    async shows(service) {
      const host = await service.host(() => [], always({ status: 200 }));
      const [tokenCallback, asked] = [`${host.url}/keys`, ['SnapshotAPI']];
      const permissions = { tokenCallback, permissions: [...asked, 'AdministrationAPI'] };
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, permissions });
      const path = '/api/collection/externalExtension/acquireAccessToken/hook';
      await service.cora.post(path, { tokenCallback, permissions: asked });
      const [entry] = host.entries(({ path }) => path === '/keys');
      return at(entry?.json, '/AdministrationAPI') !== undefined;
    },
  },
};

export const tasksMistakes: Batch = {
  'tasks.progress-of-the-first-job': {
    source: 'extensions: External task links',
    breaks: 'Progress is reported to the job of the task, also when there was another before it.',
    kind: 'copy',
    variant: breaks('requests', 'taskLinks', (right) => {
      const urls = new Map<string, string>();
      return (areas, spaceId, ...args) =>
        right(areas, spaceId, ...args).map((link) => {
          if (link.id !== 'taskProgress') return link;
          const url = urls.get(spaceId) ?? link.url;
          urls.set(spaceId, url);
          return { ...link, url };
        });
    }),
    async shows(service) {
      const [first, second] = await taskLinks(service, 'taskProgress', 'one.csv', 'two.csv');
      return at(first, '/url') === at(second, '/url');
    },
  },
};

const task = { id: 'task', extensionType: 'ExternalTask' };

/** The links with this id of the tasks with these inputs. */
async function taskLinks(service: Service, id: string, ...inputPaths: readonly string[]): Promise<readonly unknown[]> {
  const host = await service.host(() => [task]);
  for (const inputPath of inputPaths) await scheduleTask(service, { inputPath });
  return callsOf(host, 'task').flatMap(({ json }) =>
    listAt(json, '/payload/links').filter((link) => at(link, '/id') === id),
  );
}
