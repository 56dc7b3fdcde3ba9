import type { CaseContext } from '../case.ts';
import type { RequestSpec } from '../exchange.ts';
import { pointer } from '../json.ts';
import { promoteOn } from '../service/maturity.ts';
import { type Content, type Edit, entriesOf, type EntryState } from './state.ts';
import type { Shape, Subject } from './object.ts';

/** The request that makes the write, at the version believed. The entry that it names is found by the ids of the last read. */
export function requestOf(
  context: CaseContext,
  shape: Shape,
  subject: Pick<Subject, 'thing' | 'state' | 'ids'>,
  edit: Edit,
): RequestSpec {
  const { thing, state } = subject;
  const { requests } = context.service;
  const current = { ...thing, version: state.version };
  switch (edit.kind) {
    case 'merge':
      return requests.merge(current, { ...edit.scalars, ...innerBody(shape, edit.inner) });
    case 'put':
      return requests.put(current, context.given.body(bodyOf(context, shape, edit.content), shape.type));
    case 'promote':
      return requests.promote(current);
    case 'demote':
      return requests.demote(current);
    case 'promote elsewhere':
      return promoteOn(context, current, context.profile.all.maturity?.secondLevelId ?? '');
    case 'several':
      return requests.operations(
        current,
        edit.edits.filter(isOperation).map((one) => operationOf(context, shape, one, subject)),
      );
    default:
      return requests.operations(current, [operationOf(context, shape, edit, subject)]);
  }
}

/** Members that a create or PUT sends beside those of the smallest body. */
export function bodyOf(
  context: CaseContext,
  shape: Shape,
  { scalars, inner, arrays }: Content,
): Record<string, unknown> {
  const ports = shape.ports.map(
    ({ member }, port) =>
      [member, (arrays[port] ?? []).map((entry) => entryBody(context, shape, port, entry))] as const,
  );
  const filled = ports.filter(([, entries]) => entries.length > 0);
  return { ...scalars, ...innerBody(shape, inner), ...Object.fromEntries(filled) };
}

/** The object member with these texts and what is mandatory beside them; nothing without texts. */
function innerBody(shape: Shape, inner: Content['inner']): Record<string, unknown> {
  return inner === undefined ? {} : { [objectMember(shape)]: { ...shape.object?.body, ...inner } };
}

const otherKinds = ['merge', 'put', 'promote', 'demote', 'promote elsewhere', 'several'] as const;

/** Where the entries are that an edit names. */
type Located = Pick<Subject, 'state' | 'ids'>;

type OperationEdit = Exclude<Edit, { readonly kind: (typeof otherKinds)[number] }>;

function isOperation(edit: Edit): edit is OperationEdit {
  return !otherKinds.some((kind) => kind === edit.kind);
}

function operationOf(context: CaseContext, shape: Shape, edit: OperationEdit, subject: Located): object {
  switch (edit.kind) {
    case 'add scalar':
      return { op: 'add', path: pointer(edit.name), value: edit.value };
    case 'replace scalar':
      return { op: 'replace', path: pointer(edit.name), value: edit.value };
    case 'remove scalar':
      return { op: 'remove', path: pointer(edit.name) };
    case 'add object':
      return { op: 'add', path: pointer(objectMember(shape)), value: { ...shape.object?.body, ...edit.inner } };
    case 'replace object':
      return { op: 'replace', path: pointer(objectMember(shape)), value: { ...shape.object?.body, ...edit.inner } };
    case 'remove object':
      return { op: 'remove', path: pointer(objectMember(shape)) };
    case 'replace inside object':
      return { op: 'replace', path: pointer(objectMember(shape), edit.name), value: edit.value };
    case 'add reference':
      return { op: 'add', path: pointer(shape.type.reference?.port ?? ''), value: edit.entry };
    case 'remove reference':
      return { op: 'remove', path: `${pointer(shape.type.reference?.port ?? '', edit.entryId ?? '')}/` };
    default:
      return entryOperation(context, shape, edit, subject);
  }
}

function entryOperation(
  context: CaseContext,
  shape: Shape,
  edit: Extract<OperationEdit, { readonly port: number }>,
  { state, ids }: Located,
): object {
  const { member = '', text = '', mandatory = '', nested } = shape.ports[edit.port] ?? {};
  const entryId = 'at' in edit ? (ids?.entries[edit.port]?.[edit.at] ?? '') : '';
  const told = 'item' in edit ? (entriesOf(state, edit.port)[edit.at]?.inside[edit.item] ?? '') : '';
  const itemId = 'item' in edit ? (ids?.inside[edit.port]?.[edit.at]?.get(told) ?? '') : '';
  const inside = pointer(member, entryId, nested?.member ?? '');
  switch (edit.kind) {
    case 'append':
      return {
        op: 'add',
        path: edit.marker ? pointer(member, '-') : pointer(member),
        value: entryBody(context, shape, edit.port, edit.entry),
      };
    case 'remove entry':
      return { op: 'remove', path: `${pointer(member, entryId)}/` };
    case 'remove mandatory':
      return { op: 'remove', path: pointer(member, entryId, mandatory) };
    case 'remove text':
      return { op: 'remove', path: pointer(member, entryId, text) };
    case 'add text':
      return { op: 'add', path: pointer(member, entryId, text), value: edit.text };
    case 'replace text':
      return { op: 'replace', path: pointer(member, entryId, text), value: edit.text };
    case 'replace value':
      return { op: 'replace', path: pointer(member, entryId, edit.name), value: edit.value };
    case 'append inside':
      return {
        op: 'add',
        path: edit.marker ? `${inside}/-` : inside,
        value: nested && context.given.nestedEntry(edit.text, nested),
      };
    case 'replace inside entry':
      return { op: 'replace', path: `${inside}${pointer(itemId, nested?.text ?? '')}`, value: edit.text };
    case 'remove inside entry':
      return { op: 'remove', path: `${inside}${pointer(itemId)}/` };
    case 'replace in unknown entry':
      return { op: 'replace', path: pointer(member, context.given.unique('no-entry'), text), value: edit.text };
  }
}

function entryBody(
  { given }: CaseContext,
  { filter, ports }: Shape,
  port: number,
  { key, admitted, inside, values }: EntryState,
): Record<string, unknown> {
  const own = admitted ? filter?.matching : filter?.other;
  const members = port > 0 ? {} : own;
  const { nested } = ports[port] ?? {};
  const items = nested && inside.map((text) => ({ ...nested.entry, [nested.text]: text }));
  const filled = items !== undefined && items.length > 0 && { [nested?.member ?? '']: items };
  return given.entry(key, { ...members, ...filled, ...values }, ports[port]);
}

function objectMember({ object }: Shape): string {
  return object?.member ?? '';
}
