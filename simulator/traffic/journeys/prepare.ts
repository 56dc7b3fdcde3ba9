import { mediaTypes, pointerThrough } from '../../../contract/names.ts';
import type { Ground, GroundObject } from '../ground.ts';
import type { JourneyEnv } from '../journey.ts';
import { isAnsweredWell, isObject, jsonIn, oidIn, versionIn } from '../results.ts';
import type { HttpStep, Result, Step } from '../step.ts';
import {
  batchStep,
  bodyWith,
  createStep,
  grantStep,
  isOffered,
  mark,
  operationOf,
  pathOf,
  readStep,
  uniqueWith,
  versionHeader,
} from './steps.ts';

const shownLength = 300;
/** Objects are made by so many at once. Their numbers as users are below 0, so that no journey writes their texts. */
const makers = 4;
/** Entries that the objects to read have, in turn: none, less than a page, exactly one, several. */
const entriesInTurn = [0, 3, 10, 11, 27, 60];

/** Who makes how many of the objects. */
export function sharesOf(count: number): readonly { readonly user: number; readonly count: number }[] {
  return Array.from({ length: makers }, (_, maker) => ({
    user: -1 - maker,
    count: Math.floor((count + maker) / makers),
  }));
}

/** What one maker came to. */
export interface Made {
  readonly objects: readonly GroundObject[];
  /** Why it ended before all were made. */
  readonly problem?: string;
}

/** Makes the objects that journeys read and edit. Stops at the first one that the service refuses. */
export function* prepareObjects(env: JourneyEnv, count: number): Generator<Step, Made, Result> {
  const objects: GroundObject[] = [];
  const { softType, bodies, entries } = env.ground;
  for (let index = 0; bodies.length > 0 && index < count; index += 1) {
    const wanted = softType.arrayPort === undefined ? 0 : (entriesInTurn[index % entriesInTurn.length] ?? 0);
    const { member = '' } = softType.arrayPort ?? {};
    const values = Array.from({ length: wanted }, (_, entry) =>
      uniqueWith(entries[entry % entries.length], `${mark(env, index)}.${entry}`),
    );
    const body = bodyWith(env, mark(env, index));
    const isFilledLater = wanted > 0 && isOffered(env.ground, 'operations');
    const create = createStep(env, wanted > 0 && !isFilledLater ? { ...body, [member]: values } : body);
    const created: Result = yield create;
    const oid = oidIn(created);
    let version = versionIn(created);
    if (oid === undefined || version === undefined)
      return { objects, problem: problemOf(create, 'Location and version', created) };
    if (isFilledLater) {
      const fill: HttpStep = {
        kind: 'http',
        op: 'fill',
        method: 'PATCH',
        path: pathOf(env, 'operations', { objectId: oid }),
        headers: { 'Content-Type': mediaTypes.operations, ...versionHeader(version) },
        body: JSON.stringify(values.map((value) => ({ op: 'add', path: pointerThrough([member, '-']), value }))),
      };
      const filled: Result = yield fill;
      version = versionIn(filled);
      if (version === undefined) return { objects, problem: problemOf(fill, 'a version', filled) };
    }
    objects.push({ oid, version, entries: wanted });
  }
  return { objects };
}

function problemOf({ method, path }: HttpStep, told: string, { status, body, error }: Result): string {
  const found =
    status === 0
      ? `no answer${error === undefined ? '' : ` (${error})`}`
      : `${status} ${body.slice(0, shownLength)}`.trimEnd();
  return `The objects that the journeys work on could not be made: expected 2xx with ${told} for ${method} ${path}, found ${found}. See whether softTypes.primary, informationFilter and identities.editor of the profile are right.`;
}

/** The form of href in which a batch passes. */
export interface TriedBatch {
  readonly ground: Pick<Ground, 'batchHrefPrefix'>;
  /** Statuses of the batches, where none passed. */
  readonly refused?: readonly number[];
}

/** Reads the object by batches, one for each form of href, until one passes; the first form where none does. */
export function* tryBatch(env: JourneyEnv, object: GroundObject | undefined): Generator<Step, TriedBatch, Result> {
  const { batchHrefPrefixes: prefixes = [] } = env.ground;
  const [first = '', ...others] = prefixes;
  if (object === undefined || others.length === 0 || !isOffered(env.ground, 'batch'))
    return { ground: { batchHrefPrefix: first } };
  const refused: number[] = [];
  for (const prefix of prefixes) {
    const prefixed = { ...env, ground: { ...env.ground, batchHrefPrefix: prefix } };
    const answer: Result = yield batchStep(prefixed, [operationOf(prefixed, readStep(prefixed, object.oid))]);
    if (isAnsweredWell(answer.status) && hasPassed(jsonIn(answer))) return { ground: { batchHrefPrefix: prefix } };
    refused.push(answer.status);
  }
  return { ground: { batchHrefPrefix: first }, refused };
}

/** Whether the token of the editor ends when there is another one of the same user, which nothing forbids: then journeys may ask for none. */
export function* endsWithNext(env: JourneyEnv, object: GroundObject | undefined): Generator<Step, boolean, Result> {
  const { grant } = env.ground;
  if (grant === undefined || object === undefined) return false;
  const granted: Result = yield grantStep(grant);
  if (!isAnsweredWell(granted.status)) return false;
  const read: Result = yield readStep(env, object.oid);
  return read.status === 401;
}

/** A status of its own need not be there. */
function hasPassed(results: unknown): boolean {
  const first: unknown = Array.isArray(results) ? results[0] : undefined;
  const status = isObject(first) ? first['statusCode'] : undefined;
  return typeof status !== 'number' || isAnsweredWell(status);
}
