import { createHash, createHmac } from 'node:crypto';
import { metadataPath } from '../../contract/names.ts';
import { decodeSegment } from './requests.ts';

/** A key that nobody has, in the place of the right one: the script of a finding makes the same with it. */
export const foreignKey = Buffer.alloc(64, 7);

/**
 * Bearer value of a call, as the judge computes it. Source: extensions, Authentication 2 and 3
 * @param apiKey Base64; @param path as on the request line, without query
 */
export function signatureOver(apiKey: string, path: string): string {
  return createHmac('sha512', Buffer.from(apiKey, 'base64')).update(Buffer.from(path, 'utf8')).digest('base64url');
}

/** A request by what may be taken for its path: as on the request line, without query and with it, and the host that it names. */
interface SignedRequest {
  readonly path: string;
  readonly target: string;
  readonly authority: string;
}

/** What a signature is of in the place of the path, where it is one of what is mistaken for that. Source: extensions, Authentication 2 */
export function mistakenFor(
  signature: string | undefined,
  { path, target, authority }: SignedRequest,
  keys: Iterable<string>,
): string | undefined {
  const mistaken = {
    'its address': [`http://${authority}${path}`, `https://${authority}${path}`],
    'its address without the scheme': [`${authority}${path}`],
    'its path with the query': target === path ? [] : [target],
    'its path without the slash before it': [path.slice(1)],
    'its path with a slash behind it': [`${path}/`],
    'its path in small letters': [path.toLowerCase()].filter((other) => other !== path),
    'its path below /api': [`/api${path}`],
    'a part of its path': beginningsOf(path),
    'a route with the name of a parameter': ['/{spaceId}', '/{spaceId}/{participantId}'].map(
      (parameters) => `${path.replace(/(?<=\/admin\/fileupload).*/, '')}${parameters}`,
    ),
    'the path of the metadata': [metadataPath].filter((other) => other !== path),
    'its path, percent-decoded': [path.split('/').map(decodeSegment).join('/')].filter((text) => text !== path),
  };
  const isSigned = (text: string): boolean => [...keys].some((key) => signature === signatureOver(key, text));
  const found = Object.entries(mistaken).find(([, texts]) => texts.some(isSigned))?.[0];
  return found ?? [...keys].map((key) => mistakenForm(signature, key, path)).find((form) => form !== undefined);
}

/** What stands before each slash of a path, but for the first. */
function beginningsOf(path: string): readonly string[] {
  const segments = path.split('/');
  return segments.slice(2).map((_segment, index) => segments.slice(0, index + 2).join('/'));
}

/** How the path is signed otherwise than it should be, where it is one of what is mistaken for that. */
function mistakenForm(signature: string | undefined, key: string, path: string): string | undefined {
  const right = Buffer.from(signatureOver(key, path), 'base64url');
  const cut = cutKeysOf(Buffer.from(key, 'base64').toString('latin1'));
  const forms = {
    'its path, with a key that lacks white space or zeros at its ends, or what stands behind one': cut.map((bytes) =>
      signatureOver(Buffer.from(bytes, 'latin1').toString('base64'), path),
    ),
    'its path, with the text of the key': [signatureOver(Buffer.from(key).toString('base64'), path)],
    'its path, with half of the key': [signatureOver(halfOf(key), path)].filter(
      (half) => half !== signatureOver(key, path),
    ),
    'its path, by another hash': ['md5', 'sha1', 'sha384'].map((hash) =>
      createHmac(hash, Buffer.from(key, 'base64')).update(path).digest('base64url'),
    ),
    'its path, by SHA-256': [createHmac('sha256', Buffer.from(key, 'base64')).update(path).digest('base64url')],
    'its path in UTF-16': (['utf16le', 'utf-16be'] as const).map((encoding) => overUtf16(key, path, encoding)),
    'its path, in hexadecimal': [right.toString('hex'), right.toString('hex').toUpperCase()],
    'its path, in Base64 as it stands': [right.toString('base64')],
  };
  if (signature === undefined) return undefined;
  const found = Object.entries(forms).find(([, texts]) => texts.includes(signature))?.[0];
  const isOtherwiseSpelled =
    signature !== right.toString('base64url') && Buffer.from(signature, 'base64').equals(right);
  return found ?? (isOtherwiseSpelled ? 'its path, with padding or in the other alphabet' : undefined);
}

/** How some platforms keep a text, which is signed by its bytes in UTF-8. Source: extensions, Authentication 2 */
function overUtf16(apiKey: string, path: string, encoding: 'utf16le' | 'utf-16be'): string {
  const bytes = Buffer.from(path, 'utf16le');
  return createHmac('sha512', Buffer.from(apiKey, 'base64'))
    .update(encoding === 'utf16le' ? bytes : bytes.swap16())
    .digest('base64url');
}

/** The first bytes of a key, as many as half of it has. */
export function halfOf(apiKey: string): string {
  const bytes = Buffer.from(apiKey, 'base64');
  return bytes.subarray(0, Math.ceil(bytes.byteLength / 2)).toString('base64');
}

/** What is left of a key where it is taken for a text. */
function cutKeysOf(key: string): readonly string[] {
  const trims = [
    /^[\0- ]+|[\0- ]+$/g,
    /^[\t-\r ]+|[\t-\r ]+$/g,
    /[\0- ]+$/,
    /[\t-\r ]+$/,
    /^[\0- ]+/,
    /^[\t-\r ]+/,
    /\0.*$/s,
  ];
  return trims.map((trim) => key.replace(trim, '')).filter((left) => left !== key);
}

/** Signatures that are nearly right. Bytes may be compared, and of the last character the two highest bits alone are some. */
export const spoiltSignatures: readonly (readonly [what: string, change: (signature: string) => string])[] = [
  ...[1, 85].map(
    (length) =>
      [`the first ${length} characters of the signature`, (signature: string) => signature.slice(0, length)] as const,
  ),
  ['the signature in letters of the other case', inOtherCase],
  ['the signature with another beginning', (signature) => signature.replace(/^.{11}/, otherLetters)],
  ['the signature with another middle', (signature) => signature.replace(/(?<=^.{38}).{11}/, otherLetters)],
  ['the signature with another end', (signature) => signature.replace(/.{11}(?=.$)/, otherLetters)],
  ['the signature backwards', (signature) => [...signature].toReversed().join('')],
  ['the signature with other last bits', (signature) => signature.replace(/.$/, (last) => (last < 'Q' ? 'Q' : 'A'))],
  ['the signature with more behind it', (signature) => `${signature}AAAA`],
  ['the signature with its dashes and underscores changed', withOtherSigns],
];

function otherLetters(part: string): string {
  return (part.startsWith('A') ? 'B' : 'A').repeat(part.length);
}

/** A dash for each underscore and the other way round; one that has neither gets one, and is as long as before. */
function withOtherSigns(signature: string): string {
  return /[-_]/.test(signature)
    ? signature.replaceAll(/[-_]/g, (sign) => (sign === '-' ? '_' : '-'))
    : signature.replace(/.(?=.{10}$)/, '-');
}

/** All letters but the last character in the other case. */
export function inOtherCase(signature: string): string {
  const swapped = signature
    .slice(0, -1)
    .replaceAll(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()));
  return swapped + signature.slice(-1);
}

/** Lower-case hex of the MD5 of the bytes. Source: extensions, File routes */
export function checksumOf(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}

/** A command of a POSIX shell that prints the bearer value over a path, with the Base64 key in a variable. */
export function signatureCommand(path: string, variable: string): string {
  const key = `$(printf %s "$${variable}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')`;
  const digest = `openssl dgst -sha512 -mac HMAC -macopt hexkey:${key} -binary`;
  return `printf %s '${path.replaceAll("'", `'\\''`)}' | ${digest} | openssl base64 -A | tr '+/' '-_' | tr -d '='`;
}
