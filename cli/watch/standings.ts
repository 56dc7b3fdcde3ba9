import type { RuleId } from '../../contract/rule.ts';
import { counted } from '../../reports/text.ts';
import type { Outcome, Verdict } from '../../judge/outcome.ts';

const bad: ReadonlySet<Verdict> = new Set(['fail', 'warn', 'broken']);
const good: ReadonlySet<Verdict> = new Set(['pass', 'observed']);
/** Rules that are named of each kind of change. */
const mostNamed = 20;

/** How each rule stood when it was last judged. */
export class Standings {
  readonly #verdicts = new Map<RuleId, Verdict>();

  /** Rules that were not kept, or that could not be judged for a stumble of the suite. */
  failed(): readonly RuleId[] {
    return [...this.#verdicts].filter(([, verdict]) => bad.has(verdict)).map(([rule]) => rule);
  }

  /** Takes over a run. Returns what differs from before, as lines; none for rules that were not judged before. */
  take(outcomes: readonly Outcome[]): readonly string[] {
    const judgedBefore = outcomes.filter(({ rule }) => this.#verdicts.has(rule));
    const changes = judgedBefore.flatMap(
      ({ rule, verdict }) => changeOf(rule, this.#verdicts.get(rule), verdict) ?? [],
    );
    for (const { rule, verdict } of outcomes) this.#verdicts.set(rule, verdict);
    return judgedBefore.length === 0 ? [] : linesOf(changes, judgedBefore.length);
  }
}

type Kind = 'fixed' | 'broken' | 'other';

interface Change {
  readonly kind: Kind;
  readonly text: string;
}

function changeOf(rule: RuleId, before: Verdict | undefined, now: Verdict): Change | undefined {
  if (before === undefined || before === now) return undefined;
  return { kind: kindOf(before, now), text: `${rule}: ${before}, now ${now}` };
}

function kindOf(before: Verdict, now: Verdict): Kind {
  if (bad.has(now) && !bad.has(before)) return 'broken';
  return good.has(now) && bad.has(before) ? 'fixed' : 'other';
}

function linesOf(changes: readonly Change[], compared: number): readonly string[] {
  if (changes.length === 0) return [`Since the run before: ${counted(compared, 'rule')} as before.`];
  const of = (kind: Kind): readonly string[] =>
    changes.filter((change) => change.kind === kind).map(({ text }) => text);
  const [fixed, broken, other] = [of('fixed'), of('broken'), of('other')];
  return [
    `Since the run before: ${fixed.length} fixed, ${broken.length} broken, ${other.length} otherwise changed, ${compared - changes.length} as before.`,
    ...named('broken', broken),
    ...named('fixed', fixed),
    ...named('changed', other),
  ];
}

function named(word: string, texts: readonly string[]): readonly string[] {
  const lines = texts.slice(0, mostNamed).map((text) => `  ${word.padEnd(8)} ${text}`);
  return texts.length > mostNamed ? [...lines, `  ${word.padEnd(8)} and ${texts.length - mostNamed} more`] : lines;
}
