import { rules } from '../rule.ts';

export const callsRules = rules('calls', {
  'calls.extension.post-to-endpoint': {
    level: 'must',
    source: 'extensions: Calls to extensions, table; Extension metadata record, row endpoint',
    statement:
      "Calls to a registered extension are POST requests to hostUri joined with the record's endpoint by one slash.",
    check:
      'Two hosts whose records give `a/b` and `/a/b`; both receive POST `/a/b` (the leading slash form is a warning only). No other method or path is seen on the listener besides the metadata GET.',
    fault: 'Calls use PUT.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
  },
  'calls.envelope.all-fields': {
    level: 'must',
    source: 'extensions: Call envelope, table',
    statement:
      'The body of each call to a registered extension is a JSON object with id, accessToken, baseAddress and informationFilter as strings and payload as an object.',
    check:
      'Validate with a JSON schema for every type that has a trigger; event is the minimum. Empty strings for id, accessToken and baseAddress are a breach. Members beyond the five and the Content-Type are recorded.',
    fault: 'informationFilter is left out of event envelopes.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
  },
  'calls.envelope.id-from-correlation': {
    level: 'must',
    source: 'extensions: Call envelope, row id; Events, rule 4; core: Common request headers, row X-Correlation-Id',
    statement:
      'When the triggering request carries X-Correlation-Id, the envelope id of the resulting event call is that value.',
    check:
      'Trigger with a fresh GUID in the header; the id equals it. Two triggers with different values in reversed order guard against a constant or a last-seen value. Letter case is compared exactly, a case-only difference is a warning.',
    fault: 'A fresh GUID is generated although the header was given.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event', 'trigger-headers'],
  },
  'calls.envelope.id-correlation-verbatim': {
    level: 'must',
    source:
      'extensions: Call envelope, row id; core: Common request headers, row X-Correlation-Id (a GUID is typical, not demanded)',
    statement: 'A correlation id that is no GUID is passed on unchanged.',
    check: 'Header values `conf-42/a.b` and a 60-character string; the envelope id equals the header exactly.',
    fault: 'Only values that parse as GUID are passed on.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event', 'trigger-headers'],
    after: ['calls.envelope.id-from-correlation'],
  },
  'calls.envelope.id-fresh-guid': {
    level: 'must',
    source: 'extensions: Call envelope, row id',
    statement: 'Without an incoming correlation id the envelope id is a GUID that is different for each request.',
    check:
      "20 triggers without the header; all ids match the 8-4-4-4-12 hex form and all differ. Check in the suite's own record that the header was really absent and was not added by the client. Letter case and braces are recorded.",
    fault: 'One GUID per process start is reused.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event', 'trigger-headers'],
    style: 'property',
  },
  'calls.envelope.id-across-types': {
    level: 'should',
    source:
      'core: Common request headers, row X-Correlation-Id (any extension called because of it); extensions: Call envelope, row id',
    statement:
      "The reuse of the incoming correlation id holds for validation, email and action calls as for events; task calls carry the job's object id instead.",
    check:
      'Trigger each available type with a header value; compare. Record whether an X-Correlation-Id header is also present on the outgoing call.',
    fault: 'Validation calls always get a fresh id.',
    needs: ['collection-admin', 'extension-listener', 'trigger-validation', 'trigger-headers'],
    after: ['calls.envelope.id-from-correlation'],
  },
  'calls.envelope.base-address': {
    level: 'must',
    source: 'extensions: Call envelope, row baseAddress',
    statement: 'baseAddress is the address configured at bootstrap, whatever host name the triggering request used.',
    check:
      'Compare with the profile, ignoring one trailing slash; trigger once with another Host header and expect the same value (left out where the gateway routes by Host). GET of a core route below that address with the envelope token answers.',
    fault: 'baseAddress is taken from the Host header of the triggering request.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event', 'base-address'],
  },
  'calls.envelope.information-filter-base64': {
    level: 'must',
    source: 'extensions: Call envelope, row informationFilter',
    statement: 'informationFilter is standard Base64 that decodes to the filter settings.',
    check:
      'Strict decode (alphabet, padding), then parse as JSON as the core document calls the filter a JSON object. An empty string is recorded, not failed, when the trigger had no filter.',
    fault: 'Filter is sent as plain JSON text.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
  },
  'calls.envelope.information-filter-of-trigger': {
    level: 'should',
    source: 'extensions: Call envelope, row informationFilter; Payloads, row ExternalAction',
    statement:
      "The filter of a call equals the one that the triggering request sent in its information filter header; for actions the payload's informationFilter is that of the triggering user.",
    check:
      'Trigger twice with two different filters; compare the decoded JSON of the envelope and, for actions, of the payload field (the latter is stated and counts as must in the payload rule).',
    fault: 'A default filter is sent always.',
    needs: ['collection-admin', 'extension-listener', 'trigger-action', 'trigger-headers'],
  },
  'calls.token.jwt-form': {
    level: 'must',
    source: 'extensions: Call envelope, row accessToken; core: Authentication, rule 2',
    statement: 'accessToken is a JWT signed with HMAC SHA512.',
    check:
      'Three Base64url parts, header and payload parse as JSON, `alg` is HS512. The signature itself cannot be verified from outside; acceptance by the API covers it.',
    fault: 'Opaque token instead of a JWT.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
  },
  'calls.token.accepted-by-api': {
    level: 'must',
    source: 'extensions: Authentication, rule 4',
    statement: "The envelope's token lets the listener call the public API as the triggering user.",
    check:
      "Use it as bearer on a core space read and on an edit that the triggering user may make, both 2xx; record whether it has the subject of the triggering user's own token.",
    fault: 'Token is issued for a technical user without a role in the space.',
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-event', 'editor-identity'],
    after: ['calls.token.jwt-form'],
  },
  'calls.token.no-more-rights': {
    level: 'must',
    source: 'extensions: Authentication, rule 4 (as that user)',
    statement:
      'The token holds the rights of the triggering user and no more: triggered by a non-administrator it is refused on administrator routes.',
    check:
      'Event triggered by the editor; POST to a registration route with the envelope token gives 403. Pair, where an administrator can cause the event: triggered by the administrator the token is not refused there (body deliberately invalid, so nothing is registered).',
    fault: 'Token carries the administrator role always.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event', 'editor-identity'],
    after: ['calls.token.accepted-by-api'],
  },
  'calls.token.life-time-claim': {
    level: 'should',
    source: 'extensions: Registered extension, row tokenLifeTime; Limits, token validity',
    statement: "The token's expiry lies tokenLifeTime minutes after its issue.",
    check:
      "Two extensions with tokenLifeTime 1 and 7; `exp` minus the time of receipt, corrected by the service's Date header, is within 5 s of 60 and 420 s; with `iat` present the difference is exact to 1 s. Claim names are convention, hence a warning; the behaviour is the next rule.",
    fault: 'tokenLifeTime is taken as seconds.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['calls.token.jwt-form'],
  },
  'calls.token.expires': {
    level: 'must',
    source: 'extensions: Limits, token validity; Call envelope, row accessToken',
    statement: 'The token works up to its lifetime of tokenLifeTime minutes and is refused afterwards.',
    check:
      'tokenLifeTime 1: use at 5 s and 50 s after receipt (2xx), at 70 s (401). A clock skew allowance in the service up to 5 min makes the last call inconclusive rather than failed: when the 70 s call passes, repeat at 365 s; a pass there fails. Use a route that needs no other state.',
    fault: 'Expiry is not enforced on tokens issued for extensions.',
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-event'],
    style: 'schedule',
    seconds: 70,
    after: ['calls.token.accepted-by-api'],
  },
  'calls.token.refresh-and-owner': {
    level: 'observe',
    source: 'extensions: Call envelope, row accessToken; Limits, token validity (no refresh)',
    statement:
      'Which of the two possible identities (triggering user or subscription owner) a subscribed event carries is not said in detail; nor is any refresh route given.',
    check:
      'When the profile subscribes as one user and triggers as another, record the identity. Record whether the claims hold a refresh token or a session id.',
    fault: 'Not applicable as a failure; recorded variant: subscription owner.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
  },
  'calls.query-token.validation': {
    level: 'must',
    source: 'extensions: Calls to extensions, last sentence',
    statement: 'A validation call has the impersonating JWT as a query parameter as well.',
    check:
      "Exactly one query parameter of the received request has the value of the envelope's accessToken after percent-decoding; its name is recorded. Record which user it belongs to.",
    fault: 'Validation calls have no query.',
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-validation'],
  },
  'calls.query-token.task': {
    level: 'must',
    source: 'extensions: Calls to extensions, last sentence',
    statement:
      'A task call has the impersonating JWT, of the user who scheduled the job, as a query parameter as well.',
    check: 'As for validation.',
    fault: 'Task calls have no query.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
  },
  'calls.query-token.email': {
    level: 'must',
    source: 'extensions: Calls to extensions, last sentence',
    statement: 'An email call has the impersonating JWT as a query parameter as well.',
    check: 'As for validation.',
    fault: 'Email calls have no query.',
    needs: ['collection-admin', 'extension-listener', 'trigger-email'],
  },
  'calls.query-token.other-types': {
    level: 'observe',
    source: 'extensions: Calls to extensions, last sentence (event and action not named)',
    statement:
      'Event and action calls are not among those with a token query; whether they have one is recorded, as is the parameter name on the other types.',
    check: 'Record all query parameter names per type, never the values.',
    fault: 'Not applicable as a failure; recorded variant: every call has access_token.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
  },
  'calls.event.payload-fields': {
    level: 'must',
    source: 'extensions: Payloads, row ExternalEvent',
    statement:
      'An event payload has contentPayload (object), id (string, the external event resource) and spaceId (string, the space where it was triggered).',
    check:
      "Types by schema; spaceId equals the profile's space; payload.id differs from the envelope id and is recorded with whether it is the same for two triggers of one event resource.",
    fault: 'spaceId is missing.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
  },
  'calls.event.content-payload-equal': {
    level: 'must',
    source: 'extensions: Payloads, row ExternalEvent; Events, rule 1',
    statement: 'contentPayload is the JSON that was configured on the event handler, unchanged.',
    check:
      'When the trigger template lets the suite set the content, random JSON objects (nested arrays, null, numbers such as 1.0 and 1e21, unicode, empty object) compare deep-equal; else compare with the fixed content in the profile.',
    fault: 'null members are dropped.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    style: 'property',
    after: ['calls.event.payload-fields'],
  },
  'calls.validation.payload-fields': {
    level: 'must',
    source: 'extensions: Payloads, row ExternalValidation',
    statement: 'A validation payload has objectId (the object to validate) and spaceId as strings.',
    check: 'Compare both with the ids used by the trigger; two objects in turn.',
    fault: "objectId holds the object's definition id.",
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-validation'],
  },
  'calls.validation.context-object': {
    level: 'must',
    source: 'extensions: Payloads, row ExternalValidation',
    statement:
      'contextObjectId is present, with the id of the context object, when the validation starts in the context object module, and is absent otherwise.',
    check: 'Run both triggers; present and equal in the first, absent in the second (null is recorded as a warning).',
    fault: 'contextObjectId is always set to objectId.',
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-validation', 'context-module'],
    after: ['calls.validation.payload-fields'],
  },
  'calls.validation.verdict-applied': {
    level: 'must',
    source:
      'extensions: Calls to extensions, row ExternalValidation; Extension metadata record, paragraph on capability use',
    statement:
      '`isValid: true` lets the validated operation pass and `isValid: false` stops it; `message` reaches the caller.',
    check:
      'Same operation with the listener answering true and false; read the outcome through the profile. With both extensions of a type answering differently record which wins. A message with a run-unique marker is searched in the failing response; its absence warns.',
    fault: 'isValid is ignored, any 200 passes.',
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-validation'],
  },
  'calls.validation.malformed-is-error': {
    level: 'must',
    source: 'extensions: Errors, rule 5',
    statement:
      'A validation response that is empty, no JSON, a JSON array or scalar, or lacks isValid counts as an error of the validation: the operation does not pass.',
    check:
      'One trigger per body, all with status 200; the outcome is not a pass. The valid body passes before and after. Whether the call is repeated is recorded.',
    fault: 'A missing isValid counts as true.',
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-validation'],
    style: 'property',
    after: ['calls.validation.verdict-applied'],
  },
  'calls.email.payload-fields': {
    level: 'must',
    source: 'extensions: Payloads, row Email',
    statement: 'A mail payload has to, from, subject and body as strings; the body arrives as composed, HTML included.',
    check:
      'Types by schema; compare with the mail that the trigger composes, with HTML markup, an ampersand and non-ASCII letters (no extra escaping).',
    fault: 'body is stripped of markup.',
    needs: ['collection-admin', 'extension-listener', 'trigger-email'],
  },
  'calls.action.common-fields': {
    level: 'must',
    source: 'extensions: Payloads, row ExternalAction',
    statement:
      'An action payload has spaceId, informationFilter (Base64, of the triggering user), email (of the triggering user) and contentPayload; objectId and svcUOIVersion when an object is selected.',
    check:
      'Trigger with and without a selected object, as two users; compare ids, the version (integer as last read through the core API) and mail addresses. Without a selection objectId and svcUOIVersion are absent or empty (which one is recorded).',
    fault: "email is that of the extension's registrar.",
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-action'],
  },
  'calls.action.form-fields': {
    level: 'must',
    source: 'extensions: Payloads, row ExternalAction and paragraph Action content payload',
    statement:
      'A form action has requestedRoute and httpVerb of the request that the service would have made, and contentPayload is the body of that request.',
    check:
      "Submit a form with known values; route and verb equal those documented for the object's create or edit, the content equals the form's body. The object itself is not changed by the service (read back).",
    fault: 'httpVerb is always POST.',
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-action-form'],
    after: ['calls.action.common-fields'],
  },
  'calls.action.form-batch': {
    level: 'must',
    source: 'extensions: Payloads, row ExternalAction (object or array) and paragraph Action content payload',
    statement:
      'A form action over a batch request passes the array of operations as contentPayload and accepts an array of result objects.',
    check:
      'Trigger the batch form; contentPayload is the array in order. Answer with an array of the same length and record how the triggering client sees it.',
    fault: 'Only the first operation is passed.',
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-action-form'],
    after: ['calls.action.form-fields'],
  },
  'calls.action.ribbon-fields': {
    level: 'must',
    source: 'extensions: Payloads, row ExternalAction and paragraph Action content payload',
    statement: 'A ribbon action has contentPayload with selectedObject.$oid, and neither requestedRoute nor httpVerb.',
    check: 'Select an object and run the action; $oid equals it; the two form members are absent (null warns).',
    fault: 'requestedRoute is sent for ribbon actions as well.',
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-action-ribbon'],
    after: ['calls.action.common-fields'],
  },
  'calls.action.ribbon-context': {
    level: 'must',
    source: 'extensions: Payloads, paragraph Action content payload',
    statement:
      'Run from the context object module, a ribbon action also has contextObject.$oid; selectedObject is there only with a selection.',
    check:
      'Run with and without a selection in the module, and once outside it: contextObject present, present, absent; selectedObject present, absent, present.',
    fault: 'selectedObject repeats the context object when nothing is selected.',
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-action-ribbon', 'context-module'],
    after: ['calls.action.ribbon-fields'],
  },
  'calls.action.response-handling': {
    level: 'observe',
    source: 'extensions: Errors, rule 4',
    statement:
      "What the client that triggered the action gets for the extension's 200 body, for 500 with errors, for other statuses and for malformed bodies is described for the web client only and is recorded.",
    check:
      'Five answers; record status and body of the triggering request and the number of calls the listener got (a 500 is both a documented answer and a transient status).',
    fault: 'Not applicable as a failure; recorded variant: answer passed through.',
    needs: ['collection-admin', 'extension-listener', 'trigger-action'],
  },
  'calls.simple.method': {
    level: 'must',
    source: 'extensions: Registered external endpoint, row method',
    statement: 'A simple endpoint is called with the configured method.',
    check:
      'Register GET, POST, PUT, PATCH and DELETE endpoints on own paths; each trigger yields one request with that method on exactly that url, query included.',
    fault: 'PATCH is sent as POST.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
    style: 'property',
  },
  'calls.simple.headers': {
    level: 'must',
    source: 'extensions: Registered external endpoint, row headers; Authentication, rule 6',
    statement: 'Each configured header is set on the call with its value, content-type included.',
    check:
      'content-type `text/plain; charset=utf-8`, an API key header with a run-unique value, an `Authorization` header configured by the registrar; all arrive with exactly these values, content-type once.',
    fault: 'content-type is always application/json.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
  },
  'calls.simple.body': {
    level: 'must',
    source: 'extensions: Registered external endpoint, paragraph after the table',
    statement:
      'For POST, PATCH and PUT the request body is the configured content and nothing else: JSON, HTML or plain text, with no envelope around it.',
    check:
      'Three contents per method, compared byte for byte (JSON deep-equal with a byte difference recorded); the body has no accessToken member.',
    fault: 'Simple endpoints get the extension envelope.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
    style: 'property',
  },
  'calls.simple.no-body-for-get': {
    level: 'should',
    source: 'extensions: Registered external endpoint, paragraph after the table (body named for POST, PATCH and PUT)',
    statement: 'GET and DELETE calls have no body.',
    check:
      'Raw request: no Transfer-Encoding and Content-Length absent or 0, with content configured for the subscription.',
    fault: 'Configured content is sent with GET as well.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
  },
  'calls.simple.no-token': {
    level: 'must',
    source: 'extensions: Registered external endpoint, paragraph after the table; Authentication, rule 6',
    statement: 'A simple endpoint gets no access token in any place.',
    check:
      'No Authorization header unless configured, no query beyond the registered one, and no value of JWT shape anywhere in url, headers or body.',
    fault: 'access_token is appended for simple endpoints too.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
  },
  'calls.trusted.access-token-appended': {
    level: 'must',
    source: 'extensions: Registered trusted external endpoint, paragraph after the table',
    statement: 'Each call to a trusted endpoint has the query parameter `access_token` with an impersonating JWT.',
    check:
      'Method GET and POST; exactly one parameter of that name, of JWT shape, accepted by the API as the triggering user (or subscription owner, recorded), refused on administrator routes when that user is none.',
    fault: 'Parameter is named `token`.',
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-endpoint'],
  },
  'calls.trusted.existing-query-kept': {
    level: 'must',
    source: 'extensions: Registered trusted external endpoint, paragraph after the table',
    statement: 'A registered url with query parameters keeps them and gets access_token appended behind them.',
    check:
      'url `.../hook?a=1&b=x%20y&a=2`; raw target starts with the registered one, continues `&access_token=`; exactly one question mark.',
    fault: 'A second question mark is added.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
    after: ['calls.trusted.access-token-appended'],
  },
  'calls.trusted.token-life-time': {
    level: 'should',
    source: 'extensions: Registered trusted external endpoint, row tokenLifeTime',
    statement: 'The token of a trusted endpoint expires after the minutes of its own registration.',
    check: 'Two endpoints with 2 and 9 minutes; `exp` minus receipt within 5 s of 120 and 540 s.',
    fault: 'A global lifetime is used for trusted endpoints.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
    after: ['calls.trusted.access-token-appended'],
  },
  'calls.trusted.simple-rules-apply': {
    level: 'must',
    source: 'extensions: Registered trusted external endpoint (all fields of the simple endpoint)',
    statement: 'Configured method, headers and body are honoured for trusted endpoints as for simple ones.',
    check: 'PUT with two headers and an HTML body; all arrive unchanged, with no envelope.',
    fault: 'Configured headers are dropped for trusted endpoints.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
    after: ['calls.trusted.access-token-appended'],
  },
  'calls.host.event-acknowledged': {
    side: 'extension',
    level: 'must',
    source: 'extensions: Calls to extensions, row ExternalEvent; Events, rule 2',
    statement: 'An event handler answers a valid event with 200 or 201.',
    check:
      'Signed POST with a complete envelope; status in {200, 201}; 202 and 204 are a breach, because the service would not count them as success.',
    fault: 'Host answers 202.',
    needs: ['extension-host', 'extension-event'],
    after: ['signing.extension-host.right-signature-accepted'],
  },
  'calls.host.event-acknowledged-first': {
    side: 'extension',
    level: 'should',
    source: 'extensions: Events, rule 2 (acknowledge first, work afterwards)',
    statement: 'The acknowledgement comes before the work: the answer does not wait for what the event starts.',
    check:
      '10 events; median under 1 s and none above 5 s. When the host calls back, the suite delays its own answers by 10 s and the acknowledgement must not move by more than 1 s. Calibrate with the metadata GET.',
    fault: 'Host finishes its callbacks before it answers.',
    needs: ['extension-host', 'extension-event'],
    style: 'schedule',
    seconds: 15,
    after: ['calls.host.event-acknowledged'],
  },
  'calls.host.answers-within-timeout': {
    side: 'extension',
    level: 'must',
    source: 'extensions: Limits, request timeout; Extension metadata record, row requestTimeout',
    statement:
      'Each call is answered within the requestTimeout of its record (100 s when it states none, 600 s for mail).',
    check:
      'Measure on all calls of the run; the report names the slowest. The timer starts when the request was sent completely.',
    fault: 'Host holds an event call longer than its own requestTimeout.',
    needs: ['extension-host'],
  },
  'calls.host.email-acknowledged': {
    side: 'extension',
    level: 'must',
    source: 'extensions: Calls to extensions, row Email',
    statement: 'A mail handler answers 200 or 201 to a payload with to, from, subject and body, plain or HTML.',
    check: 'Two mails; status in {200, 201}.',
    fault: 'HTML bodies are answered with 400.',
    needs: ['extension-host', 'extension-email'],
    after: ['signing.extension-host.right-signature-accepted'],
  },
  'calls.host.validation-object': {
    side: 'extension',
    level: 'must',
    source: 'extensions: Calls to extensions, row ExternalValidation; Errors, rule 5',
    statement: 'A validation answer is a JSON object with isValid (boolean) and message (string).',
    check:
      'Valid and unknown objectId, each with and without contextObjectId; strict types (no "true" as text). Status 200 is expected, other 2xx recorded.',
    fault: 'message is left out when the object is valid.',
    needs: ['extension-host', 'extension-validation'],
    after: ['signing.extension-host.right-signature-accepted'],
  },
  'calls.host.validation-outcome': {
    side: 'extension',
    level: 'must',
    source: 'extensions: Calls to extensions, row ExternalValidation',
    statement:
      'isValid follows the object: the sample known as valid gives true, the one known as invalid gives false.',
    check: 'Both samples twice in alternating order; a constant answer fails one of them.',
    fault: 'isValid is always true.',
    needs: ['extension-host', 'extension-validation', 'extension-samples'],
    after: ['calls.host.validation-object'],
  },
  'calls.host.action-success-body': {
    side: 'extension',
    level: 'must',
    source: 'extensions: Errors, rule 4',
    statement:
      'A successful action answers 200 with statusCode (integer), location (string) and svcUOIVersion (integer).',
    check:
      'Sample known to succeed; types by schema; statusCode fits httpVerb (201 for POST, 2xx else; a misfit warns). For ribbon samples missing location and version are recorded only.',
    fault: 'statusCode is sent as text.',
    needs: ['extension-host', 'extension-action', 'extension-samples'],
    after: ['signing.extension-host.right-signature-accepted'],
  },
  'calls.host.action-error-body': {
    side: 'extension',
    level: 'must',
    source: 'extensions: Errors, rule 4',
    statement: 'A 500 of an action has a body whose `errors` member lists objects, each with a message string.',
    check: 'Sample known to fail; status 500, errors is a non-empty array, each message a non-empty string.',
    fault: 'Body is a single `error` string.',
    needs: ['extension-host', 'extension-action', 'extension-samples'],
    after: ['signing.extension-host.right-signature-accepted'],
  },
  'calls.host.action-batch-body': {
    side: 'extension',
    level: 'must',
    source: 'extensions: Errors, rule 4 (batch)',
    statement: 'For a batch payload the action answers an array with one result object per operation.',
    check: 'contentPayload with 3 operations; array of 3, each of the success form.',
    fault: 'One object for the whole batch.',
    needs: ['extension-host', 'extension-action', 'extension-samples'],
    after: ['calls.host.action-success-body'],
  },
  'calls.host.uses-envelope-token': {
    side: 'extension',
    level: 'must',
    source: 'extensions: Authentication, rule 4',
    statement:
      "When the host calls the API because of a call, it sends the accessToken of that call's envelope, not one of an earlier call.",
    check:
      'The suite plays the API at baseAddress; two calls with different tokens; every callback carries the token of its own call (bearer or the query of a download). A host that makes no callback is reported as not exercised.',
    fault: 'First token received is cached for all later calls.',
    needs: ['extension-host'],
  },
  'calls.host.uses-base-address': {
    side: 'extension',
    level: 'should',
    source: 'extensions: Call envelope, row baseAddress',
    statement:
      'Callbacks go to the baseAddress (or the links) of the call at hand, so that one host can serve several installations.',
    check: 'Two calls with two suite listeners as baseAddress; callbacks arrive at the right one, none at the other.',
    fault: "Base address is fixed in the host's configuration.",
    needs: ['extension-host'],
  },
  'calls.host.redelivery': {
    side: 'extension',
    level: 'should',
    source: 'extensions: Errors, rule 1 and Limits, retries (a lost answer leads to a repeat)',
    statement:
      'The same envelope delivered a second time, as after a lost acknowledgement, is answered 200 or 201 again.',
    check:
      'Send one envelope twice, and once more after destroying the socket before reading the answer; each answered one is 200 or 201. Record whether callbacks were doubled.',
    fault: 'A repeated id is answered with 409.',
    needs: ['extension-host', 'extension-event'],
    after: ['calls.host.event-acknowledged'],
  },
  'calls.host.correlation-id-used': {
    side: 'extension',
    level: 'observe',
    source: 'extensions: Call envelope, row id',
    statement:
      'The envelope id is meant as X-Correlation-Id when the host reports back; whether the host sends it is recorded.',
    check: 'Record the header on all callbacks per call.',
    fault: 'Not applicable as a failure; recorded variant: header missing.',
    needs: ['extension-host'],
  },
  'calls.host.malformed-envelope': {
    side: 'extension',
    level: 'observe',
    source: 'extensions: Call envelope (reaction to faulty input silent)',
    statement:
      "The host's answer to a signed call with broken JSON, a missing payload, an unknown extra member or an expired token is not documented.",
    check:
      'One call per case; record the status; a host that stops answering valid calls afterwards is reported as an error of the run.',
    fault: 'Not applicable as a failure; recorded variant: 500.',
    needs: ['extension-host'],
  },
  'calls.host.concurrent-calls': {
    side: 'extension',
    level: 'should',
    source: 'extensions: Limits, rate limit (executions per minute of the record)',
    statement: "As many simultaneous calls as the record's rateLimitNumberOfExecutions are all acknowledged.",
    check:
      'That many envelopes (default 5, at most 20) behind a barrier; all 200 or 201, and any callbacks carry the right token each.',
    fault: 'Calls beyond the first are answered 503 while one is running.',
    needs: ['extension-host', 'extension-event'],
    style: 'concurrency',
    after: ['calls.host.event-acknowledged'],
  },
});
