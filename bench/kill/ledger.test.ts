import { expect, test } from 'vitest';
import { Ledger } from './servers.ts';
import type { Sighting } from './events.ts';

const acknowledged: Sighting = { taken: true, acknowledged: true };
const failed: Sighting = { taken: false, acknowledged: false };

/** What is found after each kill, of one event. */
interface Found {
  readonly seen: readonly Sighting[];
  readonly queued: boolean;
}

function verdictOf(kills: readonly Found[], atLast: readonly Sighting[]): object {
  const ledger = new Ledger();
  ledger.accept('marker', 'id');
  for (const { seen, queued } of kills) ledger.found(() => seen, new Set(queued ? ['id'] : []));
  const { accepted: _one, onRecord: _known, ...verdict } = ledger.verdict(() => atLast);
  return verdict;
}

const clean = { lost: 0, resent: 0, inWindow: 0, resentFromWindow: 0 };

test.each<[string, readonly Found[], readonly Sighting[], object]>([
  ['delivered without a kill', [], [acknowledged], {}],
  ['on record before a kill', [{ seen: [acknowledged], queued: false }], [acknowledged], {}],
  ['retried over a kill', [{ seen: [failed], queued: true }], [failed, acknowledged], {}],
  ['never sent', [{ seen: [], queued: false }], [], { lost: 1 }],
  ['never acknowledged', [{ seen: [failed], queued: true }], [failed, failed], { lost: 1 }],
  [
    'sent after it was on record',
    [{ seen: [acknowledged], queued: false }],
    [acknowledged, acknowledged],
    { resent: 1 },
  ],
  [
    'sent after it was on record, and failed',
    [{ seen: [acknowledged], queued: false }],
    [acknowledged, failed],
    { resent: 1 },
  ],
  ['sent twice without a kill', [], [acknowledged, acknowledged], { resent: 1 }],
  [
    'acknowledged, not on record',
    [{ seen: [acknowledged], queued: true }],
    [acknowledged, acknowledged],
    { inWindow: 1, resentFromWindow: 1 },
  ],
  [
    'found so by two kills, and sent twice more',
    [
      { seen: [acknowledged], queued: true },
      { seen: [acknowledged], queued: true },
    ],
    [acknowledged, acknowledged, acknowledged],
    { inWindow: 1, resentFromWindow: 1, resent: 1 },
  ],
])('%s', (_name, kills, atLast, expected) => {
  expect(verdictOf(kills, atLast)).toEqual({ ...clean, ...expected });
});

test('events that are on record are not looked for any more', () => {
  const ledger = new Ledger();
  ledger.accept('one', 'id of one');
  ledger.accept('two', 'id of two');
  ledger.found(() => [acknowledged], new Set(['id of two']));
  expect(ledger.open()).toEqual(['id of two']);
  expect(ledger.verdict(() => [acknowledged])).toMatchObject({ accepted: 2, onRecord: 1, inWindow: 1 });
});
