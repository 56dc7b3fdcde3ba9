import { readFile } from 'node:fs/promises';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { parse } from 'yaml';
import { isMeant, isWide, type Mutant } from './mutant.ts';

const MutantKeySchema = Type.Object(
  {
    file: Type.String(),
    line: Type.Optional(Type.String()),
    mutator: Type.Optional(Type.String()),
    replacement: Type.Optional(Type.String()),
    of: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

/** Mutants that no rule has to notice, for one reason. */
const ReviewSchema = Type.Object(
  {
    /** `equivalent`: nothing that can be seen from outside differs. `silent`: what differs the documents leave open. */
    kind: Type.Union([Type.Literal('equivalent'), Type.Literal('silent')]),
    reason: Type.String({ minLength: 20 }),
    /** The sentence, or the id of the silence, that leaves it open. */
    source: Type.Optional(Type.String()),
    mutants: Type.Array(MutantKeySchema, { minItems: 1 }),
  },
  { additionalProperties: false },
);
const ReviewsSchema = Type.Array(ReviewSchema);

export type Review = Static<typeof ReviewSchema>;

export const reviewedFile = new URL('reviewed.yaml', import.meta.url);

/** @throws {Error} an entry that is none, or one that is silent about what is silent */
export async function loadReviews(): Promise<readonly Review[]> {
  const reviews = Value.Parse(ReviewsSchema, parse(await readFile(reviewedFile, 'utf8')));
  const unsaid = reviews.find(({ kind, source }) => kind === 'silent' && source === undefined);
  if (unsaid !== undefined) throw new Error(`reviewed.yaml: "${unsaid.reason}" is silent, and names no source.`);
  return reviews;
}

/** The reason why no rule has to notice that mutant; undefined where none has been written down. */
export function reviewOf(mutant: Mutant, reviews: readonly Review[]): Review | undefined {
  return reviews.find(({ mutants }) => mutants.some((key) => isMeant(key, mutant)));
}

/** Whether a key that means that mutant alone says that nobody can notice it. */
export function isSaidOfItself(mutant: Mutant, reviews: readonly Review[]): boolean {
  return reviews.some(({ mutants }) => mutants.some((key) => !isWide(key) && isMeant(key, mutant)));
}

/** Entries whose mutant is gone: its line has been written anew. */
export function goneFrom(reviews: readonly Review[], mutants: readonly Mutant[]): readonly string[] {
  return reviews
    .flatMap((review) => review.mutants)
    .filter((key) => !mutants.some((mutant) => isMeant(key, mutant)))
    .map(({ file, line, mutator }) => [file, line, mutator].filter((part) => part !== undefined).join(' '));
}
