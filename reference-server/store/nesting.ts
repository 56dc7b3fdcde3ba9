import { AsyncLocalStorage } from 'node:async_hooks';

/** The work of a read or of a change set, while it goes on. */
interface Visit {
  readonly store: object;
  readonly kind: 'read' | 'change';
  isOpen: boolean;
}

const visits = new AsyncLocalStorage<Visit | undefined>();

/** A read or a change set that was asked for inside the work of another one, whose end it would wait for, for ever. */
export class NestedStoreError extends Error {
  readonly code = 'NESTED_STORE_CALL';

  constructor(inner: Visit['kind'], outer: Visit['kind']) {
    super(
      `Expected no store.${inner}() inside the work of a store.${outer}(), which would wait for itself: ` +
        `use what that work was handed, or call \`apart\` for what begins there and is not waited for.`,
    );
    this.name = 'NestedStoreError';
  }
}

/** @throws {NestedStoreError} the caller works in that store already */
export function assertOutside(store: object, kind: Visit['kind']): void {
  const visit = visits.getStore();
  if (visit?.isOpen && visit.store === store) throw new NestedStoreError(kind, visit.kind);
}

/** Runs the work of a read or of a change set, so that what it asks for is known to be inside. */
export async function visiting<T>(store: object, kind: Visit['kind'], work: () => Promise<T>): Promise<T> {
  const visit: Visit = { store, kind, isOpen: true };
  try {
    return await visits.run(visit, work);
  } finally {
    visit.isOpen = false;
  }
}

/** Begins something that the change set around it does not wait for. */
export function apart<T>(work: () => T): T {
  return visits.run(undefined, work);
}
