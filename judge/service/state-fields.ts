import { isObject } from '../json.ts';

/** The strings that a current-state field holds. Source: core, States and transitions */
export const stateMembers = ['$oid', '$softType', 'id', 'state'] as const;

export type StateField = Readonly<Record<string, unknown>>;

/** Members of `data` that hold the four strings, by name; those of objects in it by their names from `data` on, with slashes between. */
export function stateFieldsIn(data: StateField, before = ''): readonly (readonly [string, StateField])[] {
  return Object.entries(data).flatMap(([name, value]) => {
    if (isStateField(value)) return [[before + name, value] as const];
    return isObject(value) ? stateFieldsIn(value, `${before}${name}/`) : [];
  });
}

function isStateField(value: unknown): value is StateField {
  return isObject(value) && stateMembers.every((member) => typeof value[member] === 'string');
}
