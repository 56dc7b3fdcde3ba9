import { operationsOf } from '../../service/batch.ts';
import type { Reply, RequestSpec } from '../../exchange.ts';
import { namesIn } from '../../service/multi-create.ts';
import type { Judging } from '../judge-look.ts';
import { membersWith, targetOf } from '../../service/soft-types.ts';
import { has, scalarOf, type On, type Probe, unknownOid } from '../probe.ts';
import { currentThing } from './writes.ts';

type Row = Pick<Probe, 'situation' | 'request'> & Partial<Probe>;

const batches = (rows: readonly Row[]): readonly Probe[] =>
  rows.map((row) => ({ command: 'batch', answer: 'batch', touches: 'object', needs: has.batch, ...row }));

const edit = (on: On): RequestSpec => on.requests.merge(currentThing(on), { [scalarOf(on)]: on.fresh() });

/** A batch of these, each changed as told. */
const batch =
  (
    requests: (on: On) => readonly RequestSpec[],
    change: (operation: object) => unknown = (operation) => operation,
  ): Probe['request'] =>
  async (on) => ({ ...on.requests.batch([]), body: (await operationsOf(on.party.context, requests(on))).map(change) });

const spoiltMethod = {
  says: { rule: 'batch.operation.required-members' as const },
  keeps: 'batch.operation.required-members' as const,
};

export const batchProbes: readonly Probe[] = batches([
  { situation: 'of nothing', silence: 'batch-empty-list', request: (on) => on.requests.batch([]) },
  {
    situation: 'that is no list',
    silence: 'batch-body-no-array',
    request: (on) => ({ ...on.requests.batch([]), body: {} }),
  },
  {
    situation: 'that is no JSON',
    silence: 'malformed-json-status',
    request: (on) => ({ ...on.requests.batch([]), body: '[{' }),
  },
  {
    situation: 'with a read',
    silence: 'batch-result-body-of-read',
    says: { rule: 'batch.success.status-200', statuses: [200] },
    request: batch((on) => [on.requests.read(on.subject.thing)]),
  },
  {
    situation: 'with a create',
    silence: 'batch-result-body-of-failure',
    says: { rule: 'batch.success.status-200', statuses: [200] },
    request: batch((on) => [on.requests.create(on.party.context.given.body())]),
  },
  {
    situation: 'with a read of an object that is not there behind an edit',
    says: { rule: 'batch.failure.status-500', statuses: [500] },
    keeps: 'batch.rollback.failed-read-aborts-writes',
    silence: 'batch-sibling-statuses',
    request: batch((on) => [edit(on), on.requests.read({ ...on.subject.thing, oid: unknownOid(on) })]),
  },
  {
    situation: 'with a stale edit behind a create',
    says: { rule: 'batch.failure.status-500', statuses: [500] },
    keeps: 'batch.rollback.edits-undone',
    silence: 'batch-sibling-statuses',
    request: batch((on) => [
      on.requests.create(on.party.context.given.body()),
      { ...edit(on), version: on.subject.state.version + 7 },
    ]),
  },
  {
    situation: 'with an operation without method',
    ...spoiltMethod,
    request: batch(
      (on) => [edit(on)],
      ({ ...operation }) => ({ ...operation, method: undefined }),
    ),
  },
  {
    situation: 'with an operation without href',
    ...spoiltMethod,
    request: batch(
      (on) => [edit(on)],
      (operation) => ({ ...operation, href: undefined }),
    ),
  },
  {
    situation: 'with the method HEAD',
    ...spoiltMethod,
    request: batch(
      (on) => [edit(on)],
      (operation) => ({ ...operation, method: 'HEAD' }),
    ),
  },
  {
    situation: 'with a method in small letters',
    silence: 'batch-method-letter-case',
    request: batch(
      (on) => [on.requests.read(on.subject.thing)],
      (operation) => ({ ...operation, method: 'get' }),
    ),
  },
  {
    situation: 'with an operation that names no media type',
    silence: 'batch-content-type-of-operation',
    request: batch(
      (on) => [edit(on)],
      (operation) => ({
        ...operation,
        headers: { 'Svc-UOIVersion': Reflect.get(Object(Reflect.get(operation, 'headers')), 'Svc-UOIVersion') },
      }),
    ),
  },
  { situation: 'in a batch', silence: 'batch-unsupported-routes', request: batch((on) => [on.requests.batch([])]) },
  {
    situation: 'with two edits of one object that name one version',
    silence: 'batch-same-object-twice',
    request: batch((on) => [edit(on), edit(on)]),
  },
  {
    situation: 'with two edits of one object that count on',
    silence: 'batch-same-object-twice',
    request: batch((on) => [edit(on), { ...edit(on), version: on.subject.state.version + 1 }]),
  },
  {
    situation: 'with a read behind an edit',
    silence: 'batch-read-after-write',
    request: batch((on) => [edit(on), on.requests.read(on.subject.thing)]),
  },
  {
    situation: 'with If-None-Match at a read',
    silence: 'batch-etag-headers',
    request: batch(
      (on) => [on.requests.read(on.subject.thing)],
      (operation) => ({ ...operation, headers: { 'If-None-Match': '"any"' } }),
    ),
  },
  {
    situation: 'with DELETE',
    silence: 'batch-delete',
    touches: 'object',
    needs: (party) => has.batch(party) && has.remove(party),
    request: batch((on) => [{ ...on.requests.remove(on.subject.thing), version: on.subject.state.version }]),
  },
  {
    situation: 'without token',
    says: { rule: 'auth.missing-token.answers-401', statuses: [401] },
    keeps: 'auth.missing-token.write-has-no-effect',
    request: async (on) => ({ ...on.requests.batch(await operationsOf(on.party.context, [edit(on)])), as: null }),
  },
]);

interface Item {
  readonly $id?: string;
  readonly $softType?: string;
  readonly data?: unknown;
}

const item = (on: On): Item => ({
  $id: on.fresh(),
  $softType: on.subject.thing.type.definitionId,
  data: on.party.context.given.body(),
});

const items =
  (make: (on: On) => readonly unknown[]): Probe['request'] =>
  (on) => ({ ...on.requests.multiCreate([]), body: make(on) });

const multiCreates = (rows: readonly Row[]): readonly Probe[] =>
  rows.map((row) => ({
    command: 'multi-create',
    answer: 'multi-create',
    touches: 'nothing',
    needs: has.multiCreate,
    ...row,
  }));

/** Each object that the answer names can be read. */
async function allCreated({ party }: On, { body: sent }: RequestSpec, reply: Reply, judging: Judging): Promise<void> {
  const asked: readonly Item[] = Array.isArray(sent) ? sent : [];
  const names = namesIn(
    party.context,
    reply.json,
    asked.map(({ $id = '', $softType = '' }) => ({ $id, $softType, data: {} })),
  );
  for (const name of names ?? []) {
    if (!String(name).includes('/')) continue;
    const read = await party.context.service.get(String(name), { base: reply });
    judging.equal(
      'multi-create.items.all-created',
      'status of a read of an object that a multi-create made',
      read.status,
      200,
    );
  }
}

const many = (count: number): Probe['request'] => items((on) => Array.from({ length: count }, () => item(on)));

export const multiCreateProbes: readonly Probe[] = multiCreates([
  {
    situation: 'of one item',
    silence: 'multi-create-success-status',
    says: { rule: 'multi-create.route.served-without-api-prefix', statuses: [200, 201, 202, 204, 207] },
    request: many(1),
  },
  {
    situation: 'of three items',
    silence: 'multi-create-response-body',
    prove: allCreated,
    says: { rule: 'multi-create.items.all-created', statuses: [200, 201, 202, 204, 207] },
    request: many(3),
  },
  {
    situation: 'of fifty items',
    silence: 'multi-create-success-status',
    says: { rule: 'multi-create.size.fifty-accepted', statuses: [200, 201, 202, 204, 207] },
    request: many(50),
  },
  {
    situation: 'of fifty-one items',
    silence: 'multi-create-too-many-status',
    says: { rule: 'multi-create.size.fifty-one-refused' },
    request: many(51),
  },
  { situation: 'of nothing', silence: 'multi-create-empty-list', request: items(() => []) },
  {
    situation: 'of text that is no JSON',
    silence: 'malformed-json-status',
    request: (on) => ({ ...on.requests.multiCreate([]), body: '[{' }),
  },
  {
    situation: 'with two items of one id',
    silence: 'multi-create-duplicate-id',
    request: items((on) => [
      { ...item(on), $id: 'one' },
      { ...item(on), $id: 'one' },
    ]),
  },
  {
    situation: 'with an item without id',
    silence: 'multi-create-missing-id',
    request: items((on) => [{ ...item(on), $id: undefined }]),
  },
  {
    situation: 'with an item without data',
    silence: 'multi-create-missing-id',
    request: items((on) => [{ ...item(on), data: undefined }]),
  },
  {
    situation: 'with an item of an unknown SoftType',
    silence: 'unknown-softtype-status',
    says: { rule: 'multi-create.failure.creates-nothing' },
    request: items((on) => [item(on), { ...item(on), $softType: 'NoSuchSoftType' }]),
  },
  {
    situation: 'without token',
    says: { rule: 'auth.missing-token.answers-401', statuses: [401] },
    request: (on) => ({ ...on.requests.multiCreate([item(on)]), as: null }),
  },
  {
    situation: 'with a reference to an item that is not there',
    silence: 'multi-create-unknown-reference',
    needs: (party) => has.multiCreate(party) && party.loaded.profile.softTypes?.primary.reference !== undefined,
    request: items((on) => {
      const { type } = on.subject.thing;
      const { definitionId = '' } = targetOf(type, on.party.loaded.profile) ?? {};
      const references = [{ id: 'r', value: { instanceRef: 'nowhere', softTypeId: definitionId } }];
      return [{ ...item(on), data: on.party.context.given.body(membersWith(type.reference, references)) }];
    }),
  },
]);
