import type { Journey } from '../journey.ts';
import { anyRefusal, jsonHeaders } from './steps.ts';
import type { HttpStep } from '../step.ts';
import type { RuleId } from '../../../contract/rule.ts';

/** Asks for an API key of the extension, whose listener judges what is brought; then for one that it may not have, and to have one brought elsewhere. */
export const keyHolder: Journey = function* (env) {
  const { keys } = env.ground;
  if (keys === undefined) return;
  const { path, as, tokenCallback, permission, unconfigured } = keys;
  const step: HttpStep = {
    kind: 'http',
    op: 'acquire key',
    method: 'POST',
    path,
    as,
    headers: jsonHeaders,
    body: JSON.stringify({ tokenCallback, permissions: [permission] }),
  };
  const refused = (rule: RuleId, body: object): HttpStep => ({
    ...step,
    op: 'acquire in vain',
    body: JSON.stringify(body),
    accept: anyRefusal,
    about: { kind: 'refused', rule },
  });
  yield step;
  yield refused('api-keys.acquire.unconfigured-permission-refused', { tokenCallback, permissions: [unconfigured] });
  yield refused('api-keys.acquire.callback-mismatch-refused', {
    tokenCallback: `${tokenCallback}/elsewhere`,
    permissions: [permission],
  });
};
