import { entriesPerPage } from '../../../contract/limits.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { nameOf } from '../../../reference-server/areas/operations.ts';
import { systemContent } from '../../../reference-server/areas/soft-type.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { type Variants, together, within, replaces } from '../../breaks.ts';
import { isJson } from '../answers.ts';
import { inOperations } from './versions.ts';

/** Wrong only after something else happened to the object. */
export const historyFaults = {
  'subtle.put.second-keeps-scalars': (classes) => {
    const put = new Set<string>();
    return replaces('editing', 'putObject', async (right, areas, call, writing) => {
      const again = put.has(call.params.objectId ?? '');
      const answer = await right(
        again
          ? within(areas, {
              editing: { replaceContent: (old, given) => ({ ...old, ...given, ...systemContent(old) }) },
            })
          : areas,
        call,
        writing,
      );
      put.add(call.params.objectId ?? '');
      return answer;
    })(classes);
  },

  'subtle.put.shorter-array-keeps-further-pages': replaces('editing', 'putObject', (right, areas, call, writing) => {
    return right(
      within(areas, {
        editing: {
          replaceArray: async (inner, oid, port, items) => {
            const further =
              items.length === 0
                ? []
                : await inner.entries(oid, port, {
                    from: Math.max(entriesPerPage, items.length),
                    to: Number.MAX_SAFE_INTEGER,
                  });
            await areas.editing.replaceArray(inner, oid, port, [
              ...items,
              ...further.map(({ content }) => ({ content })),
            ]);
          },
        },
      }),
      call,
      writing,
    );
  }),

  'subtle.put.left-out-array-keeps-appended': (classes) => {
    const appended = new Set<string>();
    return together(
      replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
        appended.add(`${run.object.oid} ${nameOf(target)}`);
        await right(areas, run, target, contents);
      }),
      replaces('editing', 'replaceArray', async (right, areas, writing, oid, port, items) => {
        if (items.length > 0 || !appended.has(`${oid} ${port}`)) return right(areas, writing, oid, port, items);
        const last = (await writing.entries(oid, port, { from: 0, to: Number.MAX_SAFE_INTEGER })).slice(-1);
        await right(areas, writing, oid, port, last);
      }),
    )(classes);
  },

  /** The first merge after a PUT starts from what the PUT replaced. */
  'subtle.merge.after-put-brings-content-back': (classes) => {
    const before = new Map<string, Content>();
    return together(
      replaces('editing', 'putObject', async (right, areas, call, writing) => {
        const object = await areas.objects.locateObject(call, writing);
        const answer = await right(areas, call, writing);
        before.set(object.oid, object.content);
        return answer;
      }),
      replaces('editing', 'mergeObject', async (right, areas, call, writing) => {
        const old = before.get(call.params.objectId ?? '') ?? {};
        const answer = await right(
          within(areas, {
            versioning: {
              storeEdit: (inner, object, version, content) =>
                areas.versioning.storeEdit(inner, object, version, { ...old, ...content }),
            },
          }),
          call,
          writing,
        );
        before.delete(call.params.objectId ?? '');
        return answer;
      }),
    )(classes);
  },

  'subtle.conflict.next-operations-not-stored': (classes) => {
    const conflicts = new Set<string>();
    return together(
      replaces('versioning', 'assertVersion', (right, areas, call, object) => {
        try {
          return right(areas, call, object);
        } catch (error) {
          if (error instanceof Refusal && error.status === 409) conflicts.add(object.oid);
          throw error;
        }
      }),
      replaces('operations', 'applyOperations', async (right, areas, run, operations) => {
        const { root } = run;
        await right(areas, run, operations);
        if (conflicts.delete(run.object.oid)) run.root = root;
      }),
    )(classes);
  },

  /** A member that had a value before gets that value back instead of the one added. */
  'subtle.add.removed-member-gets-old-value': (classes) => {
    const removed = new Map<string, unknown>();
    const keyOf = (oid: string, entryId: number | undefined, name: string): string => `${oid} ${entryId} ${name}`;
    return together(
      replaces('operations', 'removeTarget', async (right, areas, run, target) => {
        if (target.kind === 'member')
          removed.set(keyOf(run.object.oid, target.row.entry?.entryId, nameOf(target)), target.value);
        await right(areas, run, target);
      }),
      replaces('operations', 'addValue', (right, areas, run, target, value, at) => {
        const old =
          target.kind === 'member'
            ? removed.get(keyOf(run.object.oid, target.row.entry?.entryId, nameOf(target)))
            : undefined;
        return right(areas, run, target, typeof old === 'string' ? old : value, at);
      }),
    )(classes);
  },

  'subtle.promote.second-time-skips-a-state': (classes) => {
    const demoted = new Set<string>();
    return together(
      replaces('maturity', 'demoteObject', async (right, areas, call, writing) => {
        const answer = await right(areas, call, writing);
        demoted.add(call.params.objectId ?? '');
        return answer;
      }),
      replaces('maturity', 'promoteObject', (right, areas, call, writing) => {
        const again = demoted.has(call.params.objectId ?? '');
        return right(
          again
            ? within(areas, { maturity: { nextState: ({ states, current }) => states[states.indexOf(current) + 2] } })
            : areas,
          call,
          writing,
        );
      }),
    )(classes);
  },

  /** A promote stores the content as it was one edit before. */
  'subtle.promote.writes-former-content-back': (classes) => {
    const former = new Map<string, Content>();
    return together(
      replaces('versioning', 'storeEdit', (right, areas, writing, object, version, content) => {
        former.set(object.oid, object.content);
        return right(areas, writing, object, version, content);
      }),
      replaces('maturity', 'promoteObject', (right, areas, call, writing) => {
        return right(
          within(areas, {
            versioning: {
              storeEdit: (inner, object, version, content) =>
                areas.versioning.storeEdit(inner, object, version, {
                  ...(former.get(object.oid) ?? content),
                  ...systemContent(content),
                }),
            },
          }),
          call,
          writing,
        );
      }),
    )(classes);
  },

  /** Whatever is stored is dated as of the request. */
  'subtle.promote.dates-anew': replaces('maturity', 'promoteObject', (right, areas, call, writing) =>
    right(
      within(areas, {
        versioning: {
          storeEdit: (inner, object, version, content) => {
            const { price } = content;
            const dated = isContent(price)
              ? { price: { ...price, effectivity: areas.contents.effectivityOf(call) } }
              : {};
            return areas.versioning.storeEdit(inner, object, version, { ...content, ...dated });
          },
        },
      }),
      call,
      writing,
    ),
  ),

  /** The first operation of a failed batch stays when it was the last one that failed. */
  'subtle.batch.first-stays-when-last-fails': replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    const answer = await right(areas, route, call);
    if (!call.url.endsWith('/batch') || answer.status !== 500 || !Array.isArray(answer.body)) return answer;
    const operations: unknown = JSON.parse(String(call.body));
    if (!Array.isArray(operations) || operations.length < 2 || !failedItself(answer.body.at(-1))) return answer;
    await right(areas, route, { ...call, body: Buffer.from(JSON.stringify(operations.slice(0, 1))) });
    return answer;
  }),

  /** What a failed batch has deleted is gone. */
  'subtle.batch.removals-stay-when-it-fails': replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    const answer = await right(areas, route, call);
    if (!call.url.endsWith('/batch') || answer.status !== 500) return answer;
    const operations: unknown = JSON.parse(String(call.body));
    const removals = Array.isArray(operations)
      ? operations.filter((one) => isJson(one) && one['method'] === 'DELETE')
      : [];
    if (removals.length > 0) await right(areas, route, { ...call, body: Buffer.from(JSON.stringify(removals)) });
    return answer;
  }),

  'subtle.batch.promote-behind-edit-moves-nothing': inOperations(
    (index) => index > 0,
    (step) =>
      replaces('maturity', 'contentInState', (right, areas, content, ...move) =>
        step.isOn() ? content : right(areas, content, ...move),
      ),
  ),
} satisfies Variants;

/** Whether it was this operation of a batch that failed, and not one beside it. */
function failedItself(result: unknown): boolean {
  return isJson(result) && result['statusCode'] !== 424;
}
