import type { Need } from '../../contract/needs.ts';
import type { Reply } from '../exchange.ts';
import { withUnique } from '../given/unique.ts';
import { absoluteUrl } from '../requests/absolute-url.ts';
import { examined, type Bench, type Examination, type Trial } from './examination.ts';
import { PreconditionFailed } from '../violation.ts';
import { createdBy } from '../multi-create-result.ts';
import { itemLike } from './multi-create.ts';

type Work = () => Promise<Trial>;

/** Routes that the profile binds and that can be tried on a new object. */
export async function examineRoutes(bench: Bench): Promise<readonly Examination[]> {
  const { routes, softTypes } = bench.context.profile.all;
  if (softTypes?.primary === undefined) return [];
  const found: Examination[] = [];
  const tryOut = async (key: string, needs: readonly Need[], work: Work): Promise<void> =>
    void found.push(await examined(bench, key, needs, work));
  if (routes?.softTypePut !== undefined) await tryOut('routes.softTypePut', ['put-route'], () => put(bench));
  if (routes?.lockTake !== undefined && routes.lockFree !== undefined)
    await tryOut('routes.lockTake and routes.lockFree', ['lock-route'], () =>
      locked(bench, routes.lockTake, routes.lockFree),
    );
  if (bench.context.profile.all.multiCreate !== undefined)
    await tryOut('multiCreate.resultHref', ['multi-create-result'], () => several(bench));
  if (routes?.softTypeDelete !== undefined)
    await tryOut('routes.softTypeDelete', ['delete-route'], () => removed(bench));
  return found;
}

async function put({ context }: Bench): Promise<Trial> {
  const { given, service } = context;
  const thing = await given.object();
  return aboutReply(await service.put(thing, given.body()), 'routes.softTypePut');
}

async function removed({ context }: Bench): Promise<Trial> {
  const { given, service } = context;
  const thing = await given.object();
  const reply = await service.remove(thing);
  const again =
    reply.status === 412 || reply.status === 428 ? await service.remove(thing, { version: thing.version }) : reply;
  return aboutReply(again, 'routes.softTypeDelete');
}

type LockRoute = NonNullable<NonNullable<Bench['context']['profile']['all']['routes']>['lockTake']>;

async function locked({ context }: Bench, take: LockRoute | undefined, free: LockRoute | undefined): Promise<Trial> {
  const { given, service, profile } = context;
  const thing = await given.object();
  for (const [key, route] of [
    ['routes.lockTake', take],
    ['routes.lockFree', free],
  ] as const) {
    if (route === undefined) continue;
    const url = absoluteUrl(
      profile.all,
      route.path
        .replaceAll('{spaceId}', encodeURIComponent(thing.space))
        .replaceAll('{objectId}', encodeURIComponent(thing.oid)),
    );
    const body =
      route.body === undefined
        ? {}
        : {
            body: withUnique(JSON.parse(JSON.stringify(route.body).replaceAll('{objectId}', thing.oid)), given.unique),
          };
    const failure = aboutReply(
      await service.send({ method: route.method, url, as: 'editor', unbooked: true, ...body }),
      key,
    );
    if (failure !== undefined) return failure;
  }
  return undefined;
}

async function several({ context }: Bench): Promise<Trial> {
  const items = [itemLike(context, context.profile.primary), itemLike(context, context.profile.primary)];
  const reply = await context.service.multiCreate(items);
  const refusal = aboutReply(reply, 'routes.multiCreate');
  if (refusal !== undefined) return refusal;
  const keys = 'multiCreate.resultHref or multiCreate.resultId';
  try {
    const reads = await createdBy(context, reply, items);
    const lost = reads.find(({ status }) => status !== 200);
    return (
      lost && {
        failure: `what the answer names cannot be read (${lost.status}): correct ${keys}`,
        exchange: lost.exchange,
      }
    );
  } catch (error) {
    if (!(error instanceof PreconditionFailed)) throw error;
    return { failure: `the answer does not name the objects it made: correct ${keys}`, exchange: reply.exchange };
  }
}

/** A route of the profile that refuses what it is there for. */
export function aboutReply(reply: Reply, key: string): Trial {
  if (reply.status < 300 || reply.status === 304) return undefined;
  const { method, url } = reply.exchange.request;
  return { failure: `${method} ${url} answered ${reply.status}: correct ${key}`, exchange: reply.exchange };
}
