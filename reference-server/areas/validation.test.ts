import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sample } from './auth-sample.fixture.ts';
import { smallest } from './metadata-sample.fixture.ts';
import { type breaks, replaces } from '../../variants/breaks.ts';
import { onStage, type Arrived, type HostAnswer, type Stage } from './calls-host.fixture.ts';
import { combinedVerdict } from './validation.ts';
import { rightAreas } from '../areas.ts';

const yes: HostAnswer = { status: 200, body: '{"isValid":true,"message":"fine"}' };
const no: HostAnswer = { status: 200, body: '{"isValid":false,"message":"the title is dull"}' };

function validator(id: string, ...softTypes: readonly string[]): object {
  return {
    ...smallest,
    id,
    extensionType: 'ExternalValidation',
    endpoint: id,
    capabilities: [{ capabilityType: 'SoftType', capabilities: softTypes }],
  };
}

interface Subject {
  readonly oid: string;
  promote(version?: number, headers?: Readonly<Record<string, string>>, query?: string): Promise<Response>;
  read(): Promise<unknown>;
}

async function subject({ ask }: Stage): Promise<Subject> {
  const made = await ask('edda', 'POST', '/api/space/main/softtype/Document/documentInput', { title: 't' });
  const oid = made.headers.get('location')?.split('/').at(-1) ?? '';
  return {
    oid,
    promote: (version = 1, headers = {}, query = '') =>
      ask('edda', 'PUT', `${promotePath(oid)}${query}`, undefined, { 'svc-uoiversion': String(version), ...headers }),
    read: async () => (await ask('edda', 'GET', `/api/space/main/softtype/${oid}`)).json(),
  };
}

function promotePath(oid: string, level = 'engineering'): string {
  return `/api/space/main/maturityAction/promote/${oid}/release/${level}`;
}

function payloadOf({ body }: Arrived): unknown {
  return JSON.parse(body).payload;
}

async function expectUnmoved({ read }: Subject): Promise<void> {
  expect(await read()).toMatchObject({ version: 1, data: { engineering: { state: 'draft' } } });
}

/** A validator which is there when it is called and was not when the object asked for it, as many times as there are surprises. */
function appearingAfter(surprises: number): ReturnType<typeof breaks> {
  let lookUps = 0;
  return replaces('validation', 'validatorsFor', async (right, ...parameters) => {
    lookUps += 1;
    return lookUps % 2 === 1 && lookUps < 2 * surprises ? [] : right(...parameters);
  });
}

describe('a promote', () => {
  test.each([
    [9, 204],
    [10, 409],
  ])('that %i times meets an extension which was not there when it asked is answered with %i', (surprises, status) => {
    return onStage(
      async (stage) => {
        await stage.register([validator('check', 'Document')]);
        stage.answer = () => yes;
        expect((await (await subject(stage)).promote()).status).toBe(status);
      },
      { areas: appearingAfter(surprises)(rightAreas) },
    );
  });

  test.each([
    ['', 200],
    ['yes', 200],
    ['null', 200],
    ['{"isValid":"true","message":"m"}', 200],
    ['{"isValid":true,"message":"m"}', 302],
  ])('answered %j with %i is an error, asked once', (body, status) =>
    onStage(async (stage) => {
      await stage.register([validator('check', 'Document')]);
      const object = await subject(stage);
      stage.answer = () => ({ status, body });
      expect((await object.promote()).status).toBe(502);
      await expectUnmoved(object);
      expect(stage.arrived).toHaveLength(1);
    }),
  );

  test('holds nobody up while it asks, and counts for the version asked about only', () =>
    onStage(async (stage) => {
      await stage.register([validator('check', 'Document')]);
      const object = await subject(stage);
      const path = `/api/space/main/softtype/Document/documentInput/${object.oid}`;
      stage.answer = async () => {
        const edit = await stage.ask('emil', 'PATCH', path, { note: 'n' }, { 'svc-uoiversion': '1' });
        expect(edit.status).toBe(204);
        return yes;
      };
      expect((await object.promote()).status).toBe(409);
      expect(await object.read()).toMatchObject({ version: 2, data: { engineering: { state: 'draft' } } });
    }));
});

describe('a promote in a batch', () => {
  const operation = (oid: string, version: number) => ({
    method: 'PUT',
    href: promotePath(oid),
    headers: { 'Svc-UOIVersion': version },
  });

  test('is asked about as well, with the correlation id of the batch', () =>
    onStage(async (stage) => {
      await stage.register([validator('check', 'Document')]);
      const [one, other] = [await subject(stage), await subject(stage)];
      stage.answer = ({ body }) => (body.includes(other.oid) ? no : yes);
      const batch = (...operations: readonly object[]) =>
        stage.ask('edda', 'POST', '/api/space/main/batch', operations, { 'x-correlation-id': 'b-1' });
      expect(JSON.stringify(await (await batch(operation(one.oid, 1), operation(other.oid, 1))).json())).toContain(
        '409',
      );
      await expectUnmoved(one);
      expect(stage.arrived.map(({ body }) => JSON.parse(body).id)).toEqual(['b-1', 'b-1']);
      expect(JSON.stringify(await (await batch(operation(one.oid, 1))).json())).toContain('204');
      expect(await one.read()).toMatchObject({ version: 2 });
    }));

  test('of what the batch itself has changed is refused: nobody could be asked', () =>
    onStage(async (stage) => {
      await stage.register([validator('check', 'Document')]);
      stage.answer = () => yes;
      const object = await subject(stage);
      const edit = {
        method: 'PATCH',
        href: `/api/space/main/softtype/Document/documentInput/${object.oid}`,
        headers: { 'Svc-UOIVersion': 1 },
        body: { note: 'n' },
      };
      const answer = await stage.ask('edda', 'POST', '/api/space/main/batch', [edit, operation(object.oid, 2)]);
      expect(JSON.stringify(await answer.json())).toContain('409');
      await expectUnmoved(object);
    }));

  test('and another one of the same object pass by one verdict, as nothing that was asked about has changed', () =>
    onStage(async (stage) => {
      await stage.register([validator('check', 'Document')]);
      stage.answer = () => yes;
      const object = await subject(stage);
      const batch = (...operations: readonly object[]) =>
        stage.ask('edda', 'POST', '/api/space/main/batch', operations);
      const approval = { ...operation(object.oid, 2), href: promotePath(object.oid, 'approval') };
      expect((await batch(operation(object.oid, 1), approval)).status).toBe(200);
      expect(await object.read()).toMatchObject({ version: 3 });
      expect(stage.arrived).toHaveLength(1);
    }));

  test.each([
    [9, 200],
    [10, 500],
  ])('that %i times meets an extension which was not there when it asked is answered with %i', (surprises, status) => {
    return onStage(
      async (stage) => {
        await stage.register([validator('check', 'Document')]);
        stage.answer = () => yes;
        const { oid } = await subject(stage);
        expect((await stage.ask('edda', 'POST', '/api/space/main/batch', [operation(oid, 1)])).status).toBe(status);
      },
      { areas: appearingAfter(surprises)(rightAreas) },
    );
  });

  test('by a reader asks nobody', () =>
    onStage(async (stage) => {
      await stage.register([validator('check', 'Document')]);
      const object = await subject(stage);
      const reader = { authorization: 'Bearer svcpat-rita-9b3e7f5a2c' };
      await stage.ask('', 'POST', '/api/space/main/batch', [operation(object.oid, 1)], reader);
      expect(stage.arrived).toEqual([]);
    }));
});

test('what is to be shared is asked about in the same way', () =>
  onStage(async (stage) => {
    await stage.register([validator('check', 'Part')]);
    const made = await stage.ask('edda', 'POST', '/api/space/main/softtype/Part/partInput', { name: 'n' });
    const oid = made.headers.get('location')?.split('/').at(-1) ?? '';
    const share = (id: string) =>
      stage.ask('edda', 'POST', `/api/space/main/shareValidation/${id}?contextObjectId=ctx`);
    stage.answer = () => yes;
    expect((await share(oid)).status).toBe(200);
    stage.answer = () => no;
    expect((await share(oid)).status).toBe(409);
    stage.answer = () => ({ status: 404 });
    expect((await share(oid)).status).toBe(502);
    expect((await share('nobody')).status).toBe(404);
    expect(stage.arrived.map(payloadOf)).toEqual(
      Array.from({ length: 3 }, () => ({ objectId: oid, contextObjectId: 'ctx', spaceId: 'main' })),
    );
  }));

test('a no outweighs everything, an error every yes, in whatever order', () => {
  const verdict = fc.record({
    kind: fc.constantFrom('valid' as const, 'invalid' as const, 'error' as const),
    message: fc.string(),
  });
  fc.assert(
    fc.property(fc.array(verdict), (verdicts) => {
      const kinds = new Set(verdicts.map(({ kind }) => kind));
      const [expected = 'valid'] = (['invalid', 'error', 'valid'] as const).filter((kind) => kinds.has(kind));
      expect(combinedVerdict(verdicts).kind).toBe(expected);
      if (verdicts.length > 0) expect(verdicts).toContainEqual(combinedVerdict(verdicts));
    }),
  );
});

test('an extension that is deleted between the look-up and the call has no say, and is not called again', () => {
  const gone = { kind: 'failed', reason: 'its registration is gone', gone: true } as const;
  const { policies, validation } = sample().service;
  expect(validation.verdictOf(gone)).toEqual({ kind: 'valid', message: '' });
  expect(policies.isTransient(gone)).toBe(false);
});
