import { rules } from '../rule.ts';

export const signingRules = rules('signing', {
  'signing.bulk.signature-accepted': {
    level: 'must',
    source: 'extensions: Authentication, rule 2',
    statement:
      'A bulk call is accepted when its bearer is the URL-safe, unpadded Base64 of HMAC-SHA512 over the UTF-8 request path, keyed with the bytes of the Base64 administration key; this holds on each of the three levels with its own path.',
    check:
      "Check the suite's signer first against a vector: key bytes 00..3F and path `/svc/extension` give a value of 86 characters that starts `UJRhNDRTdjYP-7kq` and ends `5xBYVpw`. Then call each level whose area is declared with real ids in the path; each 2xx. The report names the levels that were exercised.",
    fault: 'Only the collection-level path verifies.',
    needs: ['admin-api-key', 'host-directory', 'file-area-any'],
  },
  'signing.bulk.wrong-path-refused': {
    level: 'must',
    source: 'extensions: Authentication, rule 2 (over the request path)',
    statement:
      'A signature made over another path than the one requested is refused, also when that path is another bulk level, another space id, or the same path with a suffix.',
    check:
      'Take the valid signatures of the three levels and swap them; sign with a changed space id; sign `/`. Each is outside 2xx and nothing is uploaded within 5 s. The matching signatures work in between.',
    fault: 'The signature is verified over a constant path.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space', 'file-area-participant'],
    after: ['signing.bulk.signature-accepted'],
  },
  'signing.bulk.wrong-key-refused': {
    level: 'must',
    source: 'extensions: Authentication, rule 2',
    statement: 'A signature made with another key is refused.',
    check:
      'Keys: random 64 bytes, the right key with one bit flipped, the empty key; outside 2xx, 401 or 403 recorded. The right key works before and after.',
    fault: 'Any bearer of 86 URL-safe characters is accepted.',
    needs: ['admin-api-key', 'host-directory'],
    after: ['signing.bulk.signature-accepted'],
  },
  'signing.bulk.key-bytes-decoded': {
    level: 'must',
    source: 'extensions: Authentication, rule 2 (key is Base64-decoded first)',
    statement:
      'The HMAC key is the decoded byte string; a signature made with the Base64 text itself as the key is refused.',
    check: 'Compute both; assert that they differ; the text-keyed one is outside 2xx, the byte-keyed one 2xx.',
    fault: 'Key text is used undecoded (a signature over the text is accepted as well).',
    needs: ['admin-api-key', 'host-directory'],
    after: ['signing.bulk.signature-accepted'],
  },
  'signing.bulk.algorithm-sha512': {
    level: 'must',
    source: 'extensions: Authentication, rule 2 (HMAC SHA512)',
    statement: 'Signatures made with HMAC-SHA256 or with plain SHA-512 of key and path are refused.',
    check: 'Same path and key, three digests; only HMAC-SHA512 is 2xx.',
    fault: 'Verification compares with HMAC-SHA256 as a fallback.',
    needs: ['admin-api-key', 'host-directory'],
    after: ['signing.bulk.signature-accepted'],
  },
  'signing.bulk.truncated-refused': {
    level: 'must',
    source: 'extensions: Authentication, rule 2 (the whole value)',
    statement: 'A proper prefix of the right signature, down to the empty string, is refused.',
    check: 'First 1, 43 and 85 characters and the empty bearer; each outside 2xx.',
    fault: 'Comparison runs over the length of the value that was sent.',
    needs: ['admin-api-key', 'host-directory'],
    after: ['signing.bulk.signature-accepted'],
  },
  'signing.bulk.url-safe-alphabet': {
    level: 'must',
    source: 'extensions: Authentication, rule 2 (`+` to `-`, `/` to `_`)',
    statement: 'Signatures whose Base64 holds plus and slash characters are accepted in the URL-safe form.',
    check:
      'Signatures are fixed per path and key, so check that at least one of the level paths gives both `-` and `_`; when none does, use other spaces or acquired keys until one does, else report the rule as not exercised. Record whether the standard alphabet or a trailing `==` is accepted too (never fails).',
    fault: 'Expected signature is left in the standard alphabet.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    style: 'property',
    after: ['signing.bulk.signature-accepted'],
  },
  'signing.extension-call.metadata-signed': {
    level: 'must',
    source: 'extensions: Authentication, rule 3; Metadata exchange',
    statement:
      'The metadata GET carries `Authorization: Bearer` with the signature over `/svc/extension` keyed with the registered apiKey.',
    check:
      "Register the listener with the key bytes 00..3F and with a random 64-byte key; compare the header of each GET with the suite's signer (first value is the vector in signing.bulk.signature-accepted). Exactly one Authorization header, scheme Bearer, 86 characters of the URL-safe alphabet.",
    fault: 'Metadata GET is sent without Authorization.',
    needs: ['collection-admin', 'extension-listener'],
  },
  'signing.extension-call.every-type-signed': {
    level: 'must',
    source: 'extensions: Authentication, rule 3; Calls to extensions',
    statement:
      'Each POST to a registered extension carries the signature over the route path of that call, not over `/svc/extension`.',
    check:
      'For every type with a trigger in the profile give the record its own endpoint (`/t/event`, `/t/validation`, ...) and compare the header with the signer over the path as received. Event is the minimum; the report says which types were exercised.',
    fault: 'Calls reuse the signature of the metadata path.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['signing.extension-call.metadata-signed'],
  },
  'signing.extension-call.query-excluded': {
    level: 'must',
    source: 'extensions: Authentication, rule 3 (route path) with Calls to extensions, last sentence',
    statement:
      'The signed string is the path alone: the appended token query of validation, task and email calls is not part of it.',
    check:
      'On a call with a query compute both variants and assert that they differ; the header equals the path-only one. Repeat for task and email when triggers exist.',
    fault: 'Signature is computed over path and query.',
    needs: ['collection-admin', 'extension-listener', 'trigger-validation'],
    after: ['signing.extension-call.every-type-signed'],
  },
  'signing.extension-call.encoding': {
    level: 'must',
    source: 'extensions: Authentication, rules 2 and 3',
    statement: 'For any apiKey the signature is unpadded and URL-safe, with keys of 1 to 128 bytes.',
    check:
      'Register about 20 hosts with random keys (lengths 1, 32, 64, 65, 128; keys whose Base64 text holds plus and slash) and compare each metadata GET with the signer. Assert that the sample contained signatures with `-` and with `_`, else draw further keys.',
    fault: 'Slash is not replaced by underscore under keys of more than 64 bytes.',
    needs: ['collection-admin', 'extension-listener'],
    style: 'property',
    after: ['signing.extension-call.metadata-signed'],
  },
  'signing.extension-call.own-key-per-extension': {
    level: 'must',
    source: "extensions: Authentication, rule 3 (the extension's apiKey); Registered extension, row apiKey",
    statement: 'With several registered extensions each call is signed with the key of the extension that is called.',
    check:
      'Register two listeners with different keys, then cause one event for each in both orders; each verifies under its own key and not under the other one.',
    fault: 'The key registered last is used for every call.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['signing.extension-call.every-type-signed'],
  },
  'signing.extension-call.key-after-update': {
    level: 'must',
    source: 'extensions: Authentication, rule 3; Registered extension, row apiKey',
    statement:
      'After an update that changes apiKey, the metadata GET of that update and the following calls are signed with the new key.',
    check: 'Update the key, verify the GET and one event call under the new key and not under the old one.',
    fault: 'The key is cached from the first registration.',
    needs: ['collection-admin', 'extension-listener', 'registration-update', 'trigger-event'],
    after: ['signing.extension-call.every-type-signed'],
  },
  'signing.extension-call.host-base-path': {
    level: 'observe',
    source: 'extensions: Authentication, rule 3 (route path) against Registered extension, row hostUri',
    statement:
      'When hostUri itself has a path (`/base`), it is not said whether the signed path is `/base/svc/extension` or `/svc/extension`.',
    check:
      'Register hostUri with a path; record which of the two strings verifies. Other rules use a hostUri without a path.',
    fault: 'Not applicable as a failure; recorded variant: signature over the full path.',
    needs: ['collection-admin', 'extension-listener'],
  },
  'signing.extension-host.right-signature-accepted': {
    side: 'extension',
    level: 'must',
    source: 'extensions: Authentication, rule 3; Metadata exchange',
    statement:
      'An extension host answers a metadata GET with the right signature with 2xx, and likewise a signed POST to each of its endpoints (not 401 or 403).',
    check:
      'The suite plays the service: signed GET gives 200 and an array; signed POST with an envelope of the right type to each endpoint is not answered 401 or 403. The GET is repeated on a new connection, since a signature holds no nonce.',
    fault: 'Host verifies a padded signature and so refuses the documented one.',
    needs: ['extension-host'],
  },
  'signing.extension-host.missing-signature-refused': {
    side: 'extension',
    level: 'must',
    source: 'extensions: Authentication, rule 3 (the extension validates)',
    statement:
      'A metadata GET and a POST to any endpoint without Authorization are refused (no 2xx, no side effect, no metadata in the body).',
    check:
      "Unsigned GET and unsigned POST per endpoint; outside 2xx, 401 recorded. For a task record no callback may arrive at the suite's base address within 5 s.",
    fault: 'POST endpoints are not behind the signature check.',
    needs: ['extension-host'],
    after: ['signing.extension-host.right-signature-accepted'],
  },
  'signing.extension-host.wrong-key-refused': {
    side: 'extension',
    level: 'must',
    source: 'extensions: Authentication, rule 3',
    statement: 'A well-formed signature made with another key is refused on the metadata route and on every endpoint.',
    check:
      'Random key and the right key with one flipped bit; outside 2xx each time, the right signature works before and after.',
    fault: 'Any bearer value is accepted.',
    needs: ['extension-host'],
    after: ['signing.extension-host.right-signature-accepted'],
  },
  'signing.extension-host.wrong-path-refused': {
    side: 'extension',
    level: 'must',
    source: 'extensions: Authentication, rule 3 (over the route path of the call)',
    statement:
      'A signature over another path, in particular the metadata signature replayed on an endpoint, is refused.',
    check:
      'Send the signature of `/svc/extension` to each endpoint, and the signature of endpoint A to endpoint B; outside 2xx.',
    fault: 'Verification always uses the metadata path.',
    needs: ['extension-host'],
    after: ['signing.extension-host.right-signature-accepted'],
  },
  'signing.extension-host.query-ignored': {
    side: 'extension',
    level: 'must',
    source: 'extensions: Authentication, rule 3 with Calls to extensions, last sentence',
    statement:
      'A host that serves validation, task or email records verifies the signature over the path alone while the request has a token query.',
    check:
      'POST to the endpoint with an appended token query and a path-only signature; not 401 or 403. Also with another query name, as the name is not documented.',
    fault: 'Host computes the signature over the raw request target.',
    needs: ['extension-host', 'extension-validation'],
    after: ['signing.extension-host.right-signature-accepted'],
  },
  'signing.extension-host.other-notation': {
    side: 'extension',
    level: 'observe',
    source: 'extensions: Authentication, rules 2 and 3 (documented form only)',
    statement:
      'Whether a host also accepts the right digest with padding, in the standard alphabet, or with a lower-case scheme name is not said.',
    check: 'Three GETs with these forms; record accepted or refused.',
    fault: 'Not applicable as a failure; recorded variant: padded form accepted.',
    needs: ['extension-host'],
  },
});
