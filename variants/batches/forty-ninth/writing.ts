import { randomUUID } from 'node:crypto';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { Operation, OperationsRun } from '../../../reference-server/areas/operations.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo, named } from '../proofs.ts';
import { at, listAt } from '../service.ts';

/** What edits and moves leave behind. */
export const writingMistakes: Batch = {
  'operations.removed-object-is-emptied': {
    source: 'core: Patch operation, op',
    breaks: 'After an object member was removed it does not exist, and can be added.',
    kind: 'combination',
    variant: replaces('operations', 'removeTarget', (right, areas, run, target) => {
      const isWhole = target.kind === 'member' && target.member.kind === 'object' && target.steps.length === 1;
      return isWhole && isContent(target.value)
        ? areas.operations.setMember(run, target, {})
        : right(areas, run, target);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', dimensions: { width: '1' } });
      await edda.operate(made, 1, [{ op: 'remove', path: '/dimensions' }]);
      const added = await edda.operate(made, 2, [{ op: 'add', path: '/dimensions', value: { width: '2' } }]);
      return added.status >= 400;
    },
  },

  'operations.entry-of-the-array-before': {
    source: 'core: Patch operation, path',
    breaks: 'A path leads to the entry of its own array, also where a list named one with that id in another array.',
    kind: 'combination',
    variant: breaks('operations', 'entryAt', (right) => {
      const runs = new WeakMap<OperationsRun, Map<string, string>>();
      return (areas, run, port, token) => {
        const ports = runs.get(run) ?? new Map<string, string>();
        runs.set(run, ports.set(token, ports.get(token) ?? port));
        return right(areas, run, ports.get(token) ?? port, token);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', {
        title: 't',
        files: [{ name: 'f', comment: 'c' }],
        contacts: [{ name: 'n', role: 'r' }],
      });
      const read = await edda.read(made);
      const [file, contact] = ['files', 'contacts'].map((port) => String(at(read, `/data/${port}/0/$entryId`)));
      await edda.operate(made, 1, [
        { op: 'replace', path: `/files/${file}/comment`, value: 'd' },
        { op: 'replace', path: `/contacts/${contact}/name`, value: 'm' },
      ]);
      return at(await edda.read(made), '/data/contacts/0/role') === undefined;
    },
  },

  'operations.entry-that-was-edited-stays': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that does not comply any more goes, also where the list has edited it before.',
    kind: 'combination',
    variant: (classes) => {
      const lists = new WeakMap<OperationsRun, readonly Operation[]>();
      return together(
        replaces('operations', 'applyOperations', (right, areas, run, operations) => {
          lists.set(run, operations);
          return right(areas, run, operations);
        }),
        replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
          const { port, entryId } = entry;
          const touching = (lists.get(run) ?? []).filter(
            ({ tokens }) => tokens[0] === port && tokens[1] === String(entryId),
          );
          const row = await run.writing.entry(run.object.oid, port, entryId);
          if (touching.length < 2 || row === undefined) return right(areas, run, entry);
          const { [touching.at(-1)?.tokens[2] ?? '']: _gone, ...content } = row.content;
          await run.writing.updateEntry(run.object.oid, port, entryId, content);
        }),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', comment: 'c' }, ...named(1)] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [
        { op: 'replace', path: `/files/${id}/comment`, value: 'd' },
        { op: 'remove', path: `/files/${id}/name` },
      ]);
      return listAt(await edda.read(made), '/data/files').length === 2;
    },
  },

  'events.of-every-promote': {
    source: 'core: Events',
    breaks: 'The core API makes no event of its own; a promote calls no handler of events that nobody asked for.',
    kind: 'combination',
    variant: replaces('maturity', 'promoteObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const found = await areas.triggeredCalls.foundAddressee(writing, 'ExternalEvent', {});
      if (found === undefined) return answer;
      const { registrationId, recordId } = found;
      const id = randomUUID();
      const payload = { contentPayload: { objectId: call.object.oid }, id, spaceId: call.space.id };
      const triggered = { id, kind: 'event', registrationId, recordId, payload } as const;
      await areas.queue.enqueue(writing, areas.triggeredCalls.deliveryOf(call, triggered));
      return answer;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.move(await service.edda.make('Document', { title: 't' }), 1);
      await service.pass(1);
      return callsTo(host).length > 0;
    },
  },
};
