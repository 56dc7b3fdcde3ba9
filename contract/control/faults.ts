import { ended, hintAt } from '../spelling.ts';
import { OrderError } from './route.ts';

/** @throws {OrderError} an id that is none of the faults which that server or host knows */
export function assertKnownFaults(ids: readonly string[], known: readonly string[], who: 'server' | 'host'): void {
  for (const [index, id] of ids.entries()) {
    if (known.includes(id)) continue;
    const hint = known.length === 0 ? '; it knows no faults' : hintAt(id, known);
    throw new OrderError(ended(`Expected rules that this ${who} can break, found "${id}"${hint}`), `/faults/${index}`);
  }
}
