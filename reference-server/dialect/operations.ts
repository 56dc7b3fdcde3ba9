import { replacing, together, type Fault } from '../faults/fault.ts';
import type { Operation } from '../patch/operation-list.ts';
import type { OperationsRun } from '../patch/operations.ts';
import { Refusal } from '../problem.ts';
import type { Service } from '../service.ts';
import { isArrayMember } from '../soft-type/array-port.ts';
import { isObject } from './json.ts';

/** Removing what is not there is no mistake. */
export const removingNothing: Fault = together(
  replacing('removeTarget', (right) => async (service, run, target) => {
    if (target.kind === 'array' || target.value !== undefined) return right(service, run, target);
  }),
  replacing('applyOperation', (right) => async (service, run, operation, at) => {
    if (operation.op === 'remove' && (await isOfNoEntry(service, run, operation))) return;
    return right(service, run, operation, at);
  }),
);

async function isOfNoEntry(service: Service, run: OperationsRun, { tokens }: Operation): Promise<boolean> {
  const [first = '', second = '', ...rest] = tokens;
  const port = run.view.names.get(first) ?? '';
  if (!isArrayMember(run.softType.members.get(port)) || rest.length !== 1 || rest[0] !== '' || second === '')
    return false;
  return service.behaviours.targetOf(service, run, { op: 'remove', path: '', tokens: [first, second, ''] }).then(
    () => false,
    (error: unknown) => error instanceof Refusal,
  );
}

/** An entry is removed by the path with the slash at its end only, and an array not at all. */
export const strictRemove: Fault = replacing('targetOf', (right) => async (service, run, operation) => {
  const target = await right(service, run, operation);
  if (operation.op !== 'remove') return target;
  if (target.kind === 'array') throw new Refusal(422, 'An array is no entry: remove its entries.');
  if (target.kind === 'entry' && operation.tokens.at(-1) !== '')
    throw new Refusal(422, 'The path of an entry that is removed ends with a slash.');
  return target;
});

/** The slash behind an array appends as the end marker does. */
export const slashAppends: Fault = replacing('targetOf', (right) => (service, run, operation) => {
  const [first = '', ...rest] = operation.tokens;
  const appends = operation.op === 'add' && rest.length === 1 && rest[0] === '';
  return right(service, run, appends ? { ...operation, tokens: [first, '-'] } : operation);
});

/** An array that is added to an array is added item by item. */
export const arraysAddedItemByItem: Fault = replacing(
  'addValue',
  (right) => async (service, run, target, value, at) => {
    if (target.kind !== 'array' || !Array.isArray(value)) return right(service, run, target, value, at);
    for (const item of value) await right(service, run, target, item, at);
  },
);

/** The slash in front of a pointer may be left out. */
export const slashlessPointers: Fault = replacing(
  'pointerTokens',
  (right) => (path) => right(path === '' || path.startsWith('/') ? path : `/${path}`),
);

/** A list without operations is refused, and so is an operation that says more than it has to. */
export const strictLists: Fault = together(
  replacing('operationsOf', (right) => (service, body) => {
    const operations = right(service, body);
    if (operations.length === 0) throw new Refusal(400, 'A list of operations holds at least one.');
    return operations;
  }),
  replacing('operationOf', (right) => (service, item, at) => {
    const stranger = isObject(item)
      ? Object.keys(item).find((name) => !['op', 'path', 'value'].includes(name))
      : undefined;
    if (stranger !== undefined) throw new Refusal(400, `An operation has no '${stranger}'.`, { pointer: at });
    return right(service, item, at);
  }),
);
