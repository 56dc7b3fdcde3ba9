import { entriesPerPage } from '../../../contract/limits.ts';
import { Refusal } from '../../problem.ts';
import { nameOf } from '../../patch/operation-add.ts';
import { systemContent } from '../../soft-type/current-state.ts';
import type { Content } from '../../store/store.ts';
import { isJson } from '../answer.ts';
import { replacing, together, type Fault } from '../fault.ts';
import { within } from '../reads.ts';

/** Wrong only after something else happened to the object. */
export const historyFaults = {
  'subtle.put.second-keeps-scalars': (behaviours) => {
    const put = new Set<string>();
    return replacing('putObject', (right) => async (service, call, writing) => {
      const again = put.has(call.params.objectId ?? '');
      const answer = await right(
        again
          ? within(service, { replaceContent: (old, given) => ({ ...old, ...given, ...systemContent(old) }) })
          : service,
        call,
        writing,
      );
      put.add(call.params.objectId ?? '');
      return answer;
    })(behaviours);
  },

  'subtle.put.shorter-array-keeps-further-pages': replacing('putObject', (right) => (service, call, writing) => {
    const { replaceArray } = service.behaviours;
    return right(
      within(service, {
        replaceArray: async (inner, oid, port, items) => {
          const further =
            items.length === 0
              ? []
              : await inner.entries(oid, port, {
                  from: Math.max(entriesPerPage, items.length),
                  to: Number.MAX_SAFE_INTEGER,
                });
          await replaceArray(inner, oid, port, [...items, ...further.map(({ content }) => ({ content }))]);
        },
      }),
      call,
      writing,
    );
  }),

  'subtle.put.left-out-array-keeps-appended': (behaviours) => {
    const appended = new Set<string>();
    return together(
      replacing('appendToPort', (right) => async (service, run, target, contents) => {
        appended.add(`${run.object.oid} ${nameOf(target)}`);
        await right(service, run, target, contents);
      }),
      replacing('replaceArray', (right) => async (writing, oid, port, items) => {
        if (items.length > 0 || !appended.has(`${oid} ${port}`)) return right(writing, oid, port, items);
        const last = (await writing.entries(oid, port, { from: 0, to: Number.MAX_SAFE_INTEGER })).slice(-1);
        await right(writing, oid, port, last);
      }),
    )(behaviours);
  },

  /** The first merge after a PUT starts from what the PUT replaced. */
  'subtle.merge.after-put-brings-content-back': (behaviours) => {
    const before = new Map<string, Content>();
    return together(
      replacing('putObject', (right) => async (service, call, writing) => {
        const object = await service.behaviours.locateObject(service, call, writing);
        const answer = await right(service, call, writing);
        before.set(object.oid, object.content);
        return answer;
      }),
      replacing('mergeObject', (right) => async (service, call, writing) => {
        const { storeEdit } = service.behaviours;
        const old = before.get(call.params.objectId ?? '') ?? {};
        const answer = await right(
          within(service, {
            storeEdit: (itself, inner, object, version, content) =>
              storeEdit(itself, inner, object, version, { ...old, ...content }),
          }),
          call,
          writing,
        );
        before.delete(call.params.objectId ?? '');
        return answer;
      }),
    )(behaviours);
  },

  'subtle.conflict.next-operations-not-stored': (behaviours) => {
    const conflicts = new Set<string>();
    return together(
      replacing('assertVersion', (right) => (service, call, object) => {
        try {
          return right(service, call, object);
        } catch (error) {
          if (error instanceof Refusal && error.status === 409) conflicts.add(object.oid);
          throw error;
        }
      }),
      replacing('applyOperations', (right) => async (service, run, operations) => {
        const { root } = run;
        await right(service, run, operations);
        if (conflicts.delete(run.object.oid)) run.root = root;
      }),
    )(behaviours);
  },

  /** A member that had a value before gets that value back instead of the one added. */
  'subtle.add.removed-member-gets-old-value': (behaviours) => {
    const removed = new Map<string, unknown>();
    const keyOf = (oid: string, entryId: number | undefined, name: string): string => `${oid} ${entryId} ${name}`;
    return together(
      replacing('removeTarget', (right) => async (service, run, target) => {
        if (target.kind === 'member')
          removed.set(keyOf(run.object.oid, target.row.entry?.entryId, nameOf(target)), target.value);
        await right(service, run, target);
      }),
      replacing('addValue', (right) => (service, run, target, value, at) => {
        const old =
          target.kind === 'member'
            ? removed.get(keyOf(run.object.oid, target.row.entry?.entryId, nameOf(target)))
            : undefined;
        return right(service, run, target, typeof old === 'string' ? old : value, at);
      }),
    )(behaviours);
  },

  'subtle.promote.second-time-skips-a-state': (behaviours) => {
    const demoted = new Set<string>();
    return together(
      replacing('demoteObject', (right) => async (service, call, writing) => {
        const answer = await right(service, call, writing);
        demoted.add(call.params.objectId ?? '');
        return answer;
      }),
      replacing('promoteObject', (right) => (service, call, writing) => {
        const again = demoted.has(call.params.objectId ?? '');
        return right(
          again
            ? within(service, { nextState: ({ states, current }) => states[states.indexOf(current) + 2] })
            : service,
          call,
          writing,
        );
      }),
    )(behaviours);
  },

  /** A promote stores the content as it was one edit before. */
  'subtle.promote.writes-former-content-back': (behaviours) => {
    const former = new Map<string, Content>();
    return together(
      replacing('storeEdit', (right) => (service, writing, object, version, content) => {
        former.set(object.oid, object.content);
        return right(service, writing, object, version, content);
      }),
      replacing('promoteObject', (right) => (service, call, writing) => {
        const { storeEdit } = service.behaviours;
        return right(
          within(service, {
            storeEdit: (itself, inner, object, version, content) =>
              storeEdit(itself, inner, object, version, {
                ...(former.get(object.oid) ?? content),
                ...systemContent(content),
              }),
          }),
          call,
          writing,
        );
      }),
    )(behaviours);
  },

  /** The first operation of a failed batch stays when it was the last one that failed. */
  'subtle.batch.first-stays-when-last-fails': replacing('carryOut', (right) => async (service, route, call) => {
    const answer = await right(service, route, call);
    if (!call.url.endsWith('/batch') || answer.status !== 500 || !Array.isArray(answer.body)) return answer;
    const operations: unknown = JSON.parse(String(call.body));
    if (!Array.isArray(operations) || operations.length < 2 || !failedItself(answer.body.at(-1))) return answer;
    await right(service, route, { ...call, body: Buffer.from(JSON.stringify(operations.slice(0, 1))) });
    return answer;
  }),

  'subtle.batch.promote-behind-edit-moves-nothing': replacing(
    'runOperation',
    (right) => (service, batch, writing, table, operation, index) =>
      right(
        index === 0 ? service : within(service, { contentInState: (content) => content }),
        batch,
        writing,
        table,
        operation,
        index,
      ),
  ),
} satisfies Readonly<Record<string, Fault>>;

/** Whether it was this operation of a batch that failed, and not one beside it. */
function failedItself(result: unknown): boolean {
  return isJson(result) && result['statusCode'] !== 424;
}
