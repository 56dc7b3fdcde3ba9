import { breaks, replaces, together, within } from '../../breaks.ts';
import { always, callsOf, callsTo, reached, task } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { scheduleTask } from '../proofs.ts';
import { at, type Client, listAt, type Service } from '../service.ts';
import { keeps } from '../variant-parts.ts';

const givenIds = new Map<string, string>();

export const taskLinksMistakes: Mistakes = {
  'tasks.download-in-a-retry': {
    source: 'extensions: External task links',
    breaks: 'A task is told where to download files, also by the second call.',
    kind: 'moment',
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
      const [, second] = callsOf(host, 'task');
      return second !== undefined && linkIn(second.json, 'downloadFile') === undefined;
    },
  },
  'tasks.a-directory-that-looks-encoded': {
    source: 'extensions: External task links, inputDir',
    breaks: 'The link leads to the directory of the input, be there what looks like percent-encoding in its name.',
    kind: 'value',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) => {
      const path = inputPath.replaceAll(/%[2-7][0-9a-f]/gi, decodeURIComponent);
      const directory = right(areas, spaceId, jobId, path, token).find(({ id }) => id === 'inputDir');
      return right(areas, spaceId, jobId, inputPath, token).map((link) =>
        link.id === 'inputDir' ? (directory ?? link) : link,
      );
    }),
    async shows(service) {
      const url = await linkOf(service, 'inputDir', { inputPath: 'a%20b/input.csv' });
      return !url.endsWith('/a%2520b');
    },
  },
  'tasks.braces-of-the-template-are-encoded': {
    source: 'extensions: External task links, content',
    breaks: 'The link for content is a template that the task fills in.',
    kind: 'value',
    survives: 'In which form a template leaves its places open is not said (task-link-templates).',
    variant: replaces('requests', 'taskLinks', (right, areas, ...args) =>
      right(areas, ...args).map((link) => (link.id === 'content' ? { ...link, url: new URL(link.url).href } : link)),
    ),
    shows: async (service) => !(await linkOf(service, 'content')).includes('{'),
  },
  'tasks.links-of-the-job-before': {
    source: 'extensions: External task links, taskStatus',
    breaks: 'The link for the status leads to the job of this task, also where another one had the same input.',
    kind: 'copy',
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
      const [, call] = await reached(host, 2);
      return !JSON.stringify(call?.envelope?.payload).includes(String(call?.envelope?.id));
    },
  },
  'tasks.input-in-the-root': {
    source: 'extensions: External task links',
    breaks: 'Uploads of a task go where its input is unless it says otherwise, also when that is the root.',
    kind: 'place',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) => {
      const links = right(areas, spaceId, jobId, inputPath, token);
      if (inputPath.replace(/^\/+/, '').includes('/')) return links;
      return links.map((link) => (link.id === 'uploadFileStream' ? { ...link, url: `${link.url}/undefined` } : link));
    }),
    async shows(service) {
      const host = await service.host([task]);
      const { edda } = service;
      await edda.upload('input.csv', 'a,b');
      await edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'input.csv' });
      await service.pass(1);
      const links = listAt(callsOf(host, 'task')[0]?.json, '/payload/links');
      const url = at(
        links.find((link) => at(link, '/id') === 'uploadFileStream'),
        '/url',
      );
      return url !== `${service.url}/api/space/main/fs/file/stream`;
    },
  },
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
      const host = await service.host([task]);
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
  'tasks.content-of-the-first-space': {
    source: 'extensions: External task links, row content',
    breaks: 'The links of a task lead to the files of the space of its job.',
    kind: 'combination',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, ...rest) => {
      const [first = spaceId] = areas.configuration.spaces.keys();
      return right(areas, spaceId, ...rest).map((link) =>
        link.url.includes('{path}') ? { ...link, url: link.url.replace(`/${spaceId}/`, `/${first}/`) } : link,
      );
    }),
    async shows(service) {
      const host = await service.host([task]);
      await service.edda.post('/api/space/depot/dx', { recordId: 'task', inputPath: 'folder/input.csv' });
      await service.pass(1);
      const link = linkOf2(callsOf(host, 'task')[0], 'content');
      return link !== undefined && !String(link).includes('/depot/');
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
    kind: 'moment',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      const taskLinks: typeof areas.requests.taskLinks = (...args) =>
        areas.requests
          .taskLinks(...args)
          .map((link) => (link.id === 'inputDir' ? { ...link, url: link.url.replace(/\/dir\/.*$/, '/dir') } : link));
      return right(attempt === 1 ? areas : within(areas, { requests: { taskLinks } }), delivery, callee, attempt);
    }),
    async shows(service) {
      const host = await service.host(
        [task],
        [{ when: { kind: 'task' }, steps: [{ status: 503 }, { status: 200 }], afterwards: 'last' }],
      );
      await scheduleTask(service);
      await service.pass(1, 4);
      const links = listAt((await reached(host, 2)).at(1)?.envelope?.payload, '/links');
      const found = links.find((link) => at(link, '/id') === 'inputDir');
      return found !== undefined && !String(at(found, '/url')).endsWith('/folder');
    },
  },
  'tasks.input-without-an-ending': {
    source: 'extensions: External task links, uploadFileStream',
    breaks: 'The link leads to where the input file is, also where the name of that has no ending.',
    kind: 'value',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) => {
      const links = right(areas, spaceId, jobId, inputPath, token);
      const isFile = inputPath.split('/').at(-1)?.includes('.') === true;
      return isFile
        ? links
        : links.map((link) =>
            link.id === 'uploadFileStream'
              ? { ...link, url: `${link.url}/${encodeURIComponent(inputPath.split('/').at(-1) ?? '')}` }
              : link,
          );
    }),
    async shows(service) {
      const host = await service.host([task]);
      await scheduleTask(service, { inputPath: 'folder/input' });
      const links = listAt(callsOf(host, 'task')[0]?.envelope?.payload, '/links');
      const link = links.find((each) => at(each, '/id') === 'uploadFileStream');
      return !String(at(link, '/url')).endsWith('/stream/folder');
    },
  },
  'task.status-link-of-the-request': {
    source: 'extensions: External task links, row taskStatus',
    breaks: 'The link leads to the job, also where the request that scheduled it has a correlation id.',
    kind: 'combination',
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
      const links = listAt(callsTo(host)[0]?.envelope?.payload, '/links');
      return String(
        at(
          links.find((link) => at(link, '/id') === 'taskStatus'),
          '/url',
        ),
      ).includes('/dx/given/');
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
      const host = await service.host([task]);
      await service.alma.post('/api/space/main/dx', { recordId: 'task', inputPath: 'folder/input.csv' });
      const [call] = await reached(host, 1);
      const links = listAt(call?.json, '/payload/links');
      const input = links.find((link) => at(link, '/id') === 'inputFile');
      return input !== undefined && !String(at(input, '/url')).includes('token=');
    },
  },
  'tasks.directory-by-the-file-name': {
    source: 'extensions: External task links, row inputDir',
    breaks: 'inputDir leads to the directory of the input, also where another job had an input of the same name.',
    kind: 'copy',
    variant: breaks('requests', 'taskLinks', (right) => {
      const known = new Map<string, string>();
      return (areas, spaceId, jobId, inputPath, token) =>
        right(areas, spaceId, jobId, inputPath, token).map((link) => {
          if (link.id !== 'inputDir') return link;
          const key = `${spaceId} ${inputPath.split('/').at(-1) ?? ''}`;
          const url = known.get(key) ?? link.url;
          known.set(key, url);
          return { ...link, url };
        });
    }),
    async shows(service) {
      const host = await service.host([task]);
      for (const directory of ['one', 'two']) await scheduleTask(service, { inputPath: `${directory}/in.csv` });
      const calls = await reached(host, 2);
      const urls = calls.flatMap(({ envelope }) =>
        listAt(envelope?.payload, '/links').filter((link) => at(link, '/id') === 'inputDir'),
      );
      return !urls.some((link) => String(at(link, '/url')).endsWith('/two'));
    },
  },
  'tasks.token-of-the-first-input': {
    source: 'extensions: External task links, inputFile',
    breaks: 'The link of the input opens it by the token in it, also for a job long after the first.',
    kind: 'copy',
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
      const link = new URL(linkOf3(callsOf(host, 'task').at(-1)?.json, 'inputFile'));
      return (await service.nobody.get(link.pathname + link.search)).status !== 200;
    },
  },
  'tasks.progress-for-administrators': {
    source: 'extensions: External task links',
    breaks: 'What a task reports of its progress is shown on the job, whoever has scheduled it.',
    kind: 'role',
    variant: replaces('jobs', 'jobAfterProgress', (right, areas, job, progress) => {
      const space = areas.configuration.spaces.get(job.spaceId);
      const roles = [...(space?.participants.values() ?? [])].map((holders) => holders.get(job.scheduledBy));
      return roles.includes('administrator') ? job : right(areas, job, progress);
    }),
    async shows(service) {
      const job = await scheduledBy(service, service.alma);
      await service.alma.put(`${job}/progress`, undefined, { message: 'half' });
      return at((await service.alma.get(job)).json, '/progress') !== 'half';
    },
  },
  'tasks.input-of-the-same-directory': {
    source: 'extensions: External task links, inputFile',
    breaks: 'The link leads to the input of its own job, also where another job takes one from the same directory.',
    kind: 'copy',
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
    kind: 'copy',
    variant: breaks('requests', 'taskLinks', (right) => {
      let first: string | undefined;
      return (areas, spaceId, ...args) => right(areas, (first ??= spaceId), ...args);
    }),
    async shows(service) {
      const host = await service.host([task]);
      await scheduleTask(service);
      await service.edda.post('/api/space/depot/dx', { recordId: 'task', inputPath: 'input.csv' });
      await service.pass(1);
      return linkOf3(callsOf(host, 'task')[1]?.json, 'taskStatus').includes('/space/main/');
    },
  },
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
  'tasks.links-of-the-same-input': {
    source: 'extensions: External task links',
    breaks: 'The links of a task report on its own job, also when another job had the same input.',
    kind: 'copy',
    variant: keeps('requests', 'taskLinks', (spaceId, _jobId, inputPath) => `${spaceId} ${inputPath}`),
    async shows(service) {
      const host = await service.host([task]);
      for (let left = 2; left > 0; left -= 1) await scheduleTask(service);
      const statuses = callsOf(host, 'task').map(({ json }) =>
        listAt(json, '/payload/links').find((link) => at(link, '/id') === 'taskStatus'),
      );
      return statuses.length === 2 && at(statuses[0], '/url') === at(statuses[1], '/url');
    },
  },
  'tasks.directory-below-a-directory': {
    source: 'extensions: External task links',
    breaks: 'The link to the directory of the input leads there, also where that lies in another directory.',
    kind: 'combination',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) => {
      const names = inputPath.split('/').filter(Boolean).slice(0, -1);
      return right(areas, spaceId, jobId, inputPath, token).map((link) => {
        if (link.id !== 'inputDir' || names.length < 2) return link;
        return { ...link, url: link.url.replace(/\/fs\/dir\/.*$/, `/fs/dir/${encodeURIComponent(names.join('/'))}`) };
      });
    }),
    async shows(service) {
      await service.edda.upload('outer/inner/input.csv', 'content');
      const url = await linkOf4(service, 'inputDir', 'outer/inner/input.csv');
      return (await service.edda.get(url)).status !== 200;
    },
  },
};

/** The URL of a link in the payload of a task. */
function linkIn(json: unknown, id: string): unknown {
  const links = listAt(json, '/payload/links');
  return at(
    links.find((link) => at(link, '/id') === id),
    '/url',
  );
}

/** Schedules a task. @returns the link of its call that has the id */
async function linkOf(service: Service, id: string, fields: object = {}): Promise<string> {
  const host = await service.host([task]);
  await scheduleTask(service, fields);
  const links = listAt(callsTo(host)[0]?.envelope?.payload, '/links');
  return String(
    at(
      links.find((link) => at(link, '/id') === id),
      '/url',
    ),
  );
}

function linkOf2(call: object | undefined, id: string): unknown {
  const link = listAt(call, '/envelope/payload/links').find((candidate) => at(candidate, '/id') === id);
  return at(link, '/url');
}

/** Links that a task with this input gets. */
async function linksOf(service: Service, inputPath: string): Promise<readonly unknown[]> {
  const host = await service.host([task], always(200));
  await scheduleTask(service, { inputPath });
  const [call] = await reached(host, 1);
  return listAt(call?.envelope?.payload, '/links');
}

function linkOf3(call: unknown, id: string): string {
  const link = listAt(call, '/payload/links').find((each) => at(each, '/id') === id);
  return String(at(link, '/url'));
}

/** Job of a task that this user schedules, whose call has gone out. */
async function scheduledBy(service: Service, user: Client): Promise<string> {
  const host = await service.host([task]);
  const job = await user.post('/api/space/main/dx', { recordId: 'task', inputPath: 'folder/input.csv' });
  await service.pass(1);
  await reached(host, 1);
  await service.pass(1);
  return job.headers.get('location') ?? '';
}

/** The links with this id of the tasks with these inputs. */
async function taskLinks(service: Service, id: string, ...inputPaths: readonly string[]): Promise<readonly unknown[]> {
  const host = await service.host([task]);
  for (const inputPath of inputPaths) await scheduleTask(service, { inputPath });
  return callsOf(host, 'task').flatMap(({ json }) =>
    listAt(json, '/payload/links').filter((link) => at(link, '/id') === id),
  );
}

/** Address of a link that a task with this input is given. */
async function linkOf4(service: Service, id: string, inputPath: string): Promise<string> {
  const host = await service.host([task]);
  await scheduleTask(service, { inputPath });
  const [call] = await reached(host, 1);
  const link = listAt(call?.json, '/payload/links').find((candidate) => at(candidate, '/id') === id);
  return String(at(link, '/url'));
}
