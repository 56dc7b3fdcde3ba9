import { nameOf } from '../../patch/operation-add.ts';
import { Refusal } from '../../problem.ts';
import { replacing, together, type FaultsOf } from '../fault.ts';
import { moveAppended } from './add.ts';
import { entriesIn, refusedWrongly } from './operations-fault.ts';

export const removeFaults = {
  'patch.remove.member-gone': replacing('removeTarget', (right) => (service, run, target) => {
    const isText = target.kind === 'member' && target.member.kind === 'string' && target.row.entry === undefined;
    return isText && target.value !== undefined
      ? service.behaviours.setMember(service, run, target, '')
      : right(service, run, target);
  }),

  'patch.remove.cascades-to-parent': replacing('complies', () => () => true),

  'patch.remove.cascade-spares-siblings': replacing('cascadeTo', () => async (run, { port }) => {
    await run.writing.replaceEntries(run.object.oid, port, []);
  }),

  'patch.remove.optional-keeps-parent': replacing('removeTarget', (right) => (service, run, target) => {
    const { entry } = target.row;
    return entry === undefined || target.steps.length === 0
      ? right(service, run, target)
      : service.behaviours.cascadeTo(run, entry);
  }),

  'patch.remove.entry-with-trailing-slash': replacing('targetOf', (right) => async (service, run, operation) => {
    if (operation.op === 'remove' && operation.path.endsWith('/')) throw refusedWrongly();
    return right(service, run, operation);
  }),

  'patch.operations.failing-list-changes-nothing': together(
    replacing('applyOperation', (right) => async (service, run, operation, at) => {
      await right(service, run, operation, at);
      await service.behaviours.storeEdit(service, run.writing, run.object, run.object.version, run.root);
    }),
    replacing('operateObject', (right) => async (service, call, writing) => {
      try {
        return await right(service, call, writing);
      } catch (error) {
        if (error instanceof Refusal) return service.behaviours.problemAnswer(service, call, error);
        throw error;
      }
    }),
  ),

  'patch.operations.match-model': (behaviours) => {
    const slots = new Map<string, number>();
    return together(
      replacing('removeTarget', (right) => async (service, run, target) => {
        const { entry } = target.row;
        if (target.kind === 'entry' && entry !== undefined) {
          const entries = await entriesIn(run, entry.port);
          slots.set(
            `${run.object.oid} ${entry.port}`,
            entries.findIndex(({ entryId }) => entryId === entry.entryId),
          );
        }
        await right(service, run, target);
      }),
      replacing('appendToPort', (right) => async (service, run, target, contents) => {
        await right(service, run, target, contents);
        const key = `${run.object.oid} ${nameOf(target)}`;
        const slot = slots.get(key);
        if (slot !== undefined) await moveAppended(run, nameOf(target), contents.length, slot);
        slots.delete(key);
      }),
    )(behaviours);
  },
} satisfies Partial<FaultsOf<'patch'>>;
