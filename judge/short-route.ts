import { dataOf } from './answers.ts';
import type { Reply } from './exchange.ts';
import type { Target } from './target.ts';
import type { Thing } from './things.ts';

/** What the short route applies where it shows other members of the object than the output schema: the second one that is known, where it shows those of that, else `another`. */
export async function otherSchemaOfShortRoute(service: Target, thing: Thing): Promise<string | undefined> {
  const short = namesIn(await service.readShort(thing));
  if (short === namesIn(await service.readLong(thing))) return undefined;
  const outputSchemaId = thing.type.secondOutputSchema?.id;
  const isOther = outputSchemaId !== undefined && short === namesIn(await service.readLong(thing, { outputSchemaId }));
  return isOther ? outputSchemaId : 'another';
}

function namesIn(reply: Reply): string {
  return Object.keys(dataOf(reply)).toSorted().join(' ');
}
