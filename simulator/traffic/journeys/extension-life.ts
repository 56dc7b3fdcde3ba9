import { fill } from '../fill.ts';
import type { Journey } from '../journey.ts';
import { jsonHeaders, mark, pick } from './steps.ts';

/** What stands for the payload in the body of a trigger. */
export const payload = '{{payload}}';

/** Schedules a task, which the extension host of the simulator works on as an external service would. */
export const taskRunner: Journey = function* (env) {
  const { task } = env.ground;
  if (task === undefined) return;
  const { method, path, as, headers, body } = task;
  yield {
    kind: 'http',
    op: 'trigger task',
    method,
    path,
    as,
    headers: { ...jsonHeaders, ...headers },
    body: JSON.stringify(body),
  };
};

/** Sets off an event; the extension host of the simulator sees when it arrives. */
export const extensionLife: Journey = function* (env) {
  const { trigger } = env.ground;
  if (trigger === undefined) return;
  const marker = mark(env, 0);
  yield {
    kind: 'http',
    op: 'trigger event',
    method: trigger.method,
    path: trigger.path,
    as: trigger.as,
    headers: { ...jsonHeaders, ...trigger.headers },
    body: JSON.stringify(fill(trigger.body, { payload: { ...pick(env, env.ground.payloads), marker } })),
    about: { kind: 'trigger', marker },
  };
};
