import { expect, test } from 'vitest';
import { Connections, restMs, type Connection } from './connections.ts';

function taken(pool: Connections, isDelicate = true): Connection {
  let connection: Connection | undefined;
  pool.take({ receive: (one) => (connection = one) }, isDelicate);
  if (connection === undefined) throw new Error('Expected a connection that is free.');
  return connection;
}

test('where kept connections end silently, what must not be sent twice takes none that has just answered while there is another', () => {
  const pool = new Connections({ origin: 'http://127.0.0.1:9', most: 2, timeoutMs: 1000 });
  const first = taken(pool);
  pool.give(first);
  expect(taken(pool)).toBe(first);
  pool.endsSilently = true;
  pool.give(first);
  expect(taken(pool, false)).toBe(first);
  pool.give(first);
  first.givenAt = Infinity;
  const second = taken(pool);
  expect(second).not.toBe(first);
  expect(taken(pool)).toBe(first);
  pool.give(first);
  pool.give(second);
  [first.givenAt, second.givenAt] = [performance.now() - 2 * restMs, Infinity];
  expect(taken(pool)).toBe(first);
  expect(taken(pool)).toBe(second);
  pool.close();
});
