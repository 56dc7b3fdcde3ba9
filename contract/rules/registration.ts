import { rules } from '../rule.ts';

export const registrationRules = rules('registration', {
  'registration.simple.required-only-accepted': {
    level: 'must',
    source: 'extensions: Registered external endpoint, table; Registration routes, row 1',
    statement:
      '`POST /api/admin/externalEndpoint` with url, id, method, category and headers (one entry, `content-type`) and nothing else is accepted from a Collection Administrator.',
    check: 'POST with run-unique id; 2xx. Read back through the profile when it can and compare the fields.',
    fault: '`name`, an optional field, is demanded.',
    needs: ['collection-admin'],
  },
  'registration.simple.all-fields-accepted': {
    level: 'must',
    source: 'extensions: Registered external endpoint, table',
    statement:
      'The same route accepts every documented optional field: active, name, description, requestTimeout, retryForever, rateLimitNumberOfExecutions, and several headers.',
    check:
      'POST with all fields at values that differ from the defaults; 2xx, and equal on reading back where that is possible.',
    fault: '`description` is rejected as an unknown field.',
    needs: ['collection-admin'],
  },
  'registration.simple.missing-required-refused': {
    level: 'should',
    source: 'extensions: Registered external endpoint, table, Required column',
    statement: 'A simple endpoint body that lacks any one of url, id, method, category or headers is refused (no 2xx).',
    check:
      'Five requests derived from an accepted body by leaving out one field each, plus null and the wrong JSON type for each (these recorded only). The complete body is accepted before and after, with a fresh id.',
    fault: 'A missing `category` is accepted.',
    needs: ['collection-admin'],
    style: 'property',
    after: ['registration.simple.required-only-accepted'],
  },
  'registration.simple.content-type-header-required': {
    level: 'must',
    source: 'extensions: Registered external endpoint, row headers',
    statement: 'A headers array without a `content-type` entry, including the empty array, is refused.',
    check:
      'Empty array, and an array with only an API key header; outside 2xx. Pair: the same body with the entry is accepted. Record whether the spelling `Content-Type` counts.',
    fault: 'Headers array is not inspected.',
    needs: ['collection-admin'],
    after: ['registration.simple.required-only-accepted'],
  },
  'registration.simple.no-call-on-registration': {
    level: 'should',
    source: 'extensions: Metadata exchange (concerns extensions); What the service does',
    statement:
      'Registering a simple or trusted endpoint does not itself call its url; only registered extensions have a metadata exchange.',
    check:
      "Register both kinds, with and without a description, with a listener url of their own; no request on it within 5 s. The listener's reachability is shown by the metadata GET of an extension in the same run.",
    fault: 'Registration probes the url of an endpoint that has a description with a GET.',
    needs: ['collection-admin', 'extension-listener'],
  },
  'registration.trusted.required-only-accepted': {
    level: 'must',
    source: 'extensions: Registered trusted external endpoint, table; Registration routes, row 2',
    statement:
      '`POST /api/admin/trustedExternalEndpoint` with the required simple fields plus tokenLifeTime is accepted; permissions may be left out.',
    check: 'POST; 2xx. Pair: the missing-field rule for tokenLifeTime.',
    fault: '`permissions` is demanded.',
    needs: ['collection-admin'],
  },
  'registration.trusted.token-life-time-required': {
    level: 'should',
    source: 'extensions: Registered trusted external endpoint, row tokenLifeTime',
    statement: 'A trusted endpoint without tokenLifeTime is refused.',
    check:
      'The accepted body minus the field; outside 2xx. Record the answers for 0, negative, fractional and textual values.',
    fault: 'tokenLifeTime defaults to 60.',
    needs: ['collection-admin'],
    after: ['registration.trusted.required-only-accepted'],
  },
  'registration.trusted.missing-simple-field-refused': {
    level: 'should',
    source: 'extensions: Registered trusted external endpoint (all fields of the simple endpoint)',
    statement: 'The required fields of the simple endpoint are required on the trusted route as well.',
    check: 'Five requests that each lack one of url, id, method, category, headers; outside 2xx.',
    fault: 'The trusted route validates only tokenLifeTime.',
    needs: ['collection-admin'],
    style: 'property',
    after: ['registration.trusted.required-only-accepted'],
  },
  'registration.trusted.permissions-accepted': {
    level: 'must',
    source: 'extensions: Registered trusted external endpoint, row permissions; Permission names',
    statement:
      '`permissions` as an object with the array `permissions` of documented names and the string `tokenCallback` is accepted, for each of the five names.',
    check:
      'One registration per name and one with all five; 2xx. An unknown name and a missing tokenCallback are recorded only.',
    fault: 'LicenseCommunicationAPI is not a known name.',
    needs: ['collection-admin'],
    after: ['registration.trusted.required-only-accepted'],
  },
  'registration.extension.required-only-accepted': {
    level: 'must',
    source: 'extensions: Registered extension, table; Registration routes, row 3',
    statement: '`POST /api/admin/svcExtension` with hostUri, apiKey and tokenLifeTime is accepted.',
    check: 'POST while the listener serves valid metadata; 2xx and the metadata GET arrives.',
    fault: '`active` is demanded.',
    needs: ['collection-admin', 'extension-listener'],
  },
  'registration.extension.missing-required-refused': {
    level: 'should',
    source: 'extensions: Registered extension, table, Required column',
    statement: 'A body without hostUri, apiKey or tokenLifeTime is refused, and no metadata GET is sent for it.',
    check:
      'Three requests that lack one field each; outside 2xx, and the listener sees no GET within 5 s. The complete body is accepted afterwards.',
    fault: 'A missing tokenLifeTime is accepted.',
    needs: ['collection-admin', 'extension-listener'],
    style: 'property',
    after: ['registration.extension.required-only-accepted'],
  },
  'registration.auth.missing-credential-401': {
    level: 'must',
    source: 'core: Authentication, rule 6; extensions: Registration routes, heading',
    statement: 'The three registration routes answer 401 without a credential and register nothing.',
    check:
      'Complete valid body on each route without Authorization; 401. On the extension route no metadata GET follows within 5 s.',
    fault: 'The extension route is open.',
    needs: ['extension-listener'],
  },
  'registration.auth.non-administrator-403': {
    level: 'must',
    source: 'extensions: Registration routes, heading; core: Authentication, rules 6 and 7',
    statement: 'A user who is not Collection Administrator gets 403 on each of the three routes and registers nothing.',
    check:
      'Editor token with a complete valid body; 403 each, no metadata GET within 5 s. The same body with the administrator token is accepted.',
    fault: 'Trusted endpoint route checks for any valid token only.',
    needs: ['editor-identity', 'extension-listener'],
  },
  'registration.active.default-true-endpoint': {
    level: 'must',
    source: 'extensions: Registered external endpoint, row active',
    statement: 'An endpoint registered without `active` is called.',
    check:
      'Register without the field, with and without a description, trigger, expect the call within 10 s. Pair: registration.active.false-not-called-endpoint.',
    fault: 'active defaults to false for endpoints that have a description.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
  },
  'registration.active.default-true-extension': {
    level: 'must',
    source: 'extensions: Registered extension, row active',
    statement: 'An extension registered without `active` is called.',
    check:
      'Register without the field, for an hour and for three minutes, trigger an event, expect the call within 10 s.',
    fault: 'active defaults to false for extensions with a tokenLifeTime below five minutes.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
  },
  'registration.active.false-not-called-endpoint': {
    level: 'must',
    source: 'extensions: Registered external endpoint, row active',
    statement: 'An endpoint registered with `active: false` receives no call.',
    check:
      'Register one inactive and one active endpoint bound to the same trigger, trigger once, wait until the active one was called plus 5 s; the inactive one saw nothing. The active one proves that the trigger fired.',
    fault: '`active` is stored and not consulted on delivery to endpoints.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
    after: ['registration.active.default-true-endpoint'],
  },
  'registration.active.false-not-called-extension': {
    level: 'must',
    source: 'extensions: Registered extension, row active',
    statement: 'No event, validation, task, email or action call goes to an extension that is inactive.',
    check:
      'As for the endpoint, with a second active extension on the same event as the proof that it fired. The metadata GET at registration is not counted here (recorded elsewhere).',
    fault: '`active` of an extension is not consulted on delivery.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['registration.active.default-true-extension'],
  },
  'registration.active.toggle-at-runtime': {
    level: 'must',
    source: 'extensions: Registered external endpoint, row active; Registered extension, row active',
    statement:
      '`active` can be switched off and on while the service runs, and takes effect on the following triggers without a restart.',
    check:
      'Active: trigger, called. Set false: trigger, not called in 10 s. Set true: a new trigger, called. Match calls to triggers by content marker, since the one from the inactive phase may arrive late (recorded only). Run for both an endpoint and an extension when triggers exist.',
    fault: 'The flag is read once at registration.',
    needs: ['collection-admin', 'extension-listener', 'registration-update', 'trigger-event'],
    after: ['registration.active.default-true-extension'],
  },
  'registration.active.queue-while-inactive': {
    level: 'observe',
    source: 'extensions: Registered extension, row active (silent on the queue)',
    statement:
      'What happens to triggers during an inactive phase, and to an event that is waiting for a retry when its endpoint is switched off, is not said.',
    check:
      'Trigger in the inactive phase and switch on again; separately switch off between attempt 1 and 2. Record dropped, kept or continued.',
    fault: 'Not applicable as a failure; recorded variant: kept and delivered on activation.',
    needs: ['collection-admin', 'extension-listener', 'registration-update', 'trigger-event'],
  },
  'registration.body.malformed-json': {
    level: 'should',
    source: 'extensions: Registration routes, row 1 (`application/json`)',
    statement: 'A body that is not JSON, is an array or is empty is refused with a 4xx status.',
    check: 'Three bodies on each route; 4xx. Record the answer to a valid body with another content type.',
    fault: 'A parse error surfaces as 500.',
    needs: ['collection-admin'],
  },
  'registration.body.success-status': {
    level: 'observe',
    source: 'extensions: Registration routes (responses not shown)',
    statement:
      'Success status, `Location`, and response body of the three routes are not documented and are recorded, as is whether a response or a read echoes apiKey.',
    check: 'Record per route; search response and read bodies for the secret.',
    fault: 'Not applicable as a failure; recorded variant: 201 with Location.',
    needs: ['collection-admin', 'extension-listener'],
  },
  'registration.duplicate.same-id': {
    level: 'observe',
    source: 'extensions: Registered external endpoint, row id (uniqueness not stated)',
    statement: 'Registering the same endpoint id, or the same hostUri, a second time has no documented result.',
    check:
      'POST the same body twice with a changed name; record status and which of the two is used on the next trigger; for an extension record whether a second metadata GET came.',
    fault: 'Not applicable as a failure; recorded variant: 409.',
    needs: ['collection-admin', 'extension-listener'],
  },
});
