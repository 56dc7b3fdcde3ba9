import fc from 'fast-check';
import { scenario, type CaseContext } from '../../judge/case.ts';
import type { Reply, RequestSpec } from '../../judge/exchange.ts';
import { definitionOf, type Json } from '../../judge/openapi/document.ts';
import { operationFor } from './operations.ts';
import { arbitraryOf, misfits, requestSchema, responseFor, responseSchema } from '../../judge/openapi/schema.ts';

/** Instance, page and create answers fit the document; bodies that it allows for a create are accepted. */
export const liveTraffic = scenario(async (context, generation) => {
  const { given, service } = context;
  const { document } = await definitionOf(context);
  const owner = await given.objectWithEntries(12);
  const create = service.requests.create(given.body());
  const requests = [
    service.requests.readLong(owner),
    service.requests.read(owner),
    service.requests.page(owner, 1),
    create,
  ];
  let judged = 0;
  for (const request of requests) if (fits(context, document, request, await service.send(request))) judged += 1;
  if (judged === 0)
    given.inconclusive(
      'The document has none of the routes of the run: neither an instance read, a page nor a create.',
    );
  for (const body of bodiesFor(context, document, create, generation)) {
    const reply = await service.send(create, { body });
    context.expect(reply).toSucceed();
  }
});

/** False where the document does not have the route: that is not judged here. */
function fits({ expect, notes, profile }: CaseContext, document: Json, request: RequestSpec, reply: Reply): boolean {
  const path = below(profile.all.baseUrl, reply.url);
  const operation = operationFor(document, request.method, path);
  if (operation === undefined) {
    notes.observe(`${request.method} of the run is in the document`, false, reply);
    return false;
  }
  expect(
    responseFor(document, operation, reply.status),
    `response ${reply.status} of ${operation.template} in the document`,
    reply,
  ).toBePresent();
  const schema = responseSchema(document, operation, reply.status);
  if (reply.text !== '')
    expect(misfits(document, schema, reply.json), `misfits of ${operation.template}`, reply).toEqual([]);
  return true;
}

/** Path of the URL without that of the base URL, since paths of the document may leave out where a gateway puts them. */
function below(baseUrl: string, url: string): string {
  const base = new URL(baseUrl).pathname.replace(/\/+$/, '');
  const { pathname } = new URL(url);
  return pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname;
}

function bodiesFor(
  { notes }: CaseContext,
  document: Json,
  create: RequestSpec,
  generation: { seed: number; runs: number },
): readonly unknown[] {
  const operation = operationFor(document, create.method, new URL(create.url, 'http://localhost').pathname);
  const arbitrary = operation && arbitraryOf(document, requestSchema(document, operation));
  notes.observe('bodies of a create can be generated from the document', arbitrary !== undefined);
  return arbitrary === undefined
    ? []
    : fc.sample(arbitrary, { seed: generation.seed, numRuns: Math.min(10, generation.runs) });
}
