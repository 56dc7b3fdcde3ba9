import { isContent } from '../../../reference-server/areas/content.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf } from '../proofs.ts';

/** What calls hold, and what is made of their answers. */
export const payloadMistakes: Batch = {
  'calls.base-address-with-the-root-of-the-api': {
    source: 'extensions: Call envelope, row baseAddress',
    breaks: 'The base address is the configured one in every envelope, in that of a validation too.',
    kind: 'place',
    variant: replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      const envelope: unknown = JSON.parse(request.body ?? 'null');
      if (delivery.kind !== 'validation' || !isContent(envelope)) return request;
      return {
        ...request,
        body: JSON.stringify({ ...envelope, baseAddress: `${String(envelope['baseAddress'])}/api` }),
      };
    }),
    async shows(service) {
      const host = await service.host(() => [validator('Document')]);
      const made = await service.edda.make('Document', { title: 't' });
      await service.edda.move(made, 1);
      const [call] = callsOf(host, 'validation');
      return call?.envelope?.baseAddress !== service.url;
    },
  },
};

function validator(softTypeId: string): object {
  return {
    id: `validates ${softTypeId}`,
    extensionType: 'ExternalValidation',
    capabilities: [{ capabilityType: 'SoftType', capabilities: [softTypeId] }],
  };
}
