import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { percentEncoded, Secrets } from '../redact/redact.ts';
import { seenThrough } from '../redact/seen-through.ts';
import { withOtherCase } from '../redact/profile-secrets.ts';
import { Twins } from './twins.ts';

const secret = 'Tr0ub4dor-and-3-öxen';

function twinsOf(text: string): Twins {
  const secrets = new Secrets();
  secrets.add('PASSWORD', text);
  return new Twins(secrets, new Map(), []);
}

const everyCharacter = (character: string): string => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`;

describe('something else of the same form stands for a secret', () => {
  const twins = twinsOf(secret);
  const twin = twins.of(secret);

  test('and for a password with a letter in the other case what stands for the password, with that letter so', () => {
    const secrets = new Secrets();
    secrets.add('PASSWORD', secret);
    secrets.addMadeOf(secret, 'PASSWORD_OTHER_CASE', withOtherCase);
    const both = new Twins(secrets, new Map(), []);
    expect(both.of(withOtherCase(secret))).toBe(withOtherCase(both.of(secret)));
    expect(both.of(withOtherCase(secret))).not.toBe(both.of(secret));
  });

  test('with letters for letters and digits for digits', () => {
    expect(twin).not.toBe(secret);
    expect(twin).toMatch(/^[A-Z][a-z]\d[a-z]{2}\d[a-z]{3}-[a-z]{3}-\d-ö[a-z]{3}$/);
  });

  test.each(['', 'a', 'ab', 'abc', 'user:'])('in the Base64 of a text that holds it behind "%s"', (before) => {
    for (const encoding of ['base64', 'base64url'] as const) {
      const encoded = Buffer.from(`${before}${secret}, and more`).toString(encoding);
      const decoded = Buffer.from(twins.text(`{"it":"${encoded}"}`).slice(7, -2), encoding).toString();
      // a letter at either end tells of what stands beside the secret too, and stays
      expect(decoded.startsWith(before)).toBe(true);
      expect(decoded.endsWith(', and more')).toBe(true);
      expect(decoded).not.toContain(secret.slice(1, -1));
    }
  });

  test('in hexadecimal digits', () => {
    const hex = Buffer.from(`a ${secret}`).toString('hex');
    expect(Buffer.from(twins.text(hex), 'hex').toString()).toBe(`a ${twin}`);
    expect(Buffer.from(twins.text(hex.toUpperCase()), 'hex').toString()).toBe(`a ${twin}`);
  });

  test.each<[string, (text: string) => string]>([
    [
      'as a dump of bytes',
      (text) =>
        Buffer.from(text)
          .toString('hex')
          .replaceAll(/..(?=.)/g, '$&:'),
    ],
    ['in Base64 of UTF-16', (text) => Buffer.from(`u:${text}`, 'utf16le').toString('base64')],
    [
      'in Base64 of several lines',
      (text) => Buffer.from(`user:${text}`).toString('base64').replaceAll(/.{16}/g, '$&\r\n'),
    ],
    ['in capitals', (text) => text.toUpperCase()],
    ['as entities', (text) => [...text].map((one) => `&#${one.charCodeAt(0)};`).join('')],
    ['in colours', (text) => [...text].join('\u001b[0m')],
    ['in wide letters', (text) => [...text].map((one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)).join('')],
  ])('%s', (_how, form) => {
    const plain = 'Tr0ub4dor-and-3-oxen';
    const secrets = new Secrets();
    secrets.add('PASSWORD', plain);
    const safe = new Twins(secrets, new Map(), []).text(`"${form(plain)}"`);
    // nothing of it is left that anybody would find
    expect(safe).not.toContain(form(plain));
    expect(secrets.redact(safe)).toBe(safe);
  });

  test('behind percent signs, escapes and characters that nobody sees', () => {
    const plain = 'Tr0ub4dor-and-3-oxen';
    const other = twinsOf(plain);
    const wrapped = [
      [...plain].map(everyCharacter).join(''),
      [...plain].map(everyCharacter).join('').replaceAll('%', '%25'),
      [...plain].map((character) => `\\u00${character.charCodeAt(0).toString(16)}`).join(''),
      [...plain].join('\u200b'),
    ];
    for (const text of wrapped) {
      const safe = other.text(`?a=${text}&b`);
      expect(seenThrough(safe)?.text ?? safe).toBe(`?a=${other.of(plain)}&b`);
    }
  });

  test('byte by byte in a form, spelled like the secret', () => {
    expect(twins.text(`a=${percentEncoded(secret)}&b`)).toBe(`a=${percentEncoded(twin)}&b`);
  });
});

test('a token keeps its claims and is signed with another key, also where it is escaped', () => {
  const key = Buffer.alloc(48, 5).toString('base64');
  const secrets = new Secrets();
  secrets.add('SIGNING_KEY', key);
  const twins = new Twins(secrets, new Map(), [key]);
  const signed = (by: string): string => {
    const content = ['{"alg":"HS512"}', '{"sub":"cora"}']
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.');
    return `${content}.${createHmac('sha512', Buffer.from(by, 'base64')).update(content).digest('base64url')}`;
  };
  expect(twins.text(`"${signed(key)}"`)).toBe(`"${signed(twins.of(key))}"`);
  const escaped = signed(key).replaceAll('e', String.raw`\u0065`);
  expect(JSON.parse(twins.text(`{ "it": "${escaped}" }`))).toEqual({ it: signed(twins.of(key)) });
});

test('what is no secret stays as it is', () => {
  const text = JSON.stringify({ name: 'größer', path: '/a%20b', escaped: '\u0001', base64: 'SGVsbG8sIHdvcmxk' });
  expect(twinsOf(secret).text(text)).toBe(text);
});

test('a long word is gone through once', () => {
  const text = 'a'.repeat(1_000_000);
  expect(twinsOf(secret).text(text)).toBe(text);
});
