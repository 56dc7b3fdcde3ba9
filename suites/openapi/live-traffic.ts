import fc from 'fast-check';
import { scenario, type CaseContext } from '../engine/case.ts';
import type { Reply, RequestSpec } from '../engine/exchange.ts';
import { definitionOf, type Json } from './document.ts';
import { operationFor } from './operations.ts';
import { arbitraryOf, misfits, requestSchema, responseFor, responseSchema } from './schema.ts';

/** Instance, page and create answers fit the document; bodies that it allows for a create are accepted. */
export const liveTraffic = scenario(async (context, generation) => {
  const { given, service } = context;
  const { document } = await definitionOf(context);
  const owner = await given.objectWithEntries(12);
  for (const request of [service.requests.readLong(owner), service.requests.read(owner), service.requests.page(owner, 1)])
    fits(context, document, request, await service.send(request));
  const create = service.requests.create(given.body());
  fits(context, document, create, await service.send(create));
  for (const body of bodiesFor(context, document, create, generation)) {
    const reply = await service.send(create, { body });
    context.expect(reply).toSucceed();
  }
});

/** A route that the document does not have is not judged here. */
function fits({ expect, notes }: CaseContext, document: Json, request: RequestSpec, reply: Reply): void {
  const path = new URL(reply.url).pathname;
  const operation = operationFor(document, request.method, path);
  if (operation === undefined) return notes.observe(`${request.method} of the run is in the document`, false, reply);
  expect(responseFor(document, operation, reply.status), `response ${reply.status} of ${operation.template} in the document`, reply).toBePresent();
  const schema = responseSchema(document, operation, reply.status);
  if (reply.text !== '') expect(misfits(document, schema, reply.json), `misfits of ${operation.template}`, reply).toEqual([]);
}

function bodiesFor({ notes }: CaseContext, document: Json, create: RequestSpec, generation: { seed: number; runs: number }): readonly unknown[] {
  const operation = operationFor(document, create.method, new URL(create.url, 'http://localhost').pathname);
  const arbitrary = operation && arbitraryOf(document, requestSchema(document, operation));
  notes.observe('bodies of a create can be generated from the document', arbitrary !== undefined);
  return arbitrary === undefined ? [] : fc.sample(arbitrary, { seed: generation.seed, numRuns: Math.min(10, generation.runs) });
}
