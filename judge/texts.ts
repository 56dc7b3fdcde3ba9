import { endings, shortTexts } from '../fixtures/values.ts';
import { dataOf } from './answers.ts';
import type { CaseContext } from './case.ts';
import type { Given } from './given.ts';

/** Texts of one's own that end with these in turn. */
export function textsEnding({ unique }: Pick<Given, 'unique'>, endings: readonly string[]): () => string {
  let count = 0;
  return () => unique() + (endings[count++ % Math.max(1, endings.length)] ?? '');
}

/** Texts of one's own of every kind that is kept. */
export async function ownTexts(context: CaseContext): Promise<() => string> {
  return textsEnding(context.given, (await textsKept(context)).endings);
}

export interface KeptTexts {
  /** Short texts that a scalar keeps as they are, the empty one among them where it is kept too. */
  readonly telling: readonly string[];
  /** What texts of the suite's own may end with. */
  readonly endings: readonly string[];
  /** Whether a read shows members without value as null: then it is not said whether they are there for a replace. */
  readonly showsNull: boolean;
}

const none: KeptTexts = { telling: [], endings: [], showsNull: false };

/** Tries once what texts are taken. A service may refuse some, and keep the empty one as no value: that is judged where objects are created. */
export async function textsKept(context: CaseContext): Promise<KeptTexts> {
  const { given, service, profile } = context;
  const { scalars: [first, second] = [], object, arrayPort } = profile.primary;
  if (first === undefined) return none;
  const all = shortTexts.join('') + endings.join('');
  const body = given.body({
    [first]: all,
    ...(second !== undefined && { [second]: '' }),
    ...(object && { [object.member]: given.inner(object, [all, all]) }),
    ...(arrayPort && { [arrayPort.member]: [given.entry(all)] }),
  });
  const created = await service.create(body);
  if (created.status >= 300) return none;
  const read = await service.get((await given.found(created, body)).location);
  const seen = dataOf(read);
  context.notes.observe('texts of every kind are kept', seen[first] === all, read);
  const showsNull = Object.values(seen).includes(null);
  if (seen[first] !== all) return { ...none, showsNull };
  const unlike = new Set<string>();
  if (second === undefined || seen[second] !== '') unlike.add('');
  for (const text of shortTexts.filter(isBlank)) if (!(await isKept(context, first, text))) unlike.add(text);
  return { telling: shortTexts.filter((text) => !unlike.has(text)), endings, showsNull };
}

/** Nothing but blanks, which may be refused where they are welcome beside letters. */
function isBlank(text: string): boolean {
  return text !== '' && text.trim() === '';
}

async function isKept({ given, service }: CaseContext, member: string, text: string): Promise<boolean> {
  const body = given.body({ [member]: text });
  const created = await service.create(body);
  if (created.status >= 300) return false;
  return dataOf(await service.get((await given.found(created, body)).location))[member] === text;
}
