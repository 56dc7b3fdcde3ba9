import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TrafficExchange } from '../../simulator/traffic/engine.ts';
import { TrafficJudge } from '../../simulator/traffic/judging/judge.ts';
import { madeUp, madeUpGround, rulesIn, type Told } from '../../simulator/traffic/judging/made-up.fixture.ts';
import { breachesOf, makeTrueHistory, type RegisterOperation } from '../../judge/model/register.ts';

/** Histories of objects, by the checker of the suites. */
const versionHeader = 'svc-uoiversion';

/** How a service that keeps the rules may put it. */
interface Manner {
  readonly location: string;
  readonly written: 200 | 204;
  readonly tellsVersion: boolean;
  readonly shows: 'note' | 'anmerkung';
  readonly unknown: Told;
}
const manners: fc.Arbitrary<Manner> = fc.record({
  location: fc.constantFrom(
    '/api/space/main/softtype/a%20b',
    'https://elsewhere.example/svc/api/space/main/softtype/a%20b?x=1',
    'a%20b',
  ),
  written: fc.constantFrom(200, 204),
  tellsVersion: fc.boolean(),
  shows: fc.constantFrom('note', 'anmerkung'),
  unknown: fc.constantFrom<Told[]>(
    { status: 0, error: 'timeout' },
    { status: 0, error: 'cut off', cutOff: true },
    { status: 503 },
    { status: 502, body: '<html>' },
  ),
});
const oid = 'a b';

function exchangeOf(operation: RegisterOperation, manner: Manner): TrafficExchange {
  const { process: user, invokedAt: sentAt, respondedAt } = operation;
  const times = { user, sentAt, dueAt: sentAt, endedAt: Math.min(respondedAt, sentAt + 1000) };
  if (operation.kind === 'read') {
    const { version, value } = operation;
    return madeUp({
      ...times,
      about: { kind: 'read', oid },
      body: { version, links: [], schema: {}, data: { $oid: oid, $version: version, [manner.shows]: value } },
    });
  }
  const { stated, result, value = '', version } = operation;
  const about = { kind: 'edit', oid, version: stated, marker: value } as const;
  if (result === 'unknown') return madeUp({ ...times, ...manner.unknown, about });
  const headers = { [versionHeader]: String(result === 'conflict' ? stated + 3 : (version ?? stated + 1)) };
  return madeUp({
    ...times,
    about,
    status: result === 'conflict' ? 409 : manner.written,
    ...((manner.tellsVersion || result === 'conflict') && { headers }),
  });
}

const created = (location = `/x/${encodeURIComponent(oid)}`): TrafficExchange =>
  madeUp({
    about: { kind: 'create' },
    status: 201,
    sentAt: -2,
    endedAt: -1,
    headers: { location, [versionHeader]: '1' },
  });

function judged(
  exchanges: readonly TrafficExchange[],
  ratio = 1,
): { readonly rules: readonly string[]; readonly wasBroken: boolean } {
  const judge = new TrafficJudge({ ground: madeUpGround, ratio, breachesOf });
  for (const exchange of exchanges.toSorted((one, other) => one.endedAt - other.endedAt)) judge.exchange(exchange);
  const wasBroken = judge.isBroken();
  judge.finish();
  return { rules: rulesIn(judge.violations), wasBroken };
}

const times = (sentAt: number): Partial<TrafficExchange> => ({ sentAt, dueAt: sentAt, endedAt: sentAt + 5 });
const edit = (version: number, marker: string | undefined, told: Told): TrafficExchange =>
  madeUp({ status: 204, ...told, about: { kind: 'edit', oid, version, ...(marker !== undefined && { marker }) } });
const read = (version: number, note: string, told: Told): TrafficExchange =>
  madeUp({
    ...told,
    about: { kind: 'read', oid },
    body: { version, links: [], schema: {}, data: { $oid: oid, $version: version, note } },
  });
const batched = (told: Told): TrafficExchange =>
  madeUp({ ...told, about: { kind: 'batch', operations: [{ method: 'PUT', oid, version: 1 }] } });
const base = [created(), edit(1, 'b', times(10)), edit(2, 'c', times(20))];

test('a breach that only the history shows is told of the second in which the last answer about its version came', () => {
  const judge = new TrafficJudge({ ground: madeUpGround, ratio: 1, breachesOf, startsAt: 0 });
  for (const exchange of [
    created(),
    edit(1, 'b', times(1000)),
    edit(1, 'c', times(4200)),
    read(2, 'c', times(4300)),
    edit(2, 'd', times(9000)),
  ])
    judge.exchange(exchange);
  const [violation] = judge.finish().filter(({ rule }) => rule === 'versioning.race.one-writer-wins');
  expect([...(violation?.bySecond ?? [])]).toEqual([[4, 1]]);
});

describe('the history of an object', () => {
  test('that a register with versions had is right, whoever puts it how', () => {
    fc.assert(
      fc.property(
        manners,
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 6 }),
        fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })),
        (manner, operations, processes, random) => {
          const history = makeTrueHistory({ operations, processes, random: () => random.next().value ?? 0 });
          const exchanges = [
            created(manner.location),
            ...history.operations.map((operation) => exchangeOf(operation, manner)),
          ];
          expect(judged(exchanges)).toEqual({ rules: [], wasBroken: false });
        },
      ),
    );
  });

  test.each<[string, readonly TrafficExchange[]]>([
    [
      'a promotion that is refused with 409 for its state',
      [...base, edit(3, undefined, { ...times(30), status: 409 })],
    ],
    [
      'an edit cut off at the end that took effect',
      [...base, edit(3, 'd', { ...times(30), status: 0, error: 'x', cutOff: true }), read(4, 'd', times(31))],
    ],
    [
      'an edit cut off at the end that did not',
      [...base, edit(3, 'd', { ...times(30), status: 0, error: 'x', cutOff: true }), read(3, 'c', times(60))],
    ],
    [
      'an edit refused for another reason',
      [...base, edit(3, 'd', { ...times(30), status: 423 }), read(3, 'c', times(60))],
    ],
    [
      'a batch that failed',
      [created(), batched({ ...times(10), status: 500, body: [{ statusCode: 500 }] }), edit(1, 'b', times(20))],
    ],
    [
      'a batch without versions in its results, and one in the header',
      [
        created(),
        batched({ ...times(10), headers: { [versionHeader]: '7' }, body: [{ statusCode: 204 }] }),
        read(2, 'b', times(20)),
      ],
    ],
    ['an object that was not made here', [read(9, 'x', times(1)), edit(3, 'y', times(10))]],
  ])('is right: %s', (_what, exchanges) => expect(judged(exchanges)).toEqual({ rules: [], wasBroken: false }));

  test.each<[string, boolean, string, readonly TrafficExchange[]]>([
    ['versioning.race.one-writer-wins', true, 'two writers at one version', [...base, edit(2, 'x', times(21))]],
    [
      'versioning.edit.merge-adds-one',
      true,
      'a version that jumps',
      [created(), edit(1, 'b', { ...times(10), headers: { [versionHeader]: '4' } })],
    ],
    [
      'versioning.edit.merge-adds-one',
      true,
      'a version that goes back',
      [...base, edit(3, 'd', { ...times(30), headers: { [versionHeader]: '2' } })],
    ],
    ['versioning.edit.merge-adds-one', false, 'a version that nobody wrote', [...base, read(4, 'c', times(30))]],
    [
      'versioning.race.retry-loop-loses-nothing',
      false,
      'a needless conflict',
      [...base, edit(3, 'd', { ...times(30), status: 409 })],
    ],
    ['versioning.sequence.matches-model', true, 'a read that lags', [...base, read(2, 'b', times(40))]],
    ['versioning.sequence.matches-model', true, 'a text of another version', [...base, read(3, 'b', times(40))]],
    [
      'reading.create.new-identity-each-time',
      true,
      'an identity given twice',
      [...base, { ...created(), sentAt: 40, endedAt: 41 }],
    ],
    [
      'versioning.race.one-writer-wins',
      true,
      'a batch at a version that was over',
      [...base, batched({ ...times(30), body: [{ statusCode: 204, body: { version: 2 } }] })],
    ],
  ])('%s, seen during the load %s: %s', (rule, atOnce, _what, exchanges) => {
    const found = judged(exchanges);
    expect(found.rules).toContain(rule);
    expect(found.wasBroken).toBe(atOnce);
  });
});

test('a sample takes objects whole or not at all', () => {
  for (let number = 0; number < 200; number += 1) {
    const many = base.map((exchange) => ({ ...exchange, user: number }));
    expect(judged(many, 0.5).rules).toEqual([]);
  }
});
