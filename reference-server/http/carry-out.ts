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
type SpaceRoute = Extract<Route, { readonly access: 'space' | 'participant' }>;

async function ofUser(service: Service, route: UserRoute, call: UserCall): Promise<Answer> {
  if (route.effect === 'outside') return route.handle(service, call);
  if (route.effect === 'read') return service.store.read((reading) => route.handle(service, call, reading));
  return service.store.change((writing) => route.handle(service, call, writing));
}

async function inSpace(service: Service, route: SpaceRoute, call: SpaceCall): Promise<Answer> {
  if (route.effect === 'outside') return route.handle(service, call);
  if (route.effect === 'read') return service.store.read((reading) => route.handle(service, call, reading));
  const ready = route.before === undefined ? call : await route.before(service, call);
  return changed(service.store, (writing) => route.handle(service, ready, writing));
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
