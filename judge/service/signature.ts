import { createHash, createHmac } from 'node:crypto';

/**
 * Bearer value of a call, as the judge computes it. Source: extensions, Authentication 2 and 3
 * @param apiKey Base64; @param path as on the request line, without query
 */
export function signatureOver(apiKey: string, path: string): string {
  return createHmac('sha512', Buffer.from(apiKey, 'base64')).update(Buffer.from(path, 'utf8')).digest('base64url');
}

/** Signatures that are nearly right. The last character is left alone: some of its bits say nothing, and bytes may be compared. */
export const spoiltSignatures: readonly (readonly [what: string, change: (signature: string) => string])[] = [
  ...[1, 43, 85].map(
    (length) =>
      [`the first ${length} characters of the signature`, (signature: string) => signature.slice(0, length)] as const,
  ),
  ['the signature in letters of the other case', inOtherCase],
  [
    'the signature with another end',
    (signature) => signature.replace(/.{11}(?=.$)/, (end) => (end.startsWith('A') ? 'B' : 'A').repeat(11)),
  ],
  ['the signature with more behind it', (signature) => `${signature}AAAA`],
];

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
