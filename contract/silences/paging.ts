import type { SilencesOfSection } from './silence.ts';

export const pagingSilences: SilencesOfSection = {
  'page-out-of-range': {
    source: 'core: Server side paging 3 and 4',
    open: 'What lies behind the last page.',
    choice: '404.',
    profile: 'expect.pageOutOfRange',
    records: 'status and body',
  },
  'page-negative-or-no-number': {
    source: 'core: Endpoint table, page route',
    open: 'How a page is refused that is below zero, broken or a word.',
    choice: '400.',
    profile: 'expect.pageInvalid',
    records: 'status, by kind',
  },
  'page-zero-of-empty-array': {
    source: 'core: Server side paging 4',
    open: 'If an array without entries has a first page.',
    choice: 'It has, with nothing on it: 200 and [].',
    records: 'status and body',
  },
  'unknown-array-port': {
    source: 'core: Endpoint table, page route',
    open: 'How a page of an unknown port is refused.',
    choice: '404.',
    records: 'status',
  },
  'section-path-form': {
    source: 'core: Link object, sectionPath',
    open: 'How a page link names its array: member, pointer or port.',
    choice: 'By the member as it stands in data.',
    profile: 'softTypes.*.arrayPort.sectionPath',
    records: 'the text, by array',
  },
  'nested-array-paging': {
    source: 'core: Server side paging 1 to 4',
    open: 'How the pages of an array within an entry are reached, as the route has room for one port.',
    choice: 'The link names array/entryId/member; in the href that is one percent-encoded segment.',
    profile: 'softTypes.*.arrayPort.nested.portId',
    records: 'link, sectionPath and pages for 21 nested entries',
  },
  'page-link-when-not-needed': {
    source: 'core: Server side paging 2',
    open: 'If a single page may have a link too.',
    choice: 'None is sent.',
    records: 'links at 0, 1 and 10 entries',
  },
  'page-response-extra-members': {
    source: 'core: Page response',
    open: 'If pages have links and a schema as instances do.',
    choice: 'href, data and version, no more.',
    records: 'members besides these',
  },
  'filter-definitions': {
    source: 'core: Server side paging 5',
    open: 'What filters choose from, how they compare, and where they are set up.',
    choice:
      'The space template sets them up: one member of the entries of one port, compared for equality. Other arrays stay as they are.',
    profile: ['filters.fixed', 'filters.withValue'],
    records: 'the arrays that a filter changed',
  },
  'filter-parameter-names': {
    source: 'core: Server side paging 5',
    open: 'If the two names of the filter parameter are meant, and what the name of the other route does.',
    choice: 'They are meant; the other name means no more than any unknown parameter.',
    records: 'what the other name did',
  },
  'filter-unknown-id': {
    source: 'core: Server side paging 5',
    open: 'What a filter does that nobody set up.',
    choice: '400: a misspelt filter must not show everything.',
    profile: 'expect.unknownFilter',
    records: 'status, or that everything was shown',
  },
  'filter-blank-value-missing': {
    source: 'core: Server side paging 5',
    open: 'What a blank filter does without a value, and a fixed one with a value.',
    choice: '400 for the blank one; the fixed one pays no attention.',
    profile: 'expect.filterValueMissing',
    records: 'status and what was shown',
  },
  'filter-in-page-link': {
    source: 'core: Server side paging 5',
    open: 'If a page link under a filter keeps the filter.',
    choice: 'Filter and values stand in its query; the link can be followed as it is.',
    records: 'the query of such a link',
  },
};
