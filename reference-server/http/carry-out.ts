import { Outdated } from '../problem.ts';
import type { Route } from '../route.ts';
import type { Answer, Call, Service, SpaceCall, UserCall } from '../service.ts';
import type { Store, Writing } from '../store/store.ts';
import { Undone } from '../undone.ts';

/**
 * Access first, then the route's own work inside a read or a change set. Source: core, Authentication and Errors.
 * @throws {Refusal} 401, 403, 404, or whatever the route refuses with; nothing of a refused change set remains
 */
export async function carryOut(service: Service, route: Route, call: Call): Promise<Answer> {
  const { behaviours, store } = service;
  if (route.access === 'public') {
    if (route.effect === 'outside') return route.handle(service, call);
    return store.read((reading) => route.handle(service, call, reading));
  }
  const user = await behaviours.authenticate(service, call);
  behaviours.authorize(service, user, route.access, call);
  if (route.access === 'user' || route.access === 'collection') return ofUser(service, route, { ...call, user });
  return inSpace(service, route, { ...call, user, space: behaviours.spaceOf(service, call) });
}

type UserRoute = Extract<Route, { readonly access: 'user' | 'collection' }>;
/** How often a request is prepared before it is refused. */
const mostPreparations = 3;

type SpaceRoute = Extract<Route, { readonly access: 'space' | 'participant' }>;

async function ofUser(service: Service, route: UserRoute, call: UserCall): Promise<Answer> {
  if (route.effect === 'outside') return route.handle(service, call);
  if (route.effect === 'read') return service.store.read((reading) => route.handle(service, call, reading));
  return service.store.change((writing) => route.handle(service, call, writing));
}

async function inSpace(service: Service, route: SpaceRoute, call: SpaceCall): Promise<Answer> {
  if (route.effect === 'outside') return route.handle(service, call);
  if (route.effect === 'read') return service.store.read((reading) => route.handle(service, call, reading));
  const { before } = route;
  if (before === undefined) return changed(service.store, (writing) => route.handle(service, call, writing));
  return prepared(
    () => before(service, call),
    (ready) => changed(service.store, (writing) => route.handle(service, ready, writing)),
  );
}

/** What was found out ahead of the change set may not hold any more when it begins: then it is found out anew. */
async function prepared(
  prepare: () => Promise<SpaceCall>,
  change: (ready: SpaceCall) => Promise<Answer>,
  left = mostPreparations,
): Promise<Answer> {
  const ready = await prepare();
  try {
    return await change(ready);
  } catch (error) {
    if (!(error instanceof Outdated) || left <= 1) throw error;
    return prepared(prepare, change, left - 1);
  }
}

/** The answer of a change set, be it kept or undone. */
async function changed(store: Store, work: (writing: Writing) => Promise<Answer>): Promise<Answer> {
  try {
    return await store.change(work);
  } catch (error) {
    if (error instanceof Undone) return error.answer;
    throw error;
  }
}
