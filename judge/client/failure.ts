import { errors } from 'undici';
import type { RequestSpec } from '../exchange.ts';

/** Nobody answers at the base address: the run ends. */
export class TargetUnreachable extends Error {
  readonly code = 'TARGET_UNREACHABLE';
}

/** The connection ended before the answer did. What the target did with the request is unknown. */
export class ConnectionLost extends Error {
  readonly code = 'CONNECTION_LOST';
  /** Whether the connection had served a request before. */
  readonly reused: boolean;
  /** As the case asked for it. */
  asked?: RequestSpec;

  constructor(message: string, reused: boolean) {
    super(message);
    this.reused = reused;
  }
}

/** Undefined where the connection ends instead of an answer, as where a service does not read on what it refuses. */
export async function unlessCut<T>(send: () => Promise<T>): Promise<T | undefined> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof ConnectionLost) return undefined;
    throw error;
  }
}

/** No answer that can be used: too late, too large, or no HTTP. */
export class NoAnswer extends Error {
  readonly code = 'NO_ANSWER';
}

/** A request that HTTP has no form for: no machine and no service is to blame. */
export class Unsendable extends NoAnswer {}

/** Whether nobody answered, in one way or another. */
export function isUnanswered(error: unknown): error is TargetUnreachable | ConnectionLost | NoAnswer {
  return error instanceof TargetUnreachable || error instanceof ConnectionLost || error instanceof NoAnswer;
}

/** The case took longer than it may. */
export class CaseTimedOut extends Error {
  readonly code = 'CASE_TIMED_OUT';
}

const unreachable = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL']);
/** Nobody took the connection in time: as well a queue that is full. */
const untaken = new Set(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT']);
const issuer = 'give the certificate of its issuer as tls.issuer in the profile, or set NODE_EXTRA_CA_CERTS';
const shown = 'see tls.certificate and tls.key in the profile';
/** What is wrong with TLS, and what to do besides correcting baseUrl. */
const untrusted: ReadonlyMap<string, readonly [wrong: string, change: string]> = new Map([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', ['has a certificate that nobody known has signed', issuer]],
  ['SELF_SIGNED_CERT_IN_CHAIN', ['has a certificate of an issuer that is not known', issuer]],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', ['has a certificate of an issuer that is not known', issuer]],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', ['has a certificate of an issuer that is not known', issuer]],
  ['CERT_HAS_EXPIRED', ['has a certificate that has expired', 'renew it']],
  ['CERT_NOT_YET_VALID', ['has a certificate that is not valid yet', 'see the clocks of both machines']],
  ['ERR_TLS_CERT_ALTNAME_INVALID', ['has a certificate for another name', 'use that name']],
  ['ERR_SSL_WRONG_VERSION_NUMBER', ['does not speak TLS', 'use http://']],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', ['does not speak TLS', 'use http://']],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', ['asks for a certificate of the client', shown]],
  ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', ['asks for a certificate of the client, or speaks another TLS', shown]],
  ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', ['does not take the certificate of the client', shown]],
  ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN', ['does not take the certificate of the client', shown]],
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', ['does not know who signed the certificate of the client', shown]],
  ['EPROTO', ['does not speak TLS as expected', 'see its settings']],
]);
const lost = new Set([
  'UND_ERR_SOCKET',
  'ECONNRESET',
  'EPIPE',
  'ECONNABORTED',
  'UND_ERR_CLOSED',
  'UND_ERR_DESTROYED',
  // it ended in the middle of a body
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
]);

/** Added to a sentence about silence while others were under way. */
export function crowdAdvice(isCrowded: boolean): string {
  if (!isCrowded) return '';
  return ', while other requests were under way: lower limits.concurrency in the profile where the service takes few at once';
}

/** In TLS 1.3 a client learns only behind the handshake, or never, that it should have shown a certificate. */
function certificateAdvice(origin: string): string {
  return origin.startsWith('https:') ? `; if it asks for a certificate of the client, ${shown}` : '';
}

interface FailurePlace {
  readonly origin: string;
  readonly request: string;
  readonly reused: boolean;
  /** Whether other requests were under way. */
  readonly isCrowded: boolean;
  /** What is said where somebody answered there before. */
  readonly departure?: () => string | undefined;
}

/** What an error of the HTTP client means for the run. */
export function failureOf(error: unknown, place: FailurePlace): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  if (error instanceof NoAnswer || error instanceof CaseTimedOut) return error;
  const code = codeOf(error);
  const [wrong, change] = untrusted.get(code) ?? [];
  if (wrong !== undefined)
    return new TargetUnreachable(`${place.origin} ${wrong} (${code}): ${change}, or correct baseUrl in the profile`);
  if (unreachable.has(code))
    return new TargetUnreachable(
      `nothing answers at ${place.origin} (${code})${place.departure?.() ?? ': start the service, or correct baseUrl in the profile'}`,
    );
  if (untaken.has(code))
    return new TargetUnreachable(
      `nothing answers at ${place.origin} (${code})${place.isCrowded ? `${crowdAdvice(true)}, or` : ':'} start the service, or correct baseUrl in the profile`,
    );
  if (lost.has(code)) {
    const advice = place.reused ? '' : crowdAdvice(place.isCrowded) || certificateAdvice(place.origin);
    return new ConnectionLost(
      `the connection was lost during ${place.request} (${error.message})${advice}`,
      place.reused,
    );
  }
  if (error instanceof errors.InvalidArgumentError)
    return new Unsendable(
      `${place.request} cannot be sent (${error.message}): a text of the profile that stands in it, as a token or an address, has characters that HTTP has no place for`,
    );
  if (error instanceof errors.UndiciError || error instanceof errors.HTTPParserError) {
    return new NoAnswer(`the answer to ${place.request} cannot be read as HTTP (${error.message})`);
  }
  return error;
}

function codeOf(error: Error): string {
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.cause instanceof Error ? codeOf(error.cause) : '';
}
