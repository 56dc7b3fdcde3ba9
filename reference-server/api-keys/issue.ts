import { randomBytes } from 'node:crypto';
import { keyOverlapSeconds, keyPeriodSeconds } from '../../contract/limits.ts';
import type { Service } from '../service.ts';
import type { Writing } from '../store/store.ts';
import type { KeyHolder } from './holder.ts';
import { allKeptKeys, keepKeys, keptKeysOf, type IssuedKey } from './kept.ts';

const keyBytes = 64;

/** The key of one permission in an acquisition. */
export interface AcquiredKey extends IssuedKey {
  readonly permission: string;
  /** Whether this acquisition made it; else it is that of the running period. */
  readonly fresh: boolean;
}

/** The keys of the running period, made where there are none yet. Source: ledger key-rotation-overlap */
export async function issueKeys(
  service: Service,
  writing: Writing,
  holder: KeyHolder,
  permissions: readonly string[],
): Promise<readonly AcquiredKey[]> {
  await forgetExpired(service, writing);
  const acquired: AcquiredKey[] = [];
  for (const permission of permissions) acquired.push(await issueKey(service, writing, holder, permission));
  return acquired;
}

async function issueKey(
  service: Service,
  writing: Writing,
  holder: KeyHolder,
  permission: string,
): Promise<AcquiredKey> {
  const kept = await keptKeysOf(writing, holder, permission);
  const latest = kept.keys.at(-1);
  if (latest !== undefined && !service.behaviours.isKeyDue(service, latest))
    return { ...latest, permission, fresh: false };
  const next = { key: randomBytes(keyBytes).toString('base64'), issuedAt: service.clock.now(), brought: false };
  await keepKeys(writing, { ...kept, keys: [...kept.keys, next] });
  return { ...next, permission, fresh: true };
}

/** Whether the next acquisition brings another key. Source: extensions, Limits, permission key rotation */
export function isKeyDue(service: Service, { issuedAt }: IssuedKey): boolean {
  return service.clock.now() >= issuedAt + keyPeriodSeconds * 1000;
}

/** Whether the key still opens anything. Source: ledger key-rotation-overlap */
export function isKeyValid(service: Service, { issuedAt }: IssuedKey): boolean {
  return service.clock.now() < issuedAt + (keyPeriodSeconds + keyOverlapSeconds) * 1000;
}

/** After the callback was acknowledged: the keys stay, also when an acquisition beside this one has withdrawn them. */
export async function confirmKeys(
  writing: Writing,
  holder: KeyHolder,
  acquired: readonly AcquiredKey[],
): Promise<void> {
  for (const { permission, key, issuedAt } of acquired) {
    const kept = await keptKeysOf(writing, holder, permission);
    const others = kept.keys.filter((other) => other.key !== key);
    const keys = [...others, { key, issuedAt, brought: true }].toSorted((one, other) => one.issuedAt - other.issuedAt);
    await keepKeys(writing, { ...kept, keys });
  }
}

/** After the callback failed: what was made for it goes, unless another acquisition has brought it meanwhile. */
export async function withdrawKeys(
  writing: Writing,
  holder: KeyHolder,
  acquired: readonly AcquiredKey[],
): Promise<void> {
  for (const { permission, key, fresh } of acquired) {
    if (!fresh) continue;
    const kept = await keptKeysOf(writing, holder, permission);
    await keepKeys(writing, { ...kept, keys: kept.keys.filter((other) => other.key !== key || other.brought) });
  }
}

async function forgetExpired(service: Service, writing: Writing): Promise<void> {
  for (const kept of await allKeptKeys(writing)) {
    const keys = kept.keys.filter((key) => service.behaviours.isKeyValid(service, key));
    if (keys.length < kept.keys.length) await keepKeys(writing, { ...kept, keys });
  }
}
