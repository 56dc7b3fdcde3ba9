import { gated, stdout } from './outlet.ts';
import { throwAsUsage } from './usage.ts';
import { type Need, needs } from '../contract/needs.ts';
import type { Profile } from '../contract/profile.ts';
import type { Exchange } from '../judge/exchange.ts';
import { needsOfHost } from '../judge/host/host-needs.ts';
import { unmetNeeds } from '../judge/needs.ts';
import { cutText, toPlainText } from '../judge/describe.ts';
import { examineDeployment } from '../judge/probe/examine.ts';
import { leftOutAdvice } from '../judge/probe/links.ts';
import type { Examination } from '../judge/probe/trials.ts';
import { withDeclarations } from '../judge/profile/host-profile.ts';
import { type LoadedProfile, loadProfile, withPlaces } from '../judge/profile/load.ts';
import { ProfileError } from '../judge/profile/document.ts';
import { matches } from '../judge/run/glob.ts';
import { type LeastNeed, leastNeeds } from '../reports/blocked.ts';
import type { Rule } from '../judge/rule.ts';
import { catalogue } from '../suites/catalogue.ts';
import { incompleteExitCode } from './exit-codes.ts';
import { remainsLines } from './remains.ts';

/** `met`: tried. `untried`: nothing in the profile speaks against it. `not offered`: the profile says so. */
type NeedState = 'met' | 'untried' | 'missing' | 'failed' | 'not offered';

interface NeedFinding {
  readonly need: Need;
  readonly state: NeedState;
  /** What to add, what failed, or why it is not offered. */
  readonly detail?: string;
}

/** Longest body of a request or an answer that is shown. */
const mostCharacters = 400;

const headings: readonly (readonly [NeedState, string])[] = [
  ['failed', 'Needs that fail'],
  ['missing', 'Needs that the profile does not declare'],
  ['not offered', 'Needs that are not offered'],
  ['untried', 'Needs that the profile leaves on, and that were not tried here'],
  ['met', 'Needs that are met'],
];

export interface DoctorOptions {
  readonly profile: string;
  /** Prints only what fails and the result. */
  readonly quiet?: true;
}

/** Clocks that differ by more are told. */
const remarkableSeconds = 30;

/**
 * Tries everything that a profile declares, and tells of every need whether it is met, missing or fails. Resolves with the exit code: 0 what is
 * declared works, 3 something fails. @throws {UsageError} the profile cannot be used
 */
export async function doctorCommand(options: DoctorOptions): Promise<number> {
  const quiet = options.quiet === true;
  const loaded = await withDeclarations(
    await loadProfile(options.profile, { rules: catalogue.all }).catch(throwAsUsage(ProfileError)),
  );
  const { result, remains, strangers, leftOut } = await examineDeployment(loaded);
  const { aheadSeconds = 0 } = result;
  const examinations = result.examinations.map((each) => located(each, loaded));
  const failed = examinations.filter(({ failure }) => failure !== undefined);
  const tried = quiet && failed.length === 0 ? [] : ['Tried:', ...examinationLines(examinations, quiet)];
  const told = [
    ...needLines(
      (Object.keys(needs) as Need[]).map((need) => findingOf(need, loaded.profile, examinations)),
      quiet,
    ),
    ...(quiet ? [] : declarationLines(loaded.profile)),
  ];
  const lines = [
    // what fails stands where a terminal ends
    ...(failed.length === 0 ? [...tried, ...told] : [...told, ...tried]),
    ...clockLines(aheadSeconds),
    ...(strangers.length === 0
      ? []
      : [
          `Addresses lead to ${strangers.join(', ')} and are not followed: add allowHosts: [${strangers.join(', ')}] where that is the same service.`,
        ]),
    ...(leftOut === undefined ? [] : [`Addresses ${leftOutAdvice(leftOut)}.`]),
    ...remainsLines(remains),
    failed.length === 0
      ? 'What the profile declares works.'
      : `${failed.length} of ${examinations.length} fail: see the keys named above.`,
  ];
  stdout.write(`${lines.join('\n')}\n`);
  return failed.length === 0 ? 0 : incompleteExitCode;
}

function located(examination: Examination, loaded: LoadedProfile): Examination {
  const { failure } = examination;
  return failure === undefined ? examination : { ...examination, failure: withPlaces(failure, loaded) };
}

/** What depends on time may fail where clocks differ. */
function clockLines(aheadSeconds: number): readonly string[] {
  if (Math.abs(aheadSeconds) < remarkableSeconds) return [];
  return [
    `The clock of the service is ${Math.abs(aheadSeconds)} s ${aheadSeconds > 0 ? 'ahead of' : 'behind'} that of this machine: set the one that is wrong.`,
  ];
}

/** What was tried, with request and answer where it failed. */
function examinationLines(examinations: readonly Examination[], quiet: boolean): readonly string[] {
  return examinations.flatMap(({ what, failure, exchange }) => {
    if (failure === undefined) return quiet ? [] : [`  ok      ${toPlainText(what)}`];
    return [
      `  failed  ${toPlainText(what)}`,
      `          ${toPlainText(failure)}`,
      ...(exchange === undefined ? [] : exchangeLines(exchange)),
    ];
  });
}

function exchangeLines({ request, response, error }: Exchange): readonly string[] {
  const shown = (text: string): string => cutText(toPlainText(gated(text)), mostCharacters);
  const headers = request.headers.filter(([name]) => /^(authorization|content-type|svc-)/i.test(name));
  return [
    `          > ${shown(`${request.method} ${request.url}`)}`,
    ...headers.map(([name, value]) => `          > ${shown(`${name}: ${value}`)}`),
    ...(request.body === undefined || request.body === '' ? [] : [`          > ${shown(request.body)}`]),
    ...(response === undefined ? [`          < ${shown(error ?? 'no answer')}`] : [`          < ${response.status}`]),
    ...(response === undefined || response.body === '' ? [] : [`          < ${shown(response.body)}`]),
  ];
}

/** Every need with its state; those without a word to say share lines. */
function needLines(findings: readonly NeedFinding[], quiet: boolean): readonly string[] {
  return headings.flatMap(([state, heading]) => {
    const own = findings.filter((finding) => finding.state === state);
    if (own.length === 0 || (quiet && state !== 'failed')) return [];
    return [
      `${heading}: ${own.length}`,
      ...[...Map.groupBy(own, ({ need, detail }) => (detail === undefined ? need : detail)).values()].map((alike) =>
        needLine(alike),
      ),
    ];
  });
}

/** What would account for every rule that is blocked without being declared, to be put into the profile. */
function declarationLines(profile: Profile): readonly string[] {
  const declared = Object.keys(profile.notSupported ?? {});
  const isOpen = ({ id, needs: own, test }: Rule): boolean =>
    (test.side !== 'extension' || profile.extensionHost !== undefined) &&
    !declared.some((entry) => [id, ...own].some((name) => matches(entry, name)));
  const lacking = catalogue.all.filter(isOpen).map((rule) => unmetNeeds(rule, profile).map(({ need }) => need));
  const least = gathered(
    leastNeeds(lacking),
    (need) => !dependsOnHost(need) && findingOf(need, profile, []).state === 'missing',
  );
  if (least.length === 0) return [];
  return [
    'For the profile, where none of that is offered, each with your reason; the rules are those that the lines before leave:',
    ...(declared.length === 0 ? ['notSupported:'] : []),
    ...least.map(({ need, rules }) => `  ${need.startsWith('*') ? `'${need}'` : need}: not offered # ${rules}`),
  ];
}

/** Lines about needs that are called alike become one with a star, where nothing is called so that the profile has, and no rule. */
function gathered(least: readonly LeastNeed[], isMissing: (need: Need) => boolean): readonly LeastNeed[] {
  const isUsable = (pattern: string): boolean =>
    (Object.keys(needs) as Need[]).every((need) => !matches(pattern, need) || isMissing(need)) &&
    !catalogue.all.some(({ id }) => matches(pattern, id));
  const patterns = new Set(least.flatMap(({ need }) => patternsFor(need)));
  const families = [...patterns].filter(isUsable).map((need) => {
    const members = least.filter((one) => matches(need, one.need));
    return { need, members, rules: members.reduce((sum, { rules }) => sum + rules, 0) };
  });
  const [largest] = families.toSorted(
    (one, other) => other.members.length - one.members.length || other.need.length - one.need.length,
  );
  if (largest === undefined || largest.members.length < 2)
    return least.toSorted((one, other) => other.rules - one.rules);
  const { need, members, rules } = largest;
  return gathered([...least.filter((one) => !members.includes(one)), { need, rules }], isMissing);
}

/** By the first words of a need, all of it included, and by the last ones. */
function patternsFor(need: string): readonly string[] {
  if (need.includes('*')) return [];
  const words = need.split('-');
  return words.flatMap((_word, index) => [
    index === 0 ? `${need}*` : `${words.slice(0, index).join('-')}-*`,
    ...(index === 0 ? [] : [`*-${words.slice(index).join('-')}`]),
  ]);
}

/** Needs of which the same is said share a line. */
function needLine(alike: readonly NeedFinding[]): string {
  const [{ need, detail } = { need: '', detail: undefined }] = alike;
  if (detail === undefined) return `  ${need}`;
  const others = alike.slice(1).map((other) => other.need);
  return `  ${need.padEnd(24)} ${toPlainText(detail)}${others.length === 0 ? '' : `; the same for ${others.join(', ')}`}`;
}

function findingOf(need: Need, profile: Profile, examinations: readonly Examination[]): NeedFinding {
  const reason = Object.entries(profile.notSupported ?? {}).find(([name]) => matches(name, need))?.[1];
  if (reason !== undefined)
    return { need, state: 'not offered', detail: typeof reason === 'string' ? reason : reason.reason };
  const [unmet] = unmetNeeds({ needs: [dependsOnHost(need) ? 'extension-host' : need] }, profile);
  if (unmet !== undefined) return { need, state: 'missing', detail: unmet.hint };
  const own = examinations.filter((examination) => examination.needs.includes(need));
  const failed = own.find(({ failure }) => failure !== undefined);
  if (failed !== undefined) return { need, state: 'failed', detail: failed.what };
  return { need, state: own.length > 0 ? 'met' : 'untried' };
}

function dependsOnHost(need: Need): boolean {
  return needsOfHost[need] !== undefined || need === 'extension-samples';
}
