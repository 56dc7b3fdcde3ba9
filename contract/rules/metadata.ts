import { rules } from '../rule.ts';

export const metadataRules = rules('metadata', {
  'metadata.fetch.on-registration': {
    level: 'must',
    source: 'extensions: Metadata exchange',
    statement: 'Registering an extension makes the service send `GET {hostUri}/svc/extension`.',
    check:
      'Fresh listener port, register; at least one GET with exactly that path within 10 s and no other method on it. Record the number of GETs and whether the registration answer waited for it.',
    fault: 'Metadata is fetched from `/extension`.',
    needs: ['collection-admin', 'extension-listener'],
  },
  'metadata.fetch.on-update': {
    level: 'must',
    source: 'extensions: Metadata exchange; Versioning',
    statement: 'An update of the registered extension makes the service fetch the metadata again.',
    check: 'Count GETs, update (for example tokenLifeTime), expect the count to grow within 10 s.',
    fault: 'Updates reuse the metadata of the first registration.',
    needs: ['collection-admin', 'extension-listener', 'registration-update'],
    after: ['metadata.fetch.on-registration'],
  },
  'metadata.fetch.at-no-other-time': {
    level: 'must',
    source: 'extensions: Metadata exchange; Versioning',
    statement:
      'Between an add or update and the next update of that extension there is no further metadata GET: not on calls, failed deliveries, retries, or by timer.',
    check:
      'Over the trace of the whole run: every GET of the metadata path lies within 10 s after an add or update of that host. The rule needs at least 20 calls, one failed delivery and 120 s of trace, else it is reported as not exercised. A GET that answers a failed metadata fetch is kept apart (recorded only).',
    fault: 'Metadata is refreshed before every tenth event.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    style: 'property',
    after: ['metadata.fetch.on-registration'],
  },
  'metadata.fetch.host-uri-forms': {
    level: 'should',
    source: 'extensions: Metadata exchange; Registered extension, row hostUri',
    statement:
      'The metadata URL is hostUri joined with `/svc/extension` by exactly one slash, also for a hostUri with a trailing slash or with a path.',
    check:
      'Register `http://h:p`, `http://h:p/` and `http://h:p/base`; received paths are `/svc/extension`, the same, and `/base/svc/extension`.',
    fault: 'A trailing slash of hostUri gives `//svc/extension`.',
    needs: ['collection-admin', 'extension-listener'],
    after: ['metadata.fetch.on-registration'],
  },
  'metadata.fetch.request-shape': {
    level: 'observe',
    source: 'extensions: Metadata exchange (only the Authorization header is described)',
    statement:
      'Other headers, a correlation id, a query or a body on the metadata GET are not described and are recorded.',
    check: 'Record the raw GET; note a body or a token query in the report.',
    fault: 'Not applicable as a failure; recorded variant: access token in the query.',
    needs: ['collection-admin', 'extension-listener'],
  },
  'metadata.records.several-types-usable': {
    level: 'must',
    source: 'extensions: Metadata exchange (array of records); Extension metadata record',
    statement: 'Each record of the array is put to use under its own type and endpoint.',
    check:
      'Host with one record per type for which the profile has a trigger, each with its own endpoint; each trigger reaches exactly its endpoint.',
    fault: 'Only the first record of the array is used.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event', 'trigger-validation'],
    after: ['metadata.fetch.on-registration'],
  },
  'metadata.records.optional-fields-omitted': {
    level: 'must',
    source: 'extensions: Extension metadata record, Required column',
    statement: 'A record with only id, version, name, endpoint, extensionType and category is accepted and used.',
    check:
      'ExternalEvent record with these six; registration 2xx, the event arrives. Pair: the full record in metadata.records.all-fields-accepted.',
    fault: '`description` is demanded of ExternalEvent records.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['metadata.fetch.on-registration'],
  },
  'metadata.records.all-fields-accepted': {
    level: 'must',
    source: 'extensions: Extension metadata record, table',
    statement:
      'A record with every documented field, with capabilities of the types SoftType, MimeType and BaseType and with permissions, is accepted and used.',
    check:
      'ExternalEvent record with all fields at values unlike the defaults; registration 2xx and the event arrives.',
    fault: 'The capabilityType BaseType makes the record invalid.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['metadata.records.optional-fields-omitted'],
  },
  'metadata.records.unsupported-type-ignored': {
    level: 'must',
    source: 'extensions: Extension metadata record, row extensionType',
    statement:
      'A record with an unsupported extensionType is skipped: the registration succeeds, the other records work, and the skipped endpoint is never called.',
    check:
      "Records in the order unknown type, ExternalEvent, and reversed; registration 2xx, the event arrives, no request on the unknown record's endpoint.",
    fault: 'An unknown extensionType fails the whole registration.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['metadata.records.optional-fields-omitted'],
  },
  'metadata.records.type-letter-case': {
    level: 'observe',
    source: 'extensions: Extension metadata record, row extensionType (spelling list)',
    statement: 'Whether `externalevent` counts as ExternalEvent or as unsupported is not said.',
    check: 'Host whose only record has the lower-case spelling; trigger and record whether it was called.',
    fault: 'Not applicable as a failure; recorded variant: compared without regard to case.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
  },
  'metadata.records.missing-required-not-used': {
    level: 'should',
    source: 'extensions: Extension metadata record, Required column',
    statement: 'A record that lacks id, version, name, endpoint, extensionType or category is not put to use.',
    check:
      'Six hosts, each with one ExternalEvent record that lacks one field; trigger an event together with a healthy extension as the proof; the faulty ones are not called within 10 s. Record whether registration was refused or accepted.',
    fault: 'A record without `category` is used.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    style: 'property',
    after: ['metadata.records.optional-fields-omitted'],
  },
  'metadata.records.additional-property-not-used': {
    level: 'should',
    source: 'extensions: Extension metadata record, heading (no additional properties)',
    statement: 'A record with an undocumented property violates the schema and is not put to use.',
    check:
      'ExternalEvent record plus `"extra": 1`, and a capabilities item with an extra member (recorded only); not called within 10 s after a trigger that a healthy extension received. The document gives the schema and no reaction, hence a warning.',
    fault: 'Additional properties are dropped silently.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['metadata.records.optional-fields-omitted'],
  },
  'metadata.records.version-semver': {
    level: 'should',
    source: 'extensions: Extension metadata record, row version; Versioning',
    statement:
      'Versions that follow SemVer (`1.0.0`, `0.0.1-alpha.1+build.5`) are accepted; `1`, `1.0`, `01.0.0`, `v1.0.0` and the empty string are not put to use.',
    check:
      'One host per version string; the valid ones have to be called on a trigger (this half counts as evidence that the rest is about the version). Whether `1.0` or a leading v is tolerated is recorded.',
    fault: 'version is an unchecked string.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    style: 'property',
    after: ['metadata.records.optional-fields-omitted'],
  },
  'metadata.records.capability-and-permission-shape': {
    level: 'should',
    source: 'extensions: Extension metadata record, rows capabilities and permissions',
    statement:
      'A record whose capabilities item lacks capabilityType or capabilities, or whose permissions object lacks tokenCallback or permissions, or names an unknown permission, is not put to use.',
    check:
      'One host per fault, triggered together with a healthy extension; not called within 10 s. Unknown capabilityType values are recorded only.',
    fault: 'The permissions object is not validated.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['metadata.records.optional-fields-omitted'],
  },
  'metadata.response.malformed': {
    level: 'observe',
    source: 'extensions: Metadata exchange (reaction to errors silent)',
    statement:
      'The reaction to a metadata response that is not JSON, is an object, is an empty array, has status 401, 404 or 500, is a redirect, or never arrives is not documented.',
    check:
      'One registration per case; record status and duration of the registration answer, number of GETs and their gaps over 70 s. The service has to keep answering other requests.',
    fault: 'Not applicable as a failure; recorded variant: registration accepted, extension unusable.',
    needs: ['collection-admin', 'extension-listener'],
  },
  'metadata.response.one-bad-record': {
    level: 'observe',
    source: 'extensions: Extension metadata record (reaction silent)',
    statement:
      'Whether one invalid record spoils the other records of the same array is not said; likewise two records with one id.',
    check:
      'Array with a valid ExternalEvent record and an invalid one, in both orders; trigger and record whether the valid one is called.',
    fault: 'Not applicable as a failure; recorded variant: whole array rejected.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
  },
  'metadata.update.replaces-records': {
    level: 'must',
    source: 'extensions: Metadata exchange; Versioning',
    statement:
      'After an update the newly fetched records are in force: a changed endpoint path is called, the former one no longer.',
    check:
      "Change the endpoint in the host's metadata, trigger (old path is still called, as no fetch took place), update the registration, trigger (new path only).",
    fault: 'New records are added beside the old ones.',
    needs: ['collection-admin', 'extension-listener', 'registration-update', 'trigger-event'],
    after: ['metadata.fetch.on-update'],
  },
  'metadata.capability.soft-type-limits-validation': {
    level: 'must',
    source: 'extensions: Extension metadata record, paragraph on capability use',
    statement:
      'A validation extension is called for objects of the SoftTypes listed under the SoftType capability and not for others.',
    check:
      'Two hosts with different SoftType ids; validate an object of each type; each host sees only its own. Without a second SoftType in the profile use an id that does not exist for the second host.',
    fault: 'SoftType capability is ignored, every validation extension is called.',
    needs: ['collection-admin', 'extension-listener', 'trigger-validation'],
    after: ['metadata.records.all-fields-accepted'],
  },
  'metadata.capability.mime-type-limits-task': {
    level: 'should',
    source: 'extensions: Extension metadata record, paragraph on capability use',
    statement:
      'The MimeType capability lists the file types an external task manages; a job with another file type is not given to it.',
    check:
      'Record with `text/csv`; schedule a job with a csv file (called) and, when the profile can, with another type (not called, or refused at configuration). A deployment where the task is bound by id only records this.',
    fault: 'MimeType capability is ignored.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['metadata.records.all-fields-accepted'],
  },
  'metadata.host.array-response': {
    side: 'extension',
    level: 'must',
    source: 'extensions: Metadata exchange',
    statement:
      'The host answers the signed `GET {hostUri}/svc/extension` with 200 and a JSON array with at least one record.',
    check:
      'Parse the body strictly as JSON; an array, not an object that wraps one. 200 is expected; another 2xx warns, as the code is not documented. An empty array is recorded.',
    fault: 'Host wraps the array in an object.',
    needs: ['extension-host'],
    after: ['signing.extension-host.right-signature-accepted'],
  },
  'metadata.host.content-type-json': {
    side: 'extension',
    level: 'should',
    source: 'extensions: Metadata exchange (JSON array)',
    statement: 'The metadata response is labelled `application/json` and encoded in UTF-8.',
    check: 'Read Content-Type, ignore parameters other than a charset different from UTF-8.',
    fault: 'Metadata is sent as text/html.',
    needs: ['extension-host'],
    after: ['metadata.host.array-response'],
  },
  'metadata.host.required-fields': {
    side: 'extension',
    level: 'must',
    source: 'extensions: Extension metadata record, Required column',
    statement: 'Every record has id, version, name, endpoint, extensionType and category as strings.',
    check: 'Schema check of each record; one finding per record and field. Empty strings are recorded.',
    fault: '`category` is left out of one record.',
    needs: ['extension-host'],
    style: 'property',
    after: ['metadata.host.array-response'],
  },
  'metadata.host.no-additional-properties': {
    side: 'extension',
    level: 'must',
    source: 'extensions: Extension metadata record, heading',
    statement: 'No record has a property outside the documented twelve.',
    check:
      'Schema check with additionalProperties false; names of the extra members are reported. Nested objects (capability item, permissions) are checked too, extras there are recorded only.',
    fault: 'A record carries `vendor`.',
    needs: ['extension-host'],
    style: 'property',
    after: ['metadata.host.array-response'],
  },
  'metadata.host.optional-field-types': {
    side: 'extension',
    level: 'must',
    source:
      'extensions: Extension metadata record, rows description, requestTimeout, retryForever and rateLimitNumberOfExecutions',
    statement:
      'Optional fields, when present, have their types: description string, requestTimeout and rateLimitNumberOfExecutions number, retryForever boolean.',
    check: 'Schema check per record; `"100"` as text is a breach. Zero and negative numbers are recorded.',
    fault: 'requestTimeout is sent as text.',
    needs: ['extension-host'],
    style: 'property',
    after: ['metadata.host.array-response'],
  },
  'metadata.host.version-semver': {
    side: 'extension',
    level: 'must',
    source: 'extensions: Extension metadata record, row version; Versioning',
    statement: 'The version of each record is valid SemVer.',
    check: 'Match against the SemVer 2.0.0 grammar, with pre-release and build parts allowed.',
    fault: 'version is `1.0`.',
    needs: ['extension-host'],
    style: 'property',
    after: ['metadata.host.required-fields'],
  },
  'metadata.host.extension-type-known': {
    side: 'extension',
    level: 'should',
    source: 'extensions: Extension metadata record, row extensionType',
    statement: 'extensionType is one of the thirteen documented names, as a service ignores others.',
    check:
      "Compare exactly, letter case included; unknown names are listed as a warning. A host with no known type at all fails the array rule's usefulness note in the report.",
    fault: '`externalEvent` in camel case.',
    needs: ['extension-host'],
    style: 'property',
    after: ['metadata.host.required-fields'],
  },
  'metadata.host.endpoint-relative': {
    side: 'extension',
    level: 'must',
    source: 'extensions: Extension metadata record, row endpoint',
    statement: 'endpoint is a route relative to hostUri, not an absolute URL.',
    check:
      'No scheme, no `//` start, no host; record whether it starts with a slash and whether two records share one endpoint.',
    fault: 'endpoint holds the full URL.',
    needs: ['extension-host'],
    style: 'property',
    after: ['metadata.host.required-fields'],
  },
  'metadata.host.endpoint-served': {
    side: 'extension',
    level: 'must',
    source: 'extensions: Extension metadata record, row endpoint; Calls to extensions',
    statement:
      'A signed POST with a matching envelope to hostUri joined with each announced endpoint reaches a handler: neither 404 nor 405.',
    check:
      'Only for the five types with a documented payload. A 404 for an unannounced sibling path is the contrast and is recorded.',
    fault: 'One announced endpoint is not routed.',
    needs: ['extension-host'],
    after: ['metadata.host.endpoint-relative', 'signing.extension-host.right-signature-accepted'],
  },
  'metadata.host.capabilities-shape': {
    side: 'extension',
    level: 'must',
    source: 'extensions: Extension metadata record, row capabilities',
    statement:
      'capabilities, when present, is an array whose items have capabilityType (string) and capabilities (array of strings).',
    check:
      'Schema check per record. capabilityType outside SoftType, MimeType and BaseType is recorded, as custom values are allowed.',
    fault: 'capabilities of an item is a single string.',
    needs: ['extension-host'],
    style: 'property',
    after: ['metadata.host.array-response'],
  },
  'metadata.host.permissions-shape': {
    side: 'extension',
    level: 'must',
    source: 'extensions: Extension metadata record, row permissions; Permission names',
    statement:
      'permissions, when present, has tokenCallback (string) and permissions, an array of the five documented names.',
    check: 'Schema check per record, with exact names.',
    fault: 'tokenCallback is left out.',
    needs: ['extension-host'],
    style: 'property',
    after: ['metadata.host.array-response'],
  },
  'metadata.host.ids-unique': {
    side: 'extension',
    level: 'should',
    source: 'extensions: Extension metadata record, row id; Acquiring API keys (id used as path segment)',
    statement: 'Record ids are unique within one host and usable as a single path segment.',
    check: 'Compare all ids; an id that needs more than percent-encoding of a segment is recorded.',
    fault: 'Two records share an id.',
    needs: ['extension-host'],
    style: 'property',
    after: ['metadata.host.required-fields'],
  },
});
