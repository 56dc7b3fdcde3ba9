import { rules } from '../rule.ts';

export const apiKeysRules = rules('api-keys', {
  'api-keys.acquire.posts-to-callback': {
    level: 'must',
    source: 'extensions: Acquiring API keys',
    statement:
      'A valid acquire request makes the service POST a JSON object with the keys to the configured tokenCallback; the keys come by the callback.',
    check:
      'Metadata record with permissions and a tokenCallback on the listener; POST acquireAccessToken with the same callback and names; 2xx, and one POST on the callback within 10 s. Whether the answer itself holds keys, and whether the callback comes before it, is recorded.',
    fault: 'Keys are returned in the response and no callback is made.',
    needs: ['collection-admin', 'extension-listener', 'acquire-identity'],
  },
  'api-keys.acquire.exact-permissions': {
    level: 'must',
    source: 'extensions: Acquiring API keys; Permission names',
    statement: 'The members of the callback object are exactly the permission names asked for.',
    check:
      'Configure all five names and ask for each single one, for pairs and for all; member sets are equal to the request each time.',
    fault: 'All configured permissions are delivered, whatever was asked for.',
    needs: ['collection-admin', 'extension-listener', 'acquire-identity'],
    style: 'property',
    after: ['api-keys.acquire.posts-to-callback'],
  },
  'api-keys.acquire.key-shape': {
    level: 'must',
    source: 'extensions: Acquiring API keys',
    statement: 'Each member is an object with `apiKey`, a non-empty string.',
    check:
      'Schema check; keys of different permissions differ (same value warns); extra members are recorded. Base64 form is checked by the use on bulk upload.',
    fault: "The member's value is the key string itself.",
    needs: ['collection-admin', 'extension-listener', 'acquire-identity'],
    after: ['api-keys.acquire.posts-to-callback'],
  },
  'api-keys.acquire.callback-mismatch-refused': {
    level: 'must',
    source: 'extensions: Acquiring API keys (callback must equal the configured one)',
    statement: 'A tokenCallback other than the configured one is refused and nothing is posted to either address.',
    check:
      'Another path, another port, an added query, a trailing slash, other letter case in the path, and none at all; each outside 2xx, no POST on any listener path for 10 s. The exact value works before and after.',
    fault: 'Callback is compared by host only.',
    needs: ['collection-admin', 'extension-listener', 'acquire-identity'],
    after: ['api-keys.acquire.posts-to-callback'],
  },
  'api-keys.acquire.unconfigured-permission-refused': {
    level: 'must',
    source: 'extensions: Acquiring API keys (configured permissions only)',
    statement: 'A documented permission that is not configured for this extension is refused and no callback is made.',
    check:
      'Configure AdministrationAPI only and ask for SnapshotAPI; outside 2xx and no POST for 10 s. An unknown name is refused in the same way.',
    fault: 'Any of the five names is granted.',
    needs: ['collection-admin', 'extension-listener', 'acquire-identity'],
    after: ['api-keys.acquire.posts-to-callback'],
  },
  'api-keys.acquire.mixed-request-no-excess': {
    level: 'must',
    source: 'extensions: Acquiring API keys (configured permissions only)',
    statement:
      'A request that mixes configured and unconfigured permissions never yields a key for the unconfigured one.',
    check:
      'Ask for AdministrationAPI and SnapshotAPI with the first configured; either refused without a callback, or a callback with the first alone (which one is recorded, refusal is expected). A SnapshotAPI member fails.',
    fault: 'A list is granted when its first entry is configured.',
    needs: ['collection-admin', 'extension-listener', 'acquire-identity'],
    after: ['api-keys.acquire.unconfigured-permission-refused'],
  },
  'api-keys.acquire.own-configuration': {
    level: 'must',
    source: 'extensions: Acquiring API keys (extensionId in the path)',
    statement: 'The extension id in the path decides whose configuration counts; an unknown id is refused.',
    check:
      'Two extensions with different callbacks and permissions: asking under A with the callback or permissions of B is refused, no POST. A random id is outside 2xx (404 expected, recorded).',
    fault: 'Permissions are looked up over all extensions.',
    needs: ['collection-admin', 'extension-listener', 'acquire-identity'],
    after: ['api-keys.acquire.unconfigured-permission-refused'],
  },
  'api-keys.acquire.trusted-endpoint': {
    level: 'must',
    source: 'extensions: Authentication, rule 5; Registered trusted external endpoint, row permissions',
    statement:
      'The permissions of a trusted endpoint registration can be acquired in the same way as those of extension metadata.',
    check:
      'Register a trusted endpoint with permissions; acquire under its id; callback with the members asked for. Pair: a trusted endpoint without permissions is refused.',
    fault: 'Only extension metadata is consulted.',
    needs: ['collection-admin', 'extension-listener', 'acquire-identity'],
    after: ['api-keys.acquire.posts-to-callback'],
  },
  'api-keys.acquire.no-permissions-refused': {
    level: 'must',
    source: 'extensions: Acquiring API keys; Extension metadata record, row permissions',
    statement: 'An extension whose metadata has no permissions cannot acquire any key.',
    check: 'Metadata without the member; any name is refused and no POST arrives.',
    fault: 'A missing permissions object means no restriction.',
    needs: ['collection-admin', 'extension-listener', 'acquire-identity'],
    after: ['api-keys.acquire.posts-to-callback'],
  },
  'api-keys.acquire.caller-credential': {
    level: 'observe',
    source: 'extensions: Acquiring API keys (credential of the caller silent)',
    statement:
      'Which credential the acquire route takes (envelope token, administrator token, extension signature, none) is not said.',
    check:
      'Try each kind with an otherwise valid request; record status and whether a callback came. No credential at all with a 2xx is flagged in the report.',
    fault: "Not applicable as a failure; recorded variant: signature with the extension's key.",
    needs: ['collection-admin', 'extension-listener'],
  },
  'api-keys.callback.request-shape': {
    level: 'observe',
    source: 'extensions: Acquiring API keys (callback details silent)',
    statement: 'Credential, content type, retry on failure and timeout of the callback POST are not documented.',
    check:
      'Record headers (is there a signature, over which path); answer 503 twice, then 200, and record attempts and gaps; answer 404 and record.',
    fault: 'Not applicable as a failure; recorded variant: no retry.',
    needs: ['collection-admin', 'extension-listener', 'acquire-identity'],
  },
  'api-keys.key.administration-on-bulk': {
    level: 'must',
    source: 'extensions: Authentication, rules 2 and 5; Permission names, row AdministrationAPI',
    statement: 'An acquired AdministrationAPI key signs bulk upload calls that the service accepts.',
    check:
      'Decode the key from Base64, sign the path as documented, bulk-upload one file; 2xx and the file is readable. The same call with a flipped bit in the key is refused.',
    fault: 'Bulk routes know the initial administration key only.',
    needs: ['collection-admin', 'extension-listener', 'acquire-identity', 'host-directory', 'file-area-space'],
    after: ['api-keys.acquire.key-shape', 'bulk-upload.space.uploads-tree'],
  },
  'api-keys.key.other-permission-not-on-bulk': {
    level: 'must',
    source: 'extensions: Authentication, rule 2 (administration API key); Permission names',
    statement: 'Keys of the other four permissions do not open the bulk upload routes.',
    check: 'Acquire all five; sign a bulk call with each; only AdministrationAPI gives 2xx.',
    fault: 'Any issued key signs any key-protected route.',
    needs: ['collection-admin', 'extension-listener', 'acquire-identity', 'host-directory'],
    after: ['api-keys.key.administration-on-bulk'],
  },
  'api-keys.rotation.new-key-after-period': {
    level: 'must',
    source: 'extensions: Permission names, closing sentence; Limits, permission key rotation',
    statement: 'Keys are rotated every 24 hours: an acquisition after a full period yields another key, which works.',
    check:
      'Acquire, move the clock 24 h and 1 min, acquire again: different value, and it signs a bulk call. Record whether keys are pushed to the callback without a request, and whether two acquisitions within one hour give the same key.',
    fault: 'Keys never change.',
    needs: ['collection-admin', 'extension-listener', 'acquire-identity', 'host-directory', 'clock-control'],
    style: 'schedule',
    seconds: 86460,
    after: ['api-keys.key.administration-on-bulk'],
  },
  'api-keys.rotation.old-key-overlap': {
    level: 'observe',
    source: 'extensions: Limits, permission key rotation (end of the old key silent)',
    statement:
      'How long a key keeps working after its rotation is not said; that it stops working at some point is the purpose of a rotation.',
    check:
      'Use the old key right before the period ends, right after it, and 1, 12, 24 and 25 h later; record the last success.',
    fault: 'Not applicable as a failure; recorded variant: old key works for ever.',
    needs: ['collection-admin', 'extension-listener', 'acquire-identity', 'host-directory', 'clock-control'],
    style: 'schedule',
    seconds: 176400,
    after: ['api-keys.rotation.new-key-after-period'],
  },
  'api-keys.host.request-matches-metadata': {
    side: 'extension',
    level: 'must',
    source: 'extensions: Acquiring API keys; Extension metadata record, row permissions',
    statement:
      "A host that acquires keys sends a JSON object with tokenCallback equal to the one in its metadata and with permissions taken from that record, to the acquire route with that record's id.",
    check:
      'The suite plays the service at baseAddress and waits for the request after registration and after a call; compare callback, names and id. No request at all is reported as not exercised.',
    fault: 'Host asks for a permission that its metadata does not list.',
    needs: ['extension-host', 'extension-permissions'],
    after: ['metadata.host.permissions-shape'],
  },
  'api-keys.host.callback-accepted': {
    side: 'extension',
    level: 'must',
    source: 'extensions: Acquiring API keys',
    statement: 'The tokenCallback of the host accepts the POST of the key object with a 2xx.',
    check:
      'After a request of the host, POST the names asked for with test keys; 2xx. Unsolicited POSTs and their answer are recorded.',
    fault: 'Callback route accepts PUT only.',
    needs: ['extension-host', 'extension-permissions'],
    after: ['api-keys.host.request-matches-metadata'],
  },
  'api-keys.host.rotation-handled': {
    side: 'extension',
    level: 'should',
    source: 'extensions: Permission names, closing sentence',
    statement:
      'The host copes with rotation: when its key is refused it acquires a new one instead of failing for good.',
    check:
      'Answer key-signed requests of the host with 401 from some moment on; within 60 s or at its next use a new acquire request arrives. A host that never uses its key is not exercised.',
    fault: 'First key is kept for the life of the process.',
    needs: ['extension-host', 'extension-permissions', 'extension-samples'],
    after: ['api-keys.host.callback-accepted'],
  },
});
