import { describe, expect, test } from 'vitest';
import { addressOf, type LinkFill } from './tasks.ts';

const filled = (address: string, fill: LinkFill = {}): string => addressOf({ address, token: 't/1' }, fill);

describe('a status goes', () => {
  test.each([
    ['into a placeholder', 'http://h/dx/1/status/{status}', 'http://h/dx/1/status/Failed'],
    ['into one that is encoded', 'http://h/dx/1/status/%7BanyName%7D', 'http://h/dx/1/status/Failed'],
    ['into one behind a colon', 'http://h:80/dx/1/status/:status', 'http://h:80/dx/1/status/Failed'],
    ['behind the route', 'http://h/dx/1/status', 'http://h/dx/1/status/Failed'],
    ['behind the route with a slash', 'http://h/dx/1/status/?a=1', 'http://h/dx/1/status/Failed?a=1'],
    ['in the place of another', 'http://h/dx/1/status/Completed', 'http://h/dx/1/status/Failed'],
    ['into the query', 'http://h/dx/1?to={status}', 'http://h/dx/1?to=Failed'],
  ])('%s', (_place, address, expected) => {
    expect(filled(address, { status: 'Failed' })).toBe(expected);
  });
});

describe('an identifier with signs of a placeholder stays', () => {
  test.each([
    ['http://h/dx/%7BA-1%7D/status/{status}', 'http://h/dx/%7BA-1%7D/status/Failed'],
    ['http://h/dx/{A-1}/status/%7Bstatus%7D', 'http://h/dx/{A-1}/status/Failed'],
    ['http://h/dx/%7bA-1%7d/status', 'http://h/dx/%7bA-1%7d/status/Failed'],
    ['http://h/{one}/dx/:two/status/Completed', 'http://h/{one}/dx/:two/status/Failed'],
  ])('%s', (address, expected) => {
    const link = { address, token: 't', identifiers: ['{A-1}', 'space {one}', ':two'] };
    expect(addressOf(link, { status: 'Failed' })).toBe(expected);
  });
});

describe('a path goes', () => {
  test.each([
    ['into a placeholder', 'http://h/fs/file/{path}', 'http://h/fs/file/a%20b/c/d%2B.txt'],
    ['into a doubled one', 'http://h/fs/file/{{filePath}}', 'http://h/fs/file/a%20b/c/d%2B.txt'],
    [
      'into one behind a colon',
      'http://h:80/fs/file/stream/dir/:fileName',
      'http://h:80/fs/file/stream/dir/a%20b/c/d%2B.txt',
    ],
    ['into two', 'http://h/fs/file/{subdirectories}/{fileName}', 'http://h/fs/file/a%20b/c/d%2B.txt'],
    ['into one that keeps slashes', 'http://h/fs/file/{+filePath}', 'http://h/fs/file/a%20b/c/d%2B.txt'],
    ['into one of several segments', 'http://h/fs/file{/path*}', 'http://h/fs/file/a%20b/c/d%2B.txt'],
    ['into an encoded one', 'http://h/fs/file/%7B%2BfilePath%7D', 'http://h/fs/file/a%20b/c/d%2B.txt'],
    ['into a parameter', 'http://h/fs/file{?path}', 'http://h/fs/file?path=a%20b%2Fc%2Fd%2B.txt'],
    ['into one more parameter', 'http://h/fs/file?x=1{&path,token}', 'http://h/fs/file?x=1&path=a%20b%2Fc%2Fd%2B.txt'],
    ['into the query', 'http://h/fs/file?path={path}', 'http://h/fs/file?path=a%20b%2Fc%2Fd%2B.txt'],
    ['behind the address', 'http://h/fs/file/stream', 'http://h/fs/file/stream/a%20b/c/d%2B.txt'],
    ['before the query', 'http://h/fs/file/?x=1', 'http://h/fs/file/a%20b/c/d%2B.txt?x=1'],
  ])('%s', (_place, address, expected) => {
    expect(filled(address, { path: 'a b/c/d+.txt' })).toBe(expected);
  });

  test('with no directory into two placeholders', () => {
    expect(filled('http://h/fs/file/{dirs}/{name}', { path: 'd.txt' })).toBe('http://h/fs/file/d.txt');
  });
});

describe('a token', () => {
  const open = 'http://h/f?a=1&token=';
  const template = 'http://h/f?token={accessToken}';
  const told = 'http://h/f?token=old';

  test.each([
    [open, 'http://h/f?a=1&token=t%2F1'],
    [template, 'http://h/f?token=t%2F1'],
    [told, 'http://h/f?token=t%2F1'],
    ['http://h/f?access_token=', 'http://h/f?access_token=t%2F1'],
    ['http://h/f', 'http://h/f?token=t%2F1'],
  ])('goes into the query of %s', (address, expected) => {
    expect(filled(address, { token: 'query' })).toBe(expected);
  });

  test('that is sent as bearer leaves no open place for another', () => {
    expect([filled(open), filled(template), filled(told)]).toEqual(['http://h/f?a=1', 'http://h/f', told]);
  });

  test('can be left out', () => {
    expect([filled(open, { token: 'none' }), filled(told, { token: 'none' })]).toEqual([
      'http://h/f?a=1',
      'http://h/f',
    ]);
  });

  test('can be left as the link has it', () => {
    expect([filled(open, { token: 'as-told' }), filled(told, { token: 'as-told' })]).toEqual([open, told]);
  });
});
