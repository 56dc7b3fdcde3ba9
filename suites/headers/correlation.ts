import { randomUUID } from 'node:crypto';
import { headerNames } from '../../contract/names.ts';
import { correlated } from '../../judge/correlated.ts';
import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Reply, RequestSpec } from '../../judge/exchange.ts';
import { linesOfLog } from './log.ts';
import { editRoutes, editable, otherWrites, working } from '../../judge/writes.ts';

export const correlationCases = {
  'headers.correlation-id.optional': scenario(async (context) => {
    const { service, expect, notes } = context;
    const guid = randomUUID();
    const document = { name: 'OpenAPI document', request: () => service.requests.openApi() };
    const isServed = (await service.send(document.request(), correlated(guid))).status === 200;
    const routes = [
      { name: 'read', request: service.requests.read },
      ...(isServed ? [document] : []),
      ...(await working(context, [
        ...editRoutes(context).filter(({ name }) => name === 'merge PATCH'),
        ...otherWrites(context),
      ])),
    ];
    for (const route of routes) {
      const statuses = [];
      for (const id of [null, guid, guid]) {
        const reply = await service.send(route.request(await editable(context)), correlated(id));
        expect(reply).toSucceed();
        statuses.push(reply.status);
        if (id !== null)
          notes.observe('the id is echoed', reply.headers[headerNames.correlationId.toLowerCase()] === id, reply);
      }
      expect(new Set(statuses).size, `different statuses of a ${route.name} with and without correlation id`).toEqual(
        1,
      );
    }
  }),

  'headers.correlation-id.any-text': scenario(async (context) => {
    const { given, service, expect } = context;
    const thing = await given.object();
    for (const id of ['a', 'x'.repeat(200), 'order-4711/part_2:retry.1;(a)=~!$*+|', '12345'])
      expect(await service.read(thing, correlated(id))).toAnswer(200);
  }),

  'headers.correlation-id.in-log-messages': scenario(async (context) => {
    const { given, service, expect, profile } = context;
    const thing = await editable(context);
    const body = { [profile.scalars[0]]: given.unique() };
    const requests: Record<string, RequestSpec> = {
      read: service.requests.read(thing),
      'refused edit': { ...service.requests.merge(thing, body), version: thing.version + 9 },
      edit: service.requests.merge(thing, body),
    };
    for (const [what, request] of Object.entries(requests)) await isLogged(context, what, request);
    expect(Object.keys(requests).length, 'requests looked up in the log').toEqual(3);
  }),
} satisfies SomeCasesOf<'headers'>;

/**
 * Every line of the log that belongs to the request carries its id. Which lines belong to it shows by the object and a marker
 * in the query, which the service has no reason to write into lines of other requests.
 */
async function isLogged(
  { given, service, expect, profile }: CaseContext,
  what: string,
  request: RequestSpec,
): Promise<void> {
  const id = randomUUID();
  const marker = given.unique('log');
  const reply: Reply = await service.send({ ...request, url: `${request.url}?${marker}=1` }, correlated(id));
  const lines = await linesOfLog(profile.all, (line) => line.includes(id) || line.includes(marker));
  expect(lines.filter((line) => line.includes(id)).length, `log lines with the id of a ${what}`, reply).toSatisfy(
    'at least one',
    (count) => count > 0,
  );
  expect(
    lines.filter((line) => !line.includes(id)),
    `log lines of a ${what} without its id`,
    reply,
  ).toEqual([]);
}
