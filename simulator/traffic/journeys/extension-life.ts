import { fill } from '../fill.ts';
import type { Journey } from '../journey.ts';
import type { HttpStep } from '../step.ts';
import { jsonHeaders, mark, pick, refusedStep } from './steps.ts';

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
  const content = { ...pick(env, env.ground.payloads), marker };
  yield {
    kind: 'http',
    op: 'trigger event',
    method: trigger.method,
    path: trigger.path,
    as: trigger.as,
    headers: { ...jsonHeaders, ...trigger.headers },
    body: JSON.stringify(fill(trigger.body, { payload: content })),
    about: { kind: 'trigger', marker, payload: content },
  };
};

/** Asks for an API key of the extension, whose listener judges what is brought; then for one that it may not have, and to have one brought elsewhere. */
export const keyHolder: Journey = function* (env) {
  const { keys } = env.ground;
  if (keys === undefined) return;
  const { path, as, tokenCallback, permission, unconfigured } = keys;
  const acquireStep = (callback: string, name: string): HttpStep => ({
    kind: 'http',
    op: 'acquire key',
    method: 'POST',
    path,
    as,
    headers: jsonHeaders,
    body: JSON.stringify({ tokenCallback: callback, permissions: [name] }),
  });
  const inVain = 'acquire in vain';
  yield acquireStep(tokenCallback, permission);
  yield refusedStep(
    acquireStep(tokenCallback, unconfigured),
    inVain,
    'api-keys.acquire.unconfigured-permission-refused',
  );
  yield refusedStep(
    acquireStep(`${tokenCallback}/elsewhere`, permission),
    inVain,
    'api-keys.acquire.callback-mismatch-refused',
  );
};
