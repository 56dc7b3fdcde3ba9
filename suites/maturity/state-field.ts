import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import { fieldOf, promoted, readOf, stateFields, stateMembers } from './words.ts';

export const stateFieldCases = {
  'maturity.state-field.shape': scenario(async (context) => {
    const { given, notes } = context;
    const fresh = await given.object();
    const first = await readOf(context, fresh);
    hasShape(context, first);
    notes.observe('members of data that have the shape of a current state', stateFields(first).size, first);
    hasShape(context, await readOf(context, await promoted(context)));
  }),
} satisfies SomeCasesOf<'maturity'>;

function hasShape(context: CaseContext, read: Reply): void {
  const { given, expect, profile } = context;
  const field = fieldOf(context, read);
  if (field === undefined && profile.all.maturity?.stateMember === undefined)
    given.inconclusive(
      'no member of data can be told to be the current state: bind maturity.stateMember in the profile',
    );
  expect(field, 'the current-state field', read).toBeAnObject();
  for (const member of stateMembers)
    expect(
      new Map(Object.entries(field ?? {})).get(member),
      `${member} of the current-state field`,
      read,
    ).toBeAString();
}
