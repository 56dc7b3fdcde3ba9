import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces, together, type Variant, within } from '../../breaks.ts';
import { always, awaitCalls, callsOf, task } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { scheduleTask } from '../proofs.ts';
import { at, type Client, listAt, type Service } from '../service.ts';
import { changes, keeps } from '../variant-parts.ts';

const givenIds = new Map<string, string>();

export const taskLinksMistakes: Mistakes = {
  'tasks.download-in-a-retry': {
    source: 'extensions: External task links',
    breaks: 'A task is told where to download files, also by the second call.',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      const fewer = within(areas, {
        requests: {
          taskLinks: (...args) => areas.requests.taskLinks(...args).filter(({ id }) => id !== 'downloadFile'),
        },
      });
      return right(attempt > 1 ? fewer : areas, delivery, callee, attempt);
    }),
    async shows(service) {
      const host = await service.host([task], [{ steps: [{ status: 503 }] }]);
      await scheduleTask(service);
      await service.pass(3);
      return callsOf(host, 'task').length === 2 && urlsIn(host, 'downloadFile').length === 1;
    },
  },
  'tasks.a-directory-that-looks-encoded': {
    source: 'extensions: External task links, inputDir',
    breaks: 'The link leads to the directory of the input, be there what looks like percent-encoding in its name.',
    variant: leadsElsewhere('inputDir', (url, { inputPath }, linkTo) =>
      inputPath.includes('%') ? linkTo(inputPath.replaceAll(/%[2-7][0-9a-f]/gi, decodeURIComponent)) : url,
    ),
    async shows(service) {
      return !(await urlOf(service, 'inputDir', { inputPath: 'a%20b/input.csv' })).endsWith('/a%2520b');
    },
  },
  'tasks.braces-of-the-template-are-encoded': {
    source: 'extensions: External task links, content',
    breaks: 'The link for content is a template that the task fills in.',
    survives: 'In which form a template leaves its places open is not said (task-link-templates).',
    variant: leadsElsewhere('content', (url) => new URL(url).href),
    async shows(service) {
      return !(await urlOf(service, 'content')).includes('{');
    },
  },
  'tasks.links-of-the-job-before': {
    source: 'extensions: External task links, taskStatus',
    breaks: 'The link for the status leads to the job of this task, also where another one had the same input.',
    variant: breaks('requests', 'taskLinks', (right) => {
      const jobs = new Map<string, string>();
      return (areas, spaceId, jobId, inputPath, token) => {
        const job = jobs.get(`${spaceId} ${inputPath}`) ?? jobId;
        jobs.set(`${spaceId} ${inputPath}`, job);
        return right(areas, spaceId, job, inputPath, token);
      };
    }),
    async shows(service) {
      const host = await service.host([task]);
      await scheduleTask(service);
      await scheduleTask(service);
      const [, call] = await awaitCalls(host, 2);
      return !JSON.stringify(call?.envelope?.payload).includes(String(call?.envelope?.id));
    },
  },
  'tasks.input-in-the-root': {
    source: 'extensions: External task links',
    breaks: 'Uploads of a task go where its input is unless it says otherwise, also when that is the root.',
    variant: leadsElsewhere('uploadFileStream', (url, { inputPath }) =>
      inputPath.replace(/^\/+/, '').includes('/') ? url : `${url}/undefined`,
    ),
    async shows(service) {
      const url = await urlOf(service, 'uploadFileStream', { inputPath: 'input.csv' });
      return url !== `${service.url}/api/space/main/fs/file/stream`;
    },
  },
  'tasks.chunks-beside-an-input-in-the-root': {
    source: 'extensions: External task links, row uploadFile',
    breaks: 'The link for a chunked upload leads to one, also where the input lies in the root of the area.',
    survives:
      'How a job names its input is not shown: the mistake is about a name without a slash before it, and the profile binds one with it. Ledger trigger-task-binding.',
    variant: leadsElsewhere('uploadFile', (url, { inputPath }) => (inputPath.includes('/') ? url : `${url}/`)),
    async shows(service) {
      const base = new URL(await urlOf(service, 'uploadFile', { inputPath: 'input.csv' })).pathname;
      return (await service.edda.sendChunk('chunked.txt', ['content'], 1, { base })).status >= 400;
    },
  },
  'tasks.content-of-the-first-space': {
    source: 'extensions: External task links, row content',
    breaks: 'The links of a task lead to the files of the space of its job.',
    variant: leadsElsewhere('content', (url, { spaceId }) => url.replace(`/${spaceId}/`, '/main/')),
    async shows(service) {
      return !(await urlOf(service, 'content', {}, 'depot')).includes('/depot/');
    },
  },
  'tasks.directory-of-a-file-in-the-root': {
    source: 'extensions: External task links, inputDir',
    breaks: 'The link of the directory leads to the one with the input, which may be the root of the area.',
    survives: "shows only where the trigger, which is the service's own, names a path without a slash before it",
    variant: leadsElsewhere('inputDir', (url, { inputPath }) =>
      inputPath.includes('/') ? url : `${url}/${inputPath}`,
    ),
    async shows(service) {
      return (await urlOf(service, 'inputDir', { inputPath: 'input.csv' })).endsWith('/input.csv');
    },
  },
  'tasks.end-of-the-longer-progress': {
    source: 'extensions: External task links, taskProgress; Callbacks from an external task',
    breaks: 'The progress of a job is the text that was reported last, be it shorter than the one before.',
    survives: 'a job may show former messages beside the last one',
    variant: replaces('jobs', 'jobAfterProgress', (right, areas, job, progress) =>
      right(areas, job, progress + (job.progress ?? '').slice(progress.length)),
    ),
    async shows(service) {
      await service.host([task], always(200));
      const path = await scheduleTask(service);
      for (const message of ['half of it is done', 'done'])
        await service.edda.put(`${path}/progress`, undefined, { message });
      return at((await service.edda.get(path)).json, '/progress') !== 'done';
    },
  },
  'tasks.input-directory-of-a-retry': {
    source: 'extensions: External task links',
    breaks: 'The input directory is that of the file, when the task is called again as well.',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      const taskLinks: typeof areas.requests.taskLinks = (...args) =>
        areas.requests
          .taskLinks(...args)
          .map((link) => (link.id === 'inputDir' ? { ...link, url: link.url.replace(/\/dir\/.*$/, '/dir') } : link));
      return right(attempt === 1 ? areas : within(areas, { requests: { taskLinks } }), delivery, callee, attempt);
    }),
    async shows(service) {
      const host = await service.host([task], [{ steps: [{ status: 503 }, { status: 200 }], afterwards: 'last' }]);
      await scheduleTask(service);
      await service.pass(1, 4);
      const [, second] = urlsIn(host, 'inputDir');
      return second?.endsWith('/folder') === false;
    },
  },
  'tasks.input-without-an-ending': {
    source: 'extensions: External task links, uploadFileStream',
    breaks: 'The link leads to where the input file is, also where the name of that has no ending.',
    variant: leadsElsewhere('uploadFileStream', (url, { inputPath }) => {
      const name = inputPath.split('/').at(-1) ?? '';
      return name.includes('.') ? url : `${url}/${encodeURIComponent(name)}`;
    }),
    async shows(service) {
      const url = await urlOf(service, 'uploadFileStream', { inputPath: 'folder/input' });
      return !url.endsWith('/stream/folder');
    },
  },
  'task.status-link-of-the-request': {
    source: 'extensions: External task links, row taskStatus',
    breaks: 'The link leads to the job, also where the request that scheduled it has a correlation id.',
    variant: together(
      replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
        if (call.correlationGiven) givenIds.set(triggered.id, call.correlationId);
        return right(areas, call, triggered);
      }),
      replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, ...rest) =>
        right(areas, spaceId, givenIds.get(jobId) ?? jobId, ...rest),
      ),
    ),
    async shows(service) {
      const host = await service.host([task]);
      const body = { recordId: 'task', inputPath: 'folder/input.csv' };
      await service.edda.post('/api/space/main/dx', body, { 'X-Correlation-Id': 'given' });
      await service.pass(1);
      return urlsIn(host, 'taskStatus')[0]?.includes('/dx/given/') === true;
    },
  },
  'tasks.links-of-an-administrator': {
    source: 'extensions: External task links',
    breaks: 'The link to the input file has the token in its query, whoever scheduled the job.',
    variant: changes('requests', 'taskLinks', (links, areas, spaceId, _jobId, _inputPath, token) => {
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
      const host = await service.host([task]);
      await service.alma.post('/api/space/main/dx', { recordId: 'task', inputPath: 'folder/input.csv' });
      await awaitCalls(host);
      return urlsIn(host, 'inputFile')[0]?.includes('token=') === false;
    },
  },
  'tasks.directory-by-the-file-name': {
    source: 'extensions: External task links, row inputDir',
    breaks: 'inputDir leads to the directory of the input, also where another job had an input of the same name.',
    variant: (classes) => {
      const known = new Map<string, string>();
      return leadsElsewhere('inputDir', (url, { spaceId, inputPath }) => {
        const key = `${spaceId} ${inputPath.split('/').at(-1) ?? ''}`;
        if (!known.has(key)) known.set(key, url);
        return known.get(key) ?? url;
      })(classes);
    },
    async shows(service) {
      const host = await service.host([task]);
      for (const directory of ['one', 'two']) await scheduleTask(service, { inputPath: `${directory}/in.csv` });
      await awaitCalls(host, 2);
      return !urlsIn(host, 'inputDir').some((url) => url.endsWith('/two'));
    },
  },
  'tasks.token-of-the-first-input': {
    source: 'extensions: External task links, inputFile',
    breaks: 'The link of the input opens it by the token in it, also for a job long after the first.',
    variant: breaks('requests', 'taskLinks', (right) => {
      let first: string | undefined;
      return (areas, spaceId, jobId, inputPath, token) => right(areas, spaceId, jobId, inputPath, (first ??= token));
    }),
    survives:
      'External task links, row inputFile: whose token the link has is not said, and until that one has ended nothing differs; a run whose first tokens live for a year does not come to their end.',
    async shows(service) {
      const host = await service.host([task]);
      await service.edda.upload('folder/input.csv', 'a;b');
      await scheduleTask(service);
      await service.pass(3700);
      await scheduleTask(service);
      const { pathname, search } = new URL(urlsIn(host, 'inputFile').at(-1) ?? '');
      return (await service.nobody.get(pathname + search)).status !== 200;
    },
  },
  'tasks.progress-for-administrators': {
    source: 'extensions: External task links',
    breaks: 'What a task reports of its progress is shown on the job, whoever has scheduled it.',
    variant: replaces('jobs', 'jobAfterProgress', (right, areas, job, progress) => {
      const space = areas.configuration.spaces.get(job.spaceId);
      const roles = [...(space?.participants.values() ?? [])].map((holders) => holders.get(job.scheduledBy));
      return roles.includes('administrator') ? job : right(areas, job, progress);
    }),
    async shows(service) {
      const job = await scheduleBy(service, service.alma);
      await service.alma.put(`${job}/progress`, undefined, { message: 'half' });
      return at((await service.alma.get(job)).json, '/progress') !== 'half';
    },
  },
  'tasks.input-of-the-same-directory': {
    source: 'extensions: External task links, inputFile',
    breaks: 'The link leads to the input of its own job, also where another job takes one from the same directory.',
    variant: breaks('requests', 'taskLinks', (right) => {
      const inputs = new Map<string, string>();
      return (areas, spaceId, jobId, inputPath, token) => {
        const directory = inputPath.replace(/[^/]*$/, '');
        const input = inputs.get(directory) ?? inputPath;
        inputs.set(directory, input);
        return right(areas, spaceId, jobId, input, token);
      };
    }),
    async shows(service) {
      const host = await service.host([task]);
      await scheduleTask(service, { inputPath: 'folder/a.csv' });
      await scheduleTask(service, { inputPath: 'folder/b.csv' });
      await service.pass(1, 3);
      const calls = callsOf(host, 'task');
      return calls.length === 2 && !JSON.stringify(calls[1]?.envelope?.payload).includes('b.csv');
    },
  },
  'tasks.links-of-the-first-space': {
    source: 'extensions: External task links, taskStatus',
    breaks: 'A task reports on its job in the space of that job, also when one of another space was called before.',
    variant: breaks('requests', 'taskLinks', (right) => {
      let first: string | undefined;
      return (areas, spaceId, ...args) => right(areas, (first ??= spaceId), ...args);
    }),
    async shows(service) {
      const host = await service.host([task]);
      await scheduleTask(service);
      await service.edda.post('/api/space/depot/dx', { recordId: 'task', inputPath: 'input.csv' });
      await service.pass(1);
      return urlsIn(host, 'taskStatus')[1]?.includes('/space/main/') === true;
    },
  },
  'tasks.progress-of-the-first-job': {
    source: 'extensions: External task links',
    breaks: 'Progress is reported to the job of the task, also when there was another before it.',
    variant: (classes) => {
      const urls = new Map<string, string>();
      return leadsElsewhere('taskProgress', (url, { spaceId }) => {
        if (!urls.has(spaceId)) urls.set(spaceId, url);
        return urls.get(spaceId) ?? url;
      })(classes);
    },
    async shows(service) {
      const host = await service.host([task]);
      for (const inputPath of ['one.csv', 'two.csv']) await scheduleTask(service, { inputPath });
      return new Set(urlsIn(host, 'taskProgress')).size === 1;
    },
  },
  'tasks.links-of-the-same-input': {
    source: 'extensions: External task links',
    breaks: 'The links of a task report on its own job, also when another job had the same input.',
    variant: keeps('requests', 'taskLinks', (spaceId, _jobId, inputPath) => `${spaceId} ${inputPath}`),
    async shows(service) {
      const host = await service.host([task]);
      for (let left = 2; left > 0; left -= 1) await scheduleTask(service);
      const urls = urlsIn(host, 'taskStatus');
      return urls.length === 2 && urls[0] === urls[1];
    },
  },
  'tasks.directory-below-a-directory': {
    source: 'extensions: External task links',
    breaks: 'The link to the directory of the input leads there, also where that lies in another directory.',
    variant: leadsElsewhere('inputDir', (url, { inputPath }) => {
      const names = inputPath.split('/').filter(Boolean).slice(0, -1);
      return names.length < 2 ? url : url.replace(/\/fs\/dir\/.*$/, `/fs/dir/${encodeURIComponent(names.join('/'))}`);
    }),
    async shows(service) {
      await service.edda.upload('outer/inner/input.csv', 'content');
      const url = await urlOf(service, 'inputDir', { inputPath: 'outer/inner/input.csv' });
      return (await service.edda.get(url)).status !== 200;
    },
  },
  'tasks.directory-no-deeper-than-three': {
    source: 'extensions: External task links, row inputDir',
    breaks: 'A task is led to the directory of its input, however deep that lies.',
    variant: changes('requests', 'taskLinks', (links) =>
      links.map((link) =>
        link.id === 'inputDir' ? { ...link, url: link.url.replace(/(\/fs\/dir(?:\/[^/]+){3}).*/, '$1') } : link,
      ),
    ),
    shows: async (service) =>
      !(await urlOf(service, 'inputDir', { inputPath: 'a/b/c/d/e.csv' })).endsWith('/fs/dir/a/b/c/d'),
  },
  'tasks.upload-link-two-deep': {
    source: 'extensions: External task links, row uploadFileStream',
    breaks: 'A stream goes by default to where the input is, however deep that is.',
    variant: changes('requests', 'taskLinks', (links) =>
      links.map((link) =>
        link.id === 'uploadFileStream'
          ? { ...link, url: link.url.replace(/(\/stream\/[^/]+\/[^/]+)\/.*$/, '$1') }
          : link,
      ),
    ),
    async shows(service) {
      const host = await service.host([task]);
      await scheduleTask(service, { inputPath: 'a/b/c/in.csv' });
      const [call] = await awaitCalls(host);
      const link = listAt(call?.json, '/payload/links').find((each) => at(each, '/id') === 'uploadFileStream');
      return !String(at(link, '/url')).endsWith('/stream/a/b/c');
    },
  },
  'tasks.no-directory-of-an-input-in-the-root': {
    source: 'extensions: External task links, row inputDir',
    breaks: 'A task has all the links, that to the directory of its input also where this is in the root.',
    variant: changes('requests', 'taskLinks', (links, _areas, _space, _job, path) =>
      links.filter(({ id }) => id !== 'inputDir' || path.split('/').filter(Boolean).length > 1),
    ),
    async shows(service) {
      const host = await service.host([task]);
      await scheduleTask(service, { inputPath: '/in.csv' });
      const links = listAt((await awaitCalls(host))[0]?.envelope?.payload, '/links');
      return !links.some((link) => at(link, '/id') === 'inputDir');
    },
  },
};

/** The link with this id leads elsewhere: by its right address, its job, and what it would be for another input. */
function leadsElsewhere(
  id: string,
  urlOf: (
    url: string,
    job: { readonly spaceId: string; readonly inputPath: string },
    linkTo: (inputPath: string) => string,
  ) => string,
): Variant {
  return replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) => {
    const linkTo = (path: string): string =>
      right(areas, spaceId, jobId, path, token).find((link) => link.id === id)?.url ?? '';
    return right(areas, spaceId, jobId, inputPath, token).map((link) =>
      link.id === id ? { ...link, url: urlOf(link.url, { spaceId, inputPath }, linkTo) } : link,
    );
  });
}

/** Where the link with this id leads in the call of a task. */
async function urlOf(service: Service, id: string, fields: object = {}, space = 'main'): Promise<string> {
  const host = await service.host([task]);
  const body = { recordId: 'task', inputPath: 'folder/input.csv', ...fields };
  await service.edda.post(`/api/space/${space}/dx`, body);
  await service.pass(1);
  await awaitCalls(host);
  return urlsIn(host, id)[0] ?? '';
}

/** Where the link with this id leads, in each call of a task. */
function urlsIn(host: ExtensionHost, id: string): readonly string[] {
  const links = callsOf(host, 'task').flatMap(({ json }) => listAt(json, '/payload/links'));
  return links.filter((link) => at(link, '/id') === id).map((link) => String(at(link, '/url')));
}

/** Job of a task that this user schedules, whose call has gone out. */
async function scheduleBy(service: Service, user: Client): Promise<string> {
  const host = await service.host([task]);
  const job = await user.post('/api/space/main/dx', { recordId: 'task', inputPath: 'folder/input.csv' });
  await service.pass(1);
  await awaitCalls(host);
  await service.pass(1);
  return job.headers.get('location') ?? '';
}
