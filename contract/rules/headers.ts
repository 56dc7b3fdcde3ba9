import { rules } from '../rule.ts';

export const headersRules = rules('headers', {
  'headers.uoi-version.on-create': {
    level: 'must',
    source: 'core: Common request headers (response headers); Endpoint table, POST softtype; Errors 201',
    statement: 'The 201 of a create carries `Svc-UOIVersion` with the version of the new object.',
    check:
      'Create, compare the header with the version of the following GET, and with 1. The text is plain decimal digits.',
    fault: 'the create response lacks the version header',
    needs: ['soft-type'],
  },
  'headers.uoi-version.on-merge': {
    level: 'must',
    source: 'core: Common request headers (response headers); Endpoint table, PATCH (merge)',
    statement: 'The response of a merge PATCH carries `Svc-UOIVersion` with the new version, not the one sent.',
    check:
      'Edit at versions 1 and 7; the header is 2 and 8 and works as the version of the next edit without a GET in between.',
    fault: 'echoes the version of the request',
    needs: ['soft-type', 'scalar-members'],
  },
  'headers.uoi-version.on-operations': {
    level: 'must',
    source: 'core: Common request headers (response headers); Endpoint table, PATCH (operations)',
    statement: 'The response of an operations PATCH carries `Svc-UOIVersion` with the new version.',
    check: 'As for merge, with one and with three operations.',
    fault: 'the operations response lacks the version header',
    needs: ['soft-type', 'scalar-members'],
    after: ['patch.content-type.selects-operations'],
  },
  'headers.uoi-version.on-put': {
    level: 'must',
    source: 'core: Common request headers (response headers); Endpoint table, PUT',
    statement: 'The response of a PUT carries `Svc-UOIVersion` with the new version.',
    check: 'As for merge, with PUT. Promote is covered in its own area.',
    fault: 'the PUT response lacks the version header',
    needs: ['soft-type', 'scalar-members', 'put-route'],
  },
  'headers.uoi-version.elsewhere': {
    level: 'observe',
    source: 'core: Common request headers (response headers: every POST, PUT and PATCH)',
    statement:
      'Not described: the version header on GET, on refused writes, on the batch POST as a whole and on a multi-create of several objects.',
    check: 'Record presence and value for each.',
    needs: ['soft-type', 'scalar-members'],
  },
  'headers.location.on-create': {
    level: 'must',
    source: 'core: Common request headers (response headers); Errors 201',
    statement: 'A 201 carries a `Location` header with the URI of the new object.',
    check:
      'Create twice with equal content; both responses have a Location, and the two differ. Location on 200 and 204 is recorded.',
    fault: 'the create response lacks Location',
    needs: ['soft-type'],
  },
  'headers.location.leads-to-object': {
    level: 'must',
    source: 'core: Errors 201',
    statement: 'GET of the Location of a create answers 200 with the object created, at once.',
    check:
      'Resolve it against the request URI, GET it, compare the content with what was sent and the version with the header; for several creates in parallel as well.',
    fault: 'Location names the route without the object id',
    needs: ['soft-type', 'scalar-members'],
    after: ['headers.location.on-create'],
  },
  'headers.uris.stay-on-gateway': {
    level: 'should',
    source: 'core: What the service does (clients talk only to the gateway)',
    statement: 'Location and every href lead to the base address that the client uses, not to a host behind it.',
    check:
      'Compare scheme, host and port of absolute URIs in Location, href, links and batch results with the base URL; relative forms pass and are recorded.',
    fault: 'href names the internal host and port',
    needs: ['soft-type', 'array-port'],
  },
  'headers.information-filter.required-on-reads': {
    level: 'must',
    source: 'core: Common request headers, Svc-InformationFilter',
    statement: 'An instance GET or page GET without `Svc-InformationFilter` is refused.',
    check: 'Leave the header out with a valid token: no 2xx (status recorded). With the header: 200.',
    fault: 'a missing filter is replaced by a default one',
    needs: ['soft-type', 'array-port'],
  },
  'headers.information-filter.required-on-writes': {
    level: 'must',
    source: 'core: Common request headers, Svc-InformationFilter',
    statement:
      'Create, merge, operations, PUT, promote, batch and multi-create without `Svc-InformationFilter` are refused and change nothing.',
    check:
      'Leave the header out of each: no 2xx, object unchanged, no Location; then the request with the header succeeds with the same version.',
    fault: 'the filter is asked for on GET only',
    needs: ['soft-type', 'scalar-members'],
  },
  'headers.information-filter.malformed': {
    level: 'observe',
    source: 'core: Information filter; Common request headers',
    statement:
      'The answer to a filter that is no Base64, no JSON, or a JSON value other than an object is not described, nor are unpadded or URL-safe Base64, unknown fields and an empty object.',
    check: 'Send each on a GET and on a merge PATCH; record status and effect. A 5xx is reported as a remark.',
    needs: ['soft-type', 'scalar-members'],
  },
  'headers.correlation-id.optional': {
    level: 'must',
    source: 'core: Common request headers, X-Correlation-Id',
    statement: 'Requests work without `X-Correlation-Id` and do the same with it.',
    check:
      'Read, create, edit and batch with no header, with a GUID, and with the same GUID again: equal status and effect. Record whether a response echoes it.',
    fault: 'the OpenAPI document without correlation id answers 400',
    needs: ['soft-type', 'scalar-members'],
  },
  'headers.correlation-id.any-text': {
    level: 'should',
    source: 'core: Common request headers, X-Correlation-Id (a GUID is typical)',
    statement: 'A correlation id that is no GUID is accepted, since a GUID is only the typical form.',
    check: 'Send short, long (200 characters) and punctuated visible ASCII values: the request works as without.',
    fault: 'parses the correlation id as GUID and refuses others',
    needs: ['soft-type'],
  },
  'headers.correlation-id.reaches-extension': {
    level: 'must',
    source: 'core: Common request headers, X-Correlation-Id; Events',
    statement: 'The correlation id of a request is passed on to every external extension called because of it.',
    check:
      'Trigger the probe by a known request with a fresh id, alone and as operation of a batch; the call the probe receives carries exactly this id. Two interleaved requests do not swap ids.',
    fault: 'the extension gets a new id for every call',
    needs: ['soft-type', 'extension-probe'],
  },
  'headers.correlation-id.in-log-messages': {
    level: 'must',
    source: 'core: Common request headers, X-Correlation-Id',
    statement: 'All log messages of a request carry its correlation id when one was given.',
    check:
      'Send a read, an edit, a refused edit and a batch with fresh ids and search the log for each; every entry caused by the request holds the id.',
    fault: 'error entries lack the correlation id',
    needs: ['soft-type', 'scalar-members', 'log-probe'],
  },
  'headers.names.case-insensitive': {
    level: 'should',
    source: 'core: What the service does (over HTTP)',
    statement: 'Header names are matched without regard to case, as everywhere in HTTP.',
    check:
      'Send `svc-uoiversion`, `SVC-INFORMATIONFILTER`, `authorization` on raw sockets or a client that keeps the case: same result. Also inside `headers` of a batch operation.',
    fault: 'looks the version header up by its exact spelling',
    needs: ['soft-type', 'scalar-members'],
  },
  'headers.no-content.empty-body': {
    level: 'must',
    source: 'core: Errors 204',
    statement: 'A 204 carries no content.',
    check: 'Raw response of merge PATCH and promote: no body bytes, no Content-Length above 0.',
    fault: 'sends the JSON text null with 204',
    needs: ['soft-type', 'scalar-members'],
  },
  'headers.content-type.json-bodies': {
    level: 'must',
    source: 'core: What the service does (JSON payloads)',
    statement: 'Bodies of instance GET, page GET and batch are JSON in UTF-8, declared by a JSON media type.',
    check:
      'Parse each body and test `Content-Type` for `application/json` or a `+json` type; members with non-ASCII text come back intact.',
    fault: 'serves JSON as text/plain',
    needs: ['soft-type', 'array-port'],
  },
  'headers.limits.rate': {
    level: 'observe',
    source: 'core: Limits (rate limits not shown)',
    statement: 'Rate limits of core routes and their signs are not described.',
    check:
      'Record any 429 or 503 the run meets, with `Retry-After`; the runner waits and repeats, and never counts them as a breach.',
    needs: ['soft-type'],
  },
});
