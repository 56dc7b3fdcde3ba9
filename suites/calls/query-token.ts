import { randomUUID } from 'node:crypto';
import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { CalledType } from '../../judge/extension/extension.ts';
import { tokenOf } from './tokens.ts';
import { extensionFor, ways } from './types.ts';

export const queryTokenCases = {
  'calls.query-token.validation': scenario((context) => hasToken(context, 'ExternalValidation')),
  'calls.query-token.task': scenario((context) => hasToken(context, 'ExternalTask')),
  'calls.query-token.email': scenario((context) => hasToken(context, 'Email')),

  'calls.query-token.other-types': scenario(async (context) => {
    const of = ways(context);
    const extension = await extensionFor(context, of);
    for (const { type, call: trigger } of of) {
      const { call } = await trigger(extension, randomUUID());
      context.notes.observe(`query parameters of an ${type} call`, call.query.map(([name]) => name).join(', '));
    }
  }),
} satisfies SomeCasesOf<'calls'>;

/** Exactly one parameter has the token of the envelope; its name is not documented. */
async function hasToken(context: CaseContext, type: CalledType): Promise<void> {
  const { given, expect, notes } = context;
  const of = ways(context).filter((way) => way.type === type);
  const way = given.present(of[0], `a trigger for ${type}`);
  const { call } = await way.call(await extensionFor(context, of), randomUUID());
  const token = tokenOf(context, call);
  const names = call.query.filter(([, value]) => value === token).map(([name]) => name);
  expect(names.length, `query parameters of the ${type} call that hold the accessToken of its envelope`).toEqual(1);
  notes.bound('queryTokenName', 'name of the query parameter with the token', names[0] ?? '');
}
