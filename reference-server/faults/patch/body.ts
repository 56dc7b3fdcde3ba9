import { mediaTypes } from '../../../contract/names.ts';
import { isContent } from '../../patch/scalars.ts';
import type { Call } from '../../service.ts';
import type { Content } from '../../store/store.ts';
import { replacing, together, type Fault, type FaultsOf } from '../fault.ts';
import { refusedWrongly } from './operations-fault.ts';

export const bodyFaults = {
  'patch.content-type.selects-operations': replacing('operateObject', () => (service, call, writing) => {
    const asMerge = { ...call, headers: { ...call.headers, 'content-type': mediaTypes.json } };
    const { inputs } = service.behaviours.softTypeOf(service, call.space, call.params.definitionId ?? '');
    const inputSchemaId = inputs.keys().next().value ?? '';
    return service.behaviours.mergeObject(service, { ...asMerge, params: { ...call.params, inputSchemaId } }, writing);
  }),

  'patch.content-type.plain-json-is-not-operations': together(
    replacing(
      'requireMediaType',
      (right) => (service, call, accepted) =>
        right(service, call, isArray(call) ? [...accepted, mediaTypes.json] : accepted),
    ),
    replacing(
      'mergeObject',
      (right) => (service, call, writing) =>
        (isArray(call) ? service.behaviours.operateObject : right)(service, call, writing),
    ),
  ),

  'patch.body.array-required': replacing(
    'operationsOf',
    (right) => (service, body) => right(service, isContent(body) ? [body] : body),
  ),

  'patch.body.member-order-free': readingOperationsAs((operation) => {
    if (Object.keys(operation)[0] !== 'op') throw refusedWrongly();
    return operation;
  }),

  'patch.body.unknown-op-refused': replacing(
    'operationsOf',
    (right) => (service, body) =>
      right(service, Array.isArray(body) ? body.filter((item) => !hasUnknownOp(item)) : body),
  ),

  'patch.body.required-members': readingOperationsAs((operation) => ({ op: 'replace', ...operation })),

  'patch.body.value-required': readingOperationsAs((operation) =>
    operation.op === 'replace' && !('value' in operation) ? { ...operation, op: 'remove' } : operation,
  ),

  'patch.remove.with-value-refused': readingOperationsAs((operation) => removalWithoutValue(operation, () => true)),

  'patch.remove.with-null-value-refused': readingOperationsAs((operation) =>
    removalWithoutValue(operation, (value) => !value),
  ),
} satisfies Partial<FaultsOf<'patch'>>;

/** Every operation that is an object at least is read as `change` makes it. */
function readingOperationsAs(change: (operation: Content) => Content): Fault {
  return replacing(
    'operationOf',
    (right) => (service, item, at) => right(service, isContent(item) ? change(item) : item, at),
  );
}

function removalWithoutValue(operation: Content, drops: (value: unknown) => boolean): Content {
  const { value, ...rest } = operation;
  return operation.op === 'remove' && drops(value) ? rest : operation;
}

function hasUnknownOp(item: unknown): boolean {
  return isContent(item) && 'op' in item && !['add', 'replace', 'remove'].includes(String(item.op));
}

function isArray(call: Call): boolean {
  return call.body?.toString('utf8').trimStart().startsWith('[') ?? false;
}
