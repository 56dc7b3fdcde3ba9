import { routes } from '../../contract/routes.ts';
import type { Link } from '../../contract/wire.ts';
import type { Behaviours } from '../behaviours.ts';
import type { Call, Service, SpaceCall } from '../service.ts';
import { isJson, withBody, type Json } from './answer.ts';
import { replacing, type Fault } from './fault.ts';

/** The fault that sends the read response changed; a read inside a batch stays right. */
export function instanceAltered(change: (body: Json, call: Call) => unknown): Fault {
  return replacing('carryOut', (right) => async (service, route, call) => {
    const answer = await right(service, route, call);
    const isRead = route.path === routes.instanceShort || route.path === routes.instanceLong;
    return isRead && route.method === 'GET' ? withBody(answer, (body) => change(body, call)) : answer;
  });
}

/** The fault that sends the page response changed. */
export function pageAltered(change: (body: Json, call: SpaceCall) => unknown): Fault {
  return replacing(
    'readPage',
    (right) => async (service, call, reading) =>
      withBody(await right(service, call, reading), (body) => change(body, call)),
  );
}

/** The fault that changes the page links of a read response. */
export function pageLinkAltered(change: (link: Link) => object): Fault {
  return replacing('pageLink', (right) => (...args) => {
    const link = right(...args);
    return Object.assign({}, link, change(link));
  });
}

/** The service for one step of its work, with other behaviours in it. */
export function within(service: Service, changes: Partial<Behaviours>): Service {
  return { ...service, behaviours: { ...service.behaviours, ...changes } };
}

/** Whether the call came by the route that names definition and output schema. */
export function isLongRoute(call: Call): boolean {
  return call.params.definitionId !== undefined && call.params.outputSchemaId !== undefined;
}

/** An object in the body; empty where there is none. */
export function jsonAt(body: Json, name: string): Json {
  const value = body[name];
  return isJson(value) ? value : {};
}

/** The URI with one more query parameter, `name=value`. */
export function withParameter(href: string, parameter: string): string {
  return `${href}${href.includes('?') ? '&' : '?'}${parameter}`;
}
