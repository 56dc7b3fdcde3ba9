import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import vectorsFile from '../../fixtures/vectors/signature.json' with { type: 'json' };
import { curlLine } from '../curl/curl.ts';
import { Secrets } from '../redact/redact.ts';
import { checksumOf, mistakenFor, signatureCommand, signatureOver } from './signature.ts';

const { vectors } = vectorsFile;

test.each(vectors)('signs $path as the vectors do ($note)', ({ key, path, signature }) => {
  expect(signatureOver(key, path)).toBe(signature);
});

test.each(vectors.slice(0, 4))('a shell signs $path as the vectors do', ({ key, path, signature }) => {
  const printed = execFileSync('sh', ['-c', signatureCommand(path, 'KEY')], {
    env: { ...process.env, KEY: key },
    encoding: 'utf8',
  });
  expect(printed.trim()).toBe(signature);
});

test('the MD5 is told in lower-case hex', () => {
  expect(checksumOf(Buffer.from('abc'))).toBe('900150983cd24fb0d6963f7d28e17f72');
});

test('a curl line computes the signature of a call and shows neither key nor signature', () => {
  const [vector] = vectors;
  if (vector === undefined) throw new Error('there are vectors');
  const { key, path, signature } = vector;
  const secrets = new Secrets();
  secrets.add('SIGNATURE', signature);
  secrets.add('EXTENSION_API_KEY', key);
  const headers = [['Authorization', `Bearer ${signature}`]] as const;
  const line = curlLine({ method: 'GET', url: `http://localhost${path}`, headers, signedPath: path }, secrets);
  expect(line).toMatch(/^SIGNATURE=\$\(printf .*EXTENSION_API_KEY.*\); curl .*"Authorization: Bearer \$\{SIGNATURE\}"/);
  expect(line).not.toContain(signature);
  expect(line).not.toContain(key);
});

test('what the host sent stands as a comment', () => {
  const request = { method: 'PUT', url: 'http://localhost/api/x', headers: [], arrived: true } as const;
  expect(curlLine(request, new Secrets())).toBe('# the host sent: PUT http://localhost/api/x');
});

test('a signature that is made of something else, or otherwise, is told by what is mistaken', () => {
  const key = Buffer.from('\n a key of calls \0').toString('base64');
  const request = { path: '/calls/a%20b', target: '/calls/a%20b?q=1', authority: 'host:1' };
  const told = (signature: string): string | undefined => mistakenFor(signature, request, [key]);
  const right = signatureOver(key, request.path);
  expect(told(signatureOver(key, 'http://host:1/calls/a%20b'))).toBe('its address');
  expect(told(signatureOver(key, request.target))).toBe('its path with the query');
  expect(told(signatureOver(key, '/calls/a b'))).toBe('its path, percent-decoded');
  expect(told(signatureOver(Buffer.from(key).toString('base64'), request.path))).toMatch('the text of the key');
  expect(told(signatureOver(Buffer.from('a key of calls').toString('base64'), request.path))).toMatch(
    'a key that lacks',
  );
  expect(told(Buffer.from(right, 'base64url').toString('hex'))).toBe('its path, in hexadecimal');
  expect(told(`${right}==`)).toBe('its path, with padding or in the other alphabet');
  expect(told(signatureOver(key, '/elsewhere'))).toBeUndefined();
});
