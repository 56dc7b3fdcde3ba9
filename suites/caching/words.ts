import type { IdentityName } from '../../contract/profile.ts';
import type { CaseContext } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import { scenario, type Case } from '../../judge/case.ts';
import { exclusive } from '../../judge/exclusive.ts';
import { PreconditionFailed } from '../../judge/violation.ts';

/** A GET route for data other than SoftTypes and who reads it. */
export interface Resource {
  readonly path: string;
  readonly as: IdentityName;
}

/** A scenario over resources that another case may change: one of them at a time. */
export function cachingScenario(run: (context: CaseContext) => Promise<void>): Case {
  return exclusive('resources that are no SoftTypes', scenario(run));
}

export function resourcesOf({ profile }: CaseContext): readonly Resource[] {
  return (profile.all.caching?.resources ?? []).map(({ path, as }) => ({ path, as: as ?? 'editor' }));
}

/** GET without a condition. */
export function readResource({ service }: CaseContext, resource: Resource): Promise<Reply> {
  return service.get(resource.path, { as: resource.as });
}

/** GET with If-None-Match. */
export function readUnless(
  { service }: CaseContext,
  resource: Resource,
  tag: string,
  as: IdentityName | null = resource.as,
): Promise<Reply> {
  return service.get(resource.path, { as, headers: { 'If-None-Match': tag } });
}

/** The current ETag; where there is none the rule about its presence judges that. */
export async function tagOf(context: CaseContext, resource: Resource): Promise<string> {
  const reply = await readResource(context, resource);
  const tag = reply.headers['etag'];
  if (reply.status !== 200 || !tag)
    throw new PreconditionFailed(`an ETag on ${resource.path}`, reply, ['caching.etag.present']);
  return tag;
}

/** The tag with one character inside its quotes changed. */
export function altered(tag: string): string {
  const at = tag.endsWith('"') ? tag.length - 2 : tag.length - 1;
  return tag.slice(0, at) + (tag[at] === 'a' ? 'b' : 'a') + tag.slice(at + 1);
}
