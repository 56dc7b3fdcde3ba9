import type { Need } from '../../../contract/needs.ts';
import type { CaseContext } from '../../case.ts';
import { describe } from '../../describe.ts';
import { sentenceFrom } from './sentences.ts';

/**
 * Whether the operation that is to be validated is taken where nobody validates it; else its refusal would be told as a verdict. Undefined
 * when it is, when no rule of the run has to do with extensions, or when it fails in a way that rules are there to judge.
 */
export async function validationUsable(
  { triggers, given, profile }: Pick<CaseContext, 'triggers' | 'given' | 'profile'>,
  needs: ReadonlySet<Need>,
): Promise<string | undefined> {
  const { softTypes, triggers: { validation } = {} } = profile.all;
  if (!needs.has('extension-listener') || validation === undefined || softTypes === undefined) return undefined;
  return sentenceFrom({ profile }, async () => {
    const { reply } = await triggers.validation(await given.object());
    if (reply.status < 400 || reply.status >= 500) return undefined;
    return `triggers.validation was answered ${reply.status} where no extension validates it: correct it, so that an object of softTypes.primary takes it (the answer says ${describe(reply.text, 200)})`;
  });
}
