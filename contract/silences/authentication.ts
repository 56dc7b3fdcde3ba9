import type { SilencesOfSection } from './silence.ts';

/** Tokens, grants and who one is. */
export const authenticationSilences: SilencesOfSection = {
  'unusable-token-status': {
    source: 'core: Authentication 6; Errors, 401',
    open: 'How a token is refused that is there but mangled, changed or too old.',
    choice: '401 and invalid_token (RFC 6750).',
    profile: 'expect.unusableToken',
    records: 'status, by defect',
  },
  'challenge-on-401': {
    source: 'core: Errors, 401',
    open: 'If a 401 says how to do better.',
    choice: 'WWW-Authenticate names Bearer; RFC 9110 requires such a header.',
    records: 'the header, or that there is none',
  },
  'token-endpoint-address': {
    source: 'core: Authentication 3',
    open: 'The address of the token endpoint, a placeholder in the text.',
    choice: '/auth/token, next to the API root.',
    profile: 'auth.tokenUrl',
    records: 'if it is bound',
  },
  'token-response-members': {
    source: 'core: Authentication 3',
    open: 'Status, headers and further members of a granted token.',
    choice: '200, token_type Bearer, expires_in, Cache-Control no-store (RFC 6749).',
    records: 'members and headers',
  },
  'token-error-response': {
    source: 'core: Authentication 3',
    open: 'How a grant is refused.',
    choice: 'As RFC 6749 has it: 401 for the client, 400 for the grant or its type.',
    profile: 'expect.grantErrors',
    records: 'status and error code, by mistake',
  },
  'scope-other-than-all': {
    source: 'core: Authentication 3',
    open: 'What becomes of a grant with a different scope or without one.',
    choice: 'Different: 400 invalid_scope. Without: as if it were All.',
    profile: 'expect.unknownScope',
    records: 'status, and if a token came',
  },
  'token-claims-and-lifetime': {
    source: 'core: Authentication 2',
    open: 'What the token claims, for how long, and if it can be refreshed.',
    choice: 'sub, iat, exp (RFC 7519); an hour; no refresh.',
    profile: 'auth.tokenLifetimeSeconds',
    records: 'names of the claims, exp minus iat, how long after exp it still opens',
  },
  'signing-key-form': {
    source: 'core: Authentication 2',
    open: 'If the symmetric key is the text itself or what the text encodes.',
    choice: 'What it encodes in Base64, like the keys of the other document.',
    profile: ['auth.signingKey', 'auth.signingKeyForm'],
    records: 'the form with which signatures verify',
  },
  'id-token-exchange-route': {
    source: 'core: Authentication 4',
    open: 'Where and how an id token is turned into a token of the service.',
    choice: 'A token exchange (RFC 8693) at the token endpoint.',
    profile: 'auth.idTokenExchange',
    records: 'if it is bound, and what kind of token comes back',
  },
  'pat-origin-and-form': {
    source: 'core: Authentication 1 and 5',
    open: 'Where personal access tokens come from, what they look like, when they end.',
    choice: 'Random texts from the seed, without end.',
    profile: 'identities.*.pat',
    records: 'nothing but that it opens',
  },
  'pat-in-basic-on-core-routes': {
    source: 'core: Authentication 2 and 5',
    open: 'If user name and personal access token open more than file routes.',
    choice: 'Every route (RFC 7617).',
    profile: 'auth.basicOnCoreRoutes',
    records: 'status with the right user name and with a wrong one',
  },
  'scheme-name-case': {
    source: 'core: Authentication 2',
    open: 'If the scheme may be written in other letters.',
    choice: 'In any (RFC 9110).',
    records: 'status with lower case',
  },
};
