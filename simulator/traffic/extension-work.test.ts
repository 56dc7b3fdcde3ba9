import { expect, test } from 'vitest';
import type { Entry } from '../extension/entry.ts';
import { ExtensionWork } from './extension-work.ts';
import type { HttpStep, Result } from './step.ts';
import type { Complain } from './judging/violations.ts';

function opened(answerTo: (step: HttpStep) => Partial<Result>) {
  const [sent, found]: [HttpStep[], string[]] = [[], []];
  const complain: Complain = (rule) => void found.push(rule);
  const work = new ExtensionWork(
    {
      space: 'main',
      permission: 'TaskUploadAPI',
      readJob: (job) => ({ kind: 'http', op: 'read job', method: 'GET', path: `/job/${job}` }),
      send: async (step) => {
        sent.push(step);
        return { result: { status: 200, headers: {}, body: '', ...answerTo(step) }, sentAt: 0, endedAt: 0 };
      },
    },
    complain,
    new AbortController().signal,
  );
  return { work, sent, found };
}

const task = { number: 7, envelope: { id: 'j', accessToken: 'of the envelope' } } as unknown as Entry;
const refusing = ({ as, path, method }: HttpStep): Partial<Result> => {
  if (method === 'GET') return { body: '{"progress":"traffic is \\u0061t work, 7"}' };
  if (as === null) return { status: 401 };
  return { status: path.includes('unknown') ? 404 : 204 };
};

test('a task is worked on once, however often it is called, and a service that does right is found right', async () => {
  const { work, sent, found } = opened(refusing);
  work.takeTask(task);
  work.takeTask(task);
  await work.finish();
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'PUT /api/space/main/dx/j/progress',
    'PUT /api/space/main/dx/j-unknown/progress',
    'PUT /api/space/main/dx/j/progress',
    'GET /job/j',
    'PUT /api/space/main/dx/j/status/Completed',
  ]);
  expect(found).toEqual([]);
});

test('what waited for the work is gone with it', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const { work } = opened(refusing);
  const before = timers();
  work.takeTask(task);
  await work.finish();
  expect(timers()).toBe(before);
});

test('a service in trouble breaks no rule, one that takes what it must not does', async () => {
  const troubled = opened(() => ({ status: 503 }));
  troubled.work.takeTask(task);
  await troubled.work.finish();
  expect(troubled.found).toEqual([]);
  const open = opened((step) => (step.method === 'GET' ? refusing(step) : {}));
  open.work.takeTask(task);
  await open.work.finish();
  expect(open.found).toEqual(['tasks.callback.missing-credential-401', 'tasks.callback.unknown-job-fails']);
});

test.each<[unknown, readonly string[]]>([
  [{ TaskUploadAPI: { apiKey: 'k' } }, []],
  [{ TaskUploadAPI: { apiKey: 'k' }, SnapshotAPI: { apiKey: 'k' } }, ['api-keys.acquire.exact-permissions']],
  [{ TaskUploadAPI: 'k' }, ['api-keys.acquire.key-shape']],
  ['k', ['api-keys.acquire.exact-permissions']],
])('keys as they are brought: %j', (json, rules) => {
  const { work, found } = opened(() => ({}));
  work.takeKeys({ json } as Entry);
  expect(found).toEqual(rules);
});
