import { gzipSync } from 'node:zlib';
import { spellingsOf } from './redact.ts';

const inBytes = (text: string, written: (byte: number) => string, encoding?: 'latin1'): string =>
  [...Buffer.from(text, encoding)].map(written).join('');
const inUnits = (text: string, written: (unit: number) => string): string =>
  Array.from({ length: text.length }, (_, at) => written(text.charCodeAt(at))).join('');
const inCodes = (text: string, written: (code: number) => string): string =>
  [...text].map((character) => written(character.codePointAt(0) ?? 0)).join('');
const hex = (code: number): string => code.toString(16).padStart(2, '0');
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Every form in which a secret may be sent back, by its name. */
const forms: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  'small letters': (secret) => secret.toLowerCase(),
  capitals: (secret) => secret.toUpperCase(),
  backwards: (secret) => [...secret].toReversed().join(''),
  'percent-encoded': encodeURIComponent,
  'percent-encoded twice': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  'percent-encoded three times': (secret) => encodeURIComponent(encodeURIComponent(encodeURIComponent(secret))),
  'every byte percent-encoded': (secret) => inBytes(secret, (byte) => `%${hex(byte)}`),
  'every byte percent-encoded twice': (secret) => inBytes(secret, (byte) => `%25${hex(byte).toUpperCase()}`),
  'a form': (secret) => new URLSearchParams({ a: secret }).toString().slice(2),
  'JSON in JSON': (secret) => JSON.stringify(JSON.stringify(secret)).slice(3, -3),
  'JSON with escaped slashes': (secret) => JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
  '\\u0041': (secret) => inUnits(secret, (unit) => `\\u${hex(unit).padStart(4, '0')}`),
  '\\u{41}': (secret) => inCodes(secret, (code) => `\\u{${hex(code)}}`),
  '\\x41': (secret) => inBytes(secret, (byte) => `\\x${hex(byte)}`),
  '\\101': (secret) => inBytes(secret, (byte) => `\\${byte.toString(8).padStart(3, '0')}`),
  'entities of XML': (secret) => secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
  '&#65;': (secret) => inCodes(secret, (code) => `&#${code};`),
  '&#x41;': (secret) => inCodes(secret, (code) => `&#x${hex(code)};`),
  '&#65': (secret) => inCodes(secret, (code) => `&#${code}`),
  '&#x41': (secret) => inCodes(secret, (code) => `&#x${hex(code)}`),
  'quoted-printable': (secret) => inBytes(secret, (byte) => `=${hex(byte).toUpperCase()}`),
  'quoted-printable in lines': (secret) => `${secret.slice(0, 5)}=\r\n${secret.slice(5)}`,
  Base64: base64,
  'Base64 without padding': (secret) => base64(secret).replaceAll('=', ''),
  base64url: (secret) => Buffer.from(secret).toString('base64url'),
  'Base64, percent-encoded': (secret) => encodeURIComponent(base64(secret)),
  'Base64 of user and password': (secret) => base64(`edda:${secret}`),
  'base64url of user and password': (secret) => Buffer.from(`edda:${secret}`).toString('base64url'),
  'Base64 of JSON': (secret) => base64(JSON.stringify({ s: secret })),
  'Base64 of a text that holds it percent-encoded': (secret) => base64(`of ${encodeURIComponent(secret)}`),
  'Base64 in lines': (secret) => base64(`of the user edda: ${secret}`).replaceAll(/.{12}/g, '$&\r\n'),
  'Base64 twice': (secret) => base64(base64(secret)),
  'Base64 of hexadecimal digits': (secret) => base64(Buffer.from(secret).toString('hex')),
  'Base64 of UTF-16': (secret) => Buffer.from(secret, 'utf16le').toString('base64'),
  'Base64 of gzip': (secret) => gzipSync(secret).toString('base64'),
  base32: (secret) => base32(Buffer.from(secret)),
  'hexadecimal digits': (secret) => Buffer.from(secret).toString('hex'),
  'hexadecimal digits in capitals': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  'hexadecimal digits with colons': (secret) => inBytes(secret, (byte) => `:${hex(byte)}`).slice(1),
  'hexadecimal digits with 0x': (secret) => inBytes(secret, (byte) => `, 0x${hex(byte)}`).slice(2),
  'hexadecimal digits of UTF-16': (secret) => Buffer.from(secret, 'utf16le').toString('hex'),
  'UTF-16 read as Latin-1': (secret) => Buffer.from(secret, 'utf16le').toString('latin1'),
  'every byte percent-encoded, of Latin-1': (secret) => inBytes(secret, (byte) => `%${hex(byte)}`, 'latin1'),
  'Base64 of Latin-1': (secret) => Buffer.from(secret, 'latin1').toString('base64'),
  'UTF-8 read as Latin-1': (secret) => Buffer.from(secret).toString('latin1'),
  'letters and their marks apart': (secret) => secret.normalize('NFD'),
  'bytes with spaces': (secret) => [...Buffer.from(secret)].join(' '),
  bytes: (secret) => `[${[...Buffer.from(secret)].join(', ')}]`,
  'bits in eights': (secret) => inBytes(secret, (byte) => ` ${byte.toString(2).padStart(8, '0')}`).slice(1),
  'split by soft hyphens': (secret) => [...secret].join('\u00ad'),
  'split by joiners': (secret) => [...secret].join('\u200b'),
  'split by C1 controls': (secret) => [...secret].join('\u0085'),
  'split by colours': (secret) => [...secret].join('\u001b[31m'),
  'letters of full width': (secret) =>
    secret.replaceAll(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)),
};

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Source: RFC 4648, section 6. */
function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const digits = (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet.charAt(Number.parseInt(five.padEnd(5, '0'), 2)));
  return digits.join('').padEnd(Math.ceil(digits.length / 8) * 8, '=');
}

/** A secret in one of the forms. */
interface Written {
  readonly form: string;
  readonly text: string;
}

/** The secret in every form in which it may be sent back. */
export function everyForm(secret: string): readonly Written[] {
  return Object.entries(forms).map(([form, write]) => ({ form, text: write(secret) }));
}

/** Whether the text holds the secret in one of the spellings under which it travels. */
export function isSecretText(text: string, secret: string): boolean {
  return [...spellingsOf(secret), ...everyForm(secret).map((written) => written.text)].some((spelling) =>
    text.includes(spelling),
  );
}
