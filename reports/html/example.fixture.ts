import type { Exchange } from '../../suites/engine/exchange.ts';
import type { Outcome } from '../../suites/engine/outcome.ts';
import type { Run } from '../run.ts';
import { outcomeWith, runWith } from '../run.fixture.ts';

const read = "curl --include --silent --header \"Authorization: Bearer ${EDITOR_TOKEN}\" 'https://staging.example/api/space/main/softtype/Document/documentFull/00000001'";

const exchange: Exchange = {
  request: {
    method: 'GET',
    url: 'https://staging.example/api/space/main/softtype/Document/documentFull/00000001?page=1',
    headers: [['Authorization', 'Bearer $EDITOR_TOKEN'], ['Accept', 'application/json']],
  },
  response: {
    status: 200,
    headers: [['Content-Type', 'application/json'], ['Svc-UOIVersion', '4']],
    body: '{"$oid":"00000001","parts":[{"$id":"11"},{"$id":"12"},{"$id":"13"},{"$id":"14"},{"$id":"15"},{"$id":"16"},{"$id":"17"}]}',
  },
  sentAt: 1520,
  durationMs: 38.4,
};

const blockedBy = (rule: Outcome['rule'], need: string, hint: string): Outcome =>
  outcomeWith(rule, 'blocked', { reason: `the profile does not meet ${need}: ${hint}`, missing: [need], assertions: 0, exchanges: 0 });

/** A run with something of every verdict, as a service in the middle of its work would get it. */
export const exampleRun: Run = runWith(
  [
    outcomeWith('paging.page-one.holds-the-rest', 'fail', {
      violation: {
        expected: 'the 8 entries 11, 12, 13, 14, 15, 16, 17, 18',
        actual: 'the 7 entries 11, 12, 13, 14, 15, 16, 17',
        curl: [`${read}`, `${read.slice(0, -1)}?page=1'`],
        exchange,
      },
      exchanges: 3,
    }),
    outcomeWith('patch.operations.match-model', 'fail', {
      violation: {
        expected: 'entry 10 of the first port to be gone',
        actual: 'entry 10 of the first port, as it was',
        curl: [`O1=$(${read} | tee /dev/stderr | sed -n '1p')`, `${read.slice(0, -1)}?last'`],
        counterexample: 'object 1 with 11 entries; remove on object 1, at 10, choice 0 (seed 42, path 3:1:0)',
      },
      exchanges: 41,
    }),
    outcomeWith('headers.uris.stay-on-gateway', 'warn', {
      violation: { expected: 'the Location to lead to staging.example', actual: 'the Location to lead to node-4.internal', curl: [read], exchange },
    }),
    outcomeWith('reading.missing-neighbours.status', 'observed', {
      observations: [
        { what: 'a read under an unknown space', seen: '404', key: 'unknownSpace' },
        { what: 'a read under an unknown definition', seen: '403', key: 'mismatchedRoute' },
      ],
    }),
    blockedBy('delivery.log.entries', 'log-probe', 'add log'),
    blockedBy('maturity.demote.version-plus-one', 'demote-route', 'add routes.demote'),
    outcomeWith('tasks.timeout.default-fails-job', 'broken', { reason: 'the job was expected to be there and was not: ask for its status by hand' }),
  ],
  { implementation: 'Staging', baseUrl: 'https://staging.example/api', command: 'svc-conformance check --profile staging.yaml --seed 42 --runs 20' },
);
