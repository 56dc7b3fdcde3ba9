import { type CaseContext, review } from '../../judge/case.ts';
import type { RequestSpec } from '../../judge/exchange.ts';
import { rules } from '../../judge/rule.ts';

/** So many exchanges are told beside the first. */
const mostTold = 30;

export const errorRules = rules('headers', {
  'headers.status.refusal-is-no-server-error': {
    level: 'should',
    source: 'core: Errors, rows 401 to 412 beside row 500',
    statement:
      'What a client does wrong is answered as its own mistake: no request of the run is answered with a server error, but for batches with a failed operation and outcomes of extensions.',
    fault: 'a create whose body is no JSON ends with 500',
    needs: ['soft-type'],
    test: review(async (context) => {
      const { service, serverErrors, expect, notes } = context;
      for (const request of await refusedRequests(context)) await service.send(request);
      const { kept, count } = serverErrors.all();
      const [first, ...others] = kept;
      for (const { reply, sentBy } of others.slice(0, mostTold))
        notes.remark(`${reply.exchange.request.method} ${reply.url} was answered with ${reply.status} (${sentBy})`);
      const told = first && `${first.reply.status} in ${first.sentBy}, ${count} such answers in all`;
      expect(told ?? 'none', 'server errors among the answers of the run', first?.reply).toEqual('none');
    }),
  },
});

/** One of each kind that has to be refused, so that the rule speaks by itself too. */
async function refusedRequests({ given, service, profile }: CaseContext): Promise<readonly RequestSpec[]> {
  const thing = await given.object();
  const { requests } = service;
  const create = requests.create(given.body());
  const merge = requests.merge(thing, given.body());
  const elsewhere = {
    ...thing,
    type: { ...thing.type, definitionId: 'no-such-type', inputSchemaId: 'no-such-schema' },
  };
  return [
    { ...create, body: '{"' },
    { ...create, body: '[]' },
    { ...create, body: 'null' },
    { ...create, filter: '%' },
    { ...create, as: null },
    { ...merge, body: '{"' },
    { ...merge, version: null },
    { ...merge, version: 'one' },
    { ...merge, version: thing.version + 7 },
    requests.merge(elsewhere, given.body()),
    requests.read({ ...thing, oid: given.unknownOid(thing) }),
    requests.read({ ...thing, oid: '%00' }),
    { ...requests.read(thing), headers: { Authorization: 'Bearer no-token' }, as: null },
    ...(profile.offers('operations')
      ? [
          requests.operations(thing, [{ op: 'replace', path: 'no pointer', value: 1 }]),
          requests.operations(thing, [{ op: 'no such operation', path: '/x' }]),
          requests.operations(thing, {}),
        ]
      : []),
    ...(profile.primary.arrayPort === undefined ? [] : [requests.page(thing, 'first'), requests.page(thing, -1)]),
  ];
}
