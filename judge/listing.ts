import type { CaseContext } from './case.ts';
import { PreconditionFailed } from './violation.ts';
import { unescaped } from './unescaped.ts';

/** What a listing has to do before its silence says anything: for `given.assume`. */
export const listingShows =
  'a listing (routes.instanceListing of the profile) that shows the text of an object more often than it repeats the text asked for';

/** Whether the listing of the deployment shows an instance of the primary SoftType that holds this text, and not only the text itself. */
export async function isListed(context: CaseContext, text: string): Promise<boolean> {
  const echoes = await occurrences(context, context.given.unique('nowhere'));
  return (await occurrences(context, text)) > echoes;
}

async function occurrences({ service, profile }: CaseContext, text: string): Promise<number> {
  const template = profile.all.routes?.instanceListing ?? '';
  const values: Record<string, string> = {
    spaceId: profile.all.space,
    definitionId: profile.primary.definitionId,
    text,
  };
  const path = template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => encodeURIComponent(values[name] ?? whole));
  const reply = await service.get(path);
  if (reply.status !== 200)
    throw new PreconditionFailed('a listing of instances; see routes.instanceListing in the profile', reply);
  return unescaped(reply).split(text).length - 1;
}
