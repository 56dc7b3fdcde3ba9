import { expect, onTestFinished, test } from 'vitest';
import { Base } from './base.ts';
import { objectStore, smallProfile, smallService } from '../small-service.fixture.ts';

/** What a preflight says of a service that hangs up instead of answering now and then. */
async function sentenceWhere(isLost: (count: number) => boolean): Promise<string | undefined> {
  const store = objectStore();
  let count = 0;
  const small = await smallService((request, response, message) => {
    count += 1;
    if (isLost(count)) message.socket.destroy();
    else store(request, response, message);
  });
  const { secondSpace: _none, ...profile } = smallProfile(small.url).profile;
  const loaded = { ...smallProfile(small.url), profile };
  const base = new Base({ loaded, seed: 1 }, new AbortController().signal, new Set(['soft-type']));
  onTestFinished(() => base.close());
  return base.preflight();
}

test('a connection that is lost now and then keeps nobody from judging', async () => {
  expect(await sentenceWhere((count) => count % 3 !== 0)).toBeUndefined();
});

test('a connection that is always lost, at once or later on, is told with what to look at', async () => {
  for (const first of [0, 4])
    expect(await sentenceWhere((count) => count > first)).toMatch(
      /^the connection was lost during .*: see whether baseUrl/,
    );
});
