import { rules } from '../rule.ts';

export const cachingRules = rules('caching', {
  'caching.etag.present': {
    level: 'must',
    source: 'core: Common request headers (response headers); Versioning 4',
    statement: 'GET of data other than SoftTypes answers 200 with the data and an `ETag` header.',
    check:
      'GET each etag resource of the profile without If-None-Match: 200, body, non-empty ETag. Two GETs without a change give the same ETag. Whether it is quoted as HTTP asks is a remark.',
    fault: 'a fresh random ETag on every response',
    needs: ['etag-resource'],
  },
  'caching.match.status-304': {
    level: 'must',
    source: 'core: Errors 304; Versioning 4',
    statement: 'A GET whose If-None-Match equals the current ETag answers 304.',
    check:
      'GET, send the ETag back unchanged byte for byte, twice in a row and as another permitted user: 304 (for the other user recorded). Without the header the same route answers 200.',
    fault: 'If-None-Match is ignored',
    needs: ['etag-resource'],
    after: ['caching.etag.present'],
  },
  'caching.match.no-payload': {
    level: 'must',
    source: 'core: Errors 304; Versioning 4',
    statement: 'A 304 has no payload.',
    check:
      'Read the raw response: zero bytes of body, no chunk before the end mark. Whether the ETag is repeated is recorded.',
    fault: 'answers 304 together with the full body',
    needs: ['etag-resource'],
    after: ['caching.match.status-304'],
  },
  'caching.changed.status-200': {
    level: 'must',
    source: 'core: Versioning 4',
    statement: 'After a change of the data a GET with the old ETag answers 200 with the new data and another ETag.',
    check:
      'GET, change, GET with the old ETag: 200, the change visible, a new ETag; with the new one 304. Where the change can be undone, the data of the third state are never answered by 304 for the second ETag.',
    fault: 'the ETag is computed once at start-up',
    needs: ['etag-resource', 'etag-resource-edit'],
    after: ['caching.match.status-304'],
  },
  'caching.other-value.status-200': {
    level: 'must',
    source: 'core: Errors 304 (equals the server ETag)',
    statement: 'An If-None-Match that does not equal the current ETag answers 200 with the data.',
    check:
      'Send an invented tag, the ETag of another resource, and the ETag with one character changed: 200 with body. `*`, lists, weak forms and an empty value are recorded.',
    fault: 'any If-None-Match answers 304',
    needs: ['etag-resource'],
    after: ['caching.etag.present'],
  },
  'caching.etag.is-not-object-version': {
    level: 'must',
    source: 'core: Versioning 4 (last sentence)',
    statement:
      'The ETag is not the object version: the version as If-None-Match does not match, and the tag text is not the version number.',
    check:
      'Where the resource shows a version, compare it with the tag without its quotes; send the plain and the quoted number as If-None-Match: 200. Without a visible version send the numbers 1 to 5.',
    fault: 'uses the version number as ETag',
    needs: ['etag-resource'],
    after: ['caching.etag.present'],
  },
  'caching.match.still-needs-access': {
    level: 'must',
    source: 'core: Authentication 6; Errors 401 and 403',
    statement:
      'A matching If-None-Match does not replace authentication: without a token 401, without access 403, not 304.',
    check:
      'Send the current ETag without a token (401) and, where a plain GET of the identity without role is refused, as that identity (403); never 304.',
    fault: 'the cache check runs before authentication',
    needs: ['etag-resource', 'no-role-identity'],
    after: ['caching.match.status-304'],
  },
  'caching.soft-type.conditional-read': {
    level: 'observe',
    source: 'core: Common request headers, If-None-Match (other than SoftTypes)',
    statement: 'Whether SoftType reads carry an ETag, and what If-None-Match does on them, is only said by exclusion.',
    check:
      'GET an instance and a page, record any ETag, send it or an invented one back, also after an edit. Stale data or a 304 after an edit is reported as a remark.',
    needs: ['soft-type', 'array-port'],
  },
});
