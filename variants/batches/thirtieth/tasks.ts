import { jobWith, keepJob } from '../../../reference-server/areas/jobs.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, reached, scheduleTask } from '../proofs.ts';
import { at, listAt, type Service } from '../service.ts';

/** A job whose task was acknowledged, of a host that is registered by now. */
async function runningJob(service: Service): Promise<string> {
  const job = await scheduleTask(service);
  for (let left = 50; left > 0; left -= 1) {
    if (at((await service.edda.get(job)).json, '/state') !== 'Scheduled') break;
    await service.pass(1);
  }
  return job;
}

const task = { id: 'task', extensionType: 'ExternalTask' };

export const taskMistakes: Batch = {
  'tasks.progress-of-another-job': {
    source: 'extensions: Callbacks from an external task',
    breaks: 'A message is shown on the job that it was reported for, also where another job was just told the same.',
    kind: 'copy',
    variant: breaks('jobs', 'jobAfterProgress', (right) => {
      let last: string | undefined;
      return (areas, job, progress) => {
        if (progress === last) return job;
        last = progress;
        return right(areas, job, progress);
      };
    }),
    async shows(service) {
      await service.host(() => [task]);
      const [one, other] = [await runningJob(service), await runningJob(service)];
      for (const job of [one, other]) await service.edda.put(`${job}/progress`, undefined, { message: 'half of it' });
      return !(await service.edda.get(other)).text.includes('half of it');
    },
  },

  'tasks.files-of-the-job-before': {
    source: 'extensions: External task status',
    breaks: 'A job has the files that were reported for it, and none of another.',
    kind: 'copy',
    variant: breaks('jobs', 'jobAfterReport', (right) => {
      const kept = {};
      return (areas, job, status, files) => right(areas, job, status, Object.assign(kept, files));
    }),
    async shows(service) {
      await service.host(() => [task]);
      const [one, other] = [await runningJob(service), await runningJob(service)];
      await service.edda.put(`${one}/status/Completed`, undefined, { outputFilePath: 'folder/first.csv' });
      await service.edda.put(`${other}/status/Completed`, undefined);
      return (await service.edda.get(other)).text.includes('folder/first.csv');
    },
  },

  'tasks.links-of-an-administrator': {
    source: 'extensions: External task links',
    breaks: 'The link to the input file has the token in its query, whoever scheduled the job.',
    kind: 'role',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) => {
      const links = right(areas, spaceId, jobId, inputPath, token);
      const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
      const user = areas.configuration.users.get(String(at(claims, '/sub')));
      const space = areas.configuration.spaces.get(spaceId);
      if (user === undefined || space === undefined) return links;
      if (!areas.auth.rolesOf(user, space).includes('administrator')) return links;
      return links.map((link) =>
        link.id === 'inputFile' ? { ...link, url: link.url.replace(/\?token=.*$/, '') } : link,
      );
    }),
    survives:
      'ledger task-link-templates: whether a link holds the token already is not shown, so that one without may be meant to be completed',
    async shows(service) {
      const host = await service.host(() => [task]);
      await service.alma.post('/api/space/main/dx', { recordId: 'task', inputPath: 'folder/input.csv' });
      const [call] = await reached(host, 1);
      const links = listAt(call?.json, '/payload/links');
      const input = links.find((link) => at(link, '/id') === 'inputFile');
      return input !== undefined && !String(at(input, '/url')).includes('token=');
    },
  },

  'tasks.completed-by-the-acknowledgement': {
    source: 'extensions: Calls to extensions',
    breaks: 'The answer to a task acknowledges it and no more: it runs until its status is reported.',
    kind: 'value',
    variant: replaces('deliveryEnds', 'deliveryEnded', async (right, areas, writing, delivery, end, outcome) => {
      await right(areas, writing, delivery, end, outcome);
      if (delivery.kind !== 'task' || outcome?.kind !== 'answered' || !outcome.body.includes('"Completed"')) return;
      const job = await jobWith(writing, delivery.envelopeId);
      if (job !== undefined) await keepJob(writing, areas.jobs.jobAfterReport(job, 'Completed', {}));
    }),
    async shows(service) {
      await service.host(() => [task], always({ status: 200, json: { status: 'Completed' } }));
      const job = await runningJob(service);
      return at((await service.edda.get(job)).json, '/state') === 'Completed';
    },
  },
};
