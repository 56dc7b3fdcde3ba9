import { joinUrl } from '../../simulator/extension/call.ts';
import { breaks, type HostFaults } from './breaks.ts';

const endlessMs = 2 ** 31 - 1;

export const tasksFaults = {
  'tasks.host.acknowledged-first': breaks(
    'background',
    'start',
    (right, background) => (call, work) => (call.kind === 'task' ? background.run(call, work) : right(call, work)),
  ),
  'tasks.host.final-status': breaks(
    'reports',
    'statusWord',
    (right) => (status) => (status === 'Completed' ? 'completed' : right(status)),
  ),
  'tasks.host.status-body': breaks(
    'reports',
    'statusBody',
    () => (paths) => Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, [path]])),
  ),
  'tasks.host.failure-reported': breaks(
    'reports',
    'reportFailure',
    (right, { surroundings }) =>
      async (task, outcome, paths, signal) => {
        if (outcome.isLate) await right(task, outcome, paths, signal);
        else surroundings.say(`Task ${task.id} failed: ${outcome.problem ?? ''}`);
      },
  ),
  'tasks.host.downloads-input': breaks('uploads', 'checksumHeader', () => () => ({})),
  'tasks.host.progress': breaks('reports', 'progressBody', () => (message) => ({ message: message.length })),
  'tasks.host.callback-token': breaks('reports', 'statusHeaders', (right) => (task) => {
    const { Authorization: _left, ...headers } = right(task);
    return headers;
  }),
  'tasks.host.follows-links': breaks('reports', 'statusUrl', () => ({ id, baseAddress, links }, word) => {
    const spaceId =
      links.map(({ url }) => /\/api\/space\/([^/?]+)\//.exec(url)?.[1]).find((found) => found !== undefined) ?? 'main';
    return joinUrl(baseAddress, `/api/space/${spaceId}/dx/${encodeURIComponent(id)}/status/${word}`);
  }),
  'tasks.host.within-timeout': breaks('tasks', 'timeLimitMs', () => () => endlessMs),
} satisfies HostFaults;
