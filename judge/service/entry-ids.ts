import type { Reply, RequestSpec } from '../exchange.ts';
import { isObject, memberIn } from '../json.ts';

/** So many answers are looked at for an entry that tells no id. */
const mostKept = 12;

/** Knows what was shown of entries, so that none is addressed by an id that no answer told. Source: core, System properties, $entryId */
export class ShownEntries {
  readonly #shown: Reply[] = [];

  note(reply: Reply): void {
    if (reply.status !== 200) return;
    this.#shown.push(reply);
    if (this.#shown.length > mostKept) this.#shown.shift();
  }

  /** The last answer in which an entry lacks its id, where the request addresses one without. */
  lackedBy({ body }: RequestSpec): Reply | undefined {
    return operationsIn(body).some(isWithoutId) ? this.#shown.findLast(({ json }) => lacksEntryId(json)) : undefined;
  }
}

/** Those of the list, and of the requests of a batch. */
function operationsIn(body: unknown): readonly unknown[] {
  const items: readonly unknown[] = Array.isArray(body) ? body : [];
  return items.flatMap((item) => {
    const inner = memberIn(item, 'body');
    return Array.isArray(inner) ? (inner as readonly unknown[]) : [item];
  });
}

function isWithoutId(operation: unknown): boolean {
  const path = memberIn(operation, 'path');
  return typeof path === 'string' && path.includes('//');
}

/** Whether an object inside an array of `data`, at any depth, has no id. */
function lacksEntryId(json: unknown): boolean {
  const open = [memberIn(json, 'data')];
  for (let value = open.pop(); value !== undefined || open.length > 0; value = open.pop()) {
    if (Array.isArray(value)) {
      if (value.some((item) => isObject(item) && !isId(item['$entryId']))) return true;
      open.push(...(value as readonly unknown[]));
    } else if (isObject(value)) open.push(...Object.values(value));
  }
  return false;
}

function isId(value: unknown): boolean {
  return typeof value === 'string' || Number.isInteger(value);
}
