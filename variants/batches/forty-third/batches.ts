import { Refusal } from '../../../reference-server/http/refusal.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { type Variant, Step, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf } from '../proofs.ts';
import { at, editPath, listAt, many, movePath, type Made } from '../service.ts';

export const batchMistakes: Batch = {
  'batch.second-read-has-the-first-type': {
    source: 'core: System properties, $softType',
    breaks: 'What a read says of its definition is that of its object, also in a batch behind another read.',
    kind: 'copy',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => {
      const [first] = results.map(({ body }) => at(body, '/data/$softType')).filter((type) => type !== undefined);
      return right(
        areas,
        results.map((result) => {
          const { body } = result;
          if (!isContent(body) || !isContent(body['data'])) return result;
          return { ...result, body: { ...body, data: { ...body['data'], $softType: first } } };
        }),
      );
    }),
    async shows({ edda }) {
      const [document, part] = [await edda.make('Document', { title: 't' }), await edda.make('Part', { name: 'n' })];
      const answer = await edda.batch([document, part].map(({ path }) => ({ method: 'GET', href: path })));
      return at(answer.json, '/1/body/data/$softType') !== 'Part';
    },
  },

  'batch.query-of-an-operation-is-not-decoded': {
    source: 'core: Batch operation, row href',
    breaks: 'The href of an operation is a URI, whose query is encoded.',
    kind: 'place',
    variant: replaces('batch', 'carryOutOperation', (right, areas, prepared, writing) => {
      const [, query = ''] = prepared.call.url.split('?', 2);
      const pairs = query.split('&').flatMap((pair): [string, string][] => {
        const [name = '', value = ''] = pair.split('=', 2);
        return pair === '' ? [] : [[name, value]];
      });
      return right(areas, { ...prepared, call: { ...prepared.call, query: new URLSearchParams(pairs) } }, writing);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', category: 'a b' }] });
      const href = `${made.path}?softTypeFilterId=byCategory&fileGroup.category=a%20b`;
      const answer = await edda.batch([{ method: 'GET', href }]);
      return answer.status !== 200 || listAt(answer.json, '/0/body/data/files').length !== 1;
    },
  },

  'batch.version-of-the-operation-before': {
    source: 'core: Batch operation, row headers',
    breaks: 'An edit in a batch needs a version of its own, also behind one that has it.',
    kind: 'copy',
    variant: breaks('batch', 'operationHeaders', (right) => {
      const formers = new WeakMap<object, string>();
      return (areas, batch, operation) => {
        const headers = right(areas, batch, operation);
        const version = headers['svc-uoiversion'] ?? formers.get(batch.headers);
        if (version === undefined || operation.method === 'GET') return headers;
        formers.set(batch.headers, version);
        return { ...headers, 'svc-uoiversion': version };
      };
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Document', { title: 'a' }), await edda.make('Document', { title: 'b' })];
      const answer = await edda.batch([
        { method: 'PATCH', href: editPath(one), headers: { 'Svc-UOIVersion': '1' }, body: { note: 'n' } },
        { method: 'PATCH', href: editPath(other), body: { note: 'n' } },
      ]);
      return answer.status === 200;
    },
  },

  'batch.promote-has-the-old-version': {
    source: 'core: Batch result, row body',
    breaks: 'The result of a promote in a batch has the version that it led to.',
    kind: 'place',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      const version = at(body, '/version');
      const isSecond = call.params['levelId'] !== undefined && typeof version === 'number' && version > 2;
      return isSecond && isContent(body) ? { ...body, version: version - 1 } : body;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.merge(made, 1, { note: 'n' });
      const answer = await edda.batch([promote(made, 2)]);
      return at(answer.json, '/0/body/version') !== 3;
    },
  },

  'batch.operations-of-a-failed-one-count': {
    source: 'core: Limits, text below the table',
    breaks: 'A batch has no hard limit, and what failed before it takes nothing from it.',
    kind: 'copy',
    variant: countingFailed(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const read = { method: 'GET', href: made.path };
      const failing = { method: 'GET', href: '/api/space/main/softtype/none' };
      await edda.batch([...many(109, () => read), failing]);
      return (await edda.batch(many(110, () => read))).status !== 200;
    },
  },

  'batch.what-is-beyond-256-is-left-out': {
    source: 'core: Limits, text below the table',
    breaks: 'A batch has no hard limit: every operation is carried out and has its result.',
    kind: 'value',
    variant: replaces('batch', 'batchOperationsOf', (right, areas, body) => right(areas, body).slice(0, 256)),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const answer = await edda.batch(many(257, () => ({ method: 'GET', href: made.path })));
      return listAt(answer.json, '').length !== 257;
    },
  },

  'multi-create.limit-of-a-whole-batch': {
    source: 'core: Multi-create rules 3; Batch rules 4',
    breaks: 'A multi-create takes 50 instances, also one that is an operation beside another one.',
    kind: 'combination',
    variant: breaks('multiCreate', 'multiCreate', (right) => {
      const counts = new Map<string, number>();
      return async (areas, call, writing) => {
        if (call.isSibling === undefined) return right(areas, call, writing);
        const count = (counts.get(call.correlationId) ?? 0) + (Array.isArray(call.json) ? call.json.length : 0);
        counts.set(call.correlationId, count);
        if (count > 50) throw new Refusal(422, 'Too many instances in one request.');
        return right(areas, call, writing);
      };
    }),
    async shows({ edda }) {
      const body = many(26, (number) => ({ $id: `p${number}`, $softType: 'Part', data: { name: 'n' } }));
      const operation = { method: 'POST', href: '/space/main/softtype', body };
      return (await edda.batch([operation, operation])).status !== 200;
    },
  },

  'validation.fewer-retries-in-a-batch': {
    source: 'extensions: Limits, retries row 2',
    breaks: 'A validation that meets transient errors is tried three times more, also for a promote in a batch.',
    kind: 'place',
    variant: lessPatientInBatches(),
    async shows(service) {
      const host = await service.host(
        () => [
          {
            id: 'check',
            extensionType: 'ExternalValidation',
            capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
          },
        ],
        always({ status: 503 }),
      );
      const made = await service.edda.make('Document', { title: 't' });
      const answer = service.edda.batch([promote(made, 1)]);
      for (let left = 20; left > 0; left -= 1) {
        await service.pass(1);
        await new Promise((resolve) => setTimeout(resolve, 15));
      }
      await answer;
      return callsOf(host, 'validation').length < 4;
    },
  },
};

function promote(made: Made, version: number): object {
  return { method: 'PUT', href: movePath(made), headers: { 'Svc-UOIVersion': String(version) } };
}

function countingFailed(): Variant {
  return breaks('batch', 'runBatch', (right) => {
    let left = 0;
    return async (areas, call, writing, table) => {
      const count = left + call.json.length;
      if (count > 200) throw new Refusal(413, 'Too many operations.');
      try {
        const answer = await right(areas, call, writing, table);
        left = 0;
        return answer;
      } catch (error) {
        left = count;
        throw error;
      }
    };
  });
}

function lessPatientInBatches(): Variant {
  return (classes) => {
    const batch = new Step();
    return together(
      replaces('validatedWrites', 'validatedBatch', (right, areas, call, table) =>
        batch.run(() => right(areas, call, table)),
      ),
      replaces('outgoingCalls', 'callWithRetries', (right, areas, delivery, retries) =>
        right(areas, delivery, batch.isOn() ? Math.min(retries, 2) : retries),
      ),
    )(classes);
  };
}
