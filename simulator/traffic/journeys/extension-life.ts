import type { Journey } from '../journey.ts';
import { jsonHeaders, mark } from './words.ts';

/** What the template of a trigger has in the place of the payload. */
const payload = '{{payload}}';

/** Sets off an event; the extension host of the simulator sees when it arrives. */
export const extensionLife: Journey = function* (env) {
  const { trigger } = env.ground;
  if (trigger === undefined) return;
  const marker = mark(env, 0);
  yield {
    kind: 'http', op: 'trigger event', method: trigger.method, path: trigger.path, as: trigger.as, headers: jsonHeaders,
    body: JSON.stringify(withPayload(trigger.body, { marker })), about: { kind: 'trigger', marker },
  };
};

function withPayload(value: unknown, content: object): unknown {
  if (value === payload) return content;
  if (Array.isArray(value)) return value.map((item: unknown) => withPayload(item, content));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withPayload(inner, content)]));
}
