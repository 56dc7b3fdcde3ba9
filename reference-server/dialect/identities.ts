import { replacing, together, type Fault } from '../faults/fault.ts';

/** The scheme is Bearer, in these letters, and no other one, but on the file routes, for which the document names Basic. */
export const bearerOnly: Fault = together(
  replacing('authenticate', (right) => async (service, call) => {
    if (service.behaviours.credentialsOf(call.headers)?.scheme === 'basic' && !/\/fs\//.test(call.url))
      throw service.behaviours.unusableToken(service, 'Expected a bearer token.');
    return right(service, call);
  }),
  replacing('credentialsOf', (right) => (headers) => {
    const given = headers['authorization'];
    return given !== undefined && /^bearer/i.test(given) && !given.startsWith('Bearer')
      ? { scheme: 'unknown' }
      : right(headers);
  }),
);

/** A token claims other things besides who and until when, and is granted with as little as the document asks for. */
export const otherTokens: Fault = together(
  replacing(
    'signClaims',
    (right) =>
      (service, { sub, exp, jti }) =>
        right(service, {
          ...(sub !== undefined && { sub }),
          ...(exp !== undefined && { exp }),
          ticket: jti,
          nickname: sub,
        }),
  ),
  replacing('tokenAnswer', () => (_service, _form, token) => ({
    status: 200,
    body: { access_token: token, scope: null },
  })),
);

/** Any scope will do. */
export const anyScope: Fault = replacing(
  'grantFormOf',
  (right) => (call) => new Map([...right(call), ['scope', 'All']]),
);

/** A grant is refused with 403, whatever is wrong with it. */
export const grantsForbidden: Fault = replacing('grantErrorAnswer', (right) => (refusal) => ({
  ...right(refusal),
  status: 403,
}));
