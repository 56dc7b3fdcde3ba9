import type { RuleId } from '../../../contract/rules.ts';
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
    read: async (thing, changes) => leaning(post, 'reading.instance.short-route-served', await send(requests.read(thing), changes)),
    readLong: async (thing, { outputSchemaId, ...changes } = {}) =>
      leaning(post, 'reading.instance.long-route-served', await send(requests.readLong(thing, outputSchemaId), changes)),
    page: async (thing, pageNumber, { port, ...changes } = {}) =>
      leaning(post, 'paging.page.documented-route-served', await send(requests.page(thing, pageNumber, port), changes)),
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
    patience: () => post.patience(),
    token: (identity) => post.token(identity),
  };
  return target;
}

/** A route that the target may not have at all: what a case makes of such an answer is worth as much as the rule about the route. */
function leaning(post: Post, route: RuleId, reply: Reply): Reply {
  if (reply.status === 404 || reply.status === 405) post.leanOn(route);
  return reply;
}
