import type { Delivery } from '../../../reference-server/ports/deliveries.ts';
import { replaces, type Variant } from '../../breaks.ts';
import { awaitCalls, event, mail, mailer, mailPath } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import type { Service } from '../service.ts';

/** Longer than a count of 16 bits tells. */
const manyCharacters = 70_000;

/** Triggers of some deliveries are taken as they should be, and nothing comes of them. */
function loses(isLost: (delivery: Delivery) => boolean): Variant {
  return replaces('queue', 'enqueue', async (right, areas, writing, delivery) =>
    isLost(delivery) ? true : right(areas, writing, delivery),
  );
}

function textOf({ payload }: Delivery): string {
  return JSON.stringify(payload ?? null);
}

/** Whether an event with this content leads to no call. */
async function isLost(service: Service, content: unknown, headers: Readonly<Record<string, string>> = {}) {
  const host = await service.host([event]);
  await service.edda.sendEvent('event', content, headers);
  return (await awaitCalls(host, 1, 800)).length === 0;
}

export const lostCallsMistakes: Mistakes = {
  'lost.long-events': {
    source: 'extensions: Events 1; Payloads by extension type, ExternalEvent, contentPayload',
    breaks: 'An event that was taken is delivered, one with a long content too.',
    variant: loses((delivery) => delivery.kind === 'event' && textOf(delivery).length > 65_536),
    shows: (service) => isLost(service, { text: 'x'.repeat(manyCharacters) }),
  },
  'lost.events-with-nulls': {
    source: 'extensions: Events 1; Payloads by extension type, ExternalEvent, contentPayload',
    breaks: 'An event that was taken is delivered, one with a member that is null too.',
    variant: loses((delivery) => delivery.kind === 'event' && textOf(delivery).includes(':null')),
    shows: (service) => isLost(service, { none: null }),
  },
  'lost.events-with-long-ids': {
    source: 'extensions: Events 1 and 4',
    breaks: 'An event that was taken is delivered, one whose request had a long correlation id too.',
    variant: loses(({ kind, envelopeId }) => kind === 'event' && envelopeId.length > 100),
    shows: (service) => isLost(service, {}, { 'X-Correlation-Id': 'conformance-'.repeat(10) }),
  },
  'lost.long-mails': {
    source: 'extensions: Calls to extensions, Email; Payloads by extension type, Email',
    breaks: 'A mail that was taken is handed to its extension, a long one too.',
    variant: loses((delivery) => delivery.kind === 'email' && textOf(delivery).length > 65_536),
    async shows(service) {
      const host = await service.host([mailer]);
      await service.edda.post(mailPath, { recordId: 'mail', ...mail, body: 'x'.repeat(manyCharacters) });
      return (await awaitCalls(host, 1, 800)).length === 0;
    },
  },
};
