import { isContent } from '../../../reference-server/areas/content.ts';
import { type Variant, Step, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf } from '../proofs.ts';
import { at, movePath, type Made } from '../service.ts';

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
