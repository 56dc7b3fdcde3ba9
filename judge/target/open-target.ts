import type { Changes, Reply, RequestSpec } from '../exchange.ts';
import { requestsOf } from '../requests.ts';
import type { Target } from '../target.ts';
import { Violation } from '../violation.ts';
import type { Post } from './post.ts';
import { snapshotOf } from './snapshot.ts';

/** The implementation under test, as the cases see it. */
export function openTarget(post: Post): Target {
  const requests = requestsOf(post.profile);
  const send = (request: RequestSpec, changes?: Changes): Promise<Reply> => post.send(request, changes);
  const target: Target = {
    requests,
    send,
    read: (thing, changes) => send(requests.read(thing), changes),
    readLong: (thing, { outputSchemaId, ...changes } = {}) => send(requests.readLong(thing, outputSchemaId), changes),
    page: (thing, pageNumber, { port, ...changes } = {}) => send(requests.page(thing, pageNumber, port), changes),
    create: (body, { of, ...changes } = {}) => send(requests.create(body, of), changes),
    merge: (thing, body, changes) => send(requests.merge(thing, body), changes),
    operations: (thing, operations, changes) => send(requests.operations(thing, operations), changes),
    put: (thing, body, changes) => send(requests.put(thing, body), changes),
    remove: (thing, changes) => send(requests.remove(thing), changes),
    promote: (thing, changes) => send(requests.promote(thing), changes),
    demote: (thing, changes) => send(requests.demote(thing), changes),
    batch: (operations, changes) => send(requests.batch(operations), changes),
    multiCreate: (items, changes) => send(requests.multiCreate(items), changes),
    openApi: (changes) => send(requests.openApi(), changes),
    get: async (uri, { base, ...changes } = {}) => {
      if (base !== undefined && !URL.canParse(uri, base.url))
        throw new Violation('a URI reference', JSON.stringify(uri), base);
      return send(requests.get(uri, base), changes);
    },
    snapshot: (thing) => snapshotOf(target, thing, post),
    raw: (request, changes) => post.raw(request, changes),
    abandon: (request, changes) => post.abandon(request, changes),
    patience: () => post.patience(),
    token: (identity) => post.token(identity),
  };
  return target;
}
