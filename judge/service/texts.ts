import { isSuccess } from '../exchange.ts';
import { endings, shortTexts } from '../../fixtures/values.ts';
import { dataOf, entriesOf, textsOf } from './answers.ts';
import type { CaseContext } from '../case.ts';
import type { Given } from '../given.ts';

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
  /** Whether a read shows members without value as null, or as the empty text: then it is not said whether they are there for a replace. */
  readonly showsNull: boolean;
  /** Whether a read shows texts without value as the empty one. */
  readonly showsEmpty: boolean;
}

type Blanks = Pick<KeptTexts, 'showsNull' | 'showsEmpty'>;

const none: KeptTexts = { telling: [], endings: [], showsNull: false, showsEmpty: false };

/** What each case has found of texts and of blanks: its generated runs ask again and again. */
const kept = new WeakMap<CaseContext, Promise<KeptTexts>>();
const blanks = new WeakMap<CaseContext, Promise<Blanks>>();

/** Tries once what texts are taken. A service may refuse some, and keep the empty one as no value: that is judged where objects are created. */
export function textsKept(context: CaseContext): Promise<KeptTexts> {
  return foundOnce(kept, context, tryTexts);
}

async function tryTexts(context: CaseContext): Promise<KeptTexts> {
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
  const blank = await findBlanks(context);
  const created = await service.create(body);
  if (!isSuccess(created.status)) return { ...none, ...blank };
  const read = await service.get((await given.found(created, body)).location);
  const seen = dataOf(read);
  context.notes.observe('texts of every kind are kept', seen[first] === all, read);
  if (seen[first] !== all) return { ...none, ...blank };
  const keepsEmpty = second !== undefined && seen[second] === '' && !blank.showsEmpty;
  const unlike = new Set(keepsEmpty ? [] : ['']);
  for (const text of shortTexts.filter(isBlank)) if (!(await isKept(context, first, text))) unlike.add(text);
  return { telling: shortTexts.filter((text) => !unlike.has(text)), endings, ...blank };
}

/** What a read shows of members that nobody gave, and of texts among them, in an object and in an entry: the empty text stands for no value then. */
function findBlanks(context: CaseContext): Promise<Blanks> {
  return foundOnce(blanks, context, tryBlanks);
}

async function tryBlanks({ given, service, profile }: CaseContext): Promise<Blanks> {
  const { scalars: [first] = [], arrayPort } = profile.primary;
  const bare = arrayPort && { [arrayPort.member]: [given.entry('', { [arrayPort.text]: undefined })] };
  // an entry may have to hold something
  for (const body of [...(bare === undefined ? [] : [given.body(bare)]), given.body()]) {
    const created = await service.create(body);
    if (!isSuccess(created.status)) continue;
    const read = await service.readLong(await given.found(created, body));
    const data = dataOf(read);
    const inEntries = arrayPort === undefined ? [] : textsOf(entriesOf(read, profile.port), profile.port);
    const texts = [...(first === undefined || Object.hasOwn(body, first) ? [] : [data[first]]), ...inEntries];
    const showsEmpty = texts.includes('');
    return { showsEmpty, showsNull: showsEmpty || Object.values(data).includes(null) };
  }
  return none;
}

/** Tells whether what a read shows in the place of a text is none. */
export async function findNoText(context: CaseContext): Promise<(value: unknown) => boolean> {
  const { showsEmpty } = await findBlanks(context);
  const blanks: readonly unknown[] = [undefined, null, ...(showsEmpty ? [''] : [])];
  return (value) => blanks.includes(value);
}

/** Nothing but blanks, which may be refused where they are welcome beside letters. */
function isBlank(text: string): boolean {
  return text !== '' && text.trim() === '';
}

async function isKept({ given, service }: CaseContext, member: string, text: string): Promise<boolean> {
  const body = given.body({ [member]: text });
  const created = await service.create(body);
  if (!isSuccess(created.status)) return false;
  return dataOf(await service.get((await given.found(created, body)).location))[member] === text;
}

function foundOnce<T>(
  found: WeakMap<CaseContext, Promise<T>>,
  context: CaseContext,
  find: (context: CaseContext) => Promise<T>,
): Promise<T> {
  const known = found.get(context) ?? find(context);
  found.set(context, known);
  return known;
}
