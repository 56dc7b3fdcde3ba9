import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import { editable } from '../../judge/writes.ts';
import { edit, operationsOf, resultsOf, sendBatch, staleEdit, statusesOf } from './words.ts';

export const openCases = {
  'batch.result.sibling-statuses': scenario(async (context) => {
    const { notes } = context;
    for (const [where, place] of [
      ['first', 0],
      ['middle', 1],
      ['last', 2],
    ] as const) {
      const things = [await editable(context), await editable(context), await editable(context)];
      const reply = await sendBatch(
        context,
        things.map((thing, index) => (index === place ? staleEdit(context, thing) : edit(context, thing))),
      );
      notes.observe(
        `statusCodes with the failing operation ${where}`,
        Array.isArray(reply.json) ? statusesOf(reply).join(', ') : 'no array',
        reply,
      );
      const body = Array.isArray(reply.json) ? resultsOf(reply)[place]?.['body'] : undefined;
      notes.observe(
        'keys of the body of a failed result',
        typeof body === 'object' && body !== null ? Object.keys(body).sort().join(', ') : typeof body,
        reply,
      );
    }
  }),

  'batch.operation.open-questions': scenario(async (context) => {
    const { given, service, notes } = context;
    const thing = await editable(context);
    const [read] = await operationsOf(context, [service.requests.read(thing)]);
    const href = String(read?.['href']);
    const bodies: Record<string, unknown> = {
      'an empty list': [],
      'a body that is no array': read,
      'an absolute href': [{ ...read, href: new URL(href, context.profile.all.baseUrl).href }],
      'an href from the root on': [{ ...read, href: new URL(href, context.profile.all.baseUrl).pathname }],
      'an unknown space': [{ ...read, href: href.replace(/\/space\/[^/]+\//, `/space/${given.unique('no-space')}/`) }],
      'a batch in a batch': await operationsOf(context, [service.requests.batch([])]),
      'a collection route': [{ ...read, href: href.replace(/\/space\/.*/, '/collection/space') }],
      'If-None-Match in an operation': [{ ...read, headers: { 'If-None-Match': '"any"' } }],
    };
    for (const [what, body] of Object.entries(bodies)) {
      const reply = await service.send({ ...service.requests.batch([]), body });
      if (what === 'an empty list') notes.bound('batchEmpty', `status of a batch: ${what}`, reply.status, reply);
      else if (what === 'a body that is no array')
        notes.bound('batchNoArray', `status of a batch: ${what}`, reply.status, reply);
      else notes.observe(`status of a batch: ${what}`, reply.status, reply);
    }
    await combinations(context);
    await foreignSpace(context);
  }),
} satisfies SomeCasesOf<'batch'>;

/** Two edits of one object, a read after a write, DELETE. */
async function combinations(context: CaseContext): Promise<void> {
  const { given, service, notes, profile } = context;
  const twice = await editable(context);
  for (const [version, what] of [
    [twice.version + 1, 'raised'],
    [twice.version, 'same'],
  ] as const) {
    const current = await given.current(twice);
    const shifted = { ...current, version: current.version + (version - twice.version) };
    const reply = await sendBatch(context, [edit(context, current), edit(context, shifted)]);
    notes.observe(`two edits of one object, the second with the ${what} version`, reply.status, reply);
  }
  const thing = await editable(context);
  const reply = await sendBatch(context, [edit(context, thing), service.requests.read(thing)]);
  const body = Array.isArray(reply.json) ? resultsOf(reply)[1]?.['body'] : undefined;
  const seen =
    typeof body === 'object' && body !== null && 'version' in body ? Number(body.version) - thing.version : 'none';
  notes.observe('version that a read after a write in one batch sees, minus the one before', seen, reply);
  if (profile.all.routes?.softTypeDelete === undefined) return;
  notes.observe(
    'status of a batch: DELETE',
    (await sendBatch(context, [service.requests.remove(await given.object())])).status,
  );
}

/** Nobody may write through a batch where the single route would be forbidden. */
async function foreignSpace(context: CaseContext): Promise<void> {
  const { given, service, notes, profile } = context;
  const home = profile.all.secondSpace;
  if (home === undefined || profile.all.identities.secondEditor === undefined) return;
  const create = service.requests.create(given.body({}, home.softType), { type: home.softType, space: home.space });
  const reply = await sendBatch(context, [create], { as: 'secondEditor' });
  notes.observe('status of a batch that writes into another space', reply.status, reply);
  const single = await service.send(create, { as: 'secondEditor' });
  if (reply.status === 200 && single.status === 403)
    notes.remark('A batch writes into a space where the caller has no role.', reply);
}
