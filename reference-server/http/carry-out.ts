import type { Route } from '../route.ts';
import type { Answer, Call, Service } from '../service.ts';
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
  if (route.access === 'user' || route.access === 'collection') {
    const userCall = { ...call, user };
    if (route.effect === 'outside') return route.handle(service, userCall);
    if (route.effect === 'read') return store.read((reading) => route.handle(service, userCall, reading));
    return store.change((writing) => route.handle(service, userCall, writing));
  }
  const spaceCall = { ...call, user, space: behaviours.spaceOf(service, call) };
  if (route.effect === 'outside') return route.handle(service, spaceCall);
  if (route.effect === 'read') return store.read((reading) => route.handle(service, spaceCall, reading));
  const ready = route.before === undefined ? spaceCall : await route.before(service, spaceCall);
  return changed(store, (writing) => route.handle(service, ready, writing));
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
