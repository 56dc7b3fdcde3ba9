import type { Rule } from '../contract/rules.ts';
import { assess, inState, type Assessment, type Standing } from './assessment.ts';
import { exitOf } from './exit.ts';
import { replayCommand } from './replay.ts';
import type { Run } from './run.ts';
import { cutTo, printable, printableJson } from './text.ts';

const schema = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';
/** The id of a rule as an address, like those of the schemas. */
const rulesAddress = 'https://svc-conformance.example/rules/';
const longestText = 1000;

/** SARIF 2.1.0: violated rules are results; what the profile expects is suppressed, what stumbled is a notification. */
export function writeSarif(run: Run): string {
  return writeSarifOfAll([run]);
}

/** A run of the document for every run. */
export function writeSarifOfAll(runs: readonly Run[]): string {
  return printableJson({ $schema: schema, version: '2.1.0', runs: runs.map(runOf) });
}

function runOf(run: Run) {
  const assessment = assess(run);
  const violated = [...inState(assessment, 'fail'), ...inState(assessment, 'warn')];
  return {
    tool: {
      driver: {
        name: 'svc-conformance',
        semanticVersion: run.header.suiteVersion,
        rules: violated.map(({ rule }) => descriptorOf(rule)),
      },
    },
    automationDetails: { id: `svc-conformance/${printable(run.header.implementation)}/` },
    invocations: [invocationOf(run, assessment)],
    results: violated.map((standing, index) => resultOf(standing, index, run, assessment)),
  };
}

function descriptorOf({ id, level, statement, source, check, area }: Rule) {
  return {
    id,
    shortDescription: { text: plain(statement) },
    fullDescription: { text: plain(`${statement} Source: ${source}.`) },
    help: { text: plain(`${statement}\n\nSource: ${source}\n\nHow it is checked: ${check}\n\nsvc-conformance rules explain ${id}`) },
    helpUri: `${rulesAddress}${id}`,
    defaultConfiguration: { level: level === 'should' ? 'warning' : 'error' },
    properties: { tags: [area, level] },
  };
}

function resultOf(standing: Standing, ruleIndex: number, run: Run, { known }: Assessment) {
  const { rule, state, outcome } = standing;
  const excuse = known.find((failure) => failure.rule === rule.id);
  return {
    ruleId: rule.id,
    ruleIndex,
    level: state === 'warn' ? 'warning' : 'error',
    message: { text: plain(messageOf(standing, run)) },
    locations: [locationOf(run, outcome?.violation?.exchange?.request.url)],
    partialFingerprints: { 'rule/v1': rule.id },
    ...(excuse !== undefined && { suppressions: [{ kind: 'external', justification: printable(excuse.reason) }] }),
  };
}

function messageOf({ rule, outcome }: Standing, { header }: Run): string {
  const { expected = 'not recorded', actual = 'not recorded' } = outcome?.violation ?? {};
  return `${rule.statement}\nExpected: ${cutTo(longestText, expected)}\nActual: ${cutTo(longestText, actual)}\nAgain: ${replayCommand(rule.id, header)}`;
}

/** Code scanning shows a result at a line of a file; what a service does has none, so it is the first line of the profile. */
function locationOf({ header }: Run, url = header.baseUrl) {
  return {
    physicalLocation: { artifactLocation: { uri: artifactOf(header.command) }, region: { startLine: 1 } },
    logicalLocations: [{ fullyQualifiedName: printable(cutTo(longestText, url)), kind: 'resource' }],
  };
}

/** The profile of the command as a relative reference; a name for it where it is outside the folder or none is named. */
function artifactOf(command: string): string {
  const [, quoted, bare] = /--profile(?:=|\s+)(?:'([^']*)'|(\S+))/.exec(command) ?? [];
  const file = (quoted ?? bare ?? '').replace(/^\.\//, '');
  const isInside = /^[\w. -]+(?:\/[\w. -]+)*$/.test(file) && !file.split('/').includes('..');
  return isInside ? file.split('/').map(encodeURIComponent).join('/') : 'profile.yaml';
}

function invocationOf(run: Run, assessment: Assessment) {
  const { header, footer } = run;
  const { code, words } = exitOf(run, assessment);
  const started = Date.parse(header.startedAt);
  const time = (at: number): string => new Date(at).toISOString();
  const broken = inState(assessment, 'broken');
  return {
    executionSuccessful: code !== 3,
    exitCode: code,
    exitCodeDescription: printable(words),
    commandLine: printable(header.command),
    ...(!Number.isNaN(started) && { startTimeUtc: time(started), ...(footer !== undefined && { endTimeUtc: time(started + footer.durationMs) }) }),
    toolExecutionNotifications: broken.map(({ rule, outcome }) => ({
      level: 'error',
      message: { text: plain(`${rule.id}: ${cutTo(longestText, outcome?.reason ?? 'the suite stumbled')}`) },
      descriptor: { id: rule.id },
    })),
  };
}

/** Text of a message: braces and brackets stand for themselves and are no place-holder and no link. Source: SARIF 2.1.0, 3.11.5 and 3.11.6 */
function plain(text: string): string {
  return printable(text)
    .replaceAll(/[{}]/g, (brace) => brace + brace)
    .replaceAll(/[\\[\]]/g, (mark) => `\\${mark}`);
}
