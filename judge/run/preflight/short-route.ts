import type { Profile, SoftTypeProfile } from '../../../contract/profile.ts';
import { otherSchemaOfShortRoute } from '../../short-route.ts';
import { insteadOfRefusal } from '../../violation.ts';
import type { Ground } from '../preflight.ts';

/**
 * The profile, with the second output schema of a SoftType as that of its short route where it says nothing of that and the route was seen
 * to show just its members. Other members than those of either schema are left to the rules. Source: core, Endpoint table, GET softtype
 */
export async function withShortRoutes(ground: Ground): Promise<Profile> {
  const { all } = ground.profile;
  if (all.softTypes === undefined) return all;
  const { primary, second, ...others } = all.softTypes;
  const softTypes = {
    ...others,
    primary: await withShortRoute(ground, primary),
    ...(second && { second: await withShortRoute(ground, second) }),
  };
  return { ...all, softTypes };
}

function withShortRoute({ service, given }: Ground, type: SoftTypeProfile): Promise<SoftTypeProfile> {
  const { scalars = [], secondOutputSchema, shortRouteSchemaId } = type;
  return insteadOfRefusal(type, async () => {
    if (secondOutputSchema === undefined || shortRouteSchemaId !== undefined) return type;
    const texts = Object.fromEntries(scalars.map((name) => [name, given.unique()]));
    const thing = await given.object(texts, { type });
    const applied = await otherSchemaOfShortRoute(service, thing);
    return applied === secondOutputSchema.id ? { ...type, shortRouteSchemaId: applied } : type;
  });
}
