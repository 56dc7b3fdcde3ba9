import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory on the disk of this host that a suite may fill, for bulk uploads. */
export class HostDirectory {
  readonly #parent: string;
  #path: string | undefined;

  /** @param parent where it is made */
  constructor(parent = tmpdir()) {
    this.#parent = parent;
  }

  /** Made when it is first asked for. */
  get path(): string {
    this.#path ??= mkdtempSync(join(this.#parent, 'svc-conformance-host-'));
    return this.#path;
  }

  /** Takes it away with all that is in it. */
  remove(): void {
    if (this.#path !== undefined) rmSync(this.#path, { recursive: true, force: true });
    this.#path = undefined;
  }
}
