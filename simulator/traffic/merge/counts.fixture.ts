import type { SegmentCounts } from './counts.ts';

/** Counts of a whole run with one read, unless told otherwise. */
export function countsWith(
  parts: Omit<Partial<SegmentCounts>, 'run'> & { readonly run?: Partial<SegmentCounts['run']> } = {},
): SegmentCounts {
  const { run, ...others } = parts;
  return {
    schemaVersion: 1,
    kind: 'traffic-counts',
    run: {
      implementation: 'example',
      target: 'http://localhost',
      mix: 'abc',
      seed: 1,
      load: { model: 'open', rate: 10 },
      durationMs: 1000,
      thresholds: [],
      ...run,
    },
    segment: '0:1',
    sequence: null,
    startedAt: '2026-01-02T03:04:05.000Z',
    durationMs: 1000,
    skipped: 0,
    operations: { read: { accepted: { 16: 1 }, errors: {}, outcomes: { 200: 1 }, totalMs: 1, maxMs: 1 } },
    journeys: { reader: { begun: 1, whole: 1 } },
    violations: {},
    judged: 0,
    ...others,
  };
}
