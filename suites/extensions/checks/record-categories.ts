import type { CaseContext } from '../../../judge/case.ts';
import type { CalledType } from '../../../judge/extension/call.ts';
import { expectCall, triggerCall } from '../../../judge/extension/trigger-calls.ts';

/** Words that mean something elsewhere: a category is a tag for people who subscribe. */
const categories = ['Administration', 'internal', 'none', 'Übersicht / Teile'] as const;

/** Whatever the category of a record says, whoever may set it off sets it off. Validations are chosen by other things. */
export async function expectEachOfItsCategory(context: CaseContext, types: readonly CalledType[]): Promise<void> {
  const named = types.filter((type) => type !== 'ExternalValidation');
  if (named.length === 0) return;
  for (const category of categories) {
    const extension = await context.given.extension({ types: named, record: { category } });
    for (const type of named)
      expectCall(
        context,
        await triggerCall(context, extension, type),
        `the call for a record of type ${type} and of the category ${category}`,
      );
  }
}
