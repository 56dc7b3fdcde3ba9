import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fileUrlOf, inputPathOf, linksIn, statusUrlOf, withQueryToken } from './links.ts';

const segment = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((text) => !/[/\0]/.test(text) && text !== '.' && text !== '..');
const link = (id: string, url: string) => ({ id, method: 'GET', url });

test('a status goes where the link has a place for it, else behind its path', () => {
  const at = (url: string) => statusUrlOf(link('taskStatus', url), 'Failed');
  expect(at('http://x/dx/1/status/{status}')).toBe('http://x/dx/1/status/Failed');
  expect(at('http://x/dx/1/status/%7Bstatus%7D?a=1')).toBe('http://x/dx/1/status/Failed?a=1');
  expect(at('http://x/dx/1?set={status}')).toBe('http://x/dx/1?set=Failed');
  expect(at('http://x/dx/1/status')).toBe('http://x/dx/1/status/Failed');
  expect(at('http://x/dx/1/status/?a=1&b=?')).toBe('http://x/dx/1/status/Failed?a=1&b=?');
});

test('a token goes into the query where one is waited for', () => {
  expect(withQueryToken('http://x/f?token=given&a=1', 't')).toBe('http://x/f?token=given&a=1');
  expect(withQueryToken('http://x/f?a=1&token=', 't&')).toBe('http://x/f?a=1&token=t%26');
  expect(withQueryToken('http://x/f?token', 't')).toBe('http://x/f?token=t');
  expect(withQueryToken('http://x/f?mytoken=', 't')).toBeUndefined();
  expect(withQueryToken('http://x/token=', 't')).toBeUndefined();
});

test('the path of an input is what its link has beyond the file area, whatever the names', () =>
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), (segments) => {
      const path = segments.join('/');
      const files = 'http://x/odd/fs/file';
      const encoded = fileUrlOf(link('content', `${files}/{path}`), path, path);
      expect(inputPathOf([link('uploadFile', `${files}?a=1`), link('inputFile', `${encoded}?token=t`)])).toBe(path);
      expect(fileUrlOf(link('content', files), path, path)).toBe(encoded);
    }),
  ));

test('links of any shape are taken or left', () =>
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (links, one) => {
      expect(Array.isArray(linksIn(links, 'http://x'))).toBe(true);
      expect(linksIn([one, { id: 'a', method: 'GET', url: '/rel?x=1' }], 'http://x/base').at(-1)?.url).toBe(
        'http://x/rel?x=1',
      );
    }),
  ));
