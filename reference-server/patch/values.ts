import type { Member, Members, Scalar } from '../configuration.ts';
import { Refusal } from '../problem.ts';
import type { ArrayMember } from '../soft-type/array-port.ts';
import type { Content } from '../store/store.ts';
import { entryIdFrom, entryIdMember } from './entry-ids.ts';
import { pointerBelow } from './pointer.ts';
import { readReference, type ItemOf } from './references.ts';
import { arrayAt, contentAt, hasValue, isContent, readScalar, readTime } from './scalars.ts';

/** How values of an input body are taken. */
export interface InputRules {
  /** What null does to a member: takes its value away (merge), or is a value of the wrong type. */
  readonly nulls: 'remove' | 'refuse';
  /** Effectivity of a dated member that is given as a plain value. */
  readonly effectivity: () => string;
  /** In a multi-create: what an `instanceRef` stands for. */
  readonly itemOf?: ItemOf;
}

const datedMembers: ReadonlySet<string> = new Set(['value', 'effectivity']);

/**
 * The value of a member in canonical form. Goes no deeper than the definition does, however deep the body is nested.
 * @param at pointer to the value in the body
 * @throws {Refusal} 422 with the pointer to what does not fit
 */
export function readValue(rules: InputRules, member: Member, value: unknown, at: string): unknown {
  switch (member.kind) {
    case 'list':
      return arrayAt(value, at).map((item, index) => readScalar(member.of, item, pointerBelow(at, index)));
    case 'dated':
      return readDated(rules, member.of, value, at);
    case 'object':
      return readMembers(rules, member.members, contentAt(value, at), at);
    case 'entries':
    case 'references':
      return arrayAt(value, at).map((item, index) => readEntry(rules, member, item, pointerBelow(at, index)));
    default:
      return readScalar(member.kind, value, at);
  }
}

/** One entry of an array in canonical form, with the `$entryId` that the client gave, where an entry may have it. */
export function readEntry(rules: InputRules, array: ArrayMember, value: unknown, at: string): Content {
  const { [entryIdMember]: given, ...body } = contentAt(value, at);
  const entryId = entryIdFrom(given);
  const content =
    array.kind === 'references'
      ? readReference(array.to, body, at, rules.itemOf)
      : readMembers({ ...rules, nulls: 'refuse' }, array.members, body, at);
  return entryId === undefined ? content : { [entryIdMember]: entryId, ...content };
}

function readMembers(rules: InputRules, members: Members, body: Content, at: string): Content {
  const pairs = Object.entries(body).map(
    ([name, value]) => [name, readMember(rules, members.get(name), name, value, at)] as const,
  );
  const content: Content = Object.fromEntries(pairs);
  if (rules.nulls === 'refuse') assertMandatory(members, content, at);
  return content;
}

/** @throws {Refusal} 422 where the schema has no such member, or its value does not fit */
export function readMember(
  rules: InputRules,
  member: Member | undefined,
  name: string,
  value: unknown,
  at: string,
): unknown {
  const pointer = pointerBelow(at, name);
  if (member === undefined)
    throw new Refusal(422, `The input schema has no member '${name}' here: leave it out or correct its name.`, {
      pointer,
    });
  return value === null && rules.nulls === 'remove' ? null : readValue(rules, member, value, pointer);
}

/** @throws {Refusal} 422 naming the first mandatory member without a value, objects inside included */
export function assertMandatory(
  members: Members,
  content: Content,
  at: string,
  nameOf: (canonical: string) => string = (name) => name,
): void {
  for (const [name, member] of members) {
    const value = content[name];
    if (member.mandatory && !hasValue(value)) {
      throw new Refusal(422, `'${nameOf(name)}' is mandatory and would have no value.`, {
        pointer: pointerBelow(at, nameOf(name)),
      });
    }
    if (member.kind === 'object' && isContent(value))
      assertMandatory(member.members, value, pointerBelow(at, nameOf(name)));
  }
}

function readDated(rules: InputRules, of: Scalar, value: unknown, at: string): Content {
  if (!isContent(value)) return { value: readScalar(of, value, at), effectivity: rules.effectivity() };
  const stranger = Object.keys(value).find((name) => !datedMembers.has(name));
  if (stranger !== undefined) {
    throw new Refusal(422, `A dated element holds 'value' and 'effectivity', not '${stranger}'.`, {
      pointer: pointerBelow(at, stranger),
    });
  }
  return {
    value: readScalar(of, value.value, pointerBelow(at, 'value')),
    effectivity: effectivityIn(rules, value, at),
  };
}

function effectivityIn(rules: InputRules, dated: Content, at: string): string {
  return dated.effectivity === undefined
    ? rules.effectivity()
    : readTime(dated.effectivity, pointerBelow(at, 'effectivity'));
}
