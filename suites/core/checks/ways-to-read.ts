import { bodyOfResult, resultsOf, sendBatch } from '../../../judge/service/batch.ts';
import type { CaseContext } from '../../../judge/case.ts';
import type { Reply, RequestSpec } from '../../../judge/exchange.ts';
import { isObject, objectsIn } from '../../../judge/json.ts';
import { isOfService } from '../../../judge/service/requests.ts';
import { valueOfFixed, withFilter, withValue } from '../../../judge/service/queries.ts';
import type { Thing } from '../../../judge/things.ts';
import { readersOf } from './readers.ts';

type Reader = ReturnType<typeof readersOf>[number];

/** A read response, however it was asked for. */
export interface ReadAnswer {
  /** In words: `the long route, filtered`. */
  readonly by: string;
  readonly way: Way;
  readonly as: Reader;
  readonly isInBatch: boolean;
  readonly body: Readonly<Record<string, unknown>>;
  readonly reply: Reply;
}

export interface Way {
  readonly by: string;
  readonly request: RequestSpec;
  /** Whether another schema shapes what is read. */
  readonly isReshaped: boolean;
  readonly isFiltered: boolean;
}

/** The ways to read an instance that the profile knows: by both routes, by another schema, under a filter, under one whose value the query gives. */
export function waysToRead(context: CaseContext, thing: Thing): readonly Way[] {
  const { service, profile } = context;
  const { secondOutputSchema } = thing.type;
  const { fixed, withValue: blank } = profile.all.filters ?? {};
  const way = (by: string, request: RequestSpec, isReshaped = false): Way => ({
    by,
    request,
    isReshaped,
    isFiltered: false,
  });
  const plain: readonly Way[] = [
    way('the short route', service.requests.read(thing)),
    way('the long route', service.requests.readLong(thing)),
    ...(secondOutputSchema === undefined
      ? []
      : [way('another schema', service.requests.readLong(thing, secondOutputSchema.id), true)]),
  ];
  if (thing.type.definitionId !== profile.primary.definitionId) return plain;
  const filters = [
    ...(fixed === undefined
      ? []
      : [{ told: 'filtered', add: (request: RequestSpec) => withFilter(context, thing, request) }]),
    ...(blank === undefined
      ? []
      : [
          {
            told: 'filtered by a value',
            add: (request: RequestSpec) => withValue(context, thing, valueOfFixed(context), request),
          },
        ]),
  ];
  const filtered = filters.flatMap(({ told, add }) =>
    plain.map(({ by, request, isReshaped }) => ({
      by: `${by}, ${told}`,
      request: { ...request, ...add(request) },
      isReshaped,
      isFiltered: true,
    })),
  );
  return [...plain, ...filtered];
}

/** What the object reads as, each way, by everybody who may, and in a batch. Reads that are refused are left out: whether a way is served is judged elsewhere. */
export async function readEveryWay(context: CaseContext, thing: Thing): Promise<readonly ReadAnswer[]> {
  const { service, profile, notes } = context;
  const answers: ReadAnswer[] = [];
  const ways = waysToRead(context, thing);
  for (const way of ways)
    for (const as of readersOf(profile)) {
      const by = `${way.by} for the ${as}`;
      const reply = await service.send(way.request, { as });
      if (reply.status === 200 && isObject(reply.json))
        answers.push({ by, way, as, isInBatch: false, body: reply.json, reply });
      else notes.observe(`a read by ${by}`, reply.status, reply);
    }
  if (!profile.offers('batch')) return answers;
  const requests = ways.map(({ request }) => request);
  for (const as of readersOf(profile)) {
    const reply = await sendBatch(context, requests, { as });
    notes.observe(`status of a batch of reads for the ${as}`, reply.status, reply);
    if (reply.status !== 200) continue;
    for (const [index, result] of resultsOf(reply).entries()) {
      const [way, body] = [ways[index], bodyOfResult(result)];
      // whether a batch answers a read with its content is judged by the rules about batches
      if (way !== undefined && isObject(body['data']))
        answers.push({ by: `${way.by} in a batch for the ${as}`, way, as, isInBatch: true, body, reply });
    }
  }
  return answers;
}

/** The links of an answer that are objects. */
export function linksIn({ body }: ReadAnswer): readonly Readonly<Record<string, unknown>>[] {
  const { links } = body;
  return objectsIn(links);
}

/** Whether it leads to something else to read, such as a manual: no operation of the service. */
export function leadsAside(
  { rel, href, method }: Readonly<Record<string, unknown>>,
  { profile }: CaseContext,
): boolean {
  const url = String(href);
  if (method !== 'GET' || rel === 'page' || rel === 'self') return false;
  return URL.canParse(url) && !isOfService(url, profile.all);
}

/** Those that lead to pages. */
export function pageLinksIn(answer: ReadAnswer): readonly Readonly<Record<string, unknown>>[] {
  return linksIn(answer).filter(({ rel }) => rel === 'page');
}

/** `data` of an answer, in which the system properties stand. */
export function contentIn({ body: { data } }: ReadAnswer): Readonly<Record<string, unknown>> {
  return isObject(data) ? data : {};
}
