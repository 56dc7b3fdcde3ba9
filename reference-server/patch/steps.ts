import type { Member, Members } from '../configuration.ts';
import type { Content } from '../store/store.ts';
import { entryIdMember, itemsOf } from './entry-ids.ts';
import { referenceMembers } from './references.ts';
import { hasValue, isContent } from './scalars.ts';

/** One step down inside a content: to a member, or to an item of the nested array that the member is. */
export interface Step {
  readonly name: string;
  readonly entryId?: number;
}

/** Whether a parent still complies with the model after something in it was removed. */
export type Complies = (members: Members, content: Content) => boolean;

/** Members of what a member holds; undefined where nothing can lie below it. */
export function membersBelow(member: Member | undefined): Members | undefined {
  switch (member?.kind) {
    case 'object':
    case 'entries':
      return member.members;
    case 'references':
      return referenceMembers;
    case 'dated':
      return new Map([['value', { kind: member.of, mandatory: true }]]);
    default:
      return undefined;
  }
}

/** The content with one container in it, the one that the steps lead to, changed. */
export function changedAt(content: Content, steps: readonly Step[], change: (holder: Content) => Content): Content {
  const [step, ...rest] = steps;
  if (step === undefined) return change(content);
  if (step.entryId === undefined) return { ...content, [step.name]: changedAt(holderAt(content, step), rest, change) };
  const items = itemsOf(content, step.name).map((item) =>
    item[entryIdMember] === step.entryId ? changedAt(item, rest, change) : item,
  );
  return { ...content, [step.name]: items };
}

/**
 * The content without what the steps lead to, and without every parent on the way that does not comply any more.
 * Whether the content itself complies is left to the caller. Source: core, Operations-based PATCH rules 8.
 */
export function withoutAt(complies: Complies, members: Members, content: Content, steps: readonly Step[]): Content {
  const [step, ...rest] = steps;
  if (step === undefined) return content;
  const remains = rest.length === 0 ? undefined : parentAfter(complies, members, content, step, rest);
  if (step.entryId !== undefined) return { ...content, [step.name]: itemsAfter(content, step, remains) };
  return remains === undefined ? omitting(content, step.name) : { ...content, [step.name]: remains };
}

function parentAfter(
  complies: Complies,
  members: Members,
  content: Content,
  step: Step,
  rest: readonly Step[],
): Content | undefined {
  const below = membersBelow(members.get(step.name)) ?? new Map<string, Member>();
  const remains = withoutAt(complies, below, holderAt(content, step), rest);
  return complies(below, remains) ? remains : undefined;
}

function itemsAfter(content: Content, step: Step, remains: Content | undefined): readonly Content[] {
  const replacement = remains === undefined ? [] : [remains];
  return itemsOf(content, step.name).flatMap((item) => (item[entryIdMember] === step.entryId ? replacement : [item]));
}

function holderAt(content: Content, step: Step): Content {
  const value =
    step.entryId === undefined
      ? content[step.name]
      : itemsOf(content, step.name).find((item) => item[entryIdMember] === step.entryId);
  return isContent(value) ? value : {};
}

function omitting(content: Content, name: string): Content {
  const { [name]: _gone, ...rest } = content;
  return rest;
}

/** Name of the first mandatory member that has no value. */
export function mandatoryMissing(members: Members, content: Content): string | undefined {
  return members.entries().find(([name, member]) => member.mandatory && !hasValue(content[name]))?.[0];
}

/** Source: core, Operations-based PATCH rules 8. */
export function complies(members: Members, content: Content): boolean {
  return mandatoryMissing(members, content) === undefined;
}
