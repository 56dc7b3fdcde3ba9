import type { IdentityName } from '../../../contract/profile.ts';
import type { CaseContext } from '../../../judge/case.ts';
import type { BoundProfile } from '../../../judge/profile.ts';
import { commonersIn, isAdministrator } from '../../../judge/service/roles.ts';

/** Identities that may read instances of the space, as far as the profile knows one beside the editor. */
export function readersOf({ all }: BoundProfile): readonly ('editor' | 'reader')[] {
  return all.identities.reader === undefined ? ['editor'] : ['editor', 'reader'];
}

/** Identities that are no Collection Administrator. @throws {PreconditionFailed} there is none */
export function commonersOf({ given, profile }: CaseContext): readonly IdentityName[] {
  const commoners = commonersIn(profile.all);
  given.assume(commoners.length > 0, 'somebody among the identities who is no Collection Administrator');
  return commoners;
}

/** Who sends in the place of that sender where it is the administrator, who may do all; nothing where it is not. */
export function insteadOfAdministrator(context: CaseContext, sender: IdentityName): { readonly as?: IdentityName } {
  const [as] = isAdministrator(context.profile.all, sender) ? commonersOf(context) : [];
  return as === undefined ? {} : { as };
}
