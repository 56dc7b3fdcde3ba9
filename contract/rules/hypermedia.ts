import { rules } from '../rule.ts';

export const hypermediaRules = rules('hypermedia', {
  'hypermedia.link.basic-members': {
    level: 'must',
    source: 'core: Link object, rel, href, method',
    statement: 'Every link has `rel`, `href` and `method` as non-empty strings, and `method` is an HTTP method.',
    check:
      'Walk the links of E(0), E(11) and of each SoftType, as editor and as reader; test types and that the method is one of GET, POST, PUT, PATCH, DELETE.',
    fault: 'links other than page links lack method',
    needs: ['soft-type', 'array-port'],
  },
  'hypermedia.link.paging-members': {
    level: 'must',
    source: 'core: Link object, sectionPath, pages, totalNumber',
    statement:
      '`sectionPath` is a string and `pages` and `totalNumber` are integers wherever they occur; a page link has all three.',
    check: 'E(11): the page link has the three with these types; other links have none of them or the right types.',
    fault: 'the self link carries pages as a string',
    needs: ['soft-type', 'array-port'],
    after: ['paging.link.present-above-ten'],
  },
  'hypermedia.editor.sees-write-links': {
    level: 'should',
    source: 'core: What the service does (hypermedia conventions)',
    statement:
      'An identity that may edit the instance finds at least one link with a writing method (POST, PUT, PATCH, DELETE) in its read response.',
    check:
      'Editor reads an object it may edit; at least one such link is there. Which rel values are used is recorded.',
    fault: 'links are emitted for paging only',
    needs: ['soft-type', 'scalar-members'],
    after: ['hypermedia.link.basic-members'],
  },
  'hypermedia.reader.sees-no-write-links': {
    level: 'must',
    source: 'core: What the service does (operations the current user may perform)',
    statement: 'An identity whose role allows GET only finds no link with a writing method; page links stay.',
    check:
      'Reader and editor read the same E(11): all links of the reader are GET and include the page link, while the editor sees writing ones (otherwise the check is empty). In both orders, so that a cached body of the other shows.',
    fault: 'links are computed once per object, not per user',
    needs: ['soft-type', 'array-port', 'reader-identity'],
    after: ['hypermedia.editor.sees-write-links'],
  },
  'hypermedia.link.offered-is-permitted': {
    level: 'must',
    source: 'core: What the service does (operations the current user may perform)',
    statement: 'An operation offered by a link is not answered with 401 or 403 when the same user performs it.',
    check:
      'As editor and every other identity that can read: follow each GET link (template expanded with 0). Probe PUT and PATCH links without version header: 412 expected, never 403, object unchanged. POST and DELETE links are tried on an object made for it, only where the profile allows.',
    fault: 'offers a GET link to a collection route, which the role may not follow',
    needs: ['soft-type', 'array-port'],
    after: ['hypermedia.link.basic-members'],
  },
  'hypermedia.vocabulary.recorded': {
    level: 'observe',
    source: 'core: Link object, rel; Page response',
    statement:
      'Not described: rel values other than page, whether hrefs are absolute, links in page, create and batch results, links of maturity actions and how they depend on the state.',
    check: 'Collect rel, method and href form per identity and state over the run and report the set.',
    needs: ['soft-type'],
  },
});
