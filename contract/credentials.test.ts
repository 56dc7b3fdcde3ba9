import { expect, test } from 'vitest';
import { credentialsIn, withoutCredentials } from './credentials.ts';

test.each([
  ['http://user:pass@host/a', 'http://host/a'],
  ['at http://host/p.yaml?token=abcd&x=1: 404', 'at http://host/p.yaml?token=…&x=1: 404'],
  ["--profile 'http://host/?a=1&api_key=abcd' --seed 1", "--profile 'http://host/?a=1&api_key=…' --seed 1"],
  ["--start 'DB_PASSWORD=abcd PORT=1 ./run'", "--start 'DB_PASSWORD=… PORT=1 ./run'"],
])('%s is told as %s', (text, told) => expect(withoutCredentials(text)).toBe(told));

test.each(['export SVC_TOKEN=... before the run', 'curl ?access_token=$EDITOR_TOKEN', '--report json=out.json', 'a@b'])(
  '%s stays as it is',
  (text) => expect(withoutCredentials(text)).toBe(text),
);

test('an address holds the password, or the user alone, and what parameters are named after', () => {
  expect(credentialsIn('http://user:p%40ss@host/?id=1&token=abcd')).toEqual(['p%40ss', 'p@ss', 'abcd']);
  expect(credentialsIn('http://t0ken@host/')).toEqual(['t0ken']);
  expect(credentialsIn('/auth/token')).toEqual([]);
});
