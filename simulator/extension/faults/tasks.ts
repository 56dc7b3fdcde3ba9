import { callId } from '../calls/call.ts';
import { joined } from '../calls/event.ts';
import { replacing, type FaultsOf } from './fault.ts';

const endlessMs = 2 ** 31 - 1;

export const tasksFaults: FaultsOf<'tasks'> = {
  'tasks.host.acknowledged-first': replacing(
    'startWork',
    (right) => (host, call, work) =>
      call.kind === 'task' ? host.background.run(callId(call), work) : right(host, call, work),
  ),
  'tasks.host.final-status': replacing(
    'statusWord',
    (right) => (status) => (status === 'Completed' ? 'completed' : right(status)),
  ),
  'tasks.host.status-body': replacing(
    'statusBody',
    () => (paths) => Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, [path]])),
  ),
  'tasks.host.failure-reported': replacing('reportFailure', (right) => async (host, task, outcome, paths, signal) => {
    if (outcome.isLate) await right(host, task, outcome, paths, signal);
    else host.say(`Task ${task.id} failed: ${outcome.problem ?? ''}`);
  }),
  'tasks.host.downloads-input': replacing('checksumHeader', () => () => ({})),
  'tasks.host.progress': replacing('progressBody', () => (message) => ({ message: message.length })),
  'tasks.host.callback-token': replacing('statusHeaders', (right) => (task) => {
    const { Authorization: _left, ...headers } = right(task);
    return headers;
  }),
  'tasks.host.follows-links': replacing('statusUrl', () => ({ id, baseAddress, links }, word) => {
    const spaceId =
      links.map(({ url }) => /\/api\/space\/([^/?]+)\//.exec(url)?.[1]).find((found) => found !== undefined) ?? 'main';
    return joined(baseAddress, `/api/space/${spaceId}/dx/${encodeURIComponent(id)}/status/${word}`);
  }),
  'tasks.host.within-timeout': replacing('timeLimitMs', () => () => endlessMs),
};
