import { setTimeout } from 'node:timers/promises';
import { isContent } from '../../../reference-server/areas/content.ts';
import { deadlines, jobWith, keepJob } from '../../../reference-server/areas/jobs.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { detach } from '../../../reference-server/ports/store.ts';
import { breaks, replaces } from '../../breaks.ts';
import { always, awaitCalls, callsOf, task } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { becomes, runningJob, scheduleTask } from '../proofs.ts';
import { at, listAt, many, type Service } from '../service.ts';
import { changes, decodeIfEncoded } from '../variant-parts.ts';

const writtenAfterMs = 20;

export const taskCallbacksMistakes: Mistakes = {
  'tasks.refused-report-ends-the-time': {
    source: 'extensions: Limits, task timeout',
    breaks: 'A task fails when its time is over, also where a report of it was refused.',
    variant: replaces('jobs', 'reportStatus', async (right, areas, call, writing) => {
      try {
        return await right(areas, call, writing);
      } catch (error) {
        void detach(() => areas.store.change((later) => areas.jobs.dropDeadline(later, call.place.id)));
        throw error;
      }
    }),
    async shows(service) {
      await service.host([task]);
      const job = await scheduleTask(service, { timeout: 60 });
      await becomes(async () => at((await service.edda.get(job)).json, '/state') === 'Running');
      await service.edda.put(`${job}/status/Done`, undefined);
      await service.pass(61);
      return !(await becomes(async () => at((await service.edda.get(job)).json, '/state') === 'Failed', 1000));
    },
  },
  'calls.log-without-output-is-forgotten': {
    source: 'extensions: External task status',
    breaks: 'A task that completes may name its log alone.',
    variant: replaces('jobs', 'jobAfterReport', (right, areas, job, status, files) => {
      const isLogAlone = files.outputFilePath === undefined && status === 'Completed';
      return right(areas, job, status, isLogAlone ? {} : files);
    }),
    async shows(service) {
      const job = await jobAfter(service, 'status/Completed', { logFilePath: 'out/log.txt' });
      return at(job, '/logFilePath') !== 'out/log.txt';
    },
  },
  'tasks.log-path-of-255-letters': {
    source: 'extensions: External task status, row Failed',
    breaks: 'The log path that a failed task gives is kept, a long one too.',
    variant: changes('jobs', 'reportedFilesOf', ({ logFilePath, ...files }) =>
      logFilePath === undefined ? files : { ...files, logFilePath: logFilePath.slice(0, 255) },
    ),
    async shows(service) {
      const logFilePath = `${'directory/'.repeat(28)}task.log`;
      return at(await jobAfter(service, 'status/Failed', { logFilePath }), '/logFilePath') !== logFilePath;
    },
  },
  'tasks.files-of-the-job-before': {
    source: 'extensions: External task status',
    breaks: 'A job has the files that were reported for it, and none of another.',
    variant: breaks('jobs', 'jobAfterReport', (right) => {
      const kept = {};
      return (areas, job, status, files) => right(areas, job, status, Object.assign(kept, files));
    }),
    async shows(service) {
      await service.host([task]);
      const [one, other] = [await runningJob(service), await runningJob(service)];
      await service.edda.put(`${one}/status/Completed`, undefined, { outputFilePath: 'folder/first.csv' });
      await service.edda.put(`${other}/status/Completed`, undefined);
      return (await service.edda.get(other)).text.includes('folder/first.csv');
    },
  },
  'tasks.message-written-behind-the-end': {
    source: 'extensions: External task status',
    breaks: 'A task that has ended stays so, also where the message that it sent right before is still being written.',
    variant: replaces('jobs', 'reportProgress', async (right, areas, call, writing) => {
      const { place: job, json: progress } = call;
      const answer = await right(areas, call, writing);
      void detach(async () => {
        await setTimeout(writtenAfterMs);
        await areas.store.change(async (later) => {
          const now = await jobWith(later, job.id);
          if (now?.state === 'Completed') await keepJob(later, { ...job, progress });
        });
      });
      return answer;
    }),
    async shows(service) {
      await service.host([task]);
      const job = await runningJob(service);
      await service.edda.put(`${job}/progress`, undefined, { message: 'half' });
      await service.edda.put(`${job}/status/Completed`, undefined);
      return becomes(async () => at((await service.edda.get(job)).json, '/state') === 'Running', 300);
    },
  },
  'jobs.canceled-and-then-acknowledged': {
    source: 'extensions: External task status, Canceled',
    breaks: 'A job whose task was canceled is failed, also when the call of the task is acknowledged after that.',
    variant: replaces('jobs', 'noteTaskStart', async (right, areas, writing, id) => {
      const job = await jobWith(writing, id);
      if (job?.taskStatus !== 'Canceled') return right(areas, writing, id);
      await keepJob(writing, { ...job, state: 'Running' });
    }),
    async shows(service) {
      const host = await service.host([task], always({ status: 200, delayMs: 700 }));
      const body = { recordId: 'task', inputPath: 'a.csv' };
      const job = (await service.edda.post('/api/space/main/dx', body)).headers.get('location') ?? '';
      await awaitCalls(host);
      await service.edda.put(`${job}/status/Canceled`, undefined);
      await setTimeout(1200);
      return at((await service.edda.get(job)).json, '/state') === 'Running';
    },
  },
  'tasks.log-by-the-token-of-the-call': {
    source: 'extensions: External task status',
    breaks:
      'The path of a log lies in the unmanaged files of the job, also when it is reported with the token of the call.',
    survives:
      'How a job tells of its files is not said (job-route): the path stands in what it shows, as it stands in an address.',
    variant: replaces('jobs', 'reportStatus', (right, areas, call, writing) => {
      const [, payload = ''] = (call.headers['authorization'] ?? '').split('.');
      const isOfTheCall = Buffer.from(payload, 'base64url').toString().includes('"impersonation"');
      const path = call.json?.['logFilePath'];
      if (!isOfTheCall || typeof path !== 'string' || call.params['status'] !== 'Failed')
        return right(areas, call, writing);
      return right(areas, { ...call, json: { ...call.json, logFilePath: `${call.user.name}/${path}` } }, writing);
    }),
    async shows(service) {
      const host = await service.host([task]);
      const job = await scheduleTask(service);
      const [entry] = await awaitCalls(host);
      const authorization = `Bearer ${entry?.envelope?.accessToken}`;
      await service.pass(1);
      const body = { logFilePath: 'folder/log.txt' };
      await service.nobody.send('PUT', `${job}/status/Failed`, { headers: { authorization }, body });
      return at((await service.edda.get(job)).json, '/logFilePath') !== 'folder/log.txt';
    },
  },
  'tasks.no-log-of-a-cancellation': {
    source: 'extensions: States and transitions, row Canceled',
    breaks: 'A log path may be given with each final status, also with that of a cancellation.',
    variant: replaces('jobs', 'jobAfterReport', (right, areas, job, status, files) =>
      right(areas, job, status, status === 'Canceled' ? {} : files),
    ),
    async shows(service) {
      const job = await jobAfter(service, 'status/Canceled', { logFilePath: 'folder/task.log' });
      return at(job, '/logFilePath') === undefined;
    },
  },
  'tasks.reported-paths-decoded': {
    source: 'extensions: States and transitions, row Completed',
    breaks: 'The path that a task reports is that of its output, percent signs included.',
    variant: replaces('jobs', 'reportedFilesOf', (right, areas, found) =>
      Object.fromEntries(
        Object.entries(right(areas, found)).map(([name, path]: [string, unknown]) => [
          name,
          decodeIfEncoded(String(path)),
        ]),
      ),
    ),
    async shows(service) {
      const outputFilePath = 'results/100%25.csv';
      return at(await jobAfter(service, 'status/Completed', { outputFilePath }), '/outputFilePath') !== outputFilePath;
    },
  },
  'task.type-of-no-body': {
    source: 'extensions: States and transitions, row Completed',
    breaks: 'The body of a report is optional, also where its type is named.',
    survives: 'Whether a request without a body may say that it is JSON is not said: recorded.',
    variant: replaces('jobs', 'reportStatus', (right, areas, call, writing) => {
      if (call.body?.length === 0 && call.headers['content-type'] !== undefined)
        throw new Refusal(400, 'Unexpected end of JSON input.');
      return right(areas, call, writing);
    }),
    async shows(service) {
      await service.host([task]);
      const path = await scheduleTask(service);
      const sent = { headers: { 'content-type': 'application/json' }, body: '' };
      return (await service.edda.send('PUT', `${path}/status/Completed`, sent)).status === 400;
    },
  },
  'task.no-output-of-failures': {
    source: 'extensions: States and transitions, row Failed',
    breaks: 'A report of failure may name its files, the output beside the log too.',
    survives: 'Of a failure it is said that a log may be given, of an output nothing: recorded.',
    variant: changes('jobs', 'reportedFilesOf', (files, _areas, call) => {
      const isFailure = 'params' in call && at(call, '/params/status') === 'Failed';
      if (isFailure && files.outputFilePath !== undefined && files.logFilePath !== undefined)
        throw new Refusal(422, 'A task that failed has no output.');
      return files;
    }),
    async shows(service) {
      await service.host([task]);
      const path = await scheduleTask(service);
      const files = { outputFilePath: 'folder/part.csv', logFilePath: 'folder/task.log' };
      return (await service.edda.put(`${path}/status/Failed`, undefined, files)).status === 422;
    },
  },
  'tasks.status-by-way-of-another-space': {
    source: 'extensions: States and transitions',
    breaks: 'The status of a task is reported in the space of its job; in another one there is no such job.',
    variant: replaces('jobs', 'locateJob', async (right, areas, call, reading) => {
      const job = call.params['status'] === undefined ? undefined : await jobWith(reading, call.params['jobId'] ?? '');
      return job ?? right(areas, call, reading);
    }),
    async shows(service) {
      await service.host([task]);
      const job = await scheduleTask(service);
      await service.edda.put(`${job.replace('/main/', '/depot/')}/status/Completed`, undefined);
      return at((await service.edda.get(job)).json, '/state') === 'Completed';
    },
  },
  'tasks.status-for-who-has-a-role-elsewhere-only': {
    source: 'extensions: Callbacks from an external task, table',
    breaks: 'A job is found below its own space only, also by somebody whose only role is in the space of the path.',
    variant: replaces('jobs', 'locateJob', async (right, areas, call, reading) => {
      const job = call.user.name === 'otto' ? await jobWith(reading, call.params['jobId'] ?? '') : undefined;
      return job ?? right(areas, call, reading);
    }),
    async shows(service) {
      await service.host([task]);
      const job = await scheduleTask(service);
      await service.otto.put(`${job.replace('/main/', '/depot/')}/status/Completed`, undefined);
      return at((await service.edda.get(job)).json, '/state') === 'Completed';
    },
  },
  'tasks.progress-shows-on-every-job': {
    source: 'extensions: Callbacks from an external task, progress',
    breaks: 'A progress message is shown on the job that it was sent for, and on no other of the same task.',
    variant: changes('jobs', 'reportProgress', async (answer, _areas, found, writing) => {
      for (const { id, text } of await writing.documents('job')) {
        const job: unknown = JSON.parse(text);
        if (!isContent(job) || job['recordId'] !== found.place.recordId || job['state'] !== 'Running') continue;
        await writing.putDocument('job', id, JSON.stringify({ ...job, progress: found.json }));
      }
      return answer;
    }),
    async shows(service) {
      await service.host([task]);
      const [one, other] = [await scheduleTask(service), await scheduleTask(service)];
      await service.edda.put(`${one}/progress`, undefined, { message: 'half of it' });
      return (await service.edda.get(other)).text.includes('half of it');
    },
  },
  'tasks.progress-of-digits-is-a-number': {
    source: 'extensions: Callbacks from an external task, progress',
    breaks: 'The message is shown on the job as the text that it is, one of digits too.',
    variant: replaces('jobs', 'jobAfterProgress', (right, areas, job, progress) =>
      right(areas, job, /^\d+$/.test(progress) ? String(Number(progress)) : progress),
    ),
    async shows(service) {
      return at(await jobAfter(service, 'progress', { message: '007' }), '/progress') !== '007';
    },
  },
  'tasks.input-can-be-fetched-once': {
    source: 'extensions: Callbacks from an external task, text below',
    breaks: 'The external service downloads its input by the link, as often as it needs to.',
    variant: breaks('fileAreas', 'queryCredentialsOf', (right) => {
      const used = new Set<string>();
      return (areas, call) => {
        const credentials = right(areas, call);
        const token = credentials?.scheme === 'bearer' ? credentials.token : '';
        const [, payload = ''] = token.split('.');
        if (!Buffer.from(payload, 'base64url').toString().includes('impersonation')) return credentials;
        if (used.has(token)) return undefined;
        used.add(token);
        return credentials;
      };
    }),
    async shows(service) {
      await service.edda.upload('folder/input.csv', 'a,b');
      const host = await service.host([task]);
      await scheduleTask(service);
      const links = listAt(callsOf(host, 'task')[0]?.json, '/payload/links');
      const link = links.find((each) => at(each, '/id') === 'inputFile');
      const fetchInput = () => service.nobody.get(String(at(link, '/url')));
      return (await fetchInput()).status === 200 && (await fetchInput()).status === 401;
    },
  },
  'tasks.empty-progress-is-none': {
    source: 'extensions: Callbacks from an external task, row progress',
    breaks: 'The message of a report is what the job shows, also one without characters.',
    variant: replaces('jobs', 'jobAfterProgress', (right, areas, job, progress) =>
      right(areas, job, progress || (job.progress ?? '')),
    ),
    survives:
      'Callbacks, row progress: a message without characters shows on no job, and whether a job keeps showing those before it is not said.',
    async shows(service) {
      await service.host([task]);
      const job = await scheduleTask(service);
      await service.edda.put(`${job}/progress`, undefined, { message: 'half' });
      await service.edda.put(`${job}/progress`, undefined, { message: '' });
      return at((await service.edda.get(job)).json, '/progress') === 'half';
    },
  },
  'tasks.progress-of-another-job': {
    source: 'extensions: Callbacks from an external task',
    breaks: 'A message is shown on the job that it was reported for, also where another job was just told the same.',
    variant: breaks('jobs', 'jobAfterProgress', (right) => {
      let last: string | undefined;
      return (areas, job, progress) => {
        if (progress === last) return job;
        last = progress;
        return right(areas, job, progress);
      };
    }),
    async shows(service) {
      await service.host([task]);
      const [one, other] = [await runningJob(service), await runningJob(service)];
      for (const job of [one, other]) await service.edda.put(`${job}/progress`, undefined, { message: 'half of it' });
      return !(await service.edda.get(other)).text.includes('half of it');
    },
  },
  'tasks.status-with-an-empty-object': {
    source: 'extensions: Callbacks from an external task',
    breaks: 'No member of the body of a status report has to be there.',
    variant: replaces('jobs', 'reportedFilesOf', (right, areas, call) => {
      if (call.json !== undefined && Object.keys(call.json).length === 0)
        throw new Refusal(422, 'Expected a path, found none.');
      return right(areas, call);
    }),
    async shows(service) {
      await service.host([task]);
      const job = await scheduleTask(service);
      return (await service.edda.put(`${job}/status/Completed`, undefined, {})).status >= 300;
    },
  },
  'tasks.progress-hidden-from-readers': {
    source: 'extensions: Callbacks from an external task, progress',
    breaks: 'The message of a task is shown on its job, whoever reads that.',
    survives: 'How a job is read, and by whom, is not shown (ledger job-route).',
    variant: changes('jobs', 'locateJob', (job, areas, call) => {
      if (call.method !== 'GET' || areas.auth.mayUse(call.user, call.space, 'PUT')) return job;
      const { progress: _hidden, ...shown } = job;
      return shown;
    }),
    async shows(service) {
      await service.host([task]);
      const job = await scheduleTask(service);
      await service.edda.put(`${job}/progress`, undefined, { message: 'half of it' });
      return !(await service.rita.get(job)).text.includes('half of it');
    },
  },
  'tasks.progress-ready-for-a-page': {
    source: 'extensions: Callbacks from an external task, row 2',
    breaks: 'The message of a task is shown on its job as it was sent, ampersands included.',
    variant: replaces('jobs', 'jobAfterProgress', (right, areas, job, progress) =>
      right(areas, job, progress.replaceAll('&', '&amp;').replaceAll('<', '&lt;')),
    ),
    async shows(service) {
      const message = 'parts & documents';
      return at(await jobAfter(service, 'progress', { message }), '/progress') !== message;
    },
  },
  'tasks.first-line-of-progress': {
    source: 'extensions: Callbacks from an external task, row 2',
    breaks: 'The message is shown on the job, all its lines.',
    variant: replaces('jobs', 'jobAfterProgress', (right, areas, job, progress) =>
      right(areas, job, progress.split('\n', 1)[0] ?? ''),
    ),
    async shows(service) {
      return at(await jobAfter(service, 'progress', { message: 'one\ntwo' }), '/progress') !== 'one\ntwo';
    },
  },
  'restart.progress-is-lost': {
    source: 'extensions: Callbacks from an external task',
    breaks: 'The progress of a job is shown, also behind a restart.',
    variant: breaks('jobs', 'locateJob', (right) => {
      const seen = new Set<string>();
      return async (areas, call, reading) => {
        const job = await right(areas, call, reading);
        if (call.method === 'PUT') seen.add(job.id);
        if (seen.has(job.id)) return job;
        const { progress: _lost, ...rest } = job;
        return rest;
      };
    }),
    async shows(service) {
      await service.host([task]);
      const job = await runningJob(service);
      await service.edda.put(`${job}/progress`, undefined, { message: 'half' });
      await service.restart();
      return at((await service.edda.get(job)).json, '/progress') !== 'half';
    },
  },
  'tasks.eleventh-progress-lost': {
    source: 'extensions: Callbacks from an external task, row progress',
    breaks: 'The message of every report of progress is shown, the eleventh too.',
    variant: breaks('jobs', 'jobAfterProgress', (right) => {
      const reports = new Map<string, number>();
      return (areas, job, text) => {
        const count = (reports.get(job.id) ?? 0) + 1;
        reports.set(job.id, count);
        return count > 10 ? job : right(areas, job, text);
      };
    }),
    async shows(service) {
      await service.host([task]);
      const job = await runningJob(service);
      for (const number of many(11, (each) => each))
        await service.edda.put(`${job}/progress`, undefined, { message: `at ${number}` });
      return !(await service.edda.get(job)).text.includes('at 11');
    },
  },
  'tasks.progress-of-before-dropped': {
    source: 'extensions: Callbacks from an external task, row progress',
    breaks: 'The message of a report is shown, also where an earlier one had it.',
    variant: breaks('jobs', 'jobAfterProgress', (right) => {
      const seen = new Set<string>();
      return (areas, job, text) => {
        const isRepeat = seen.has(`${job.id} ${text}`);
        seen.add(`${job.id} ${text}`);
        return isRepeat ? job : right(areas, job, text);
      };
    }),
    async shows(service) {
      await service.host([task]);
      const job = await runningJob(service);
      for (const message of ['reading', 'writing', 'reading'])
        await service.edda.put(`${job}/progress`, undefined, { message });
      return !(await service.edda.get(job)).text.includes('reading');
    },
  },
  'tasks.end-of-one-frees-all': {
    source: 'extensions: Limits, task timeout',
    breaks: 'A task runs out of its time, also when another one has completed meanwhile.',
    variant: replaces('jobs', 'dropDeadline', async (right, areas, writing, id) => {
      await right(areas, writing, id);
      for (const other of await deadlines(writing)) await right(areas, writing, other.id);
    }),
    async shows(service) {
      await service.host([task]);
      const stateOf = async (job: string) => at((await service.edda.get(job)).json, '/state');
      const one = await scheduleTask(service, { timeout: 60 });
      const other = await scheduleTask(service, { timeout: 60 });
      for (const job of [one, other]) await becomes(async () => (await stateOf(job)) === 'Running');
      await service.edda.put(`${one}/status/Completed`, undefined);
      await service.pass(62);
      return !(await becomes(async () => (await stateOf(other)) === 'Failed', 1000));
    },
  },
  'tasks.report-ends-all-of-one-input': {
    source: 'extensions: External task status; Callbacks from an external task',
    breaks: 'A status report ends the job of its path and no other one, also where another has the same input.',
    variant: changes('jobs', 'reportStatus', async (answer, _areas, { place }, writing) => {
      for (const { id } of await deadlines(writing)) {
        const other = await jobWith(writing, id);
        if (other?.inputPath === place.inputPath && other.state === 'Running')
          await keepJob(writing, { ...other, state: 'Completed' });
      }
      return answer;
    }),
    async shows(service) {
      await service.host([task]);
      const [one, other] = [await runningJob(service), await runningJob(service)];
      await service.edda.put(`${one}/status/Completed`, undefined);
      return at((await service.edda.get(other)).json, '/state') !== 'Running';
    },
  },
  'tasks.fifty-reports-of-progress': {
    source: 'extensions: Callbacks from an external task, row progress',
    breaks: 'The job shows the last report of progress, the fifty-first as well.',
    variant: breaks('jobs', 'jobAfterProgress', (right) => {
      const counts = new Map<string, number>();
      return (areas, job, progress) => {
        const count = (counts.get(job.id) ?? 0) + 1;
        counts.set(job.id, count);
        return count > 50 ? job : right(areas, job, progress);
      };
    }),
    async shows(service) {
      await service.host([task]);
      const job = await runningJob(service);
      for (const message of many(51, (n) => `step ${n}.`))
        await service.edda.put(`${job}/progress`, undefined, { message });
      return !(await service.edda.get(job)).text.includes('step 51.');
    },
  },
  'tasks.output-path-decoded': {
    source: 'extensions: Callbacks from an external task, status; States and transitions, Completed',
    breaks: 'The path of the output is kept percent-decoded.',
    variant: changes('jobs', 'reportedFilesOf', (files) =>
      files.outputFilePath === undefined ? files : { ...files, outputFilePath: decodeIfEncoded(files.outputFilePath) },
    ),
    async shows(service) {
      await service.host([task]);
      const job = await runningJob(service);
      await service.edda.put(`${job}/status/Completed`, undefined, { outputFilePath: 'a/b%41c.csv' });
      return at((await service.edda.get(job)).json, '/outputFilePath') === 'a/bAc.csv';
    },
  },
};

/** What a job shows once its task has reported this. */
async function jobAfter(service: Service, report: string, body: object): Promise<unknown> {
  await service.host([task]);
  const job = await scheduleTask(service);
  await service.edda.put(`${job}/${report}`, undefined, body);
  return (await service.edda.get(job)).json;
}
