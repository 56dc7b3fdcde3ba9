import type { KnownRuleId } from './rule-ids.ts';

/** The rules that a service or an extension host breaks at the moment, each in the smallest way. */
export interface FaultSet extends Iterable<KnownRuleId> {
  /**
   * These and no others, from when it resolves. Addresses, data and connections stay; what is under way ends before.
   * @throws {OptionError} there is no such fault
   */
  set(ids: readonly KnownRuleId[]): Promise<void>;
  /** Lets everything be as the documents say. */
  clear(): Promise<void>;
}

/** What has faults, and may be given others. */
interface Faulty {
  now(): readonly string[];
  /** @throws {OptionError} there is no such fault */
  put(ids: readonly string[]): Promise<unknown>;
}

/** The faults of a server or a host of this process. */
export function faultSet({ now, put }: Faulty): FaultSet {
  const set = async (ids: readonly string[]): Promise<void> => void (await put(ids));
  return {
    set,
    clear: () => set([]),
    // a program may have been given ids that its types do not know
    [Symbol.iterator]: () => (now() as readonly KnownRuleId[])[Symbol.iterator](),
  };
}
