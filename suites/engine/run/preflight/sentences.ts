import type { IdentityName, Profile } from '../../../../contract/profile.ts';
import { ConnectionLost } from '../../client/failure.ts';
import type { Reply } from '../../exchange.ts';

/** A SoftType of the profile, with the keys that a person would have to change. */
export interface Mapped {
  readonly key: string;
  readonly spaceKey: string;
  readonly space: string;
}

/** No answer at all. */
export function sentenceAboutSilence(error: unknown, { baseUrl, limits }: Profile): string {
  const message = error instanceof Error ? error.message : String(error);
  if (message.includes('baseUrl')) return message;
  if (error instanceof ConnectionLost) return `${message}: see whether baseUrl (${baseUrl}) is the address of the service, and what closes connections in front of it`;
  const seconds = limits?.requestTimeoutSeconds ?? 30;
  return `${message}: see whether baseUrl (${baseUrl}) is the address of the service, or raise limits.requestTimeoutSeconds (${seconds})`;
}

/** The token endpoint did not answer with a token. */
export function sentenceAboutGrant(reply: Reply, name: IdentityName): string {
  const status = reply.status;
  if (isGateway(status)) return gatewaySentence(reply);
  if (isRedirect(status)) return redirectSentence(reply, 'auth.tokenUrl or baseUrl');
  if (status < 400) return `${placeOf(reply)} answered ${status} with ${contentOf(reply)} and no access_token: correct auth.tokenUrl or baseUrl`;
  if (status === 404 || status === 405) return `there is no token endpoint at ${placeOf(reply)} (${status}): correct auth.tokenUrl or baseUrl`;
  const keys = `identities.${name}.username and identities.${name}.password, or auth.clientId and auth.clientSecret`;
  return `the token endpoint refused the identity ${name} (${status}): correct ${keys}`;
}

/** No object could be created and read back. `spaceClosed`: other routes of the space refuse as well. */
export function sentenceAboutObject(reply: Reply, problem: string, { key, spaceKey, space }: Mapped, spaceClosed: boolean | undefined): string {
  const status = reply.status;
  const answered = `${placeOf(reply)} answered ${status}`;
  const type = `${key}.definitionId or ${key}.inputSchemaId`;
  const spaceOf = `${spaceKey} ("${space}"), or the role of identities.editor in it`;
  if (isGateway(status)) return gatewaySentence(reply);
  if (isRedirect(status)) return redirectSentence(reply, 'baseUrl');
  if (status === 401) return `${answered}: the target does not accept the token of identities.editor; correct its token or password`;
  if (spaceClosed === true) return `${answered}, and so do other routes of the space: correct ${spaceOf}`;
  if (spaceClosed === false && status === 403)
    return `${answered} although the space is open: give identities.editor a role in it that may create, or correct ${type}`;
  if (spaceClosed === false) return `${answered} although the space is open: correct ${type}`;
  if (status === 403 || status === 404) return `${answered}: correct ${spaceOf}, or ${type}`;
  if (status >= 500) return `${answered} to a new object: see the log of the service, and ${key}.body`;
  if (status >= 400) return `${answered} to a new object: correct ${key}.body, ${key}.inputSchemaId or informationFilter.default`;
  if (isMarkup(reply)) return `${answered} with ${contentOf(reply)} where the API would answer with JSON: correct baseUrl`;
  return `an object made from ${key} cannot be created and read back (${problem}): correct ${key}.body and ${key}.outputSchemaId`;
}

function gatewaySentence(reply: Reply): string {
  return `a gateway answered ${reply.status} for ${placeOf(reply)}: start the service behind it, or correct baseUrl`;
}

function redirectSentence(reply: Reply, keys: string): string {
  const place = reply.headers['location'] ?? 'nowhere';
  return `${placeOf(reply)} answered ${reply.status} and leads to ${place}: name the address that the service itself serves in ${keys}`;
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

function isGateway(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
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
