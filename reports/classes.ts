import { classes, type ClassName, classNames, classesOf } from '../contract/classes.ts';
import type { ClassResult, ClassState } from '../contract/schemas/report.ts';
import { type Assessment, isExplained, type Standing } from './assessment.ts';
import { type Block, code, paragraph } from './document.ts';
import type { Run } from './run.ts';
import { counted } from './text.ts';

/** What stands of a class in a run, for a reader. */
export const classWords: Readonly<Record<ClassState, string>> = {
  kept: 'kept',
  partly: 'partly',
  'not-offered': 'not offered',
  'not-judged': 'not judged',
};

/**
 * How each class stands in a run, counted in rules whose breach fails. It is kept where each of its heart passes, and each other one passes or
 * is not offered for a reason on record; what the profile knows to fail keeps nothing. Not offered: all of its heart is blocked for a reason
 * that the profile gives or lacks. Partly is everything between.
 */
export function classResults(run: Run, assessment: Assessment): readonly ClassResult[] {
  const members = new Map<ClassName, Standing[]>(classNames.map((name) => [name, []]));
  for (const standing of assessment.standings)
    if (standing.rule.level === 'must')
      for (const name of classesOf(standing.rule.id)) members.get(name)?.push(standing);
  return classNames.map((name) => resultOf(name, members.get(name) ?? [], run, assessment));
}

function resultOf(name: ClassName, members: readonly Standing[], run: Run, assessment: Assessment): ClassResult {
  const count = (holds: (standing: Standing) => boolean): number => members.filter(holds).length;
  const isDeclared = (one: Standing): boolean => one.state === 'blocked' && isExplained(one, run, assessment);
  const counts = {
    rules: members.length,
    kept: count(({ state }) => state === 'pass'),
    violated: count(({ state }) => state === 'fail'),
    declared: count(isDeclared),
  };
  const open = counts.rules - counts.kept - counts.violated - counts.declared;
  const isClaimed = run.header.claims?.includes(name) === true;
  return { name, claimed: isClaimed, state: stateOf(name, members, counts, open), ...counts, open };
}

function stateOf(
  name: ClassName,
  members: readonly Standing[],
  { kept, violated }: Pick<ClassResult, 'kept' | 'violated'>,
  open: number,
): ClassState {
  const ids: ReadonlySet<string> = new Set<string>(classes[name].heart);
  const heart = members.filter(({ rule }) => ids.has(rule.id));
  if (heart.every(({ state }) => state === 'pass')) return violated + open === 0 ? 'kept' : 'partly';
  if (heart.every(isNotOffered)) return 'not-offered';
  const isUnseen = kept + violated === 0 && !members.some(({ state }) => state === 'blocked' || state === 'broken');
  return isUnseen ? 'not-judged' : 'partly';
}

function isNotOffered({ state, outcome }: Standing): boolean {
  return state === 'blocked' && (outcome?.missing ?? []).length > 0;
}

/** A line a class that was judged or claimed. */
export function classBlocks(run: Run, assessment: Assessment): readonly Block[] {
  const results = classResults(run, assessment).filter(({ claimed, state }) => claimed || state !== 'not-judged');
  const rows = results.map(({ name, claimed, state, rules, kept, violated, declared, open }) => [
    code(name),
    classes[name].says,
    claimed ? 'claimed' : '',
    classWords[state],
    ...[kept, rules, violated, declared, open].map(String),
  ]);
  if (rows.length === 0) return [];
  const titles = ['class', 'what it is good for', 'claimed', 'stands', 'kept', 'of', 'violated', 'not offered', 'open'];
  const table: Block = { kind: 'table', titles, rows, numbers: [4, titles.length - 1] };
  return [{ kind: 'section', title: 'Classes', id: 'classes', blocks: [table], only: ['markdown', 'page'] }];
}

/** The same in a sentence: names by how their classes stand, how much of what is kept was seen, and apart from them what is claimed and not kept. */
export function classSentence(run: Run, assessment: Assessment): readonly Block[] {
  const results = classResults(run, assessment);
  const named = (state: ClassState): string[] => results.filter((one) => one.state === state).map(seenOf);
  const parts = (['kept', 'partly', 'not-offered'] as const)
    .map((state) => [classWords[state], named(state)] as const)
    .filter(([, names]) => names.length > 0)
    .map(([word, names]) => `${word} ${names.join(', ')}`);
  const broken = results.filter(({ claimed, state }) => claimed && state !== 'kept').map(({ name }) => name);
  const claim = broken.length === 0 ? '' : ` Claimed and not kept: ${broken.join(', ')}.`;
  if (parts.length === 0 && claim === '') return [];
  return [paragraph(`Classes: ${parts.join('; ')}.${claim}`, 'terminal')];
}

/** A class whose other rules are all declared as not offered is kept, by however few it was seen. */
function seenOf({ name, state, kept, rules }: ClassResult): string {
  return state === 'kept' && kept < rules ? `${name} (${kept} of ${counted(rules, 'rule')})` : name;
}
