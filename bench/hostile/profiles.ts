import { profileSchema } from '../../contract/profile.ts';

/** Waits of the judge that keep each hostile target short; the longest run is the budget of the bench. */
export const budgetSeconds = 12;
const limits = { requestTimeoutSeconds: 1, caseSeconds: 3, totalSeconds: budgetSeconds, timeBudgetSeconds: 3 };

/** A profile of nobody in particular; `{{url}}` stands for the target. */
export const plain = {
  profileVersion: 1,
  implementation: 'hostile',
  baseUrl: '{{url}}',
  space: 'main',
  identities: { editor: { token: 'a-token-of-the-editor' } },
  softTypes: {
    primary: {
      definitionId: 'Document',
      inputSchemaId: 'in',
      outputSchemaId: 'out',
      body: { title: 'Document {{unique}}' },
      scalars: ['note', 'remark'],
      arrayPort: { member: 'files', entry: { name: 'file {{unique}}' }, text: 'comment' },
    },
  },
  routes: { softTypeDelete: '/api/space/{spaceId}/softtype/{objectId}' },
  limits,
};

/** The same, with a grant in the place of the token. */
export const granted = {
  ...plain,
  auth: { tokenUrl: '/auth/token', clientId: 'conformance', clientSecret: 'conformance-secret' },
  identities: { editor: { username: 'edda', password: 'edda-password' } },
};

/** The limits as lines of YAML, for a profile that has none. */
export const limitLines = `limits: ${JSON.stringify(limits)}\n`;

/** Values of which each is wrong in nearly every place. */
const strange: readonly unknown[] = [null, -1, [[]], { '': { '': '' } }, '\u0000\u202e', true];

/** Profiles that are wrong in one key each: every key of the schema, and a value that it does not take. */
export const wrongTypes: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(profileSchema.properties).flatMap((key, index) =>
    [0, 1, 2].map((turn) => {
      const value = strange[(index + turn * 2) % strange.length];
      return [`${key}: ${JSON.stringify(value)}`, JSON.stringify({ ...plain, [key]: value })];
    }),
  ),
);

const base = JSON.stringify(plain);
const levels = Array.from({ length: 30 }, (_item, index) => index);

/** Files that a profile is not, or should not be. */
export const files: Readonly<Record<string, string | Buffer>> = {
  nothing: '',
  blanks: ' \n\t\n',
  'a comment': '# nothing\n',
  null: 'null',
  'a text': 'profile',
  'a list': '- profileVersion: 1\n',
  'two documents': `---\n${base}\n---\n${base}\n`,
  'a version of YAML that is not there': `%YAML 9.9\n---\n${base}`,
  'another version': base.replace('"profileVersion":1', '"profileVersion":2'),
  'a version in words': base.replace('"profileVersion":1', '"profileVersion":"one"'),
  'a key twice': `${base.slice(0, -1)},"space":"other"}`,
  'a key nobody knows': `${base.slice(0, -1)},"knownFailuers":{"*":"all"}}`,
  'everything known to fail, without a reason': `${base.slice(0, -1)},"knownFailures":{"*":""}}`,
  'everything not offered': `${base.slice(0, -1)},"notSupported":{"*":"we offer nothing"}}`,
  'everything known to fail': `${base.slice(0, -1)},"knownFailures":{"*":"all of it"}}`,
  'a bomb of aliases': [
    'a0: &a0 [x,x,x,x,x,x,x,x,x]',
    ...levels.slice(1).map(
      (level) =>
        `a${level}: &a${level} [${Array(9)
          .fill(`*a${level - 1}`)
          .join(',')}]`,
    ),
  ].join('\n'),
  'a bomb of maps': [
    'a0: &a0 {x: 1}',
    ...levels
      .slice(1)
      .map((level) => `a${level}: &a${level} {a: *a${level - 1}, b: *a${level - 1}, c: *a${level - 1}}`),
  ].join('\n'),
  'a bomb of merges': [
    'a0: &a0 {x: 1}',
    ...levels
      .slice(1)
      .map((level) => `a${level}: &a${level} {<<: [*a${level - 1}, *a${level - 1}], y${level}: *a${level - 1}}`),
  ].join('\n'),
  'an alias of itself': 'a: &a [*a]\n',
  'an alias of nobody': 'profileVersion: *nobody\n',
  'lists in lists': '['.repeat(100_000),
  'maps in maps': `a: ${'{a: '.repeat(50_000)}`,
  'levels by indentation': Array.from({ length: 2000 }, (_item, index) => `${' '.repeat(index)}a:`).join('\n'),
  'a line of 8 MB': `implementation: ${'x'.repeat(8_000_000)}\n`,
  'a hundred thousand keys': Array.from({ length: 100_000 }, (_item, index) => `k${index}: ${index}`).join('\n'),
  'quotes that do not end': 'implementation: "never\n'.repeat(200),
  'a tag that runs': "implementation: !!js/function 'function () { process.exit(0) }'\n",
  'a tag of bytes': `implementation: !!binary ${'A'.repeat(1_000_000)}\n`,
  'members of all objects': `${base.slice(0, -1)},"__proto__":{"softTypes":{}},"constructor":{}}`,
  'a variable that is not set': base.replace('{{url}}', '${HOSTILE_IS_NOT_SET}'),
  'a variable that does not end': base.replace('{{url}}', '${HOSTILE'),
  'variables in variables': base.replace('{{url}}', '${${${HOSTILE}}}'),
  'no UTF-8': Buffer.from([...Buffer.from(base), 0xff, 0xfe, 0x80]),
  'half a character': Buffer.from([...Buffer.from('implementation: '), 0xf0, 0x9f]),
  'UTF-16': Buffer.from(`\ufeff${base}`, 'utf16le'),
  zeros: Buffer.alloc(1_000_000),
  noise: Buffer.from(levels.flatMap((level) => [(level * 37) & 255, 255 - level, (level * level) & 255])),
  'a program': Buffer.from('7f454c4602010100000000000000000003003e0001000000', 'hex'),
  zip: Buffer.from('504b0304140000000800', 'hex'),
};

/** Addresses at which nobody can be. */
export const addresses: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'http://127.0.0.1:9',
    'http://127.0.0.1:0',
    'http://127.0.0.1:70000',
    'http://nowhere.invalid',
    'http://[::1]:9',
    'http://[::1',
    'http://256.256.256.256',
    'http://0.0.0.0:9',
    'http://',
    'https://127.0.0.1:9',
    'ftp://127.0.0.1/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://edda:secret@127.0.0.1:9',
    'http://127.0.0.1:9?x=1#y',
    'http://127.0.0.1:9/%00/../..',
    'http://xn--a.invalid',
    `http://${'a'.repeat(300)}.invalid`,
    `http://127.0.0.1:9/${'a/'.repeat(20_000)}`,
    'HTTP://127.0.0.1:9',
    'http://127.0.0.1:9 http://127.0.0.1:10',
    '\u202ehttp://127.0.0.1:9',
  ].map((url) => [url.slice(0, 60), base.replace('{{url}}', url)]),
);

/** Places that are no files; as arguments of `--profile`. */
export const places = [
  '/dev/null',
  '/dev/zero',
  '/dev/urandom',
  '/dev/full',
  '/dev/stdin',
  '/proc/self/mem',
  '/proc/self/environ',
  '/etc',
  '/',
  '',
  'nowhere.yaml',
  'loop.yaml',
  'pipe.yaml',
  `${'x'.repeat(300)}.yaml`,
  'profile.yaml/profile.yaml',
  'http://127.0.0.1:9/profile.yaml',
  'https://nowhere.invalid/profile.yaml',
  'ftp://127.0.0.1/profile.yaml',
] as const;
