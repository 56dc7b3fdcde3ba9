import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Service, at, listAt } from '../service.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { always, callsOf, callsTo, logged, registerEndpoint, scheduleTask } from '../proofs.ts';

const filesMistakes: Batch = {
  'chunks.into-the-root': {
    source: 'extensions: File routes, text below the table',
    breaks: 'A file may go into the root of its area, where there is no subdirectory to name.',
    kind: 'place',
    variant: replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) => {
      if (!chunk.relativePath.includes('/')) throw new Refusal(400, 'The path has no directory.');
      return right(areas, chunk, area);
    }),
    async shows({ edda }) {
      return (await edda.sendChunk('root.txt', ['root'], 1)).status >= 400;
    },
  },
};

const pagingMistakes: Batch = {
  'paging.value-of-the-read-before': {
    source: 'core: Server side paging 5',
    breaks: 'A blank filter value is the one of this request, whatever the one before it had.',
    kind: 'copy',
    variant: breaks('entries', 'filterOf', (right) => {
      const values = new Map<string, string>();
      return (areas, call, ...args) => {
        const applied = right(areas, call, ...args);
        if (applied === undefined) return undefined;
        const key = `${call.url.split('?', 1)[0]} ${applied.filter.id}`;
        const value = values.get(key) ?? applied.value;
        values.set(key, value);
        return { ...applied, value };
      };
    }),
    async shows({ edda }) {
      const files = ['drawing', 'letter', 'letter'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { title: 'values', files });
      await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=drawing');
      const again = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=letter');
      return listAt(again, '/data/files').length !== 2;
    },
  },
};

const create = { method: 'POST', href: '/api/space/main/softtype/Document/documentInput' };

const batchMistakes: Batch = {
  'batch.status-after-a-read': {
    source: 'core: Batch rules 3',
    breaks: 'Each result has the status of its own operation, behind a read as before it.',
    kind: 'combination',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => {
      const read = results.findIndex(({ statusCode }) => statusCode === 200);
      const isAfter = (index: number) => read >= 0 && index > read;
      return right(
        areas,
        results.map((result, index) =>
          isAfter(index) && result.statusCode < 400 ? { ...result, statusCode: 200 } : result,
        ),
      );
    }),
    async shows({ edda }) {
      const { path: href } = await edda.make('Document', { title: 'read' });
      const { json } = await edda.batch([
        { method: 'GET', href },
        { ...create, body: { title: 'made' } },
      ]);
      return at(json, '/1/statusCode') !== 201;
    },
  },

  'batch.version-as-a-text': {
    source: 'core: Batch result',
    breaks: 'The version in a result is an integer, unlike the header that it stands for.',
    kind: 'value',
    variant: replaces('batch', 'writtenBody', (right, areas, ...args) => {
      const body = right(areas, ...args);
      return isContent(body) && 'version' in body ? { ...body, version: String(body['version']) } : body;
    }),
    async shows({ edda }) {
      const { json } = await edda.batch([{ ...create, body: { title: 'typed' } }]);
      return at(json, '/0/body/version') !== 1;
    },
  },
};

const eventsMistakes: Batch = {
  'events.deleted-before-its-first-attempt': {
    source: 'extensions: Events 3',
    breaks: 'An event that a user deletes leaves a log entry, also when it never was attempted.',
    kind: 'moment',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      if (delivery?.attempts !== 0) return right(areas, writing, id);
      await areas.queue.removeDelivery(writing, delivery, 'cancelled');
      return true;
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      await service.edda.sendEvent();
      const event = await service.edda.sendEvent();
      await service.pass(1);
      await service.edda.delete(event.headers.get('location') ?? '');
      return (await logged(service, 'cancelled')).length === 0;
    },
  },

  'events.removal-of-a-refused-one': {
    source: 'extensions: Errors 3',
    breaks: 'That an event is removed from the queue is logged, also when it was refused at once.',
    kind: 'place',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) => {
      const entries = right(areas, delivery, policy, outcome, step);
      return areas.policies.isTransient(outcome) ? entries : entries.filter(({ kind }) => kind !== 'removed');
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event' }], always({ status: 404 }));
      await service.edda.sendEvent();
      await service.pass(1);
      return (await logged(service, 'removed')).length === 0;
    },
  },

  'retries.after-a-closed-connection': {
    source: 'extensions: Errors 1',
    breaks: 'A connection that ends without an answer is a transient error, also when it was closed in order.',
    kind: 'value',
    variant: replaces('policies', 'isTransient', (right, areas, outcome) => {
      const isClosed = outcome.kind === 'failed' && outcome.reason.startsWith('UND_ERR_SOCKET');
      return !isClosed && right(areas, outcome);
    }),
    async shows(service) {
      const steps = [{ cut: 'before-answer', how: 'close' } as const];
      const host = await service.host(() => [{ id: 'event' }], [{ steps }]);
      await service.edda.sendEvent();
      await service.pass(3, 2);
      return callsOf(host, 'event').length < 2;
    },
  },
};

const callsMistakes: Batch = {
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

const tasksMistakes: Batch = {
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

/**
 * Mistakes in sixty sentences that were drawn from all sentences of both documents, by somebody who knew these and no check.
 * A fifth of them is about what comes second or last: the update of an update, the later page, the second retry.
 */
export const twentyFirst: Batch = {
  ...pagingMistakes,
  ...batchMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...tasksMistakes,
  ...eventsMistakes,
};
