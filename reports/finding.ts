import { curlHomeName } from '../contract/names.ts';
import type { Exchange } from '../judge/exchange.ts';
import type { Outcome, RunHeader, TraceName, ViolationReport } from '../judge/outcome.ts';
import { isWorthRepeating, type Standing } from './assessment.ts';
import { type Block, type Evidence, type Form, ruleName } from './document.ts';
import type { Run } from './run.ts';
import { sourceText } from './source.ts';
import { counted, printable, shellWord, variableLine } from './text.ts';

const onPage: readonly Form[] = ['page'];
/** A terminal shows the exchange in the place of all requests. */
const inReports: readonly Form[] = ['markdown', 'page'];

/** What is known of a rule beyond its own outcome. */
interface Beyond {
  /** Blocked rules, by the one that they stand on. */
  readonly causes: ReadonlyMap<string, readonly Standing[]>;
  /** Why the profile expects it to fail. */
  readonly known?: string | undefined;
  /** Where the run has left its files, as whoever watched it calls that. */
  readonly folder?: string | undefined;
}

/** A rule and all that a run knows about how it stands, in the order of reading. */
export function findingOf(standing: Standing, run: Run, { causes, known, folder }: Beyond): Block {
  const { rule, state, outcome } = standing;
  return {
    kind: 'finding',
    rule,
    state,
    evidence: [
      { kind: 'passage', label: 'source', text: sourceText(rule.source) },
      ...(known === undefined
        ? []
        : [{ kind: 'passage', label: 'expected by the profile to fail', text: known } as const]),
      ...(outcome?.reason === undefined ? [] : [{ kind: 'passage', label: 'reason', text: outcome.reason } as const]),
      ...notesOf('stands on', (outcome?.standsOn ?? []).map(ruleName)),
      ...violationEvidence(standing, run, folder),
      ...blocksOf(causes.get(rule.id) ?? []),
      ...(isWorthRepeating(standing) ? [{ kind: 'replay', command: replayCommand(rule.id, run.header) } as const] : []),
      ...(outcome === undefined ? [] : recordOf(outcome)),
    ],
  };
}

function blocksOf(blocked: readonly Standing[]): Evidence[] {
  return blocked.length === 0
    ? []
    : [{ kind: 'notes', label: 'blocks', items: blocked.map(({ rule }) => ruleName(rule.id)) }];
}

function violationEvidence(standing: Standing, { header }: Run, folder?: string): readonly Evidence[] {
  const { violation, trace, timelines = [] } = standing.outcome ?? {};
  const schedules: Evidence[] = timelines.length === 0 ? [] : [{ kind: 'schedules', timelines }];
  if (violation === undefined) return schedules;
  const { expected, actual, counterexample, exchange, curl, repetition } = violation;
  const variables = variablesOf([standing], header).map(({ line }) => line);
  return [
    { kind: 'contrast', expected, actual },
    ...schedules,
    ...(counterexample === undefined ? [] : [{ kind: 'smallest', text: counterexample } as const]),
    ...writeBefore(exchange, curl),
    ...(exchange === undefined ? [] : [{ kind: 'exchange', exchange } as const]),
    ...(repetition === undefined ? [] : repetitionEvidence(standing.rule.id, repetition, folder)),
    ...(curl.length === 0
      ? []
      : [{ kind: 'script', lines: curl, variables, ...(exchange !== undefined && { only: inReports }) } as const]),
    ...(trace === undefined ? [] : [{ kind: 'passage', label: 'log', text: traceInWords(trace) } as const]),
  ];
}

/** What a read looked back at: the last write before it, to what it reads where its address is told by one. The reports have all of them as curl lines. */
function writeBefore(exchange: Exchange | undefined, curl: readonly string[]): readonly Evidence[] {
  if (exchange?.request.method !== 'GET') return [];
  const writes = curl.flatMap((line) => {
    const [, method = '', url = ''] = /--request (POST|PUT|PATCH|DELETE) .*'(https?:[^']*)'/s.exec(line) ?? [];
    return method === '' ? [] : [`${method} ${url}`];
  });
  const read = lastPieceOf(exchange.request.url);
  const own = writes.filter((write) => lastPieceOf(write) === read);
  const told = own.length === 0 ? writes : own;
  const last = told.at(-1);
  if (last === undefined) return [];
  return [
    {
      kind: 'passage',
      label: 'after',
      text: `${last}, the last of ${counted(told.length, 'write')}${own.length === 0 ? '' : ' to it'}`,
      only: ['terminal'],
    },
  ];
}

/** How an address names an object, however it is encoded. */
function lastPieceOf(address: string): string {
  const piece = /[^/]*$/.exec(address.replace(/\?.*$/s, ''))?.[0] ?? '';
  try {
    return decodeURIComponent(piece);
  } catch {
    return piece;
  }
}

/** How to see it again on a service that knows nothing of the run: on a terminal by a line that runs where it is read. */
function repetitionEvidence(
  rule: string,
  repetition: NonNullable<ViolationReport['repetition']>,
  folder: string | undefined,
): readonly Evidence[] {
  const again = (text: string, only?: readonly Form[]): Evidence => ({
    kind: 'passage',
    label: 'again',
    text,
    ...(only && { only }),
  });
  if ('reason' in repetition) return [again(repetition.reason)];
  const script = `repeat/${rule}.sh`;
  const { steps, recorded } = repetition;
  const shows = steps.length === 1 ? ' shows it' : ' show it';
  const end = repetition.shown ? shows : ', not sent again yet';
  const shown = `${counted(steps.length, 'request')} of ${recorded}${end}`;
  const inFolder = `sh ${script}, in the folder of the run: ${shown}`;
  if (folder === undefined) return [again(inFolder)];
  return [again(inFolder, inReports), again(`sh ${shellWord(`${folder}/${script}`)}  # ${shown}`, ['terminal'])];
}

function recordOf({
  observations,
  remarks,
  retries = [],
  assertions,
  exchanges,
  durationMs,
}: Outcome): readonly Evidence[] {
  const figures = `${counted(assertions, 'assertion')}, ${counted(exchanges, 'request')}, ${Math.round(durationMs)} ms`;
  return [
    ...notesOf(
      'observed',
      observations.map(({ what, seen }) => `${what}: ${seen}`),
    ),
    ...notesOf('remarks', remarks),
    ...notesOf('sent again', retries),
    { kind: 'figures', text: figures, only: onPage },
  ];
}

function notesOf(label: string, items: readonly (string | ReturnType<typeof ruleName>)[]): Evidence[] {
  return items.length === 0 ? [] : [{ kind: 'notes', label, items, only: onPage }];
}

/** What is known about a violated rule as lines of a plain text, free of hidden characters. */
export function evidenceLines({ rule, outcome }: Standing, header: RunHeader): readonly string[] {
  const { reason, violation, trace } = outcome ?? {};
  const { expected, actual, counterexample, curl = [] } = violation ?? {};
  const facts: readonly (readonly [label: string, text: string | undefined])[] = [
    ['source', rule.source],
    ['reason', reason],
    ['expected', expected],
    ['actual', actual],
    ['smallest', counterexample],
    ['in the log', trace && traceInWords(trace)],
    ['curl', curl.length === 0 ? undefined : curl.join('\n')],
    ['replay', replayCommand(rule.id, header)],
  ];
  return facts.flatMap(([label, text]) => (text === undefined ? [] : [`${label}: ${printable(text)}`]));
}

/** By what the requests of a case are found in the log of the service. */
export function traceInWords({ id, correlation }: TraceName): string {
  return correlation === undefined ? `trace ${id}` : `trace ${id}, X-Correlation-Id ${correlation}…`;
}

/** Options of a run without which the same seed would not lead to the same requests. */
const carried = /--(?:url|profile|runs|time|start|wait)(?:=|\s+)(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+|--reuse\b/g;

/** Where the profile of a run came from, as its command says; undefined where that names none. */
export function profileIn({ command }: RunHeader): string | undefined {
  const [, quoted, plain] = /--profile(?:=|\s+)(?:'([^']*)'|(\S+))/.exec(command) ?? [];
  return quoted ?? plain;
}

/** The one command that runs a rule again as this run did. */
export function replayCommand(rule: string, header: RunHeader): string {
  const options = header.command.match(carried) ?? [];
  const command = header.command.startsWith('svc-conformance check-extension')
    ? 'svc-conformance check-extension'
    : 'svc-conformance check';
  return [command, ...options, `--rules ${rule}`, `--seed ${header.seed}`].join(' ');
}

/** The command that deletes what a run left; undefined where no report or no profile is known. */
export function cleanCommand(report: string | undefined, header: RunHeader): string | undefined {
  const profile = profileIn(header);
  if (report === undefined || profile === undefined) return undefined;
  return `svc-conformance clean ${shellWord(report)} --profile ${shellWord(profile)}`;
}

/** What the profile has to say before that command deletes all of it; undefined where it says so. */
export function lackedToClean({ footer }: Pick<Run, 'footer'>): string | undefined {
  for (const { reason } of footer?.remains ?? []) {
    const [, key] = /^the profile has no (\S+)$/.exec(reason) ?? [];
    if (key !== undefined) return key;
  }
  return undefined;
}

/** A variable that curl lines name, and the shell line that sets it or says where its value stands. */
export interface Variable {
  readonly name: string;
  readonly line: string;
}

/** The variables that the curl lines of these violations name, each after those that its own line names. */
export function variablesOf(
  standings: readonly Standing[],
  { variables }: Pick<RunHeader, 'variables'>,
): readonly Variable[] {
  const used = new Set<string>();
  const collect = (text: string): void => {
    for (const name of Object.keys(variables)) if (!used.has(name) && names(text, name)) visit(name);
  };
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    collect(variables[name] ?? '');
    used.add(name);
  };
  const lines = standings.flatMap(({ outcome }) => outcome?.violation?.curl ?? []);
  collect(lines.join('\n'));
  if (lines.length > 0 && Object.hasOwn(variables, curlHomeName)) visit(curlHomeName);
  return [...used].map((name) => ({ name, line: variableLine({ name, how: variables[name] ?? '' }) }));
}

function names(text: string, name: string): boolean {
  return text.includes(`\${${name}}`) || text.includes(`$${name}`);
}
