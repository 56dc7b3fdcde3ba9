import { catalogue } from '../../suites/catalogue.ts';
import { areas } from '../../contract/areas.ts';
import type { Profile } from '../../contract/profile.ts';
import { unmetNeeds } from '../../judge/needs.ts';

/** Which groups of rules a profile makes testable, which not, and the line that would unlock each; as lines to print. */
export function testableLines(profile: Profile): readonly string[] {
  const judged = catalogue.all.map((rule) => ({ rule, hints: unmetNeeds(rule, profile).map(({ hint }) => hint) }));
  const isTestable = ({ hints }: (typeof judged)[number]): boolean => hints.length === 0;
  const byArea = areas.map((area) => {
    const own = judged.filter(({ rule }) => rule.area === area);
    return { area, all: own.length, testable: own.filter(isTestable).length };
  });
  const hints = [...new Set(judged.flatMap((each) => each.hints))].map((hint) => ({
    hint,
    blocked: judged.filter((each) => each.hints.includes(hint)).length,
    alone: judged.filter((each) => each.hints.length === 1 && each.hints[0] === hint).length,
  }));
  return [
    `Testable now: ${judged.filter(isTestable).length} of ${judged.length} rules.`,
    ...byArea
      .filter(({ testable }) => testable > 0)
      .map(({ area, testable, all }) => `  ${area.padEnd(16)} ${testable} of ${all}`),
    ...unlockLines(
      hints,
      byArea.filter(({ testable, all }) => testable === 0 && all > 0).map(({ area }) => area),
    ),
  ];
}

interface Hint {
  readonly hint: string;
  readonly blocked: number;
  /** Rules that lack nothing else. */
  readonly alone: number;
}

function unlockLines(hints: readonly Hint[], closed: readonly string[]): readonly string[] {
  if (hints.length === 0) return [];
  const sorted = hints.toSorted((a, b) => b.alone - a.alone || b.blocked - a.blocked);
  return [
    ...(closed.length === 0 ? [] : [`Not testable yet: ${closed.join(', ')}.`]),
    'What would unlock more (rules by this alone / rules that need it):',
    ...sorted.map(({ hint, alone, blocked }) => `  ${`${alone} / ${blocked}`.padStart(9)}  ${hint}`),
  ];
}
