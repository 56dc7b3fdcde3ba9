import { deflateSync, gzipSync } from 'node:zlib';
import fc, { string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { everyForm } from './redact.fixture.ts';
import { Secrets } from './redact.ts';
import { registryOf } from './profile-secrets.ts';
import { smallProfile } from '../small-service.fixture.ts';

const pat = 'svcpat-edda-7d1c0b9e5a';

function knowing(...secrets: readonly string[]): Secrets {
  const registry = new Secrets();
  for (const [index, secret] of secrets.entries()) registry.add(`SECRET_${index}`, secret);
  return registry;
}

function everyCharacter(text: string, written: (code: string) => string): string {
  return [...text].map((character) => written(character.charCodeAt(0).toString(16))).join('');
}

function wrapped(text: string, lineEnd: string): string {
  return text.replaceAll(/.{12}/g, (line) => `${line}${lineEnd}`);
}

describe('Secrets', () => {
  test('parts put together are the text, none of them holds the secret', () => {
    const secret = string({ minLength: 6, maxLength: 12 });
    fc.assert(
      fc.property(string(), secret, string(), (before, hidden, after) => {
        const text = before + hidden + after;
        const parts = knowing(hidden).parts(text);
        expect(parts.map((part) => ('text' in part ? part.text : hidden)).join('')).toBe(text);
        for (const part of parts) expect('text' in part && part.text.includes(hidden)).toBe(false);
      }),
    );
  });

  test('hides a key whose characters are written plainly or with an escape, in any mix', () => {
    const ways: readonly ((character: string) => string)[] = [
      (character) => character,
      (character) => (character === '/' ? String.raw`\/` : character),
      (character) => String.raw`\u00` + character.charCodeAt(0).toString(16),
      (character) => `%${character.charCodeAt(0).toString(16)}`,
    ];
    const key = fc.uint8Array({ minLength: 16, maxLength: 48 }).map((bytes) => Buffer.from(bytes).toString('base64'));
    fc.assert(
      fc.property(key, fc.infiniteStream(fc.constantFrom(...ways)), (hidden, chosen) => {
        const text = [...hidden].map((character) => chosen.next().value(character)).join('');
        expect(knowing(hidden).redact(`{"apiKey":"${text}"}`)).toBe('{"apiKey":"$SECRET_0"}');
      }),
    );
  });

  test.each(['s', '42', 'abc', 'main', 'p@s5w'])(
    'hides "%s", which is short, where it stands by itself and nowhere else',
    (secret) => {
      const secrets = knowing(secret);
      for (const [before, after] of [
        ['', ''],
        ['password=', '&grant_type=password'],
        ['{"password":"', '"}'],
        ['https://edda:', '@host/'],
        ['/reset/', '/now'],
        ['reset_', '_now'],
        ['a%3A', '%0a'],
        ['a%0A', ''],
        [String.raw`wrong:\n`, String.raw`\n`],
        [String.raw`\u0022`, String.raw`\u0022`],
        ['&quot;', '&quot;'],
        ['wrong: ', '.'],
      ]) {
        expect(secrets.redact(`${before}${secret}${after}`)).toBe(`${before}$SECRET_0${after}`);
        expect(secrets.parts(`${before}${secret}${after}`)).toContainEqual({ variable: 'SECRET_0' });
      }
      const encoded = Buffer.from(`edda and ${secret}`).toString('base64').replace(/=+$/, '');
      expect(secrets.redact(`"${encoded}"`)).toBe('"encoded($SECRET_0)"');
      expect(secrets.redact(`Basic ${Buffer.from(`e:${secret}`).toString('base64')}`)).toMatch(/SECRET_0/);
      for (const word of [`x${secret}x`, `${secret}x`, `x${secret}`, `7${secret}7`])
        for (const text of [word, `"${word}"`, `?${word}=1`]) {
          expect(secrets.redact(text)).toBe(text);
          expect(secrets.parts(text)).toEqual([{ text }]);
        }
    },
  );

  test.each(['Grüße-Zürich-9', 'zażółć-gęślą', 'пароль-77-мой', '日本語-pass-1', '🔑key🔑2024'])(
    'hides "%s", whose letters are not ASCII, however it is written',
    (hidden) => {
      const secrets = knowing(hidden);
      const isLatin = Buffer.from(hidden, 'latin1').toString('latin1') === hidden;
      const shown = everyForm(hidden).filter(
        ({ form, text }) =>
          (isLatin || !form.endsWith(' of Latin-1')) && !secrets.redact(`of ${text} it`).includes('SECRET_0'),
      );
      expect(shown.map(({ form }) => form)).toEqual([]);
    },
  );

  test.each([
    '',
    'x',
    'title',
    '7',
    'a1',
    '_',
    '-',
    '/',
    '=',
    String.raw`\u0007`,
    String.raw`\n`,
    String.raw`\x07`,
    '%0a',
    'ab12-',
  ])('hides whatever is written straight behind "%s"', (before) => {
    const secrets = knowing(pat);
    for (const { text } of everyForm(pat))
      // a digit behind an entity without an end is part of it
      for (const after of ['', 'x', ...(/#\w+$/.test(text) ? [] : ['7']), String.raw`\n`, ' z'])
        expect(secrets.redact(before + text + after)).not.toContain(text);
  });

  test('takes the longer of two secrets that begin alike', () => {
    expect(knowing('abcd', 'abcdef').redact('x abcdef abcd')).toBe('x $SECRET_1 $SECRET_0');
    expect(knowing('abcdefg', 'abcdefgh').redact('xabcdefghabcdefg')).toBe('x$SECRET_1$SECRET_0');
  });

  test('hides a credential that is a secret with one character changed', () => {
    const secrets = knowing(pat);
    for (let at = 0; at < pat.length; at += 1) {
      const altered = `${pat.slice(0, at)}~${pat.slice(at + 1)}`;
      expect(secrets.redact(`Bearer ${altered}`)).toBe('Bearer $ALTERED_SECRET_0');
      expect(secrets.redact(`Basic ${Buffer.from(`edda:${altered}`).toString('base64')}`)).toBe(
        'Basic $ALTERED_SECRET_0',
      );
    }
    expect(secrets.redact('Bearer garbage')).toBe('Bearer garbage');
  });

  test.each<[string, (secret: string) => string]>([
    ['as Base64 behind a user', (secret) => Buffer.from(`edda:${secret}`).toString('base64')],
    ['as Base64 of a URL behind a user', (secret) => Buffer.from(`ed:${secret}`).toString('base64url')],
    ['as Base64 in a longer word', (secret) => `x${Buffer.from(`e:${secret}?`).toString('base64')}`],
    ['as hexadecimal digits', (secret) => Buffer.from(secret).toString('hex').toUpperCase()],
    ['with every character as a percent code', (secret) => everyCharacter(secret, (code) => `%${code}`)],
    ['the same twice', (secret) => everyCharacter(secret, (code) => `%25${code}`)],
    ['twice in small letters', (secret) => encodeURIComponent(encodeURIComponent(secret)).toLowerCase()],
    ['with every character as an escape of JSON', (secret) => everyCharacter(secret, (code) => `\\u00${code}`)],
    ['the same in JSON in JSON', (secret) => everyCharacter(secret, (code) => `\\\\u00${code}`)],
    ['split by soft hyphens', (secret) => [...secret].join('\u00ad')],
    ['split by characters without width', (secret) => [...secret].join('\u200b\ufeff')],
    ['as Base64 in lines', (secret) => wrapped(Buffer.from(`edda:${secret}`).toString('base64'), '\r\n')],
    [
      'as Base64 in lines in JSON',
      (secret) => JSON.stringify(wrapped(Buffer.from(`edda:${secret} and more`).toString('base64'), '\n')),
    ],
    ['as Base64 of what is long', (secret) => Buffer.from(`${'x'.repeat(30_000)}${secret}`).toString('base64')],
    ['as Base64 of UTF-16', (secret) => Buffer.from(secret, 'utf16le').toString('base64')],
    ['in UTF-16', (secret) => Buffer.from(secret, 'utf16le').toString()],
    [
      'as a dump of bytes',
      (secret) =>
        Buffer.from(secret)
          .toString('hex')
          .replaceAll(/..(?=.)/g, '$&:'),
    ],
    [
      'as bytes of C',
      (secret) =>
        Buffer.from(secret)
          .toString('hex')
          .replaceAll(/(..)(?=(..)?)/g, '0x$1, ')
          .slice(0, -2),
    ],
    ['with every character as an escape of a string', (secret) => everyCharacter(secret, (code) => `\\x${code}`)],
    ['the same with braces', (secret) => everyCharacter(secret, (code) => `\\u{${code}}`)],
    ['with every character as an entity', (secret) => everyCharacter(secret, (code) => `&#x${code};`)],
    [
      'the same in decimals, twice',
      (secret) => everyCharacter(secret, (code) => `&amp;#${Number.parseInt(code, 16)};`),
    ],
    ['split by colours', (secret) => [...secret].join('\u001b[31m')],
    ['split by selectors', (secret) => [...secret].join('\ufe0f')],
    ['in wide letters', (secret) => [...secret].map((one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)).join('')],
    ['in capitals', (secret) => secret.toUpperCase()],
    ['backwards', (secret) => [...secret].toReversed().join('')],
    ['as gzip in Base64', (secret) => gzipSync(`user ${secret} and more`).toString('base64')],
    ['as deflate in Base64', (secret) => deflateSync(secret).toString('base64')],
    ['as a hexadecimal number', (secret) => `0x${Buffer.from(secret).toString('hex')}`],
    [
      'as a dump of words',
      (secret) =>
        Buffer.from(secret)
          .toString('hex')
          .replaceAll(/.{4}(?=.)/g, '$& '),
    ],
    ['as JSON of a buffer', (secret) => JSON.stringify(Buffer.from(secret))],
    ['as a list of its bytes in lines', (secret) => JSON.stringify([...Buffer.from(secret)], null, 2)],
    ['as quoted-printable', (secret) => everyCharacter(secret, (code) => `=${code.toUpperCase()}`)],
    ['in lines of a mail', (secret) => secret.replaceAll(/.{3}/g, '$&=\r\n')],
    ['in the query of a link', (secret) => `https://host/x?a=1&access_token=${secret.replace('p', 'q')}`],
  ])('hides a secret %s', (_how, form) => {
    const secret = 'pa55+w/rd&x';
    const text = `before ${form(secret)} after`;
    const redacted = knowing(secret).redact(text);
    expect(redacted).not.toContain(form(secret));
    expect(redacted).toMatch(/^before .*\$(?:SECRET_0|QUERY_TOKEN).* after$/s);
  });

  test.each([
    ['a quote and a backslash', String.raw`quote"and'it\s`],
    ['a line end', 'line-1\nline-2'],
    ['what reads as a code', '100%25sure%41'],
    ['letters of other alphabets', 'пароль-тайна'],
    ['a picture', 'pass🔑word'],
  ])('hides a secret with %s, in JSON in JSON, escaped, encoded and as entities', (_what, secret) => {
    const units = (written: (code: string) => string): string =>
      secret
        .split('')
        .map((unit) => written(unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')))
        .join('');
    for (const form of [
      JSON.stringify(JSON.stringify(secret)),
      JSON.stringify(JSON.stringify(JSON.stringify(secret))),
      units((code) => `\\u${code}`),
      encodeURIComponent(encodeURIComponent(secret)),
      [...secret].map((character) => `&#${character.codePointAt(0)};`).join(''),
      Buffer.from(`edda:${secret}`).toString('base64'),
      Buffer.from(secret).toString('hex'),
    ])
      expect(knowing(secret).redact(`x ${form} y`)).not.toContain(form);
  });

  test('leaves texts alone that hold none, however they are encoded', () => {
    const secrets = knowing('a', 'pa55word');
    for (const text of [
      'banana',
      'ca%61a',
      '%41%42 %2525',
      String.raw`\u0041bc`,
      'cGxhaW4gdGV4dA==',
      'deadbeefdeadbeef',
      'soft\u00adhyphen',
    ])
      expect(secrets.redact(text)).toBe(text);
    expect(secrets.redact('curl ?access_token=${EDITOR_TOKEN}')).toBe('curl ?access_token=${EDITOR_TOKEN}');
  });

  test.each([String.raw`\\`, 'eyJ'])('goes through a long row of %s once', (piece) => {
    const text = piece.repeat(300_000);
    expect(knowing(pat).redact(text)).toBe(text);
  });

  test('hides every JWT, those that the suite made included', () => {
    expect(knowing().redact('a eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0. b')).toBe('a $JWT b');
  });

  test('knows the secrets of a profile by the variables they came from', () => {
    const loaded = smallProfile(
      'http://localhost:1',
      'auth: { clientSecret: client-secret, signingKey: a2V5LWtleS1rZXk=, signingKeyForm: base64 }',
    );
    const text = registryOf({ ...loaded, variables: { 'identities.editor.token': 'MINE' } }).redact(
      'editor-token-0815 client-secret key-key-key',
    );
    expect(text).toBe('$MINE $CLIENT_SECRET $SIGNING_KEY');
  });

  test('hides what is sent of a client secret that is not the whole, beside the whole one', () => {
    const loaded = smallProfile('http://localhost:1', 'auth: { clientSecret: client-secret }');
    const text = registryOf(loaded).redact('client-secret client-secre client-secreT client');
    expect(text).toBe('$CLIENT_SECRET $CLIENT_SECRET_BEGINNING $CLIENT_SECRET_OTHER_CASE client');
  });
});

test.each([
  ['a list', "auth: { clientSecret: ['hunter2-in-yaml'] }"],
  ['a mapping', 'auth: { clientSecret: { is: hunter2-in-yaml } }'],
  ['a number that was not quoted', 'auth: { clientSecret: 471100815 }'],
  ['a mapping in the place of an identity', 'auth: [hunter2-in-yaml]'],
])('a profile that holds a secret as %s is refused without it', (_what, line) => {
  expect(() => smallProfile('http://localhost:1', line)).toThrow(
    /^(?!.*(?:hunter2|471100815)).* must be .*, found a /s,
  );
});
