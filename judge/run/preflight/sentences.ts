import type { IdentityName, Profile } from '../../../contract/profile.ts';
import { memberIn } from '../../json.ts';
import type { Sender } from '../../client/client.ts';
import { ConnectionLost, TargetUnreachable } from '../../client/failure.ts';
import type { Session } from '../session.ts';
import { isSuccess, type Reply } from '../../exchange.ts';
import { gatewaySentence, isGatewayStatus } from '../../every-answer/gateway.ts';
import { messageOf } from '../../../contract/thrown.ts';
import type { CaseContext } from '../../case.ts';
import { PreconditionFailed } from '../../violation.ts';

/** A SoftType of the profile, with the keys that a person would have to change. */
export interface Mapped {
  readonly key: string;
  readonly spaceKey: string;
  readonly space: string;
}

export function sentenceAboutSilence(error: unknown, { baseUrl, limits }: Profile): string {
  const message = messageOf(error);
  if (error instanceof TargetUnreachable || message.includes('baseUrl')) return message;
  if (error instanceof ConnectionLost)
    return `${message}: see whether baseUrl (${baseUrl}) is the address of the service${plainly(baseUrl)}, and what closes connections in front of it`;
  if (message.includes('was cut off'))
    return `${message}: correct baseUrl (${baseUrl}), where something else than the service answers`;
  const seconds = limits?.requestTimeoutSeconds ?? 30;
  return `${message}: see whether baseUrl (${baseUrl}) is the address of the service, or raise limits.requestTimeoutSeconds (${seconds})`;
}

function plainly(baseUrl: string): string {
  return baseUrl.startsWith('http:') ? ' and speaks plain HTTP, not TLS (https://)' : '';
}

/** The token endpoint did not answer with a token. */
export function sentenceAboutGrant(reply: Reply, name: IdentityName): string {
  const status = reply.status;
  if (isGatewayStatus(status)) return gatewaySentence(reply);
  if (isRedirect(status)) return redirectSentence(reply, 'auth.tokenUrl or baseUrl');
  if (status < 400)
    return `${placeOf(reply)} answered ${status} with ${contentOf(reply)} and no access_token: correct auth.tokenUrl or baseUrl`;
  if (status === 404 || status === 405)
    return `there is no token endpoint at ${placeOf(reply)} (${status}): correct auth.tokenUrl or baseUrl`;
  if (/plain HTTP|to (?:an )?HTTPS/i.test(reply.text))
    return `${placeOf(reply)} answered ${status}, for it speaks TLS: write https:// in auth.tokenUrl or baseUrl`;
  const code = errorCodeOf(reply);
  return `the token endpoint refused the identity ${name} (${[status, code].join(' ').trim()}): ${remedies.get(code) ?? 'correct'} ${keysAbout(code, name)}`;
}

/** What OAuth tells of a refusal, as far as it says whose fault it is. Source: RFC 6749, 5.2. */
const remedies: ReadonlyMap<string, string> = new Map([
  ['invalid_scope', 'give the client a scope that holds the API of the service, or name another client in'],
  ['unauthorized_client', 'allow the client the password grant, or name another one in'],
  ['unsupported_grant_type', 'allow the password grant at the token endpoint, or name another one in'],
]);

function keysAbout(code: string, name: IdentityName): string {
  const [user, client] = [
    `identities.${name}.username and identities.${name}.password`,
    'auth.clientId and auth.clientSecret',
  ];
  if (code === 'unsupported_grant_type') return 'auth.tokenUrl';
  if (code === 'invalid_grant') return user;
  return code === 'invalid_client' || remedies.has(code) ? client : `${user}, or ${client}`;
}

function errorCodeOf({ json }: Reply): string {
  const code = memberIn(json, 'error');
  return typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? code : '';
}

/** No object could be created and read back. `spaceClosed`: other routes of the space refuse as well. */
export function sentenceAboutObject(
  reply: Reply,
  problem: string,
  { key, spaceKey, space }: Mapped,
  spaceClosed: boolean | undefined,
): string {
  const status = reply.status;
  const answered = `${placeOf(reply)} answered ${status}`;
  const type = `${key}.definitionId or ${key}.inputSchemaId`;
  const spaceOf = `${spaceKey} ("${space}"), or the role of identities.editor in it`;
  if (isGatewayStatus(status)) return gatewaySentence(reply);
  if (isRedirect(status)) return redirectSentence(reply, 'baseUrl');
  if (/insufficient_scope/.test(reply.headers['www-authenticate'] ?? ''))
    return `${answered}: the scope of the token does not hold this; give the client of auth.clientId a scope that does`;
  if (status === 401)
    return `${answered}: the target does not accept the token of identities.editor; correct its token or password`;
  if (spaceClosed === true) return `${answered}, and so do other routes of the space: correct ${spaceOf}`;
  if (spaceClosed === false && status === 403)
    return `${answered} although the space is open: give identities.editor a role in it that may create, or correct ${type}`;
  if (spaceClosed === false) return `${answered} although the space is open: correct ${type}`;
  if (status === 403 || status === 404) return `${answered}: correct ${spaceOf}, or ${type}`;
  if (status >= 500) return `${answered} to a new object: see the log of the service, and ${key}.body`;
  if (status >= 400)
    return `${answered} to a new object: correct ${key}.body, ${key}.inputSchemaId or informationFilter.default`;
  if (isMarkup(reply))
    return `${answered} with ${contentOf(reply)} where the API would answer with JSON: correct baseUrl`;
  if (reply.exchange.request.method === 'POST' && status === 201)
    return `${answered} to a new object, ${whereAbout(reply)}: see the rules headers.location.*, or correct ${key}.outputSchemaId`;
  return `an object made from ${key} cannot be created and read back (${problem}): correct ${key}.body and ${key}.outputSchemaId`;
}

/** What keeps clients from finding a new object. */
function whereAbout({ headers: { location } }: Reply): string {
  if (location === undefined) return 'without Location or anything else that tells where it is';
  return `and no object with $oid and version can be read at its Location (${location})`;
}

function redirectSentence(reply: Reply, keys: string): string {
  const place = reply.headers['location'] ?? 'nowhere';
  return `${placeOf(reply)} answered ${reply.status} and leads to ${place}: name the address that the service itself serves in ${keys}`;
}

function isRedirect(status: number): boolean {
  return !isSuccess(status) && status < 400;
}

function placeOf(reply: Reply): string {
  return `${reply.exchange.request.method} ${reply.exchange.request.url}`;
}

function contentOf(reply: Reply): string {
  return reply.headers['content-type']?.split(';')[0] ?? (isMarkup(reply) ? 'markup' : 'no content type');
}

function isMarkup(reply: Reply): boolean {
  return /html|xml/.test(reply.headers['content-type'] ?? '') || reply.text.trimStart().startsWith('<');
}

/** What the work says of the target, or why it could not be done. */
export async function sentenceFrom(
  { profile }: Pick<CaseContext, 'profile'>,
  work: () => Promise<string | undefined>,
): Promise<string | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PreconditionFailed) return `the run needs ${error.needed}`;
    return sentenceAboutSilence(error, profile.all);
  }
}

const unrecorded: Sender = { reuse: false, retries: [], add: () => undefined };

/** Undefined when the extension host answers the metadata exchange, else a sentence that says what to change. */
export async function sentenceAboutHost({ host }: Session): Promise<string | undefined> {
  if (host === undefined) return 'no extension host is named: give --url, or extensionHost in the profile';
  try {
    return aboutReply(await host.post.discover(unrecorded), host.post.metadataUrl);
  } catch (error) {
    const message = messageOf(error);
    if (error instanceof TargetUnreachable) return message;
    return `the extension host did not answer the metadata exchange at ${host.post.metadataUrl} (${message}): see its log, or correct its address (--url, or extensionHost.hostUri of the profile)`;
  }
}

function aboutReply({ status, text }: Reply, url: string): string | undefined {
  const answered = `the metadata exchange at ${url} was answered with ${status}`;
  if (status === 401 || status === 403)
    return `${answered}, though it was signed: correct the key (--api-key, EXTENSION_API_KEY, or extensionHost.apiKey of the profile), which is that of the host in Base64, or how the host makes the signature that it compares (svc-conformance rules explain signing.extension-host.right-signature-accepted)`;
  if (status === 404 || status === 405)
    return `${answered}: correct the address (--url, or extensionHost.hostUri of the profile), from which /svc/extension has to follow`;
  if (status === 304)
    return `${answered}, though nothing in it asks for what has changed: let the extension host answer with its metadata`;
  if (status >= 500) return `${answered}: see the log of the extension host`;
  if (!isSuccess(status))
    return `${answered}: name the address that the host itself serves (--url, or extensionHost.hostUri of the profile)`;
  if (/^\s*</.test(text))
    return `${answered} and a page instead of JSON, as no extension host does: correct the address (--url, or extensionHost.hostUri of the profile)`;
  return undefined;
}
