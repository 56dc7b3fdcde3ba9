import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, scheduleTask } from '../proofs.ts';
import { at, listAt } from '../service.ts';

const taskRecord = { id: 'task', extensionType: 'ExternalTask' } as const;

/** Tasks, what they report, and keys. */
export const tasksMistakes: Batch = {
  'tasks.chunks-beside-an-input-in-the-root': {
    source: 'extensions: External task links, row uploadFile',
    breaks: 'The link for a chunked upload leads to one, also where the input lies in the root of the area.',
    kind: 'value',
    survives:
      'How a job names its input is not shown: the mistake is about a name without a slash before it, and the profile binds one with it. Ledger trigger-task-binding.',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) =>
      right(areas, spaceId, jobId, inputPath, token).map((link) =>
        link.id === 'uploadFile' && !inputPath.includes('/') ? { ...link, url: `${link.url}/` } : link,
      ),
    ),
    async shows(service) {
      const host = await service.host(() => [taskRecord]);
      await scheduleTask(service, { inputPath: 'input.csv' });
      const links = listAt(callsOf(host, 'task')[0]?.envelope, '/payload/links');
      const url = String(
        at(
          links.find((link) => at(link, '/id') === 'uploadFile'),
          '/url',
        ),
      );
      const base = new URL(url).pathname;
      return (await service.edda.sendChunk('chunked.txt', ['content'], 1, base)).status >= 400;
    },
  },

  'tasks.first-line-of-progress': {
    source: 'extensions: Callbacks from an external task, row 2',
    breaks: 'The message is shown on the job, all its lines.',
    kind: 'value',
    variant: replaces('jobs', 'jobAfterProgress', (right, areas, job, progress) =>
      right(areas, job, progress.split('\n', 1)[0] ?? ''),
    ),
    async shows(service) {
      await service.host(() => [taskRecord]);
      const job = await scheduleTask(service);
      await service.edda.put(`${job}/progress`, undefined, { message: 'one\ntwo' });
      return at((await service.edda.get(job)).json, '/progress') !== 'one\ntwo';
    },
  },

  'tasks.timeout-of-the-one-before': {
    source: 'extensions: Payloads by extension type, row ExternalTask',
    breaks: 'A task without a timeout has 600 seconds, also behind one that had another.',
    kind: 'copy',
    variant: breaks('triggers', 'taskPayload', (right) => {
      let former: unknown;
      return (areas, body) => {
        former = body['timeout'] ?? former;
        return right(areas, former === undefined ? body : { ...body, timeout: former });
      };
    }),
    async shows(service) {
      const host = await service.host(() => [taskRecord]);
      await scheduleTask(service, { timeout: 30 });
      await scheduleTask(service);
      return at(callsOf(host, 'task').at(-1)?.envelope, '/payload/timeout') !== 600;
    },
  },

  'api-keys.one-that-stays': {
    source: 'extensions: Permission names',
    breaks: 'Keys are rotated every 24 hours, also that for snapshots.',
    kind: 'value',
    variant: breaks('apiKeys', 'issueKeys', (right) => {
      const kept = new Map<string, string>();
      return async (areas, writing, holder, permissions) => {
        const keys = await right(areas, writing, holder, permissions);
        return keys.map((acquired) => {
          if (acquired.permission !== 'SnapshotAPI') return acquired;
          const id = `${holder.registrationId} ${holder.recordId ?? ''}`;
          const key = kept.get(id) ?? acquired.key;
          kept.set(id, key);
          return { ...acquired, key };
        });
      };
    }),
    async shows(service) {
      const permissions = ['SnapshotAPI'] as const;
      const host = await service.host(
        (url) => [{ id: 'keys', permissions: { tokenCallback: `${url}/keys`, permissions: [...permissions] } }],
        always({ status: 200 }),
      );
      const brought: unknown[] = [];
      for (let left = 2; left > 0; left -= 1) {
        await service.cora.post('/api/collection/externalExtension/acquireAccessToken/keys', {
          tokenCallback: `${host.url}/keys`,
          permissions,
        });
        brought.push(at(host.entries(({ path }) => path === '/keys').at(-1)?.json, '/SnapshotAPI/apiKey'));
        await service.pass(25 * 3600);
      }
      return brought[0] === brought[1];
    },
  },
};
