import { headerNames } from '../../../contract/names.ts';
import type { TrafficExchange } from '../engine.ts';
import type { Ground } from '../ground.ts';
import { isObject, jsonIn, objectIn, oidIn } from '../journeys/words.ts';
import type { BatchPart, Result } from '../step.ts';

/** Headers that tell what a write came to. */
const toldHeaders = ['location', headerNames.version.toLowerCase()];

/**
 * What of an exchange has to be looked at together with those of other workers: what it did to an object, or that it triggered an event.
 * Its answer is cut down to that, as everything is copied from thread to thread. Undefined where it concerns one journey alone.
 */
export function sharedOf(
  exchange: TrafficExchange,
  ground: Ground,
  isJudged: (oid: string) => boolean,
): TrafficExchange | undefined {
  const { result } = exchange;
  const { about } = exchange.step;
  if (about === undefined) return undefined;
  if (about.kind === 'trigger') return withBody(exchange, '');
  if (about.kind === 'edit') return isJudged(about.oid) ? withBody(exchange, '') : undefined;
  if (about.kind === 'create') return isJudged(oidIn(result) ?? '') ? withBody(exchange, '') : undefined;
  if (about.kind === 'read')
    return result.status === 200 && isJudged(about.oid)
      ? withBody(exchange, versionAndText(result, ground))
      : undefined;
  if (about.kind === 'batch')
    return about.operations.some(isWrite) ? withBody(exchange, versionsOf(result)) : undefined;
  return undefined;
}

function isWrite({ oid, version }: BatchPart): boolean {
  return oid !== undefined && version !== undefined;
}

function withBody(exchange: TrafficExchange, body: string): TrafficExchange {
  const { status, headers } = exchange.result;
  const told = toldHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]] as const]));
  return { ...exchange, result: { status, headers: Object.fromEntries(told), body } };
}

function versionAndText(result: Result, { softType }: Ground): string {
  const [first = ''] = softType.scalars;
  const { version, data } = objectIn(result);
  return JSON.stringify({ version, data: { [first]: isObject(data) ? data[first] : undefined } });
}

function versionsOf(result: Result): string {
  const results = jsonIn(result);
  if (!Array.isArray(results)) return '';
  return JSON.stringify(
    results.map((one: unknown) =>
      isObject(one)
        ? {
            statusCode: one['statusCode'],
            body: { version: isObject(one['body']) ? one['body']['version'] : undefined },
          }
        : null,
    ),
  );
}
