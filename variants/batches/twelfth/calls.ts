import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, type Service } from '../service.ts';
import { callsTo } from '../proofs.ts';

/** A job whose task reads that file, acknowledged. */
async function jobWith(
  service: Service,
  inputPath: string,
): Promise<{ readonly path: string; readonly links: unknown }> {
  const host = await service.host(() => [{ id: 't', extensionType: 'ExternalTask' }]);
  const job = await service.edda.post('/api/space/main/dx', { recordId: 't', inputPath });
  await service.pass(1);
  return { path: job.headers.get('location') ?? '', links: callsTo(host)[0]?.envelope?.payload?.['links'] };
}

export const calls: Batch = {
  'task.log-of-a-failed-one-is-lost': {
    source: 'extensions: External task status',
    breaks: 'A task that reports that it failed or was cancelled may give a log path, which the job has.',
    kind: 'combination',
    variant: replaces('jobs', 'jobAfterReport', (right, areas, job, status, reported) =>
      right(areas, job, status, status === 'Completed' ? reported : {}),
    ),
    async shows(service) {
      const { edda } = service;
      const { path } = await jobWith(service, 'in.txt');
      await edda.put(`${path}/status/Canceled`, undefined, { logFilePath: 'logs/x.log' });
      return at((await edda.get(path)).json, '/logFilePath') !== 'logs/x.log';
    },
  },
};
