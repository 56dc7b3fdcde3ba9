import type { Journey } from '../journey.ts';
import type { HttpStep } from '../step.ts';
import { jsonHeaders, refusedStep } from './steps.ts';

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
