import { randomUUID } from 'node:crypto';
import { type Variants, breaks, within, replaces } from '../breaks.ts';
import { keepsAnswers } from '../kept-answers.ts';
import { headerNames } from '../../contract/names.ts';
import { withHeaders } from './answers.ts';

const tagPeriodMs = 600_000;

export const cachingFaults = {
  'caching.etag.present': replaces('caching', 'etagOf', () => `"${randomUUID()}"`),

  'caching.match.status-304': replaces('caching', 'ifNoneMatch', () => false),

  'caching.match.no-payload': replaces('caching', 'conditional', (right, areas, call, answer) => {
    const conditional = right(areas, call, answer);
    return conditional.status === 304 ? { ...answer, ...conditional } : conditional;
  }),

  'caching.changed.status-200': breaks('caching', 'conditional', (right) => {
    const first = new Map<string, string>();
    return (areas, call, answer) => {
      const etag = first.get(call.url) ?? right(areas, { ...call, headers: {} }, answer).headers?.['ETag'] ?? '';
      first.set(call.url, etag);
      const held = call.headers['if-none-match'] === etag;
      return held
        ? areas.caching.notModified({ ETag: etag })
        : { ...answer, headers: { ...answer.headers, ETag: etag } };
    };
  }),

  'caching.changed.seen-undisturbed': keepsAnswers(
    ({ method, path }) => method === 'GET' && path.startsWith('/api/collection/'),
    ({ path }) => path.startsWith('/api/collection/'),
  ),

  'caching.other-value.status-200': replaces('caching', 'ifNoneMatch', () => true),

  'caching.etag.is-not-object-version': breaks('caching', 'conditional', (right) => {
    const versions = new Map<string, number>();
    return (areas, call, answer) => {
      const text = JSON.stringify([call.url, answer.body ?? String(answer.raw)]);
      const version = versions.get(text) ?? versions.size + 1;
      versions.set(text, version);
      const shown = call.url.includes('/collection/')
        ? withHeaders(answer, { [headerNames.version]: String(version) })
        : answer;
      return right(within(areas, { caching: { etagOf: () => `"${version}"` } }), call, shown);
    };
  }),

  'caching.restart.same-tag': breaks('caching', 'etagOf', (right) => {
    const startedAt = randomUUID();
    return (areas, representation) => right(areas, `${startedAt} ${representation.toString()}`);
  }),

  'caching.later.same-tag': replaces('caching', 'etagOf', (right, areas, representation) => {
    const period = Math.floor(areas.clock.now() / tagPeriodMs);
    return right(areas, `${period} ${representation.toString()}`);
  }),

  'caching.match.still-needs-access': breaks('dispatcher', 'carryOut', (right) => {
    const current = new Map<string, string>();
    return async (areas, route, call) => {
      try {
        const answer = await right(areas, route, call);
        const etag = answer.headers?.['ETag'];
        if (etag !== undefined) current.set(call.url, etag);
        return answer;
      } catch (refusal) {
        const etag = current.get(call.url);
        if (etag !== undefined && call.headers['if-none-match'] === etag)
          return { status: 304, headers: { ETag: etag } };
        throw refusal;
      }
    };
  }),
} satisfies Variants;
