import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { RouteNames } from './conduct.ts';
import { smallProfile } from '../small-service.fixture.ts';

const names = new RouteNames(smallProfile('http://service.test').profile);
const segmentOf = (segment: string) => names.nameOf('POST', `http://service.test/keys/${segment}`);

test.each(['task', 'externalEvent', 'trustedExternalEndpoint', 'OpenAPI', 'open-api.json', 'MIME_types', 'a'])(
  'a word stays in the name of a route: %s',
  (word) => expect(segmentOf(word)).toBe(`POST /keys/${word}`),
);

test.each(['BqQELtkMmKIrUlHy_CZjfxFo', 'qWjHzXpLkQvBnMtRyUsD', '17', 'e62eaa54-96d3-4a30-b314-4288d39687b1'])(
  'what is drawn does not, without a figure in it either: %s',
  (id) => expect(segmentOf(id)).toBe('POST /keys/{id}'),
);

test('of ten thousand keys that are drawn hardly one is taken for a word', () => {
  const drawn = Array.from({ length: 10_000 }, () => segmentOf(randomBytes(18).toString('base64url')));
  expect(drawn.filter((name) => name !== 'POST /keys/{id}').length).toBeLessThan(30);
});
