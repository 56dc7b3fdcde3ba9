import { rules } from '../rule.ts';

export const authRules = rules('auth', {
  'auth.missing-token.answers-401': {
    level: 'must',
    source: 'core: Authentication 6; Errors 401',
    statement: 'Every space route answers 401 when the request has no Authorization header.',
    check:
      'For each route the profile knows (instance GET in both forms, page, create, merge, operations, PUT, DELETE, promote, batch, multi-create) send a request that works with a token, without it: 401, not 403, 404 or a redirect. With the token it works.',
    fault: 'the page route is served without a token',
    needs: ['soft-type', 'array-port'],
    style: 'property',
  },
  'auth.missing-token.write-has-no-effect': {
    level: 'must',
    source: 'core: Authentication 6',
    statement: 'A write without a token changes nothing.',
    check:
      'Send merge, operations, PUT, promote and a batch of edits without token and with the right version; object unchanged.',
    fault: 'the token is checked after the write',
    needs: ['soft-type', 'scalar-members'],
  },
  'auth.role.no-role-403': {
    level: 'must',
    source: 'core: Authentication 6 and 7; What the service does, space level',
    statement: 'A valid identity without a role on any participant gets 403 from space routes, reads and writes alike.',
    check:
      'GET, page, create, merge and batch with its token: 403, body free of the content of the object (marker text), object unchanged. Its token is proved valid on a route open to it or by the contrast with a garbage token.',
    fault: 'any valid token may read',
    needs: ['soft-type', 'array-port', 'no-role-identity'],
  },
  'auth.role.outsider-403': {
    level: 'must',
    source: 'core: Authentication 6 and 7 (a participant of the space)',
    statement: 'A role in another space gives no access to this one: 403.',
    check:
      'The outsider reads and edits in its own space with success and gets 403 for the same requests here, also when it takes the object id of here into the path of its own space (there no success either).',
    fault: 'a role in any space counts for all spaces',
    needs: ['soft-type', 'scalar-members', 'outsider-identity', 'second-space'],
  },
  'auth.role.reader-may-read': {
    level: 'must',
    source: 'core: What the service does, space level (role decides on methods)',
    statement: 'A role that allows GET can read instances and pages: 200 with the same content as the editor sees.',
    check: 'Reader and editor read E(11) and its page 1; `data` and `version` are equal.',
    fault: 'a reader sees no array entries',
    needs: ['soft-type', 'array-port', 'reader-identity'],
  },
  'auth.role.reader-create-403': {
    level: 'must',
    source: 'core: What the service does, space level; Errors 403',
    statement: 'A role without POST gets 403 for a create and for a multi-create, and nothing is created.',
    check:
      'Send both as reader; 403, no Location, the listing unchanged where there is one. The editor succeeds with the same bodies.',
    fault: 'the role is checked for PUT and PATCH only',
    needs: ['soft-type', 'reader-identity'],
  },
  'auth.role.reader-edit-403': {
    level: 'must',
    source: 'core: What the service does, space level; Errors 403',
    statement: 'A role that allows GET only gets 403 for merge PATCH, operations PATCH and PUT with the right version.',
    check:
      'Send each as reader: 403, object unchanged; the editor then succeeds with the same version. With a wrong version the status is recorded.',
    fault: 'operations PATCH skips the role check',
    needs: ['soft-type', 'scalar-members', 'reader-identity'],
  },
  'auth.role.reader-delete-403': {
    level: 'must',
    source: 'core: What the service does, space level; Errors 403',
    statement: 'A role without DELETE gets 403 for a DELETE and the object stays.',
    check: 'Reader deletes: 403, GET still 200. The editor (where its role allows) succeeds.',
    fault: 'DELETE skips the role check',
    needs: ['soft-type', 'reader-identity', 'delete-route'],
    after: ['patch.delete.object-gone'],
  },
  'auth.jwt.three-decodable-parts': {
    level: 'must',
    source: 'core: Authentication 2',
    statement:
      'The access token is a JWT: three base64url parts joined by dots, of which the first two decode to JSON objects.',
    check:
      'Take the token of the editor; split, decode without padding, parse. An `exp` in the claims, if any, lies in the future. Other claims are recorded.',
    fault: 'issues an opaque token',
    needs: ['jwt'],
  },
  'auth.jwt.header-names-hs512': {
    level: 'must',
    source: 'core: Authentication 2',
    statement: 'The token header names the algorithm HMAC with SHA-512, `alg` = `HS512`.',
    check:
      'Decode the first part and compare `alg`; the signature part decodes to 64 bytes. Two users give the same header.',
    fault: 'signs with HS256',
    needs: ['jwt'],
    after: ['auth.jwt.three-decodable-parts'],
  },
  'auth.jwt.signature-verifies': {
    level: 'must',
    source: 'core: Authentication 2',
    statement: 'The signature of the token is the HMAC SHA-512 of its first two parts under the symmetric key.',
    check: 'Compute it with the disclosed key and compare the bytes; with another key it differs.',
    fault: 'signs the payload without the header part',
    needs: ['jwt', 'signing-key'],
    after: ['auth.jwt.three-decodable-parts'],
  },
  'auth.jwt.tampered-refused': {
    level: 'must',
    source: 'core: Authentication 2 and 6',
    statement: 'A token whose claims or signature were altered is not accepted.',
    check:
      'Change single characters of the payload (kept valid JSON) and of the signature, drop the signature, swap in the signature of another token, send random text: no 2xx, 401 expected, object unchanged. Do not alter only the last character of a part, whose spare bits may decode alike.',
    fault: 'decodes the token without verifying the signature',
    needs: ['soft-type', 'scalar-members', 'jwt'],
    style: 'property',
  },
  'auth.jwt.alg-none-refused': {
    level: 'must',
    source: 'core: Authentication 2',
    statement: 'A token that declares no algorithm (`none` in any letter case) is not accepted.',
    check:
      'Take the claims of a valid token, set `alg` to none, None, NONE, with empty and with old signature: no 2xx.',
    fault: 'takes the algorithm from the token header',
    needs: ['soft-type', 'jwt'],
  },
  'auth.jwt.other-algorithm-refused': {
    level: 'must',
    source: 'core: Authentication 2 (HMAC SHA512)',
    statement:
      'A token rightly signed with the shared key but under HS256 or HS384 is not accepted, nor is an HS512 token under a foreign key.',
    check:
      'Mint the four tokens (HS256, HS384, HS512 with a foreign key, HS512 with the real key) from the same claims: only the last works.',
    fault: 'accepts every HMAC variant',
    needs: ['soft-type', 'signing-key'],
  },
  'auth.jwt.expired-refused': {
    level: 'must',
    source: 'core: Authentication 1 and 6 (a JWT; its expiry claim)',
    statement: 'A token whose `exp` has passed is not accepted.',
    check:
      'Send a token expired by an hour: no 2xx, 401 expected; a fresh one of the same user works. A few seconds of leeway are recorded.',
    fault: 'ignores exp',
    needs: ['soft-type', 'expired-token'],
  },
  'auth.refused-token.status-401': {
    level: 'should',
    source: 'core: Errors 401 (unauthorized, typically no access token)',
    statement:
      'An unusable token (garbage, tampered, expired, another scheme) is answered with 401 rather than 403, 400 or 500.',
    check:
      'Collect the statuses of the refused tokens of this area; anything but 401 is a warning. Record `WWW-Authenticate`, letter case of the scheme name, and a token given in the query instead of the header.',
    fault: 'answers 403 to a garbage token',
    needs: ['soft-type'],
  },
  'auth.grant.returns-access-token': {
    level: 'must',
    source: 'core: Authentication 3',
    statement:
      'A form POST to the token endpoint with Basic client credentials, `grant_type` password, user name, password and `scope` All returns JSON with a string `access_token` that opens the space.',
    check:
      'Get a token, compare content type and type of the member, read an object with it. Fields with reserved characters are form-encoded. Other members of the answer are recorded.',
    fault: 'returns the token under the name token',
    needs: ['soft-type', 'password-grant'],
  },
  'auth.grant.wrong-user-yields-no-token': {
    level: 'must',
    source: 'core: Authentication 3',
    statement: 'A wrong password or an unknown user yields no token.',
    check:
      'Wrong, empty and missing password, unknown user: no 2xx and no `access_token` anywhere in the body. The status is recorded. The right password works afterwards.',
    fault: 'checks only that the user exists',
    needs: ['password-grant'],
    after: ['auth.grant.returns-access-token'],
  },
  'auth.grant.wrong-client-yields-no-token': {
    level: 'must',
    source: 'core: Authentication 3',
    statement:
      'A wrong client secret, an unknown client or a missing Basic header yields no token, even with the right user and password.',
    check:
      'Send the three: no 2xx, no `access_token`. Client credentials in the form instead of the header are recorded.',
    fault: 'the client credentials are not checked',
    needs: ['password-grant'],
    after: ['auth.grant.returns-access-token'],
  },
  'auth.grant.other-parameters': {
    level: 'observe',
    source: 'core: Authentication 3',
    statement:
      'Not described: another or missing scope, another grant type, a JSON body instead of a form, error statuses and error body of the token endpoint.',
    check: 'Send each; record status, content type, keys of the body, and whether a token came back.',
    needs: ['password-grant'],
  },
  'auth.pat.bearer-accepted': {
    level: 'must',
    source: 'core: Authentication 1 and 2',
    statement: 'A personal access token sent as bearer token opens space routes with the rights of its owner.',
    check: 'Read and edit with the token of the editor: success. One changed character: no 2xx, 401 expected.',
    fault: 'the bearer value must be a JWT',
    needs: ['soft-type', 'scalar-members', 'pat'],
  },
  'auth.pat.basic-on-core-routes': {
    level: 'observe',
    source: 'core: Authentication 5',
    statement:
      'Basic authentication with user name and personal access token is described for file routes; whether core routes accept it is left open.',
    check:
      'GET an instance that way with the right and a wrong user name, and with the login password in its place; record the three statuses.',
    needs: ['soft-type', 'pat'],
  },
  'auth.order.of-checks': {
    level: 'observe',
    source: 'core: Authentication 6; Errors',
    statement: 'The order of 401, 403, 404, 409 and 412 is not described.',
    check:
      'Record: no token on an unknown object; outsider on an unknown object and on an unknown space; reader with a wrong and without version; editor with a wrong version on an unknown object. Report whether 403 and 404 tell strangers which ids exist.',
    needs: ['soft-type', 'reader-identity', 'no-role-identity'],
  },
  'auth.id-token.exchange': {
    level: 'observe',
    source: 'core: Authentication 4',
    statement: 'The exchange of an id token of a trusted provider for a service token has no described route.',
    check:
      'By the route of the profile: exchange, inspect the token as in the JWT rules, read an object; record what an id token of a foreign provider gets.',
    needs: ['soft-type', 'id-token'],
  },
});
