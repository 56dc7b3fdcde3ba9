import { createHmac } from 'node:crypto';
import { hostKey, onStage, record, type Stage } from './calls-host.fixture.ts';
import { controlledClock, type ControlledClock } from '../../clock/controlled.ts';
import { openSqliteStore } from '../ports/sqlite.ts';
import type { Store } from '../ports/store.ts';

export const callbackPath = '/keys/here';

export function pathOf(id: string): string {
  return `/api/collection/externalExtension/acquireAccessToken/${encodeURIComponent(id)}`;
}

export function signatureOver(path: string, key = hostKey): string {
  return createHmac('sha512', Buffer.from(key, 'base64')).update(path).digest('base64url');
}

export interface Scene extends Stage {
  readonly clock: ControlledClock;
  readonly store: Store;
  readonly callback: string;
  /** Asks as a Collection Administrator; resolves with the status. */
  acquire(id: string, permissions: readonly unknown[], more?: object): Promise<number>;
  /** Bodies that the callback got. */
  brought(): readonly Readonly<Record<string, { readonly apiKey: string }>>[];
}

export async function inScene(work: (scene: Scene) => Promise<void>): Promise<void> {
  const clock = controlledClock({ startAt: Date.UTC(2030, 0, 1) });
  const store = openSqliteStore();
  try {
    await onStage(
      (stage) => {
        const callback = stage.hostUrl + callbackPath;
        const acquire: Scene['acquire'] = async (id, permissions, more = {}) =>
          (await stage.ask('cora', 'POST', pathOf(id), { tokenCallback: callback, permissions, ...more })).status;
        const brought: Scene['brought'] = () => stage.arrived.map(({ body }) => JSON.parse(body));
        return work(Object.assign(stage, { clock, store, callback, acquire, brought }));
      },
      { clock, store },
    );
  } finally {
    await store.close();
  }
}

export function withPermissions(scene: Scene, id: string, names: readonly string[], path = callbackPath): object {
  return record(id, 'ExternalEvent', { permissions: { tokenCallback: scene.hostUrl + path, permissions: names } });
}
