import { ClaimError } from './envelope.ts';
import { rejudge, type Rejudged } from '../rejudge.ts';
import { headerOf, reportedRules } from '../../api/judging.ts';
import type { Report, RuleResult } from '../../contract/schemas/report.ts';
import { CassetteError, headOf, readCassette } from '../../judge/cassette/file.ts';
import { statedIn } from '../../judge/profile/load.ts';
import { keysIn } from '../../contract/coverage/profile-keys.ts';
import { writeJson } from '../../reports/json.ts';
import { wordOf } from '../../reports/assessment.ts';
import { firstOf } from '../../reports/text.ts';

/** Longest time of judging again, in s: a full run takes 5. */
const mostSeconds = 120;
/** How long after its start a run may have opened its connections, in ms. */
const longestStartMs = 60 * 60 * 1000;
const mostNamed = 10;

/** What the cassette tells by itself, before anything of it is played, and does not fit the report; each a sentence without a full stop. @throws {ClaimError} it cannot be read */
export function contradictionsIn(report: Report, cassette: Uint8Array): readonly string[] {
  return told(() => {
    const { about, tape } = readCassette(cassette, 'the cassette');
    const { run, openedAt, timeOrigin } = headOf(tape);
    const stated = ['implementation', 'suiteVersion', 'startedAt', 'profileDigest', 'seed', 'runs'] as const;
    const others = stated.filter((name) => about[name] !== report[name]);
    const isOfRun =
      about.seed === run.seed && about.runs === run.runs && about.implementation === run.loaded.profile.implementation;
    const early = timeOrigin + openedAt - Date.parse(report.startedAt);
    const verdicts = new Map<string, string>(about.verdicts.map(({ rule, verdict }) => [rule, verdict]));
    const different = report.rules.filter(({ id, state }) => (verdicts.get(id) ?? 'not-selected') !== state);
    const asked = new Set<string>(run.rules);
    const unasked = report.rules.filter(({ id, ground }) => ground === true && asked.has(id));
    return [
      ...others.map(
        (name) =>
          `the ${name} of the report is ${JSON.stringify(report[name])}, that of the cassette ${JSON.stringify(about[name])}`,
      ),
      ...(isOfRun ? [] : ['the cassette says of itself what is not on it: implementation, seed or runs']),
      ...(early >= 0 && early <= longestStartMs
        ? []
        : ['the cassette was not recorded when the report says that the run began']),
      ...(verdicts.size === about.verdicts.length ? [] : ['the cassette names a rule twice']),
      ...(unasked.length === 0
        ? []
        : [
            `${firstOf(
              mostNamed,
              unasked.map(({ id }) => id),
            )} was asked for, and the report says that it was judged for others`,
          ]),
      ...(different.length === 0
        ? []
        : [
            `the cassette and the report differ about ${firstOf(
              mostNamed,
              different.map(({ id }) => id),
            )}`,
          ]),
    ];
  });
}

/** Judges the cassette again, and tells what of the report is otherwise then; each a sentence without a full stop. @throws {ClaimError} it cannot be played */
export async function differencesFrom(report: Report, cassette: Uint8Array): Promise<readonly string[]> {
  try {
    const rejudged = await rejudge(cassette, 'the cassette', { totalSeconds: mostSeconds });
    return differencesOf(report, remade(report, rejudged));
  } catch (error) {
    throw error instanceof CassetteError ? new ClaimError(error.message) : error;
  }
}

/** The report that the outcomes lead to. What no cassette holds is taken from the one that is stated: how long things took, and what was left. */
function remade(stated: Report, { run, outcomes, reached }: Rejudged): Report {
  const { startedAt, command, gate, durationMs = 0, remains, requests = 0, notes } = stated;
  const rules = new Set(
    stated.rules.filter(({ state, ground }) => state !== 'not-selected' && ground === undefined).map(({ id }) => id),
  );
  const selected = { ...run, rules: run.rules.filter((id) => rules.has(id)) };
  const header = headerOf(selected, { command, startedAt, ...(gate !== undefined && { gate: () => gate as object }) });
  const text = writeJson({
    rules: reportedRules(),
    header,
    outcomes,
    footer: {
      kind: 'end',
      durationMs,
      remains,
      requests,
      ...(reached !== undefined && { reached: { ...reached, keys: keysIn(statedIn(run.loaded)) } }),
    },
    notes,
  });
  return JSON.parse(text) as Report;
}

function differencesOf(stated: Report, found: Report): readonly string[] {
  const results = new Map(found.rules.map((rule) => [rule.id, rule]));
  const others = stated.rules.filter((rule) => results.get(rule.id)?.state !== rule.state);
  const shown = others.slice(0, mostNamed).map(({ id, state }) => {
    const again = results.get(id)?.state;
    return `${id} is stated to be ${wordOf(state)}, and judged again it is ${again === undefined ? 'unknown' : wordOf(again)}`;
  });
  const rest = others.length > mostNamed ? [`so are ${others.length - mostNamed} rules more`] : [];
  const altered = stated.rules.filter(
    (rule) => !others.includes(rule) && isOther(judgedPart(rule), judgedPart(results.get(rule.id))),
  );
  return [
    ...(stated.exitCode === found.exitCode
      ? []
      : [`exit code ${stated.exitCode} is stated, and the cassette leads to ${found.exitCode}`]),
    ...shown,
    ...rest,
    ...(stated.rules.length === found.rules.length
      ? []
      : [`the report lists ${stated.rules.length} rules of ${found.rules.length}`]),
    ...(stated.rules.some(({ id }, index) => id !== (found.rules[index]?.id ?? id))
      ? ['the report lists its rules in another order']
      : []),
    ...(altered.length === 0
      ? []
      : [
          `what the report tells of ${firstOf(
            mostNamed,
            altered.map(({ id }) => id),
          )} is not what the cassette shows`,
        ]),
    ...(Object.keys({ ...stated, ...found }) as (keyof Report)[])
      .filter((name) => name !== 'rules' && name !== 'exitCode' && isOther(stated[name], found[name]))
      .map((name) => `${name} of the report is not what the cassette leads to`),
  ];
}

/** What of a rule no cassette holds, or another play may tell otherwise: where schedules are raced, what was seen beside the verdict is another number. */
const ofThatRun: ReadonlySet<string> = new Set<keyof RuleResult>([
  'durationMs',
  'assertions',
  'exchanges',
  'remarks',
  'reason',
  'trace',
  'retries',
  'timelines',
  'violation',
  'observations',
]);

/** What a case comes to each time that it is played. */
function judgedPart(rule: RuleResult | undefined): unknown {
  if (rule === undefined) return undefined;
  const { violation, level } = rule;
  const seen = violation && [violation.expected, violation.actual, violation.counterexample];
  const observations = rule.observations.map(({ what, seen: value, key }) =>
    level === 'observe' ? { what, seen: value, key } : { what, key },
  );
  const judged = Object.entries(rule).filter(([name]) => !ofThatRun.has(name));
  return [...judged.toSorted(([one], [other]) => (one < other ? -1 : 1)), seen, observations];
}

function isOther(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) !== JSON.stringify(other);
}

function told<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CassetteError) throw new ClaimError(error.message);
    if (error instanceof SyntaxError || error instanceof TypeError)
      throw new ClaimError('the cassette is damaged: it cannot be read');
    throw error;
  }
}
