import { entriesPerPage } from '../../../contract/limits.ts';
import { arrayItem } from '../../patch/content.ts';
import type { OperationsRun } from '../../patch/operations.ts';
import { readEntry } from '../../patch/values.ts';
import type { Content, StoredEntry } from '../../store/store.ts';
import { replacing, type FaultsOf } from '../fault.ts';
import { entriesIn, whileLocating } from './operations-fault.ts';

export const addressingFaults = {
  'patch.path.empty-refused': replacing('applyOperation', (right) => async (service, run, operation, at) => {
    if (operation.op !== 'replace' || operation.path !== '') return right(service, run, operation, at);
    const { behaviours } = service;
    const whole = behaviours.contentFrom(service, run.call, run.softType, run.view, operation.value);
    const arrays = behaviours.arraysAfterPut(run.softType, whole.arrays);
    await behaviours.replaceArrays(service, run.call, run.writing, run.object, run.softType, arrays);
    run.root = behaviours.replaceContent(run.root, whole.content);
  }),

  'patch.path.member-addressed': replacing('replaceValue', (right) => async (service, run, target, value, at) => {
    await right(service, run, target, value, at);
    const [step, ...below] = target.steps;
    if (target.row.entry === undefined && step !== undefined && below.length === 0) run.root = upTo(run, step.name);
  }),

  'patch.path.entry-member-addressed': whileLocating(
    'replace',
    replacing('entryAt', (right) => async (run, port, token) => {
      const entry = await right(run, port, token);
      const first = (await entriesIn(run, port)).slice(0, entriesPerPage);
      return first.find(({ entryId }) => entryId === entry?.entryId);
    }),
  ),

  'patch.path.input-schema-names': replacing(
    'pathViewOf',
    (right) => (softType) => softType.outputs.values().next().value ?? right(softType),
  ),

  'patch.path.data-prefix-refused': replacing(
    'pointerTokens',
    (right) => (path) => right(path.replace(/^\/data(?=\/)/, '')),
  ),

  'patch.path.pointer-escapes': replacing('pointerTokens', (right) => (path) => {
    const tokens = right(path);
    return tokens === undefined || tokens.length === 0 ? tokens : path.slice(1).split('/').map(decodedInWrongOrder);
  }),

  'patch.index.position-refused': replacing(
    'entryAt',
    (right) => async (run, port, token) => (await right(run, port, token)) ?? entryAtPosition(run, port, token),
  ),

  'patch.index.entry-id-wins': whileLocating(
    'replace',
    replacing('entryAt', (right) => async (run, port, token) => {
      const entry = await right(run, port, token);
      return entry && ((await entryAtPosition(run, port, token)) ?? entry);
    }),
  ),

  'patch.index.insert-refused': replacing('addValue', (right) => async (service, run, target, value, at) => {
    const { entry } = target.row;
    if (target.kind !== 'entry' || entry === undefined) return right(service, run, target, value, at);
    const inserted = service.behaviours.withEntryIds([arrayItem(readEntry(run.rules, target.member, value, at))]);
    const entries = await entriesIn(run, entry.port);
    const place = entries.findIndex(({ entryId }) => entryId === entry.entryId);
    const items = [...entries.slice(0, place), ...inserted.map((content) => ({ content })), ...entries.slice(place)];
    await run.writing.replaceEntries(run.object.oid, entry.port, items);
  }),
} satisfies Partial<FaultsOf<'patch'>>;

/** Content of the object without the members that the definition has behind this one. */
function upTo({ root, softType }: OperationsRun, name: string): Content {
  const names = [...softType.members.keys()];
  const behind = new Set(names.slice(names.indexOf(name) + 1));
  return Object.fromEntries(Object.entries(root).filter(([member]) => !behind.has(member)));
}

function decodedInWrongOrder(token: string): string {
  return token.replaceAll('~0', '~').replaceAll('~1', '/');
}

async function entryAtPosition(run: OperationsRun, port: string, token: string): Promise<StoredEntry | undefined> {
  return /^\d+$/.test(token) ? (await entriesIn(run, port))[Number(token)] : undefined;
}
