import { type KeyObject, sign, verify } from 'node:crypto';
import type { Static } from 'typebox';
import { Type } from '../../contract/type.ts';
import { fitting } from '../../contract/misfit.ts';
import { keyIdOf } from './keys.ts';

/** What a DSSE envelope says that an in-toto statement is. */
const payloadType = 'application/vnd.in-toto+json';

const envelopeSchema = Type.Closed({
  payloadType: Type.Literal(payloadType),
  payload: Type.String(),
  signatures: Type.Array(Type.Closed({ keyid: Type.String(), sig: Type.String() }), {
    minItems: 1,
    maxItems: 1,
  }),
});

type Envelope = Static<typeof envelopeSchema>;

const envelopeFrom = fitting<Envelope>(envelopeSchema, {}, 'the envelope');

/** A claim that does not hold, in a sentence without a full stop. */
export class ClaimError extends Error {
  readonly code = 'CLAIM';
}

/** The text of a claim: a DSSE envelope with one signature. */
export function sealed(payload: string, key: KeyObject): string {
  const bytes = Buffer.from(payload);
  const sig = sign(null, signedBytes(bytes), key).toString('base64');
  return textOf({ payloadType, payload: bytes.toString('base64'), signatures: [{ keyid: keyIdOf(key), sig }] });
}

function textOf({ payload, signatures }: Envelope): string {
  const own = signatures.map(({ keyid, sig }) => ({ keyid, sig }));
  return `${JSON.stringify({ payloadType, payload, signatures: own })}\n`;
}

/** An envelope whose form is right; nothing is known of its signature. */
export interface Opened {
  readonly payload: Buffer;
  readonly keyId: string;
  readonly isSignedBy: (key: KeyObject) => boolean;
}

/** @throws {ClaimError} it is no envelope, or not written as `claim` writes one: to the letter, so that nothing is in it twice or beside it */
export function openEnvelope(bytes: Uint8Array): Opened {
  const text = textIn(bytes);
  const read = envelopeFrom(strictJson(text, 'the envelope', (value) => `${JSON.stringify(value)}\n`));
  if (!('value' in read)) throw new ClaimError(`the envelope is none of a claim: ${read.misfit.sentence}`);
  if (textOf(read.value) !== text)
    throw new ClaimError('the envelope is not written as a claim is: its members stand in another order');
  const { payload: letters, signatures } = read.value;
  const [{ keyid, sig } = { keyid: '', sig: '' }] = signatures;
  const [payload, signature] = [strictBase64(letters, 'the payload'), strictBase64(sig, 'the signature')];
  return { payload, keyId: keyid, isSignedBy: (key) => verify(null, signedBytes(payload), key, signature) };
}

/** What is signed. Source: the DSSE protocol, version 1, where it is called PAE. */
function signedBytes(payload: Uint8Array): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

/** @throws {ClaimError} it is no UTF-8 */
export function textIn(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ClaimError('it is no text in UTF-8');
  }
}

/** The value of a JSON text that is written in one way only: a member that is there twice, a blank too many or something behind it would be lost on a reader. @throws {ClaimError} */
export function strictJson(text: string, what: string, written: (value: unknown) => string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ClaimError(`${what} is no JSON: it was cut off, changed, or has something behind it`);
  }
  if (written(value) !== text)
    throw new ClaimError(
      `${what} is not written as a claim is: a member is there twice, or blanks or something else were added`,
    );
  return value;
}

/** @throws {ClaimError} there are other letters in it */
export function strictBase64(letters: string, what: string): Buffer {
  const bytes = Buffer.from(letters, 'base64');
  if (bytes.toString('base64') !== letters) throw new ClaimError(`${what} is no Base64 as a claim is written in`);
  return bytes;
}
