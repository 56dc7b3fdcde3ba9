import { routes } from '../../contract/routes.ts';
import type { Link } from '../../contract/wire.ts';
import type { Areas } from '../../reference-server/areas.ts';
import type { Answer, Call, SpaceCall } from '../../reference-server/http/call.ts';
import { type Variant, replaces } from '../breaks.ts';

/** A JSON object, as far as a fault looks into it. */
export type Json = Readonly<Record<string, unknown>>;

/** The answer with its JSON body changed, whether it was serialised already or not; an answer without one stays as it is. */
export function withBody(answer: Answer, change: (body: Json) => unknown): Answer {
  const { raw, body: given, ...rest } = answer;
  const body: unknown = raw === undefined ? given : JSON.parse(String(raw));
  return isJson(body) ? { ...rest, body: change(body) } : answer;
}

/** The answer with these headers; undefined takes one away. */
export function withHeaders(answer: Answer, headers: Readonly<Record<string, string | undefined>>): Answer {
  const entries = Object.entries({ ...answer.headers, ...headers }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return { ...answer, headers: Object.fromEntries(entries) };
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fault that sends the read response changed; a read inside a batch stays right. */
export function alterInstance(change: (body: Json, call: Call) => unknown): Variant {
  return replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    const answer = await right(areas, route, call);
    const isRead = route.path === routes.instanceShort || route.path === routes.instanceLong;
    return isRead && route.method === 'GET' ? withBody(answer, (body) => change(body, call)) : answer;
  });
}

/** The fault that sends the page response changed. */
export function alterPage(change: (body: Json, call: SpaceCall) => unknown): Variant {
  return replaces('paging', 'readPage', async (right, areas, call, reading) =>
    withBody(await right(areas, call, reading), (body) => change(body, call)),
  );
}

/** The fault that changes the page links of a read response. */
export function alterPageLink(change: (link: Link) => object): Variant {
  return replaces('hypermedia', 'pageLink', (right, ...args) => {
    const link = right(...args);
    return Object.assign({}, link, change(link));
  });
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

/** Nothing is kept of a read that differs from others. */
export const freshlyRead: Areas['memory']['rememberedRead'] = async (_call, _reading, _object, _view, assemble) => ({
  status: 200,
  headers: { 'Cache-Control': 'no-store' },
  body: await assemble(),
});
