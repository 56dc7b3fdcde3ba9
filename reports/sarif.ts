import type { Invocation, Location, Log, ReportingDescriptor, Result, Run as SarifRun } from 'sarif';
import { assess, type Assessment, isViolated, type Standing } from './assessment.ts';
import { besidesOf } from './besides.ts';
import { entriesOf, type Entry } from './entries.ts';
import { exitOf } from './exit.ts';
import { profileIn, replayCommand } from './finding.ts';
import type { ReportedRule, Run } from './run.ts';
import { cutTo, printable, printableJson } from './text.ts';

const schema = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';
const longestText = 1000;

/** SARIF 2.1.0: violated rules, stale and expired entries of the profile are results; what the profile expects is suppressed, what stumbled, did not run or is blocked without being declared is a notification. */
export function writeSarif(run: Run): string {
  return writeSarifOfAll([run]);
}

/** A run of the document for every run. */
export function writeSarifOfAll(runs: readonly Run[]): string {
  const log: Log = { $schema: schema, version: '2.1.0', runs: runs.map(runOf) };
  return printableJson(log);
}

function runOf(run: Run): SarifRun {
  const assessment = assess(run);
  const entries = entriesOf(run, assessment);
  const shown = entries.filter(isResult);
  const rules = [...new Map(shown.map((entry) => [ruleIdOf(entry), entry])).values()];
  const indices = new Map(rules.map((entry, index) => [ruleIdOf(entry), index]));
  return {
    tool: {
      driver: {
        name: 'svc-conformance',
        semanticVersion: run.header.suiteVersion,
        rules: rules.map(descriptorOf),
      },
    },
    automationDetails: { id: `svc-conformance/${printable(run.header.implementation)}/` },
    invocations: [invocationOf(run, assessment, entries)],
    results: shown.map((entry) => resultOf(entry, indices.get(ruleIdOf(entry)) ?? -1, run)),
    properties: besidesOf(run, assessment),
  };
}

/** What is or would be a violation; what stumbled is a notification. */
function isResult({ kind, type, standing }: Entry): boolean {
  return kind === 'failure' || type === 'known-failure' || isViolated(standing?.state);
}

/** All expired entries of the profile are results of one rule. */
function ruleIdOf({ type, standing }: Entry): string {
  return standing === undefined ? `profile.${type}` : standing.rule.id;
}

function descriptorOf(entry: Entry): ReportingDescriptor {
  return entry.standing === undefined ? expiryDescriptor(ruleIdOf(entry)) : ruleDescriptor(entry.standing.rule);
}

function ruleDescriptor({ id, level, statement, source, area }: ReportedRule): ReportingDescriptor {
  const help = 'The rule by itself: ';
  return {
    id,
    shortDescription: { text: plain(statement) },
    fullDescription: { text: plain(`${statement} Source: ${source}.`) },
    help: {
      text: plain(`${statement}\n\nSource: ${source}\n\n${help}svc-conformance rules explain ${id}`),
      markdown: `${statement}\n\n**Source:** ${source}\n\n**${help.trim()}** \`svc-conformance rules explain ${id}\``,
    },
    defaultConfiguration: { level: level === 'should' ? 'warning' : 'error' },
    properties: { tags: [area, level] },
  };
}

function expiryDescriptor(id: string): ReportingDescriptor {
  const text = 'An entry of the profile under knownFailures or notSupported holds until its last day.';
  const help = `${text} Renew it with a later day, or take it out.`;
  return {
    id,
    shortDescription: { text },
    fullDescription: { text },
    help: { text: help, markdown: help },
    defaultConfiguration: { level: 'error' },
    properties: { tags: ['profile'] },
  };
}

function resultOf(entry: Entry, ruleIndex: number, run: Run): Result {
  const { name, kind, type, message, standing } = entry;
  return {
    ruleId: ruleIdOf(entry),
    ruleIndex,
    level: standing?.state === 'warn' && kind !== 'failure' ? 'warning' : 'error',
    message: {
      text: plain(
        type === 'stale-known-failure' || standing === undefined ? `${name}: ${message}` : messageOf(standing, run),
      ),
    },
    locations: [locationOf(run, standing?.outcome?.violation?.exchange?.request.url)],
    partialFingerprints: { 'rule/v1': printable(name) },
    ...(type === 'known-failure' && { suppressions: [{ kind: 'external', justification: printable(message) }] }),
    ...(run.header.gate?.since !== undefined && { baselineState: type === 'unchanged' ? 'unchanged' : 'new' }),
  };
}

function messageOf({ rule, outcome }: Standing, { header }: Run): string {
  const { expected = 'not recorded', actual = 'not recorded' } = outcome?.violation ?? {};
  return `${rule.statement}\nExpected: ${cutTo(longestText, expected)}\nActual: ${cutTo(longestText, actual)}\nAgain: ${replayCommand(rule.id, header)}`;
}

/** Code scanning shows a result at a line of a file; what a service does has none, so it is the first line of the profile. */
function locationOf({ header }: Run, url = header.baseUrl): Location {
  return {
    physicalLocation: { artifactLocation: { uri: artifactOf(profileIn(header)) }, region: { startLine: 1 } },
    logicalLocations: [{ fullyQualifiedName: printable(cutTo(longestText, url)), kind: 'resource' }],
  };
}

/** The profile of the command as a relative reference; a name for it where it is outside the folder or none is named. */
function artifactOf(profile = ''): string {
  const file = profile.replace(/^\.\//, '');
  const isInside = /^[\w. -]+(?:\/[\w. -]+)*$/.test(file) && !file.split('/').includes('..');
  return isInside ? file.split('/').map(encodeURIComponent).join('/') : 'profile.yaml';
}

function invocationOf(run: Run, assessment: Assessment, entries: readonly Entry[]): Invocation {
  const { header, footer } = run;
  const { code, words } = exitOf(run, assessment, entries);
  const started = Date.parse(header.startedAt);
  const time = (at: number): string => new Date(at).toISOString();
  return {
    executionSuccessful: code !== 3,
    exitCode: code,
    exitCodeDescription: printable(words),
    commandLine: printable(header.command),
    ...(!Number.isNaN(started) && {
      startTimeUtc: time(started),
      ...(footer !== undefined && { endTimeUtc: time(started + footer.durationMs) }),
    }),
    toolExecutionNotifications: entries
      .filter(({ kind }) => kind === 'error')
      .map(({ name, message }) => ({
        level: 'error',
        message: { text: plain(`${name}: ${cutTo(longestText, message)}`) },
        descriptor: { id: name },
      })),
  };
}

/** Text of a message: braces and brackets stand for themselves and are no place-holder and no link. Source: SARIF 2.1.0, 3.11.5 and 3.11.6 */
function plain(text: string): string {
  return printable(text)
    .replaceAll(/[{}]/g, (brace) => brace + brace)
    .replaceAll(/[\\[\]]/g, (mark) => `\\${mark}`);
}
