import { sample } from './auth-sample.fixture.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRfc3339, isoTime } from '../rfc3339.ts';
import { correlationIdOf } from './messages.ts';
import { informationFilterFrom } from './messages.ts';
import { LogRing } from '../log.ts';
import { loggedUrl } from '../log.ts';
import { Refusal } from '../http/refusal.ts';

const { messages } = sample().service;
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

describe('the information filter', () => {
  test('any JSON object in standard Base64 is one; unknown members are left out', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string().filter((name) => name !== 'time' && name !== 'role'),
          fc.jsonValue(),
        ),
        (filter) => {
          expect(informationFilterFrom(encoded(filter))).toEqual({});
        },
      ),
    );
  });

  test('time and role are read', () => {
    const filter = { time: '2025-02-28T10:00:00Z', role: 'designer' };
    expect(informationFilterFrom(encoded({ ...filter, other: 1 }))).toEqual(filter);
  });

  test.each<readonly [string, string]>([
    ['nothing', ''],
    ['no Base64', 'not base64!'],
    ['unpadded', 'e30'],
    ['URL-safe', Buffer.from('{"a":"???>>>"}').toString('base64url')],
    ['not UTF-8', Buffer.from([0xff, 0xfe, 0x00]).toString('base64')],
    ['no JSON', Buffer.from('{').toString('base64')],
    ['two headers joined', 'e30=, e30='],
    ...[[], 'text', 1, null, true].map((value) => [`JSON ${JSON.stringify(value)}`, encoded(value)] as const),
    ...['yesterday', '2025-02-30T00:00:00Z', 1, null].map((time) => [`time ${time}`, encoded({ time })] as const),
    ['role 1', encoded({ role: 1 })],
  ])('%s is refused with 400', (_name, header) => {
    expect(() => informationFilterFrom(header)).toThrow(
      expect.objectContaining({ status: 400, pointer: 'Svc-InformationFilter' }),
    );
    expect(() => informationFilterFrom(header)).toThrow(Refusal);
  });
});

describe('RFC 3339', () => {
  test('takes what this server writes', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }),
        (date) => {
          expect(isRfc3339(isoTime(date.getTime()))).toBe(true);
        },
      ),
    );
  });

  test.each([
    '2024-02-29T00:00:00Z',
    '2000-02-29t00:00:00.123456+05:30',
    '2016-12-31T23:59:60Z',
    '0000-02-29T00:00:00Z',
  ])('takes %s', (text) => expect(isRfc3339(text)).toBe(true));
  test.each([
    '2023-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2024-04-31T00:00:00Z',
    '2024-13-01T00:00:00Z',
    '2024-01-01',
    '2024-01-01T00:00:00',
    '2024-01-01 00:00:00Z',
    '2024-01-01T24:00:00Z',
    '24-01-01T00:00:00Z',
    '2024-01-01T00:00:00+24:00',
    ' 2024-01-01T00:00:00Z',
    5,
  ])('refuses %s', (value) => expect(isRfc3339(value)).toBe(false));
});

describe('request headers', () => {
  test('are found by lower-case name, repeated ones joined', () => {
    expect({ ...messages.headersOf(['Svc-UOIVersion', '1', 'X', 'a', 'svc-uoiversion', '1', 'x', 'b']) }).toEqual({
      'svc-uoiversion': '1, 1',
      x: 'a, b',
    });
  });

  test('may have any name', () => {
    const headers = messages.headersOf(['__proto__', 'a', 'constructor', 'b']);
    expect(Object.entries(headers)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
    expect(messages.headersOf([])['toString']).toBeUndefined();
  });

  test('give the correlation id, or a new GUID every time', () => {
    expect(correlationIdOf(messages.headersOf(['X-Correlation-Id', 'abc']))).toEqual({
      correlationId: 'abc',
      correlationGiven: true,
    });
    const [one, other] = [
      correlationIdOf(messages.headersOf([])),
      correlationIdOf(messages.headersOf(['X-Correlation-Id', ''])),
    ];
    expect(one).toEqual({ correlationId: expect.stringMatching(/^[0-9a-f-]{36}$/), correlationGiven: false });
    expect(other.correlationId).not.toBe(one.correlationId);
  });
});

describe('the log', () => {
  test.each([
    ['/a?access_token=hush', '/a?access_token=…'],
    ['/a?b=c&password=hush&d', '/a?b=c&password=…&d'],
    ['/a?%74oken=hush', '/a?%74oken=…'],
    ['/a?token=x?y', '/a?token=…'],
    ['/a?softTypeFilterId=drawings&fileGroup.category=x', '/a?softTypeFilterId=drawings&fileGroup.category=x'],
    ['/a', '/a'],
  ])('writes %s as %s', (url, logged) => expect(loggedUrl(url)).toBe(logged));

  test('keeps the last lines, oldest first', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.nat(12), (capacity, count) => {
        const ring = new LogRing(capacity);
        const lines = Array.from(
          { length: count },
          (_, index) => `${JSON.stringify({ correlationId: `${index % 3}`, index })}\n`,
        );
        for (const line of lines) ring.write(line);
        const kept = lines.slice(-capacity);
        expect(ring.text()).toBe(kept.join(''));
        expect(ring.text('1')).toBe(kept.filter((line) => line.startsWith('{"correlationId":"1"')).join(''));
      }),
    );
  });
});
