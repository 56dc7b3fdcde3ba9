import type { Extension } from '../../../reference-server/areas/records.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { type Variant, replaces, together, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, reached, registerEndpoint, scheduleTask } from '../proofs.ts';
import { at, listAt, type Service } from '../service.ts';

export const taskMistakes: Batch = {
  'api-keys.of-endpoints-stay': {
    source: 'extensions: Authentication 5; Limits, permission key rotation',
    breaks: 'Keys rotate every 24 hours, those of a trusted endpoint as well.',
    kind: 'copy',
    variant: replaces('apiKeys', 'issueKeys', (right, areas, writing, holder, permissions) => {
      const still = within(areas, { apiKeys: { isKeyDue: () => false, isKeyValid: () => true } });
      return right(holder.recordId === undefined ? still : areas, writing, holder, permissions);
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ status: 200 }) });
      const tokenCallback = `${host.url}/keys`;
      const permissions = { tokenCallback, permissions: ['SnapshotAPI'] };
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, permissions });
      await acquire(service, 'hook', tokenCallback);
      await service.pass(25 * 3600);
      await acquire(service, 'hook', tokenCallback);
      const keys = host.entries(({ kind }) => kind !== 'metadata').map(({ json }) => at(json, '/SnapshotAPI/apiKey'));
      return keys.length === 2 && keys[0] === keys[1];
    },
  },

  'tasks.directory-of-a-file-in-the-root': {
    source: 'extensions: External task links, inputDir',
    breaks: 'The link of the directory leads to the one with the input, which may be the root of the area.',
    kind: 'value',
    survives: "shows only where the trigger, which is the service's own, names a path without a slash before it",
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) =>
      right(areas, spaceId, jobId, inputPath, token).map((link) =>
        link.id === 'inputDir' && !inputPath.includes('/') ? { ...link, url: `${link.url}/${inputPath}` } : link,
      ),
    ),
    async shows(service) {
      const links = await linksOf(service, 'input.csv');
      const link = links.find((each) => at(each, '/id') === 'inputDir');
      return String(at(link, '/url')).endsWith('/input.csv');
    },
  },

  'tasks.end-of-the-longer-progress': {
    source: 'extensions: External task links, taskProgress; Callbacks from an external task',
    breaks: 'The progress of a job is the text that was reported last, be it shorter than the one before.',
    kind: 'copy',
    survives: 'a job may show former messages beside the last one',
    variant: replaces('jobs', 'jobAfterProgress', (right, areas, job, progress) =>
      right(areas, job, progress + (job.progress ?? '').slice(progress.length)),
    ),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }], always({ status: 200 }));
      const path = await scheduleTask(service);
      for (const message of ['half of it is done', 'done'])
        await service.edda.put(`${path}/progress`, undefined, { message });
      return at((await service.edda.get(path)).json, '/progress') !== 'done';
    },
  },

  'validation.nonsense-after-a-retry-is-a-yes': {
    source: 'extensions: Errors 5',
    breaks: 'A malformed answer is an error of the validation, also when it comes on a retry.',
    kind: 'moment',
    variant: replaces('outgoingCalls', 'attempt', async (right, areas, delivery, callee, count) => {
      const outcome = await right(areas, delivery, callee, count);
      if (delivery.kind !== 'validation' || count === 1 || outcome.kind !== 'answered') return outcome;
      const isMalformed = outcome.status === 200 && !outcome.body.includes('isValid');
      return isMalformed ? { ...outcome, body: '{"isValid":true,"message":""}' } : outcome;
    }),
    async shows(service) {
      const capabilities = [{ capabilityType: 'SoftType', capabilities: ['Document'] }];
      const host = await service.host(
        () => [{ id: 'check', extensionType: 'ExternalValidation', capabilities }],
        [{ steps: [{ status: 503 }, { status: 200, text: 'nonsense' }], afterwards: 'last' }],
      );
      const made = await service.edda.make('Document', { title: 't' });
      const moved = service.edda.move(made, 1);
      await reached(host, 1);
      for (let left = 5; left > 0; left -= 1) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        await service.pass(3);
      }
      return (await moved).status === 204;
    },
  },

  'metadata.fetched-again-after-a-404': {
    source: 'extensions: Metadata exchange; Versioning',
    breaks: 'Metadata is fetched when an extension is added or updated, and not because an endpoint was not found.',
    kind: 'moment',
    variant: fetchingAgain(),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ status: 404 }));
      await service.edda.sendEvent('event');
      await service.pass(1, 3);
      await reached(host, 1);
      await service.pass(1, 2);
      return callsOf(host, 'metadata').length > 1;
    },
  },
};

function fetchingAgain(): Variant {
  return (classes) => {
    const known = new Map<string, Extension>();
    return together(
      replaces('outgoingCalls', 'preparedRequest', async (right, areas, delivery, callee, count) => {
        const request = await right(areas, delivery, callee, count);
        if ('extension' in callee) known.set(request.url, callee.extension);
        return request;
      }),
      replaces('outgoingCalls', 'call', async (right, areas, request) => {
        const outcome = await right(areas, request);
        const extension = known.get(request.url);
        if (extension !== undefined && outcome.kind === 'answered' && outcome.status === 404)
          await right(areas, areas.metadata.metadataRequest(extension, 'again'));
        return outcome;
      }),
    )(classes);
  };
}

async function acquire({ cora }: Service, id: string, tokenCallback: string): Promise<void> {
  await cora.post(`/api/collection/externalExtension/acquireAccessToken/${id}`, {
    tokenCallback,
    permissions: ['SnapshotAPI'],
  });
}

/** Links that a task with this input gets. */
async function linksOf(service: Service, inputPath: string): Promise<readonly unknown[]> {
  const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }], always({ status: 200 }));
  await scheduleTask(service, { inputPath });
  const [call] = await reached(host, 1);
  return listAt(call?.envelope?.payload, '/links');
}
