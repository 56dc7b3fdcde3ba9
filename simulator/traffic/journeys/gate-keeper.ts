import { mediaTypes } from '../../../contract/names.ts';
import type { Journey } from '../journey.ts';
import type { HttpStep, Result } from '../step.ts';
import { jsonHeaders, mark, objectIn, pick, readStep } from './words.ts';

/** Gets a token and uses it, comes without one, and asks twice for what has not changed. */
export const gateKeeper: Journey = function* (env) {
  const { grant, conditional, objects } = env.ground;
  const object = pick(env, objects);
  if (grant !== undefined && object !== undefined) {
    const granted: Result = yield {
      kind: 'http', op: 'grant', method: 'POST', path: grant.path, as: { basic: 'client' },
      headers: { 'Content-Type': mediaTypes.form }, body: grant.form,
    };
    const token = objectIn(granted)['access_token'];
    if (typeof token === 'string') yield { ...readStep(env, object.oid), as: { bearer: token } };
  }
  if (object !== undefined) {
    yield { ...readStep(env, object.oid), op: 'without token', as: null, accept: [401], about: { kind: 'refused', statuses: [401] } };
    yield { ...readStep(env, object.oid), op: 'altered token', as: { bearer: 'x.y.z' }, accept: [401, 403], about: { kind: 'refused', statuses: [401, 403] } };
  }
  if (conditional === undefined) return;
  const first: HttpStep = { kind: 'http', op: 'conditional read', method: 'GET', path: conditional.path, as: conditional.as };
  const seen: Result = yield first;
  const { etag } = seen.headers;
  if (etag === undefined) return;
  const again: HttpStep = { ...first, headers: { 'If-None-Match': etag }, accept: [200, 304] };
  yield { ...again, about: { kind: 'conditional', etag, changed: false } };
  const { change } = conditional;
  if (change === undefined) return;
  const changed: Result = yield {
    kind: 'http', op: 'conditional change', method: change.method, path: change.path, as: change.as,
    headers: { ...jsonHeaders, ...change.headers }, body: JSON.stringify(change.body).replace(/\{\{unique\}\}/g, mark(env, 0)),
  };
  if (changed.status < 300) yield { ...again, about: { kind: 'conditional', etag, changed: true } };
};
