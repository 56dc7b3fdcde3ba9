import encoding from 'k6/encoding';
import { mediaTypes } from '../../../contract/names.ts';
import type { IdentityName } from '../../../contract/profile.ts';
import { objectIn } from '../results.ts';
import type { HttpStep } from '../step.ts';
import { variable } from './environment.ts';
import type { CredentialNames, Plan } from './plan.ts';
import { answerTo, type Sending } from './request.ts';

/** An access token, with the time by which a new one is asked for, in ms since 1970. */
export interface Token {
  readonly value: string;
  readonly renewAt: number;
}
export type Tokens = Partial<Record<IdentityName, Token>>;

/** Part of its life that a token is used for. */
const usedPart = 0.75;
/** How long a renewal that failed is not tried again. */
const retryMs = 5000;
/** Tokens that the environment holds are not asked for again. */
const never = Number.MAX_SAFE_INTEGER;

/** A token for every identity that the journeys use. @throws {Error} a variable is missing, or the service gives none */
export function allTokens(plan: Plan): Tokens {
  const names = Object.keys(plan.identities) as readonly IdentityName[];
  return Object.fromEntries(names.map((name) => [name, tokenOf(plan, name)]));
}

/** Value of the Authorization header of a step; tokens that are about to expire are renewed in place. */
export function authorizationFor(plan: Plan, tokens: Tokens, as: HttpStep['as']): string | undefined {
  if (as === null) return undefined;
  if (typeof as === 'object') return 'basic' in as ? basic(plan) : `Bearer ${as.bearer}`;
  const name = as ?? 'editor';
  const known = tokens[name];
  const token = known === undefined || Date.now() > known.renewAt ? renew(plan, name, known) : known;
  tokens[name] = token;
  return `Bearer ${token.value}`;
}

/** A token that cannot be had now shows as 401 in the traffic, which is where it belongs. @throws {Error} there is no older one */
function renew(plan: Plan, name: IdentityName, known: Token | undefined): Token {
  try {
    return tokenOf(plan, name);
  } catch (error) {
    if (known === undefined) throw error;
    return { ...known, renewAt: Date.now() + retryMs };
  }
}

function tokenOf(plan: Plan, name: IdentityName): Token {
  const credential = plan.identities[name];
  if (credential === undefined)
    throw new Error(
      `Expected credentials of ${name} in ground.json, found none. Export again, with the identity in the profile.`,
    );
  return credential.kind === 'token'
    ? { value: variable(credential.token), renewAt: never }
    : requestToken(plan, name, credential);
}

function requestToken(
  plan: Plan,
  name: IdentityName,
  { username, password }: Extract<CredentialNames, { readonly kind: 'grant' }>,
): Token {
  const form = Object.entries({
    grant_type: 'password',
    username: variable(username),
    password: variable(password),
    scope: 'All',
  });
  const step: HttpStep = {
    kind: 'http',
    op: 'token',
    method: 'POST',
    path: plan.tokenPath ?? '',
    as: { basic: 'client' },
    headers: { 'Content-Type': mediaTypes.form },
    body: form.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&'),
  };
  const sending: Sending = plan.client === undefined ? { plan } : { plan, authorization: basic(plan) };
  const { result } = answerTo(step, sending);
  const { access_token: value, expires_in: seconds } = objectIn(result);
  if (typeof value !== 'string')
    throw new Error(
      `Expected an access token for ${name} from ${step.path}, found status ${result.status}. Check ${username} and ${password}.`,
    );
  const life = typeof seconds === 'number' ? seconds : plan.tokenLifetimeSeconds;
  return { value, renewAt: Date.now() + life * 1000 * usedPart };
}

function basic({ client }: Plan): string {
  if (client === undefined)
    throw new Error(
      'Expected an OAuth client in ground.json, found none. Export again, with auth.clientId in the profile.',
    );
  return `Basic ${encoding.b64encode(`${variable(client.id)}:${variable(client.secret)}`)}`;
}
