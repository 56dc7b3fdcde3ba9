import type { TrafficExchange } from './engine.ts';
import type { Ground } from './ground.ts';
import { isAnsweredWell, isObject, jsonIn, lastSegment, valueAt } from './results.ts';

const created = 201;

/** Ids of the objects that a request made, as its answer tells. Only what the answer calls created: another success may name what was there before. */
export function madeIn(
  { step, result }: Pick<TrafficExchange, 'step' | 'result'>,
  { multiCreate }: Pick<Ground, 'multiCreate'>,
): readonly string[] {
  if (step.method !== 'POST' || !isAnsweredWell(result.status)) return [];
  if (step.about?.kind === 'create') return result.status === created ? idsOf([result.headers['location']]) : [];
  if (step.about?.kind === 'batch') {
    const results = jsonIn(result);
    const { operations } = step.about;
    return Array.isArray(results) ? idsOf(operations.map((one, index) => hrefOf(one.method, results[index]))) : [];
  }
  return multiCreate !== undefined && step.path === multiCreate.path ? idsOf(hrefsIn(result, multiCreate)) : [];
}

function hrefOf(method: string, result: unknown): unknown {
  const isCreated = method === 'POST' && isObject(result) && result['statusCode'] === created;
  return isCreated ? valueAt(result, '/body/href') : undefined;
}

function* hrefsIn(result: TrafficExchange['result'], { resultHref }: NonNullable<Ground['multiCreate']>) {
  for (let index = 0; ; index += 1) {
    const pointer = resultHref.replace('{index}', String(index)).replace('{id}', `i${index}`);
    const href = valueAt(jsonIn(result), pointer);
    if (href === undefined) return;
    yield href;
    // the same place whichever object is meant
    if (pointer === resultHref) return;
  }
}

function idsOf(references: Iterable<unknown>): readonly string[] {
  return [...references].flatMap((one) => (typeof one === 'string' ? (lastSegment(one) ?? []) : []));
}
