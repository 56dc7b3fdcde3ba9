import type { Profile, SoftTypeProfile } from '../../../contract/profile.ts';
import { dataOf } from '../../answers.ts';
import { insteadOfRefusal } from '../../violation.ts';
import type { Ground } from '../preflight.ts';

/** Why too few texts are left; undefined where that is no default's doing. */
export function defaultsTold(stated: Profile, completed: Profile): string | undefined {
  const [before, after] = [stated, completed].map(({ softTypes }) => softTypes?.primary.scalars ?? []);
  if (before === undefined || after === undefined || before.length < 2 || after.length >= 2) return undefined;
  const gone = before.filter((name) => !after.includes(name)).join(', ');
  return `a new object has ${gone} by default, and what is removed does not show there: name other texts in softTypes.primary.scalars`;
}

/**
 * The SoftType, without the texts that an object of its own accord has: whether they were removed does not show. Which members a SoftType has
 * by default its template says. Source: core, System properties inside `data` (fields are defined per template)
 */
export function withoutDefaults({ service, given }: Ground, type: SoftTypeProfile): Promise<SoftTypeProfile> {
  const { scalars = [], body = {} } = type;
  const optional = scalars.filter((name) => !(name in body));
  const defaultsNow = async (): Promise<ReadonlyMap<string, unknown>> => {
    const data = dataOf(await service.read(await given.object({}, { type })));
    return new Map(optional.flatMap((name) => (typeof data[name] === 'string' ? [[name, data[name]]] : [])));
  };
  return insteadOfRefusal(type, async () => {
    const once = await defaultsNow();
    if (once.size === 0) return type;
    // what differs from one object to the next is none
    const again = await defaultsNow();
    return { ...type, scalars: scalars.filter((name) => !once.has(name) || again.get(name) !== once.get(name)) };
  });
}
