import type pg from 'pg';
import type { Reading } from '../store.ts';
import { begun, type Connection } from './connections.ts';
import { readingOf } from './reading.ts';
import { Session } from './session.ts';

const beginSql = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/** Runs the work in a transaction that sees one state, that of its first statement. */
export async function readIn<T>(pool: pg.Pool, work: (reading: Reading) => Promise<T>): Promise<T> {
  const connection = await begun(pool, beginSql);
  const session = new Session(connection);
  try {
    return await work(readingOf(session));
  } finally {
    session.end();
    void ended(connection, session);
  }
}

/** What was read is told before that. */
async function ended(connection: Connection, session: Session): Promise<void> {
  try {
    await connection.query('COMMIT');
    connection.release(session.hasFailed);
  } catch {
    connection.release(true);
  }
}
