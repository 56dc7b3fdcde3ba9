import { cellar } from './cellar.ts';
import { eighteenth } from './eighteenth/batch.ts';
import { eighth } from './eighth/batch.ts';
import { eleventh } from './eleventh/batch.ts';
import { fifteenth } from './fifteenth/batch.ts';
import { fifth } from './fifth/batch.ts';
import { fiftieth } from './fiftieth/batch.ts';
import { fiftyFirst } from './fifty-first/batch.ts';
import { fiftySecond } from './fifty-second/batch.ts';
import { fiftyFourth } from './fifty-fourth/batch.ts';
import { fiftyThird } from './fifty-third/batch.ts';
import { first } from './first/batch.ts';
import { fortieth } from './fortieth/batch.ts';
import { fortyEighth } from './forty-eighth/batch.ts';
import { fortyFifth } from './forty-fifth/batch.ts';
import { fortyFirst } from './forty-first/batch.ts';
import { fortySecond } from './forty-second/batch.ts';
import { fortySeventh } from './forty-seventh/batch.ts';
import { fortySixth } from './forty-sixth/batch.ts';
import { fortyThird } from './forty-third/batch.ts';
import { fortyFourth } from './forty-fourth/batch.ts';
import { fortyNinth } from './forty-ninth/batch.ts';
import { fourteenth } from './fourteenth/batch.ts';
import { fourth } from './fourth/batch.ts';
import { laboratory } from './laboratory.ts';
import { luthiery } from './luthiery.ts';
import type { Batch, Mistake } from './mistake.ts';
import { museum } from './museum/batch.ts';
import { nineteenth } from './nineteenth/batch.ts';
import { ninth } from './ninth/batch.ts';
import { second } from './second/batch.ts';
import { seventeenth } from './seventeenth/batch.ts';
import { seventh } from './seventh/batch.ts';
import { sixteenth } from './sixteenth/batch.ts';
import { sixth } from './sixth/batch.ts';
import { tenth } from './tenth/batch.ts';
import { third } from './third/batch.ts';
import { thirteenth } from './thirteenth/batch.ts';
import { thirtieth } from './thirtieth/batch.ts';
import { thirtyEighth } from './thirty-eighth/batch.ts';
import { thirtyFifth } from './thirty-fifth/batch.ts';
import { thirtyFirst } from './thirty-first/batch.ts';
import { thirtyFourth } from './thirty-fourth/batch.ts';
import { thirtySecond } from './thirty-second/batch.ts';
import { thirtyNinth } from './thirty-ninth/batch.ts';
import { thirtySeventh } from './thirty-seventh/batch.ts';
import { thirtySixth } from './thirty-sixth/batch.ts';
import { thirtyThird } from './thirty-third/batch.ts';
import { twelfth } from './twelfth/batch.ts';
import { twentieth } from './twentieth/batch.ts';
import { twentyFirst } from './twenty-first/batch.ts';
import { twentyEighth } from './twenty-eighth/batch.ts';
import { twentyFifth } from './twenty-fifth/batch.ts';
import { twentyNinth } from './twenty-ninth/batch.ts';
import { twentySecond } from './twenty-second/batch.ts';
import { twentySeventh } from './twenty-seventh/batch.ts';
import { twentySixth } from './twenty-sixth/batch.ts';
import { twentyFourth } from './twenty-fourth/batch.ts';
import { twentyThird } from './twenty-third/batch.ts';

/** Batches by name. */
export const batches: Readonly<Record<string, Batch>> = {
  cellar,
  eighteenth,
  eighth,
  eleventh,
  fifteenth,
  fifth,
  fiftieth,
  fiftyFirst,
  fiftySecond,
  fiftyFourth,
  fiftyThird,
  first,
  fortieth,
  fortyEighth,
  fortyFifth,
  fortyFirst,
  fortySecond,
  fortySeventh,
  fortySixth,
  fortyFourth,
  fortyNinth,
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
