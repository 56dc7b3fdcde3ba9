import type { SoftTypeProfile } from '../../../contract/profile.ts';
import { otherSchemaOfShortRoute } from '../../short-route.ts';
import { insteadOfRefusal } from '../../violation.ts';
import type { Ground } from '../preflight.ts';

/**
 * The SoftType, with its second output schema as that of its short route where it says nothing of that and the route was seen to show just its
 * members. Other members than those of either schema are left to the rules. Source: core, Endpoint table, GET softtype
 */
export function withShortRoute({ service, given }: Ground, type: SoftTypeProfile): Promise<SoftTypeProfile> {
  const { scalars = [], secondOutputSchema, shortRouteSchemaId } = type;
  return insteadOfRefusal(type, async () => {
    if (secondOutputSchema === undefined || shortRouteSchemaId !== undefined) return type;
    const texts = Object.fromEntries(scalars.map((name) => [name, given.unique()]));
    const thing = await given.object(texts, { type });
    const applied = await otherSchemaOfShortRoute(service, thing);
    return applied === secondOutputSchema.id ? { ...type, shortRouteSchemaId: applied } : type;
  });
}
