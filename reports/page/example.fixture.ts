import type { Exchange } from '../../judge/exchange.ts';
import type { Outcome, Timeline, ViolationReport } from '../../judge/outcome.ts';
import type { Run } from '../run.ts';
import { outcomeWith, runWith } from '../run.fixture.ts';

const read =
  'curl --include --silent --header "Authorization: Bearer ${EDITOR_TOKEN}" \'https://staging.example/api/space/main/softtype/Document/documentFull/00000001\'';

const exchange: Exchange = {
  request: {
    method: 'GET',
    url: 'https://staging.example/api/space/main/softtype/Document/documentFull/00000001?page=1',
    headers: [
      ['Authorization', 'Bearer $EDITOR_TOKEN'],
      ['Accept', 'application/json'],
    ],
  },
  response: {
    status: 200,
    headers: [
      ['Content-Type', 'application/json'],
      ['Svc-UOIVersion', '4'],
    ],
    body: '{"$oid":"00000001","parts":[{"$id":"11"},{"$id":"12"},{"$id":"13"},{"$id":"14"},{"$id":"15"},{"$id":"16"},{"$id":"17"}]}',
  },
  sentAt: 1520,
  durationMs: 38.4,
};

const lateRetry: ViolationReport = {
  expected:
    'attempt 4, 8 s after the end of the one before (attempts arrived at 0.000, 2.018, 6.041, 10.060, 33.210 s), not early',
  actual: 'it 3995 ms early',
  curl: [
    'curl --include --silent --header "Authorization: Bearer ${EDITOR_TOKEN}" --json \'{"contentPayload":{"marker":"event-1"}}\' \'https://staging.example/api/space/main/externalEvent\'',
  ],
};

/** Six attempts of which the fourth came too early, the fifth too late and the sixth not at all; none was to follow. */
const retries: Timeline = {
  title: 'attempts of an event',
  zero: 'the first attempt',
  expected: [
    { label: 'attempt 1', fromMs: 0, untilMs: 0, calls: 1 },
    { label: 'attempt 2, 2 s after the one before', fromMs: 2012, untilMs: 2262, calls: 1 },
    { label: 'attempt 3, 4 s after the one before', fromMs: 6030, untilMs: 6280, calls: 1 },
    { label: 'attempt 4, 8 s after the one before', fromMs: 14_055, untilMs: 14_455, calls: 1 },
    { label: 'attempt 5, 16 s after the one before', fromMs: 26_071, untilMs: 26_871, calls: 1 },
    { label: 'attempt 6, 32 s after the one before', fromMs: 65_230, untilMs: 66_830, calls: 1, missing: 1 },
    { label: 'no further one', fromMs: 66_830, untilMs: 80_000, calls: 0 },
  ],
  seen: [
    { label: 'attempt 1', atMs: 0, untilMs: 12, status: 503 },
    { label: 'attempt 2', atMs: 2018, untilMs: 2030, status: 503 },
    { label: 'attempt 3', atMs: 6041, untilMs: 6055, status: 503 },
    { label: 'attempt 4', atMs: 10_060, untilMs: 10_071, status: 503, isOff: true },
    { label: 'attempt 5', atMs: 33_210, untilMs: 33_230, status: 503, isOff: true },
  ],
};

const blockedBy = (rule: Outcome['rule'], need: string, hint: string): Outcome =>
  outcomeWith(rule, 'blocked', {
    reason: `the profile does not meet ${need}: ${hint}`,
    missing: [need],
    assertions: 0,
    exchanges: 0,
  });

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
    outcomeWith('delivery.event.retry-gaps', 'fail', {
      violation: lateRetry,
      timelines: [retries],
      exchanges: 4,
      assertions: 6,
    }),
    outcomeWith('headers.uris.stay-on-gateway', 'warn', {
      violation: {
        expected: 'the Location to lead to staging.example',
        actual: 'the Location to lead to node-4.internal',
        curl: [read],
        exchange,
      },
    }),
    outcomeWith('reading.missing-neighbours.status', 'observed', {
      observations: [
        { what: 'a read under an unknown space', seen: '404', key: 'unknownSpace' },
        { what: 'a read under an unknown definition', seen: '403', key: 'mismatchedRoute' },
      ],
    }),
    blockedBy('delivery.log.entries', 'log-probe', 'add log'),
    blockedBy('maturity.demote.version-plus-one', 'demote-route', 'add routes.demote'),
    outcomeWith('tasks.timeout.default-fails-job', 'broken', {
      reason: 'the job was expected to be there and was not: ask for its status by hand',
    }),
  ],
  {
    implementation: 'Staging',
    baseUrl: 'https://staging.example/api',
    command: 'svc-conformance check --profile staging.yaml --seed 42 --runs 20',
  },
);
