import type { RuleId } from './rule.ts';

/**
 * Ids that rules had in earlier versions, each with what became of it: one id where it was renamed, several where the rule was split. A
 * profile or a report that names the former id goes on to mean the same. No id has changed since the first version.
 */
export const aliases: Readonly<Record<string, readonly RuleId[]>> = {};

/** The rules that an id of before stands for; undefined where it is none. */
export function rulesFormerly(id: string): readonly RuleId[] | undefined {
  return Object.hasOwn(aliases, id) ? aliases[id] : undefined;
}
