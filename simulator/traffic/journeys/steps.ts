import { headerNames, mediaTypes } from '../../../contract/names.ts';
import { routes } from '../../../contract/routes.ts';
import type { RuleId } from '../../../contract/rule.ts';
import type { DocumentedRoute, Ground } from '../ground.ts';
import type { JourneyEnv } from '../journey.ts';
import type { BatchPart, GeneratedBody, HttpStep } from '../step.ts';

/** One of them; undefined of none. */
export function pick<T>({ random }: Pick<JourneyEnv, 'random'>, items: readonly T[]): T | undefined {
  return items[Math.floor(random() * items.length)];
}

/** An integer in [from, to]. */
export function pickBetween({ random }: Pick<JourneyEnv, 'random'>, from: number, to: number): number {
  return from + Math.floor(random() * (to - from + 1));
}

/** A text that no other step writes: `number` tells the steps of one journey apart. */
export function mark({ ground, user, iteration }: JourneyEnv, number: number): string {
  return `${beginningOf(ground)}${user}.${iteration}.${number}`;
}

/** With what the texts of a run begin that no other step writes. */
export function beginningOf({ seed }: Pick<Ground, 'seed'>): string {
  return `t${seed.toString(36)}.`;
}

/** A documented path with its placeholders filled in. */
export function pathOf(
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
  return fillPlaceholders(routes[route], all);
}

export function fillPlaceholders(template: string, values: Readonly<Record<string, string | number>>): string {
  let text = '';
  for (const [before, name] of piecesOf(template)) {
    const value = name === undefined ? undefined : values[name];
    text += before;
    if (value !== undefined) text += encoded(String(value));
    else if (name !== undefined) text += `{${name}}`;
  }
  return text;
}

/** Texts of a template, each with the name of the placeholder behind it; of the last one there is none. */
type Pieces = readonly (readonly [before: string, name?: string])[];

/** There are as many as routes, and each is filled in thousands of times a second. */
const knownPieces = new Map<string, Pieces>();

function piecesOf(template: string): Pieces {
  const known = knownPieces.get(template);
  if (known !== undefined) return known;
  const texts = template.split(/\{(\w+)\}/);
  const pieces = Array.from({ length: Math.ceil(texts.length / 2) }, (_, index): Pieces[number] => {
    const [before = '', name] = texts.slice(2 * index, 2 * index + 2);
    return name === undefined ? [before] : [before, name];
  });
  knownPieces.set(template, pieces);
  return pieces;
}

/** Most names and ids have nothing to encode. */
function encoded(value: string): string {
  return /^[\w.-]*$/.test(value) ? value : encodeURIComponent(value);
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

/** All or nothing of these. */
export function batchStep(env: JourneyEnv, operations: readonly object[], parts?: readonly BatchPart[]): HttpStep {
  return {
    kind: 'http',
    op: 'batch',
    method: 'POST',
    path: pathOf(env, 'batch'),
    headers: jsonHeaders,
    body: JSON.stringify(operations),
    ...(parts && { about: { kind: 'batch', operations: parts } }),
  };
}

export const jsonHeaders = { 'Content-Type': 'application/json' } as const;

export function versionHeader(version: number): Record<string, string> {
  return { [headerNames.version]: String(version) };
}

/** A body made up from the seed, with `text` in its first scalar. */
export function bodyWith(env: JourneyEnv, text: string): Record<string, unknown> {
  const [first] = env.ground.softType.scalars;
  return { ...uniqueWith(pick(env, env.ground.bodies), text), ...(first !== undefined && { [first]: text }) };
}

/** What is made up goes round and round, and some services take no name twice. */
export function uniqueWith(madeUp: Readonly<Record<string, unknown>> = {}, text: string): Record<string, unknown> {
  const filled = JSON.stringify(madeUp).replace(/\{\{unique\}\}/g, () => JSON.stringify(text).slice(1, -1));
  return JSON.parse(filled) as Record<string, unknown>;
}

/** Asks for a token of the editor. */
export function grantStep({ path, form }: NonNullable<Ground['grant']>): HttpStep {
  return {
    kind: 'http',
    op: 'grant',
    method: 'POST',
    path,
    as: { basic: 'client' },
    headers: { 'Content-Type': mediaTypes.form },
    body: form,
  };
}

/** A create of the SoftType. */
export function createStep(env: JourneyEnv, body: Readonly<Record<string, unknown>>): HttpStep {
  return {
    kind: 'http',
    op: 'create',
    method: 'POST',
    path: pathOf(env, 'create'),
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
    path: pathOf(env, env.ground.softType.isShortOther ? 'instanceLong' : 'instanceShort', { objectId: oid }),
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
    path: pathOf(env, 'merge', { objectId: oid }),
    headers: { ...jsonHeaders, ...versionHeader(version) },
    body: JSON.stringify({ [first]: marker }),
    about: { kind: 'edit', oid, version, marker },
  };
}

export type Area = NonNullable<Ground['fileArea']>;

/** @param file path below the area */
export function uploadStep({ path, as }: Area, file: string, content: GeneratedBody): HttpStep {
  return {
    kind: 'http',
    op: 'upload',
    method: 'POST',
    path: `${path}/stream/${file}`,
    headers: { 'Content-Type': 'application/octet-stream' },
    body: content,
    as,
  };
}

/** @param file path below the area */
export function downloadStep({ path, as }: Area, file: string, content: GeneratedBody): HttpStep {
  return {
    kind: 'http',
    op: 'download',
    method: 'GET',
    path: `${path}/${file}`,
    as,
    about: { kind: 'download', content },
  };
}

/** @param file path below the area */
export function deleteStep({ path, as }: Area, file: string): HttpStep {
  return { kind: 'http', op: 'delete file', method: 'DELETE', path: `${path}/${file}`, as };
}

/** Statuses of a refusal, where the documents do not say which one. */
const anyRefusal: readonly number[] = Array.from({ length: 100 }, (_, index) => 400 + index);

/** The same request where it has to be refused, or the rule is broken. @param statuses those that the documents say, where they do */
export function refusedStep(step: HttpStep, op: string, rule: RuleId, statuses?: readonly number[]): HttpStep {
  return {
    ...step,
    op,
    accept: statuses ?? anyRefusal,
    about: { kind: 'refused', rule, ...(statuses && { statuses }) },
  };
}

export function isOffered({ lacks = [] }: Ground, route: DocumentedRoute): boolean {
  return !lacks.includes(route);
}
