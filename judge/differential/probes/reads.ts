import { withQuery } from '../../service/queries.ts';
import type { Probe } from '../probe.ts';
import { has, portOf, unknownOid } from '../probe.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

type Read = Pick<Probe, 'situation' | 'request'> & Partial<Probe>;

const reading = (rows: readonly Read[]): readonly Probe[] =>
  rows.map((row) => ({ command: 'read', answer: 'instance read', touches: 'nothing', ...row }));

const paging = (rows: readonly Read[]): readonly Probe[] =>
  rows.map((row) => ({ command: 'page', answer: 'page', touches: 'nothing', needs: has.port, entries: 12, ...row }));

export const readProbes: readonly Probe[] = reading([
  { situation: 'by the short route', request: ({ requests, subject }) => requests.read(subject.thing) },
  {
    situation: 'by the long route',
    request: ({ requests, subject }) => requests.readLong(subject.thing),
    says: { rule: 'reading.instance.long-route-served', statuses: [200] },
  },
  {
    situation: 'of an object that is not there',
    says: { rule: 'reading.missing-object.status-404', statuses: [404] },
    request: (on) => on.requests.read({ ...on.subject.thing, oid: unknownOid(on) }),
  },
  {
    situation: 'without token',
    says: { rule: 'auth.missing-token.answers-401', statuses: [401] },
    request: ({ requests, subject }) => ({ ...requests.read(subject.thing), as: null }),
  },
  {
    situation: 'with a token that is none',
    silence: 'unusable-token-status',
    request: ({ requests, subject }) => ({
      ...requests.read(subject.thing),
      headers: { Authorization: 'Bearer no-token-of-anybody' },
    }),
  },
  {
    situation: 'with a lower-case scheme name',
    silence: 'scheme-name-case',
    request: async ({ requests, subject, party }) => ({
      ...requests.read(subject.thing),
      headers: { Authorization: `bearer ${(await party.context.service.token('editor')) ?? ''}` },
    }),
  },
  {
    situation: 'without information filter',
    says: { rule: 'headers.information-filter.required-on-reads' },
    silence: 'information-filter-missing-status',
    request: ({ requests, subject }) => ({ ...requests.read(subject.thing), filter: null }),
  },
  {
    situation: 'with an information filter that is no Base64',
    silence: 'information-filter-malformed-status',
    request: ({ requests, subject }) => ({ ...requests.read(subject.thing), filter: '%%%' }),
  },
  {
    situation: 'with an information filter that is no JSON',
    silence: 'information-filter-malformed-status',
    request: ({ requests, subject }) => ({ ...requests.read(subject.thing), filter: base64('{no') }),
  },
  {
    situation: 'with an information filter that is an array',
    silence: 'information-filter-malformed-status',
    request: ({ requests, subject }) => ({ ...requests.read(subject.thing), filter: base64('[]') }),
  },
  {
    situation: 'with a member that no information filter has',
    silence: 'information-filter-fields',
    request: ({ requests, subject, party }) => ({
      ...requests.read(subject.thing),
      filter: { ...party.loaded.profile.informationFilter?.default, unknownToAll: 1 },
    }),
  },
  {
    situation: 'with an information filter without padding',
    silence: 'information-filter-base64-variant',
    request: ({ requests, subject, party }) => ({
      ...requests.read(subject.thing),
      filter: base64(
        JSON.stringify({ ...party.loaded.profile.informationFilter?.default, pad: 'x' }).padEnd(64),
      ).replace(/=+$/, ''),
    }),
  },
  {
    situation: 'that accepts no JSON',
    silence: 'accept-header',
    request: ({ requests, subject }) => ({ ...requests.read(subject.thing), headers: { Accept: 'text/html' } }),
  },
  {
    situation: 'with If-None-Match: *',
    silence: 'softtype-etag',
    request: ({ requests, subject }) => ({ ...requests.read(subject.thing), headers: { 'If-None-Match': '*' } }),
  },
  {
    situation: 'by the method HEAD',
    silence: 'head-requests',
    answer: 'other answer',
    request: ({ requests, subject }) => ({ ...requests.read(subject.thing), method: 'HEAD' }),
  },
  {
    situation: 'by a method that no route has',
    silence: 'unknown-method-on-route',
    answer: 'other answer',
    request: ({ requests, subject }) => ({ ...requests.read(subject.thing), method: 'POST', body: {} }),
  },
  {
    situation: 'through an unknown schema',
    silence: 'unknown-schema-in-route',
    request: ({ requests, subject }) => requests.readLong(subject.thing, 'noSuchSchema'),
  },
  {
    situation: 'through an unknown definition',
    silence: 'unknown-softtype-status',
    request: ({ requests, subject: { thing } }) =>
      requests.readLong({ ...thing, type: { ...thing.type, definitionId: 'NoSuchSoftType' } }),
  },
  {
    situation: 'in a space that is not there',
    silence: 'unknown-space-status',
    request: ({ requests, subject }) => requests.read({ ...subject.thing, space: 'no-such-space' }),
  },
  {
    situation: 'by a path in other letters',
    silence: 'path-letter-case',
    request: ({ requests, subject }) => ({
      ...requests.read(subject.thing),
      url: requests.read(subject.thing).url.replace('/softtype/', '/SoftType/'),
    }),
  },
  {
    situation: 'with a filter that nobody set up',
    silence: 'filter-unknown-id',
    request: ({ requests, subject }) => ({
      ...requests.read(subject.thing),
      url: withQuery(requests.read(subject.thing).url, { softTypeFilterId: 'no-such-filter' }),
    }),
  },
  {
    situation: 'with the filter under the parameter of pages',
    silence: 'filter-parameter-names',
    needs: has.filter,
    request: ({ requests, subject, party }) => ({
      ...requests.read(subject.thing),
      url: withQuery(requests.read(subject.thing).url, { softTypeFilter: party.shape.filter?.id ?? '' }),
    }),
  },
  {
    situation: 'of the dynamic OpenAPI document',
    needs: has.openApi,
    silence: 'openapi-version-and-media-type',
    answer: 'other answer',
    request: ({ requests }) => requests.openApi(),
  },
]);

const pageAt = (situation: string, number: number | string, more: Partial<Probe> = {}): Read => ({
  situation,
  request: (on) => on.requests.page(on.subject.thing, number, portOf(on)),
  ...more,
});

export const pageProbes: readonly Probe[] = paging([
  pageAt('far behind the last', 99, { silence: 'page-out-of-range' }),
  pageAt('below zero', '-1', { silence: 'page-negative-or-no-number' }),
  pageAt('of a broken number', '1.5', { silence: 'page-negative-or-no-number' }),
  pageAt('of a word', 'abc', { silence: 'page-negative-or-no-number' }),
  pageAt('of a number with a zero in front', '00', { silence: 'page-negative-or-no-number' }),
  pageAt('of a number beyond 32 bits', '4294967296', { silence: 'page-negative-or-no-number' }),
  {
    situation: 'the first of an array without entries',
    silence: 'page-zero-of-empty-array',
    isBare: true,
    request: (on) =>
      on.subject.state.arrays[0]?.length === 0 ? on.requests.page(on.subject.thing, 0, portOf(on)) : undefined,
  },
  {
    situation: 'of an unknown port',
    silence: 'unknown-array-port',
    request: (on) => on.requests.page(on.subject.thing, 0, { ...portOf(on), portId: 'no-such-port' }),
  },
  {
    situation: 'of an object that is not there',
    says: { rule: 'reading.missing-object.status-404', statuses: [404] },
    request: (on) => on.requests.page({ ...on.subject.thing, oid: unknownOid(on) }, 0, portOf(on)),
  },
  {
    situation: 'without token',
    says: { rule: 'auth.missing-token.answers-401', statuses: [401] },
    request: (on) => ({ ...on.requests.page(on.subject.thing, 0, portOf(on)), as: null }),
  },
  {
    situation: 'without information filter',
    says: { rule: 'headers.information-filter.required-on-reads' },
    silence: 'information-filter-missing-status',
    request: (on) => ({ ...on.requests.page(on.subject.thing, 0, portOf(on)), filter: null }),
  },
  {
    situation: 'with a filter that nobody set up',
    silence: 'filter-unknown-id',
    request: (on) => ({
      ...on.requests.page(on.subject.thing, 0, portOf(on)),
      url: withQuery(on.requests.page(on.subject.thing, 0, portOf(on)).url, { softTypeFilter: 'no-such-filter' }),
    }),
  },
]);
