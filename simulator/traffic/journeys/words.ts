import { headerNames } from '../../../contract/names.ts';
import { routes } from '../../../contract/routes.ts';
import type { JourneyEnv } from '../journey.ts';
import type { HttpStep, Result } from '../step.ts';

/** One of them; undefined of none. */
export function pick<T>({ random }: Pick<JourneyEnv, 'random'>, items: readonly T[]): T | undefined {
  return items[Math.floor(random() * items.length)];
}

/** An integer in [from, to]. */
export function between({ random }: Pick<JourneyEnv, 'random'>, from: number, to: number): number {
  return from + Math.floor(random() * (to - from + 1));
}

/** A text that no other step writes: `number` tells the steps of one journey apart. */
export function mark({ ground, user, iteration }: JourneyEnv, number: number): string {
  return `t${ground.seed.toString(36)}.${user}.${iteration}.${number}`;
}

/** The JSON object of an answer; empty where it is none. */
export function objectIn(result: Result): Readonly<Record<string, unknown>> {
  const value = jsonIn(result);
  return isObject(value) ? value : {};
}

/** Judges and the journey look at one answer after the other, each at the same one: parsing it once is enough. */
let last: { readonly result: Result | undefined; readonly value: unknown } = { result: undefined, value: undefined };

/** The JSON value of an answer, to be looked at only; undefined where it is none. */
export function jsonIn(result: Result): unknown {
  if (last.result !== result) last = { result, value: parsed(result) };
  return last.value;
}

function parsed({ body }: Result): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a JSON Pointer leads to; undefined where nothing is. */
export function valueAt(value: unknown, pointer: string): unknown {
  const names = pointer
    .split('/')
    .slice(1)
    .map((name) => name.replace(/~1/g, '/').replace(/~0/g, '~'));
  return names.reduce<unknown>(
    (place, name) => (typeof place === 'object' && place !== null ? Reflect.get(place, name) : undefined),
    value,
  );
}

/** Version in the header of an answer to an accepted write; undefined where there is none. */
export function versionIn({ status, headers }: Result): number | undefined {
  const text = isAnsweredWell(status) ? headers[headerNames.version.toLowerCase()] : undefined;
  return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
}

/** Id of what an accepted create made; undefined without a Location. */
export function oidIn({ status, headers }: Result): string | undefined {
  return isAnsweredWell(status) ? lastSegment(headers['location']) : undefined;
}

/** 2xx. A refusal may carry the same headers, and tells of no effect. */
export function isAnsweredWell(status: number): boolean {
  return status >= 200 && status < 300;
}

export function lastSegment(uri: string | undefined): string | undefined {
  const segment = uri?.split(/[?#]/)[0]?.split('/').pop();
  return segment === undefined || segment === '' ? undefined : decoded(segment);
}

/** What is no percent-encoding stays as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A documented path with its placeholders filled in. */
export function path(
  { ground }: JourneyEnv,
  route: keyof typeof routes,
  values: Readonly<Record<string, string | number>> = {},
): string {
  const { definitionId, inputSchemaId, outputSchemaId } = ground.softType;
  const all: Readonly<Record<string, string | number>> = {
    spaceId: ground.space,
    definitionId,
    softTypeId: definitionId,
    inputSchemaId,
    outputSchemaId,
    ...(ground.maturity && { processId: ground.maturity.processId, levelId: ground.maturity.levelId }),
    ...values,
  };
  return filled(routes[route], all);
}

export function filled(template: string, values: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : encodeURIComponent(String(value));
  });
}

/** An operation of a batch, its path as href in the form that the service takes; a body tells its type as it does on a route of its own. */
export function operationOf(
  { ground }: JourneyEnv,
  { method, path: target, headers }: Pick<HttpStep, 'method' | 'path' | 'headers'>,
  body?: object,
): object {
  const all = { ...(body && jsonHeaders), ...headers };
  return {
    method,
    href: `${ground.batchHrefPrefix ?? ''}${target}`,
    ...(Object.keys(all).length > 0 && { headers: all }),
    ...(body && { body }),
  };
}

export const jsonHeaders = { 'Content-Type': 'application/json' } as const;

export function versioned(version: number): Record<string, string> {
  return { [headerNames.version]: String(version) };
}

/** A body made up by faker, with `text` in its first scalar. */
export function bodyWith(env: JourneyEnv, text: string): Record<string, unknown> {
  const [first] = env.ground.softType.scalars;
  return { ...pick(env, env.ground.bodies), ...(first !== undefined && { [first]: text }) };
}

/** A create of the SoftType. */
export function createStep(env: JourneyEnv, body: Readonly<Record<string, unknown>>): HttpStep {
  return {
    kind: 'http',
    op: 'create',
    method: 'POST',
    path: path(env, 'create'),
    headers: jsonHeaders,
    body: JSON.stringify(body),
    about: { kind: 'create' },
  };
}

export function readStep(env: JourneyEnv, oid: string, holds?: string): HttpStep {
  return {
    kind: 'http',
    op: 'read',
    method: 'GET',
    path: path(env, 'instanceShort', { objectId: oid }),
    about: { kind: 'read', oid, ...(holds !== undefined && { holds }) },
  };
}

/** A merge edit that writes `marker` into the first scalar. */
export function editStep(env: JourneyEnv, oid: string, version: number, marker: string): HttpStep {
  const [first = ''] = env.ground.softType.scalars;
  return {
    kind: 'http',
    op: 'edit',
    method: 'PATCH',
    path: path(env, 'merge', { objectId: oid }),
    headers: { ...jsonHeaders, ...versioned(version) },
    body: JSON.stringify({ [first]: marker }),
    about: { kind: 'edit', oid, version, marker },
  };
}
