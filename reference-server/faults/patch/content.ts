import { entriesPerPage } from '../../../contract/limits.ts';
import type { SoftType } from '../../configuration.ts';
import type { Service, SpaceCall } from '../../service.ts';
import { isArrayMember } from '../../soft-type/array-port.ts';
import type { Content, Writing } from '../../store/store.ts';
import { replacing, type FaultsOf } from '../fault.ts';

export const contentFaults = {
  'patch.merge.status-204': replacing('mergeObject', (right) => async (service, call, writing) => {
    const { headers } = await right(service, call, writing);
    const read = await service.behaviours.readInstance(service, call, writing);
    return { ...read, headers: { ...read.headers, ...headers } };
  }),

  'patch.merge.edits-named-member': replacing(
    'mergePatch',
    (right) => (target, edits) => right(target, onlyIn(target, edits)),
  ),

  'patch.merge.keeps-other-members': replacing(
    'replaceArrays',
    (right) => async (service, call, writing, object, softType, arrays) => {
      await right(service, call, writing, object, softType, arrays);
      const unnamed = portsOf(softType).filter((port) => !arrays.has(port));
      for (const port of unnamed) await cutToFirstPage(writing, object.oid, port);
    },
  ),

  'patch.put.stores-given-members': replacing(
    'replaceContent',
    (right) => (old, given) => right(old, onlyIn(old, given)),
  ),

  'patch.put.drops-absent-members': replacing('replaceContent', (right) => (old, given) => ({
    ...old,
    ...right(old, given),
  })),

  'patch.put.drops-absent-arrays': replacing('arraysAfterPut', () => (_softType, given) => given),

  'patch.delete.object-gone': replacing('eraseObject', () => async (writing, { spaceId, oid, version, content }) => {
    await writing.updateObject(spaceId, oid, version, { ...content, $deleted: true });
  }),

  'patch.target.unknown-object-404': replacing('mergeObject', (right) => async (service, call, writing) => {
    const known = await writing.object(call.space.id, call.params.objectId ?? '');
    if (known === undefined) await insertBlank(service, call, writing);
    return right(service, call, writing);
  }),
} satisfies Partial<FaultsOf<'patch'>>;

/** The members of `content` that have a value in `before`. */
function onlyIn(before: unknown, content: Content): Content {
  const names = new Set(Object.keys(before ?? {}));
  return Object.fromEntries(Object.entries(content).filter(([name]) => names.has(name)));
}

function portsOf(softType: SoftType): readonly string[] {
  return [...softType.members].flatMap(([name, member]) => (isArrayMember(member) ? [name] : []));
}

async function cutToFirstPage(writing: Writing, oid: string, port: string): Promise<void> {
  const first = await writing.entries(oid, port, { from: 0, to: entriesPerPage });
  await writing.replaceEntries(oid, port, first);
}

/** An object under the id of the request, with an empty text for every member that it has to have. */
async function insertBlank(service: Service, call: SpaceCall, writing: Writing): Promise<void> {
  const { behaviours } = service;
  const softType = behaviours.softTypeOf(service, call.space, call.params.definitionId ?? '');
  const blanks = [...softType.members].flatMap(([name, member]) => (member.mandatory ? [[name, ''] as const] : []));
  await writing.insertObject({
    spaceId: call.space.id,
    oid: call.params.objectId ?? '',
    softType: softType.id,
    version: behaviours.firstVersion(),
    content: { ...Object.fromEntries(blanks), ...behaviours.startContent(service, softType) },
  });
}
