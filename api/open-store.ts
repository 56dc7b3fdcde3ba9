import { messageOf } from '../contract/thrown.ts';
import { DamagedStore, openSqliteStore } from '../reference-server/ports/sqlite.ts';
import type { Store } from '../reference-server/ports/store.ts';

/** Where a service keeps what it knows. */
export type StoreChoice =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly file: string }
  /** The address may hold a password. */
  | { readonly kind: 'postgres'; readonly url: string };

/** A store that cannot be used. The message says what to do, and nothing of an address that may be a secret. */
export class StoreError extends Error {
  readonly code = 'STORE';
  override readonly name = 'StoreError';
}

/** @throws {StoreError} */
export async function openStore(choice: StoreChoice): Promise<Store> {
  switch (choice.kind) {
    case 'memory':
      return openSqliteStore();
    case 'sqlite':
      return openFile(choice.file);
    case 'postgres':
      return openDatabase(choice.url);
  }
}

function openFile(file: string): Store {
  try {
    return openSqliteStore(file);
  } catch (error) {
    if (error instanceof DamagedStore) throw new StoreError(error.message);
    throw new StoreError(`Cannot open the store ${file} (${messageOf(error)}); name a file that can be written.`);
  }
}

async function openDatabase(url: string): Promise<Store> {
  // they take 40 ms that other stores need not pay
  const [{ shownAddress }, { openPostgresStore }] = await Promise.all([
    import('../reference-server/ports/postgres-session.ts'),
    import('../reference-server/ports/postgres.ts'),
  ]);
  const place = shownAddress(url);
  if (place === undefined)
    throw new StoreError(
      'Cannot read the address of the store; expected postgres://HOST:PORT/DATABASE, with the user and @ before HOST where one is needed.',
    );
  try {
    return await openPostgresStore(url);
  } catch (error) {
    throw new StoreError(`Cannot use the store ${place}: ${messageOf(error)}`);
  }
}
