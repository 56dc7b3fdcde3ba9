import { bodyOfResult, resultsOf, sendBatch } from '../../judge/batch.ts';
import type { CaseContext } from '../../judge/case.ts';
import type { Reply, RequestSpec } from '../../judge/exchange.ts';
import { isObject } from '../../judge/json.ts';
import { withQuery } from '../../judge/queries.ts';
import type { Thing } from '../../judge/things.ts';
import { readersOf } from './readers.ts';

/** A read response, however it was asked for. */
export interface ReadAnswer {
  /** In words: `the long route, filtered`. */
  readonly by: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly reply: Reply;
}

interface Way {
  readonly by: string;
  readonly request: RequestSpec;
}

/** The ways to read an instance that the profile knows: by both routes, by another schema, under a filter. */
export function waysToRead({ service, profile }: CaseContext, thing: Thing): readonly Way[] {
  const { secondOutputSchema } = profile.primary;
  const { fixed } = profile.all.filters ?? {};
  const plain: readonly Way[] = [
    { by: 'the short route', request: service.requests.read(thing) },
    { by: 'the long route', request: service.requests.readLong(thing) },
    ...(secondOutputSchema === undefined
      ? []
      : [{ by: 'another schema', request: service.requests.readLong(thing, secondOutputSchema.id) }]),
  ];
  const filtered = plain.map(({ by, request }) => ({
    by: `${by}, filtered`,
    request: { ...request, url: withQuery(request.url, { softTypeFilterId: fixed?.id ?? '' }) },
  }));
  return [...plain, ...(fixed === undefined ? [] : filtered)];
}

/** What the object reads as, each way, by everybody who may, and in a batch. Reads that are refused are left out: whether a way is served is judged elsewhere. */
export async function readEveryWay(context: CaseContext, thing: Thing): Promise<readonly ReadAnswer[]> {
  const { service, profile, notes } = context;
  const answers: ReadAnswer[] = [];
  const ways = waysToRead(context, thing);
  for (const { by, request } of ways)
    for (const as of readersOf(profile)) {
      const reply = await service.send(request, { as });
      if (reply.status === 200 && isObject(reply.json))
        answers.push({ by: `${by} for the ${as}`, body: reply.json, reply });
      else notes.observe(`a read by ${by} for the ${as}`, reply.status, reply);
    }
  if (!profile.offers('batch')) return answers;
  const reply = await sendBatch(
    context,
    ways.map(({ request }) => request),
  );
  notes.observe('status of a batch of reads', reply.status, reply);
  if (reply.status !== 200) return answers;
  for (const [index, result] of resultsOf(reply).entries()) {
    const body = bodyOfResult(result);
    // whether a batch answers a read with its content is judged by the rules about batches
    if (isObject(body['data'])) answers.push({ by: `${ways[index]?.by} in a batch`, body, reply });
  }
  return answers;
}
