import type { Journey } from '../journey.ts';
import { anySuccess, isAnsweredWell, objectIn, versionIn } from '../results.ts';
import type { HttpStep, Result } from '../step.ts';
import { grantStep, jsonHeaders, mark, pathOf, pick, readStep, refusedStep } from './steps.ts';

/** Gets a token and uses it, comes without one, with one past its time and with that of somebody else, and asks twice for what has not changed. */
export const gateKeeper: Journey = function* (env) {
  const { grant, conditional, objects, softType, expiredToken, strangers = [] } = env.ground;
  const object = pick(env, objects);
  if (grant !== undefined && object !== undefined) {
    const granted: Result = yield grantStep(grant);
    const token = objectIn(granted)['access_token'];
    if (typeof token === 'string') {
      yield { ...readStep(env, object.oid), as: { bearer: token } };
      yield withAltered(readStep(env, object.oid), alterToken(token));
    }
  }
  if (object !== undefined) {
    const read = readStep(env, object.oid);
    yield withoutToken(read);
    if (softType.arrayPort !== undefined)
      yield withoutToken({
        ...read,
        path: pathOf(env, 'page', { arrayPortId: softType.arrayPort.portId, objectId: object.oid, pageNumber: 0 }),
      });
    yield withAltered(read, 'x.y.z');
    if (expiredToken !== undefined)
      yield refusedStep(
        { ...read, as: { bearer: expiredToken } },
        'expired token',
        'auth.jwt.expired-refused',
        [401, 403],
      );
    for (const { as, rule } of strangers) yield refusedStep({ ...read, as }, 'read by a stranger', rule, [403]);
  }
  if (conditional === undefined) return;
  const first: HttpStep = {
    kind: 'http',
    op: 'conditional read',
    method: 'GET',
    path: conditional.path,
    as: conditional.as,
  };
  const seen: Result = yield first;
  const { etag } = seen.headers;
  if (etag === undefined) return;
  const again: HttpStep = { ...first, headers: { 'If-None-Match': etag }, accept: [200, 304] };
  yield { ...again, about: { kind: 'conditional', etag, changed: false } };
  const never = `"${mark(env, 1)}"`;
  yield { ...again, headers: { 'If-None-Match': never }, about: { kind: 'conditional', etag: never, other: true } };
  const { change } = conditional;
  if (change === undefined) return;
  // an earlier run with this seed may have left the very same there, and then nothing would change
  const text = seen.body.includes(mark(env, 0)) ? mark(env, 2) : mark(env, 0);
  const version = String(versionIn(seen) ?? objectIn(seen)['version']);
  const asked = JSON.stringify({ headers: change.headers, body: change.body });
  const filled = asked.replace(/\{\{unique\}\}/g, text).replace(/\{\{version\}\}/g, version);
  const { headers, body } = JSON.parse(filled) as Pick<typeof change, 'headers' | 'body'>;
  const changed: Result = yield {
    kind: 'http',
    op: 'conditional change',
    method: change.method,
    path: change.path,
    as: change.as,
    headers: { ...jsonHeaders, ...headers },
    body: JSON.stringify(body),
    // another user may have been there first
    ...(asked.includes('{{version}}') && { accept: [...anySuccess, 409] }),
  };
  if (isAnsweredWell(changed.status)) yield { ...again, about: { kind: 'conditional', etag, changed: true } };
};

function withoutToken(step: HttpStep): HttpStep {
  return refusedStep({ ...step, as: null }, 'without token', 'auth.missing-token.answers-401', [401]);
}

function withAltered(step: HttpStep, bearer: string): HttpStep {
  return refusedStep({ ...step, as: { bearer } }, 'altered token', 'auth.jwt.tampered-refused', [401, 403]);
}

/** The token with another first character of its last part: of a JWT that is the signature. */
function alterToken(token: string): string {
  const at = token.lastIndexOf('.') + 1;
  return `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
}
