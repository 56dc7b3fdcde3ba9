import type { Service } from '../service.ts';
import type { Reading } from '../store/store.ts';
import { keyHolderAt } from './holder.ts';
import { allKeptKeys, type KeptKeys } from './kept.ts';

/** Keys that open bulk upload now, in Base64. Source: ledger initial-administration-key, administration-key-holders */
export async function administrationKeys(service: Service, reading: Reading): Promise<readonly string[]> {
  const { initialAdministrationKeys, acquiredAdministrationKeys } = service.behaviours;
  return [...initialAdministrationKeys(service), ...(await acquiredAdministrationKeys(service, reading))];
}

/** The one that the server was started with, if any. */
export function initialAdministrationKeys({ configuration }: Service): readonly string[] {
  return configuration.administrationKey === undefined ? [] : [configuration.administrationKey];
}

/** Those that extensions and trusted endpoints have acquired. */
export async function acquiredAdministrationKeys(service: Service, reading: Reading): Promise<readonly string[]> {
  const { opensAdministration, isKeyValid } = service.behaviours;
  const found: string[] = [];
  for (const kept of await allKeptKeys(reading)) {
    if (!opensAdministration(kept.permission) || !(await isStillHeld(service, reading, kept))) continue;
    found.push(...kept.keys.filter((key) => isKeyValid(service, key)).map(({ key }) => key));
  }
  return found;
}

/** Whether keys for the permission open bulk upload. Source: extensions, Permission names */
export function opensAdministration(permission: string): boolean {
  return permission === 'AdministrationAPI';
}

/** A key ends with its registration, with the configuration of its permission, and while the registration is switched off. */
async function isStillHeld(service: Service, reading: Reading, kept: KeptKeys): Promise<boolean> {
  const holder = await keyHolderAt(service, reading, kept.registrationId, kept.recordId);
  return holder !== undefined && holder.active && (holder.permissions?.permissions.includes(kept.permission) ?? false);
}
