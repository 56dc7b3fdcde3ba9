import { hash } from 'node:crypto';
import type { WireRequest } from '../client/wire.ts';
import { headersIn } from '../exchange.ts';
import { jwt, type Secrets } from '../redact/redact.ts';

/**
 * What a request asks, as a text that is the same when the run is played: credentials and tokens, which are then others, are told by what
 * they are.
 * @param credential what that of the request is
 */
export function questionOf(request: Pick<WireRequest, 'method' | 'url' | 'headers' | 'body'>, credential = ''): string {
  const headers = request.headers.map(([name, value]) =>
    name.toLowerCase() === 'authorization' ? `${name}: ${credential}` : `${name}: ${value}`,
  );
  const text = [`${request.method} ${request.url}`, ...headers, '', bodyOf(request.body)].join('\n');
  return text.includes('eyJ') ? text.replaceAll(jwt, '$$JWT') : text;
}

/** What the credential of a request is: the variable of a known one, or its form; undefined where it has none. */
export function credentialOf({ headers }: Pick<WireRequest, 'headers'>, secrets: Secrets): string | undefined {
  const values = headersIn(headers, 'authorization');
  if (values.length === 0) return undefined;
  return values.map((value) => formOf(value, secrets)).join(', ');
}

/**
 * Names of tokens that calls brought. A service may give one token to several calls of one second, so that which case named it first is
 * chance.
 */
const namesOfCalls: ReadonlySet<string> = new Set(['TASK_TOKEN', 'ENVELOPE_TOKEN']);

function formOf(value: string, secrets: Secrets): string {
  const [, scheme = '', credential = ''] = /^(\S*) *(.*)$/s.exec(value) ?? [];
  const name = secrets.nameOf(credential) ?? secrets.nameOf(inUrlAlphabet(credential));
  if (name !== undefined && !namesOfCalls.has(name)) return `${scheme} $${name}`;
  return `${scheme} ${credential.replaceAll(jwt, '').length} ${credential.length}`;
}

/** A signature is spelled otherwise in it or not, as chance has it. */
function inUrlAlphabet(credential: string): string {
  return credential.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** A longer body is told by its digest. */
const longestTold = 16_384;

function bodyOf(body: Uint8Array | undefined): string {
  if (body === undefined) return '';
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return bytes.length > longestTold && !bytes.includes('eyJ')
    ? hash('sha256', bytes, 'base64')
    : bytes.toString('latin1');
}
