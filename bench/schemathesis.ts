import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { startReference } from '../api/deployment.ts';
import { headerNames } from '../contract/names.ts';
import { systemProgram } from '../fixtures/system-program.ts';
import { machineLine } from './harness/figures.ts';
import { makeScratch } from './harness/scratch.ts';

/**
 * What a stranger's tool makes of the served OpenAPI: Schemathesis, with all its checks, against each definition in turn. What it finds is
 * either mended or explained in `schemathesis/explained.yaml`; exit 1 for what is not, 3 where it got nothing tried. A seed and a count
 * of examples give the same requests on any machine; with `--seconds` it repeats until they are over, and finds more.
 * Skipped where it is not installed: `python3 -m venv V && V/bin/pip install schemathesis==4.32.5`, then V/bin on the PATH.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    seed: { type: 'string', default: '1' },
    examples: { type: 'string', default: '20' },
    definitions: { type: 'string', default: 'system,collection,space,dynamic' },
  },
});

/** Why a finding is none of the server. All that is given has to fit. */
interface Explanation {
  /** Name of the check. */
  readonly check: string;
  /** Method and path of the operation; any unless given. */
  readonly operation?: string;
  /** In the message of the tool or in the answer of the server; any unless given. */
  readonly says?: string;
  readonly because: string;
}

interface Finding {
  readonly check: string;
  readonly operation: string;
  readonly text: string;
}

interface Failed {
  readonly name: string;
  readonly status: string;
  readonly failure_info?: { readonly failure: { readonly operation: string; readonly message: string } };
}

interface Recorder {
  readonly checks?: Readonly<Record<string, readonly Failed[]>>;
  readonly interactions?: Readonly<Record<string, { readonly response?: Answer | null }>>;
}

interface Answer {
  readonly status_code: number;
  readonly content?: { readonly $base64?: string } | string | null;
}

const definitions: Readonly<Record<string, { readonly path: string; readonly as: 'administrator' | 'editor' }>> = {
  system: { path: '/api/openApi/system', as: 'administrator' },
  collection: { path: '/api/openApi/collection', as: 'administrator' },
  space: { path: '/api/openApi/space', as: 'editor' },
  dynamic: { path: '/space/main/SoftType/dynamic/softtype.openApi', as: 'editor' },
};

const { path: program, note } = systemProgram('schemathesis');
if (program === undefined) console.log(`what a stranger's tool makes of the served OpenAPI${note}`);
else await tryAll(program);

async function tryAll(tool: string): Promise<void> {
  const text = await readFile(join(import.meta.dirname, 'schemathesis/explained.yaml'), 'utf8');
  const explanations: readonly Explanation[] = parse(text);
  const used = new Set<Explanation>();
  let [requests, unexplained] = [0, 0];
  const untried: string[] = [];
  for (const name of values.definitions.split(',')) {
    const { tried, findings } = await tryOne(tool, name);
    requests += tried;
    if (tried === 0) untried.push(name);
    const left = findings.filter((finding) => {
      const explanation = explanations.find((one) => explains(one, finding));
      if (explanation !== undefined) used.add(explanation);
      return explanation === undefined;
    });
    unexplained += left.length;
    console.log(`  ${name}: ${tried} requests, ${findings.length} findings, ${left.length} of them not explained`);
    for (const { check, operation, text } of left) console.log(`    ${check} ${operation}: ${text.slice(0, 600)}`);
  }
  const version = execFileSync(tool, ['--version'], { encoding: 'utf8' }).trim();
  console.log(
    `${version}: ${requests} requests, ${unexplained} findings not explained, ${used.size} of ${explanations.length} explanations used; ${machineLine()}`,
  );
  if (untried.length > 0) console.log(`  nothing was tried of ${untried.join(' and ')}`);
  const nothingTried = untried.length > 0 ? 3 : 0;
  process.exitCode = unexplained > 0 ? 1 : nothingTried;
}

async function tryOne(
  tool: string,
  name: string,
): Promise<{ readonly tried: number; readonly findings: readonly Finding[] }> {
  const definition = definitions[name];
  if (definition === undefined)
    throw new RangeError(`Expected one of ${Object.keys(definitions).join(', ')}, found ${name}.`);
  await using scratch = await makeScratch();
  await using target = await startReference();
  const { baseUrl, identities } = target.loaded.profile;
  const out = scratch.file('events.ndjson');
  // a filter that is right, as nothing behind a wrong one would be reached
  const filter = definition.as === 'editor' ? ['-H', `${headerNames.informationFilter}: e30=`] : [];
  const options = {
    '--url': baseUrl,
    '--checks': 'all',
    '--suppress-health-check': 'all',
    '--seed': values.seed,
    '--max-examples': values.examples,
    ...(values.seconds === undefined ? {} : { '--max-time': values.seconds }),
    '--report': 'ndjson',
    '--report-ndjson-path': out,
  };
  const authorization = `Authorization: Bearer ${identities[definition.as]?.pat}`;
  const headers = ['-H', authorization, ...filter];
  const flags = ['--continue-on-failure', '--no-shrink', '--no-color'];
  const child = spawn(
    tool,
    ['run', baseUrl + definition.path, ...Object.entries(options).flat(), ...headers, ...flags],
    { cwd: scratch.file('.'), stdio: ['ignore', 'ignore', 'inherit'] },
  );
  await once(child, 'close');
  if (!existsSync(out))
    throw new Error(`Expected a record of what ${tool} did with the ${name} definition, found none.`);
  const recorders = (await readFile(out, 'utf8')).split('\n').flatMap((line) => recorderIn(line));
  return {
    tried: recorders.reduce((sum, { interactions }) => sum + Object.keys(interactions ?? {}).length, 0),
    findings: recorders.flatMap(findingsOf),
  };
}

function recorderIn(line: string): readonly Recorder[] {
  if (!line.startsWith('{"ScenarioFinished"')) return [];
  const { ScenarioFinished: event } = JSON.parse(line) as {
    readonly ScenarioFinished: { readonly recorder?: Recorder };
  };
  return event.recorder === undefined ? [] : [event.recorder];
}

function findingsOf({ checks = {}, interactions = {} }: Recorder): readonly Finding[] {
  return Object.entries(checks).flatMap(([id, results]) => {
    const answer = textOf(interactions[id]?.response);
    return results
      .filter(({ status }) => status === 'failure')
      .map(({ name, failure_info: info }) => ({
        check: name,
        operation: info?.failure.operation ?? '',
        text: `${info?.failure.message.replaceAll('\n', ' ') ?? ''} ${answer}`,
      }));
  });
}

function explains({ check, operation, says }: Explanation, finding: Finding): boolean {
  const fits = (pattern: string | undefined, text: string): boolean =>
    pattern === undefined || new RegExp(pattern).test(text);
  return check === finding.check && fits(operation, finding.operation) && fits(says, finding.text);
}

function textOf(answer: Answer | null | undefined): string {
  if (!answer) return 'no answer';
  const { status_code: status, content } = answer;
  const bytes = typeof content === 'string' ? content : Buffer.from(content?.$base64 ?? '', 'base64').toString();
  return `${status} ${bytes}`;
}
