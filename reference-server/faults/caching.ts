import { randomUUID } from 'node:crypto';
import { withBody } from './answer.ts';
import { replacing, type FaultsOf } from './fault.ts';

export const cachingFaults: FaultsOf<'caching'> = {
  'caching.etag.present': replacing('etagOf', () => () => `"${randomUUID()}"`),

  'caching.match.status-304': replacing('ifNoneMatch', () => () => false),

  'caching.match.no-payload': replacing('conditional', (right) => (service, call, answer) => {
    const conditional = right(service, call, answer);
    return conditional.status === 304 ? { ...answer, ...conditional } : conditional;
  }),

  'caching.changed.status-200': replacing('conditional', (right) => {
    const first = new Map<string, string>();
    return (service, call, answer) => {
      const etag = first.get(call.url) ?? right(service, { ...call, headers: {} }, answer).headers?.['ETag'] ?? '';
      first.set(call.url, etag);
      const held = call.headers['if-none-match'] === etag;
      return held
        ? service.behaviours.notModified({ ETag: etag })
        : { ...answer, headers: { ...answer.headers, ETag: etag } };
    };
  }),

  'caching.other-value.status-200': replacing('ifNoneMatch', () => () => true),

  'caching.etag.is-not-object-version': replacing('conditional', (right) => {
    const versions = new Map<string, number>();
    return (service, call, answer) => {
      const text = JSON.stringify([call.url, answer.body ?? String(answer.raw)]);
      const version = versions.get(text) ?? versions.size + 1;
      versions.set(text, version);
      const shown = call.url.includes('/collection/') ? withBody(answer, (body) => ({ ...body, version })) : answer;
      return right({ ...service, behaviours: { ...service.behaviours, etagOf: () => `"${version}"` } }, call, shown);
    };
  }),

  'caching.match.still-needs-access': replacing('carryOut', (right) => {
    const current = new Map<string, string>();
    return async (service, route, call) => {
      try {
        const answer = await right(service, route, call);
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
};
