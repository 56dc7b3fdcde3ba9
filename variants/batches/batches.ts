import { cellar } from './cellar.ts';
import { eighteenth } from './eighteenth.ts';
import { eighth } from './eighth.ts';
import { eleventh } from './eleventh.ts';
import { fifteenth } from './fifteenth.ts';
import { fifth } from './fifth.ts';
import { first } from './first.ts';
import { fortieth } from './fortieth.ts';
import { fortyFifth } from './forty-fifth.ts';
import { fortyFirst } from './forty-first.ts';
import { fortySecond } from './forty-second.ts';
import { fortySixth } from './forty-sixth.ts';
import { fortyThird } from './forty-third.ts';
import { fortyFourth } from './forty-fourth.ts';
import { fourteenth } from './fourteenth.ts';
import { fourth } from './fourth.ts';
import { laboratory } from './laboratory.ts';
import { luthiery } from './luthiery.ts';
import type { Batch, Mistake } from './mistake.ts';
import { museum } from './museum.ts';
import { nineteenth } from './nineteenth.ts';
import { ninth } from './ninth.ts';
import { second } from './second.ts';
import { seventeenth } from './seventeenth.ts';
import { seventh } from './seventh.ts';
import { sixteenth } from './sixteenth.ts';
import { sixth } from './sixth.ts';
import { tenth } from './tenth.ts';
import { third } from './third.ts';
import { thirteenth } from './thirteenth.ts';
import { thirtieth } from './thirtieth.ts';
import { thirtyEighth } from './thirty-eighth.ts';
import { thirtyFifth } from './thirty-fifth.ts';
import { thirtyFirst } from './thirty-first.ts';
import { thirtyFourth } from './thirty-fourth.ts';
import { thirtySecond } from './thirty-second.ts';
import { thirtyNinth } from './thirty-ninth.ts';
import { thirtySeventh } from './thirty-seventh.ts';
import { thirtySixth } from './thirty-sixth.ts';
import { thirtyThird } from './thirty-third.ts';
import { twelfth } from './twelfth.ts';
import { twentieth } from './twentieth.ts';
import { twentyFirst } from './twenty-first.ts';
import { twentyEighth } from './twenty-eighth.ts';
import { twentyFifth } from './twenty-fifth.ts';
import { twentyNinth } from './twenty-ninth.ts';
import { twentySecond } from './twenty-second.ts';
import { twentySeventh } from './twenty-seventh.ts';
import { twentySixth } from './twenty-sixth.ts';
import { twentyFourth } from './twenty-fourth.ts';
import { twentyThird } from './twenty-third.ts';

/** Batches by name. */
export const batches: Readonly<Record<string, Batch>> = {
  cellar,
  eighteenth,
  eighth,
  eleventh,
  fifteenth,
  fifth,
  first,
  fortieth,
  fortyFifth,
  fortyFirst,
  fortySecond,
  fortySixth,
  fortyFourth,
  fortyThird,
  fourteenth,
  fourth,
  laboratory,
  luthiery,
  museum,
  nineteenth,
  ninth,
  second,
  seventeenth,
  seventh,
  sixteenth,
  sixth,
  tenth,
  third,
  thirteenth,
  thirtieth,
  thirtyEighth,
  thirtyFifth,
  thirtyFirst,
  thirtyFourth,
  thirtySecond,
  thirtyNinth,
  thirtySeventh,
  thirtySixth,
  thirtyThird,
  twelfth,
  twentieth,
  twentyEighth,
  twentyFifth,
  twentyFirst,
  twentyNinth,
  twentySecond,
  twentySeventh,
  twentySixth,
  twentyFourth,
  twentyThird,
};

/** The mistakes of these batches, of all unless named, as `batch/id`. */
export function mistakesOf(names: readonly string[] = Object.keys(batches)): ReadonlyMap<string, Mistake> {
  return new Map(
    names.flatMap((name) =>
      Object.entries(batches[name] ?? {}).map(([id, mistake]) => [`${name}/${id}`, mistake] as const),
    ),
  );
}

/** The mistake that is named as `batch/id`; undefined where there is none. */
export function findMistake(name: string): Mistake | undefined {
  const [batch = '', id = ''] = name.split('/');
  return batches[batch]?.[id];
}
