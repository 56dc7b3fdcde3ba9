import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import type { Profile } from '../../contract/profile.ts';
import { listen } from '../../fixtures/listening.fixture.ts';
import { endBytes, mostFetchedBytes, readLog } from './log.ts';

const profileWith = (log: object): Profile => ({ baseUrl: 'http://127.0.0.1:1', probes: { log } }) as Profile;
const line = `${'x'.repeat(1023)}\n`;

/** A log of that length, with a line at the beginning, in the middle and at the end. */
function logOf(bytes: number): string {
  const half = line.repeat(Math.max(0, Math.floor((bytes - 100) / 2 / line.length)));
  return `first\n${half}middle\n${half}last\n`;
}

describe.each([
  ['short', 10_000, ['first', 'middle', 'last']],
  ['twice as long as an end', 2 * endBytes - 2000, ['first', 'middle', 'last']],
  ['longer', 3 * endBytes, ['first', 'last']],
  ['much longer', 13 * endBytes, ['first', 'last']],
])('a log that is %s', (_name, bytes, seen) => {
  const text = logOf(bytes);
  const marksIn = (log: string): readonly string[] => log.split('\n').filter((one) => one.length < 10 && one !== '');

  test('in a file', async () => {
    const file = join(makeFolder(), 'service.log');
    writeFileSync(file, text);
    expect(marksIn(await readLog(profileWith({ file })))).toEqual(seen);
  });

  test('at an address', async () => {
    await using server = await listen(createServer((_request, response) => response.end(text)));
    expect(marksIn(await readLog(profileWith({ url: `${server.url}/log` })))).toEqual(seen);
  });
});

test('a log that does not end is not fetched for ever', async () => {
  await using server = await listen(
    createServer((_request, response) => {
      const write = (): void => {
        while (!response.destroyed && response.write(line.repeat(1024)));
      };
      response.on('drain', write);
      write();
    }),
  );
  const log = readLog(profileWith({ url: `${server.url}/log` }));
  await expect(log).rejects.toThrow(`a log at ${server.url}/log of at most ${mostFetchedBytes} bytes`);
});
