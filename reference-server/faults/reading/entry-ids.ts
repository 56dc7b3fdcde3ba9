import type { Behaviours } from '../../behaviours.ts';
import { nameOf } from '../../patch/operation-add.ts';
import type { Content } from '../../store/store.ts';
import { isJson } from '../answer.ts';
import type { Fault } from '../fault.ts';
import { instanceAltered, isLongRoute, jsonAt } from '../reads.ts';

/** The arrays of an entry with items that cannot be addressed. */
export function withoutNestedIds(entry: Content): Content {
  const arrays = Object.entries(entry).filter((member): member is [string, readonly unknown[]] =>
    Array.isArray(member[1]),
  );
  return Object.fromEntries(arrays.map(([name, items]) => [name, items.map(withoutId)]));
}

function withoutId(item: unknown): unknown {
  if (!isJson(item)) return item;
  const { $entryId: _gone, ...members } = item;
  return members;
}

/** An appended entry is known by the length that the array then has, whatever is known by it already. */
export function idsByLength(behaviours: Behaviours): Behaviours {
  const shown = new Map<string, number>();
  const keyOf = (oid: string, port: string, entryId: number): string => `${oid} ${port} ${entryId}`;
  return {
    ...behaviours,
    appendToPort: async (service, run, target, contents) => {
      const { oid } = run.object;
      const port = nameOf(target);
      await behaviours.appendToPort(service, run, target, contents);
      const to = await run.writing.countEntries(oid, port);
      const from = to - contents.length;
      const added = await run.writing.entries(oid, port, { from, to });
      for (const [index, { entryId }] of added.entries()) shown.set(keyOf(oid, port, entryId), from + index + 1);
    },
    entriesOf: async (service, reading, object, section, ...rest) => {
      const entries = await behaviours.entriesOf(service, reading, object, section, ...rest);
      return entries.map((entry) => ({
        ...entry,
        entryId: shown.get(keyOf(object.oid, section.port, entry.entryId)) ?? entry.entryId,
      }));
    },
  };
}

/** Each read by the long route numbers the entries of its arrays anew. */
export function freshIdsByLongRoute(): Fault {
  let last = 1000;
  const renumbered = (value: unknown): unknown => {
    if (!Array.isArray(value)) return value;
    return value.map((item: unknown) => (isJson(item) ? { ...item, $entryId: (last += 1) } : item));
  };
  return instanceAltered((body, call) => {
    if (!isLongRoute(call)) return body;
    const members = Object.entries(jsonAt(body, 'data')).map(([name, value]) => [name, renumbered(value)]);
    return { ...body, data: Object.fromEntries(members) };
  });
}
