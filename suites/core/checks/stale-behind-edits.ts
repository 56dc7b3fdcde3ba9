import { sendBatch, withoutVersion } from '../../../judge/service/batch.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { makePromoted } from '../../../judge/service/maturity.ts';
import { anyEdit, editRoutes, makeEditable } from '../../../judge/service/writes.ts';

/**
 * Behind an edit of the same object in the same batch: whether an operation names the version from before that edit or the one it makes is
 * left to the service. One that names neither, or none, is refused there as elsewhere, by each route.
 */
export async function expectStaleBehindEdits(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const demotes = profile.all.maturity !== undefined && profile.all.routes?.demote !== undefined;
  const routes = [
    ...editRoutes(context).map((route) => ({
      ...route,
      make: async () => given.edited(await makeEditable(context), 2),
    })),
    ...(demotes ? [{ name: 'demote', request: service.requests.demote, make: () => makePromoted(context) }] : []),
  ];
  for (const { name, request, make } of routes) {
    const thing = await make();
    const first = service.requests.edit(thing, anyEdit(context));
    const second = request(thing);
    for (const [what, spec] of [
      ['an older version', { ...second, version: thing.version - 1 }],
      ['the version after the next', { ...second, version: thing.version + 2 }],
      ['no version', withoutVersion(second)],
    ] as const) {
      const reply = await sendBatch(context, [first, spec]);
      expect(reply).notToSucceed();
      notes.observe(`status of a batch of an edit and a ${name} with ${what}`, reply.status, reply);
    }
  }
}
