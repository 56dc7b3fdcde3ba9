import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Instrumenter, type InstrumenterOptions } from '@stryker-mutator/instrumenter';
import { isObject } from '../../judge/json.ts';
import type { Mutant } from './mutant.ts';
import { foldersOf, type Ground, isMutated, stratumOf } from './places.ts';

/** A copy of the project in which every mutant is there, and none is switched on. */
export interface Instrumented extends AsyncDisposable {
  readonly folder: string;
  readonly mutants: readonly Mutant[];
}

export const root = join(import.meta.dirname, '../..');

/** Folders that a copy of the judged takes as they are: data, and the clock that the suite moves. */
const shared = ['contract', 'fixtures', 'clock'];
/** What a copy of the judge needs beside it. */
const beside = [
  ...shared,
  'reference-server',
  'simulator',
  'variants',
  'judge',
  'suites',
  'api',
  'cli',
  'bench',
  'reports',
  'package.json',
];

/** Members of a rule and of an OpenAPI definition whose value is a sentence. */
const sentencesByName = new Set(['source', 'statement', 'fault', 'description']);
/** Members of a rule whose words are types. */
const wordsByName = new Set(['needs', 'after']);
/** What takes a text that says what is wrong, of an answer or of a judgement. Source: ledger error-body-shape */
const saysWhatIsWrong =
  /^(?:\w*Error|Refusal|(?:make)?[rR]efus(?:e\w*|al)|invalid|complain|say|expect|assume|present|succeeded|inconclusive|notExercised|remark)$/;

/** What only people read, the pointer of a refusal with it, or only the compiler asks for: nobody is asked to notice such mutants. */
const unasked: InstrumenterOptions['ignorers'][number] = {
  shouldIgnore: (path) => {
    const [node, parent] = [Reflect.get(path, 'node'), Reflect.get(path, 'parent')];
    if (isMemberForPeople(node) || isText(node, parent)) return 'a sentence for people';
    const around: unknown = Reflect.get(Object(Reflect.get(path, 'parentPath')), 'parent');
    if (isWordOfRule(node, parent) || isWordOfRule(node, around)) return 'a word of a closed list';
    return isEmptyDefault(node, parent) ? 'there for the compiler' : undefined;
  },
};

function isMemberForPeople(node: unknown): boolean {
  if (!isObject(node)) return false;
  // the object around it would be emptied of nothing else
  if (node['type'] === 'ObjectExpression' && Array.isArray(node['properties']) && node['properties'].length === 1)
    return isMemberForPeople(node['properties'][0]);
  if (node['type'] !== 'ObjectProperty') return false;
  const name = nameOf(node['key']);
  return name === 'pointer' || (sentencesByName.has(name) && isLiteralText(node['value']));
}

/** A need, or a rule that another one stands on: types know them all, so that a wrong one does not compile. */
function isWordOfRule(node: unknown, holder: unknown): boolean {
  return isLiteralText(node) && isObject(holder) && wordsByName.has(nameOf(holder['key']));
}

/** A literal that is handed to what makes an error of it. */
function isText(node: unknown, parent: unknown): boolean {
  if (!isLiteralText(node) || !isObject(parent)) return false;
  const isHandedOver = parent['type'] === 'NewExpression' || parent['type'] === 'CallExpression';
  return isHandedOver && node !== parent['callee'] && saysWhatIsWrong.test(nameOf(parent['callee']));
}

/** An empty text or list where a value that cannot be missing is typed as one that may. */
function isEmptyDefault(node: unknown, parent: unknown): boolean {
  if (!isObject(node) || !isObject(parent) || node !== parent['right']) return false;
  if (parent['type'] !== 'AssignmentPattern' && parent['operator'] !== '??') return false;
  return node['type'] === 'StringLiteral' ? node['value'] === '' : isEmptyList(node);
}

function isEmptyList({ type, elements }: Readonly<Record<string, unknown>>): boolean {
  return type === 'ArrayExpression' && Array.isArray(elements) && elements.length === 0;
}

function isLiteralText(node: unknown): boolean {
  return isObject(node) && (node['type'] === 'StringLiteral' || node['type'] === 'TemplateLiteral');
}

/** Of an identifier, or of the member that an expression ends in. */
function nameOf(node: unknown): string {
  if (!isObject(node)) return '';
  return String(isObject(node['property']) ? node['property']['name'] : node['name']);
}

/** Instruments the files of those grounds, once. The copy lies within the project, so that packages are found, and goes with whoever asked for it. */
export async function instrument(grounds: readonly Ground[]): Promise<Instrumented> {
  const folder = await mkdtemp(join(root, '.tmp-mutants-'));
  const dispose = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const mutants = await fill(folder, grounds);
    return { folder, mutants, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function fill(folder: string, grounds: readonly Ground[]): Promise<readonly Mutant[]> {
  const judged = !grounds.includes('judge');
  for (const name of judged ? shared : beside)
    await (judged
      ? symlink(join(root, name), join(folder, name))
      : cp(join(root, name), join(folder, name), { recursive: true }));
  const sources = new Map<string, string>();
  for (const place of grounds.flatMap((ground) => foldersOf[ground]))
    for (const name of await modulesBelow(place)) sources.set(name, await readFile(join(root, name), 'utf8'));
  const { files, mutants } = await new Instrumenter(quietly).instrument(
    [...sources].map(([name, content]) => ({ name, mutate: isMutated(name), content })),
    { plugins: null, excludedMutations: [], ignorers: [unasked] },
  );
  for (const { name, content } of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    // what is not mutated stays as it was written
    await writeFile(join(folder, name), isMutated(name) ? asking(content, name) : (sources.get(name) ?? content));
  }
  return mutants
    .filter(({ status }) => status !== 'Ignored')
    .map((found) => mutantOf(found, sources.get(found.fileName) ?? ''));
}

/** What the code of an instrumented file is changed by, so that it asks for circumstances: text that stands there, and what stands there instead. */
const askingForCircumstances: readonly (readonly [string, string])[] = [
  ['ns.activeMutant === id', 'ns.activeMutant === id && (ns.holds === void 0 || ns.holds(id))'],
  ['c[a[i]] = (c[a[i]] || 0) + 1', 'c[a[i]] = (c[a[i]] || 0) | (ns.bitsAt === void 0 ? 1 : ns.bitsAt(a[i]))'],
];

/** @throws {Error} the instrumenter writes something else by now */
function asking(content: string, name: string): string {
  return askingForCircumstances.reduce((text, [written, wanted]) => {
    // a file without a mutant has no such code
    if (!text.includes(written) && text.includes('stryMutAct'))
      throw new Error(`The instrumented ${name} does not say ${written}.`);
    return text.replace(written, wanted);
  }, content);
}

async function modulesBelow(folder: string): Promise<readonly string[]> {
  const names = await readdir(join(root, folder), { recursive: true });
  return names
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(folder, name))
    .toSorted();
}

type Found = Awaited<ReturnType<Instrumenter['instrument']>>['mutants'][number];

function mutantOf({ id, fileName, location: { start, end }, mutatorName, replacement }: Found, source: string): Mutant {
  const lines = source.split('\n');
  const lineText = lines[start.line]?.trim() ?? '';
  const covered = lines.slice(start.line, end.line + 1);
  const last = covered.length - 1;
  const original = covered
    .map((line, index) => line.slice(index === 0 ? start.column : 0, index === last ? end.column : undefined))
    .join('\n');
  return {
    id,
    file: fileName,
    line: start.line + 1,
    lineText,
    sameLinesAbove: lines.slice(0, start.line).filter((line) => line.trim() === lineText).length,
    within: openingLines(lines.slice(0, start.line + 1)),
    mutator: mutatorName,
    original,
    replacement,
    area: stratumOf(fileName),
  };
}

/** Lines that open the blocks in which the last one stands. */
function openingLines(lines: readonly string[]): readonly string[] {
  let indent = indentOf(lines.at(-1) ?? '');
  const opening: string[] = [];
  for (const line of lines.toReversed()) {
    if (line.trim() === '' || indentOf(line) >= indent) continue;
    // what begins with a bracket goes on with a line that stands as far to the left
    indent = indentOf(line) + (/^\s*[)\]}]/.test(line) ? 1 : 0);
    if (/[[({]$/.test(line)) opening.unshift(line.trim());
  }
  return opening;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

const never = (): boolean => false;
const silence = (): void => undefined;
const quietly = {
  isTraceEnabled: never,
  isDebugEnabled: never,
  isInfoEnabled: never,
  isWarnEnabled: never,
  isErrorEnabled: never,
  isFatalEnabled: never,
  trace: silence,
  debug: silence,
  info: silence,
  warn: silence,
  error: silence,
  fatal: silence,
};
