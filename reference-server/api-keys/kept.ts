import type { Reading, Writing } from '../store/store.ts';
import type { KeyHolder } from './holder.ts';

/** A key that was issued. */
export interface IssuedKey {
  /** Base64 of 64 bytes. */
  readonly key: string;
  /** Ms of the clock. */
  readonly issuedAt: number;
  /** Whether its callback was acknowledged; one that is on its way is valid already. */
  readonly brought: boolean;
}

/** Keys of one holder for one permission, oldest first. */
export interface KeptKeys {
  readonly registrationId: string;
  readonly recordId?: string;
  readonly permission: string;
  readonly keys: readonly IssuedKey[];
}

/** Kind of document under which they stand in the store. */
const documentKind = 'apiKey';

export async function keptKeysOf(reading: Reading, holder: KeyHolder, permission: string): Promise<KeptKeys> {
  const { registrationId, recordId } = holder;
  const empty = { registrationId, permission, keys: [], ...(recordId !== undefined && { recordId }) };
  const text = await reading.document(documentKind, idOf(empty));
  return text === undefined ? empty : keptKeysFrom(text);
}

export async function allKeptKeys(reading: Reading): Promise<readonly KeptKeys[]> {
  return (await reading.documents(documentKind)).map(({ text }) => keptKeysFrom(text));
}

/** Without a key nothing is kept. */
export async function keepKeys(writing: Writing, kept: KeptKeys): Promise<void> {
  if (kept.keys.length === 0) return writing.deleteDocument(documentKind, idOf(kept));
  return writing.putDocument(documentKind, idOf(kept), JSON.stringify(kept));
}

function idOf({ registrationId, recordId, permission }: Omit<KeptKeys, 'keys'>): string {
  return JSON.stringify([permission, registrationId, recordId ?? null]);
}

/** Decoder of what `keepKeys` wrote. */
function keptKeysFrom(text: string): KeptKeys {
  return JSON.parse(text) as KeptKeys;
}
