import { createHash, createHmac } from 'node:crypto';

/**
 * Bearer value of a call, as the judge computes it. Source: extensions, Authentication 2 and 3
 * @param apiKey Base64; @param path as on the request line, without query
 */
export function signatureOver(apiKey: string, path: string): string {
  return createHmac('sha512', Buffer.from(apiKey, 'base64')).update(Buffer.from(path, 'utf8')).digest('base64url');
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
