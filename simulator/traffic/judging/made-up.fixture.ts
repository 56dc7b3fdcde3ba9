import type { EngineSetup, TrafficExchange } from '../engine.ts';
import type { Ground } from '../ground.ts';
import type { About, HttpStep, Result } from '../step.ts';
import type { Violations } from './violations.ts';

/** A ground with two objects: `known` with 27 entries, `plain` with three. */
export const madeUpGround: Ground = {
  seed: 1,
  space: 'main',
  softType: {
    definitionId: 'Document',
    inputSchemaId: 'in',
    outputSchemaId: 'out',
    scalars: ['note', 'remark'],
    arrayPort: { member: 'files', portId: 'files', text: 'comment' },
  },
  bodies: [{}],
  payloads: [{}],
  entries: [{}],
  objects: [
    { oid: 'known', version: 2, entries: 27 },
    { oid: 'plain', version: 2, entries: 3 },
  ],
};

/** A load of one closed reader that goes on for longer than a test: each has to end by something else. */
export function madeUpSetup(more: Partial<EngineSetup> & Pick<EngineSetup, 'baseUrl'>): EngineSetup {
  return {
    ground: madeUpGround,
    durationMs: 600_000,
    timeoutMs: 5000,
    signal: new AbortController().signal,
    rampMs: 0,
    seed: 1,
    mix: { mixVersion: 1, journeys: { reader: { weight: 1 } } },
    load: { model: 'closed', users: 1 },
    authorizationOf: () => 'Bearer made.up.token',
    ...more,
  };
}

export interface Told extends Partial<Omit<TrafficExchange, 'step' | 'result'>> {
  readonly about?: About;
  readonly step?: Partial<HttpStep>;
  readonly status?: number;
  readonly headers?: Result['headers'];
  /** Sent as JSON, unless it is a text. */
  readonly body?: unknown;
}

/** A request with its answer that nobody sent. */
export function madeUp({ about, step, status = 200, headers = {}, body = '', ...rest }: Told): TrafficExchange {
  return {
    journey: 'reader',
    user: 0,
    iteration: 0,
    dueAt: 0,
    sentAt: 0,
    endedAt: 1,
    step: { kind: 'http', op: 'made up', method: 'GET', path: '/', ...(about && { about }), ...step },
    result: { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) },
    ...rest,
  };
}

/** Rules that were found broken, in order of their names. */
export function rulesIn(violations: Violations): readonly string[] {
  return violations.all().map(({ rule }) => rule);
}

/** The read response of an object, with that many entries in `files` of which ten are shown. */
export function readResponse(
  oid: string,
  version: number,
  total: number,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const files = entriesFrom(0, Math.min(total, 10));
  const link = {
    rel: 'page',
    sectionPath: 'files',
    pages: Math.ceil(total / 10),
    totalNumber: total,
    href: '/page/{pageNumber}',
  };
  return {
    href: `/api/space/main/softtype/${oid}`,
    version,
    links: total > 10 ? [link] : [],
    schema: {},
    data: { $oid: oid, $version: version, note: 'as it was', files, ...more },
  };
}

export function entriesFrom(from: number, to: number): readonly Record<string, unknown>[] {
  return Array.from({ length: to - from }, (_, index) => ({
    $entryId: from + index + 1,
    comment: `entry ${from + index}`,
  }));
}
