import { randomUUID } from 'node:crypto';
import type { CallKind } from '../../delivery/delivery.ts';
import type { SpaceCall } from '../../service.ts';
import { replacing, together, type Fault, type FaultsOf } from '../fault.ts';
import { withEnvelope } from './requests.ts';

const guid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
/** Base64 of an empty object. */
const emptyFilter = 'e30=';

/** Calls of that kind get another envelope id than the right one. */
function identified(kind: CallKind, other: (id: string, call: SpaceCall) => string): Fault {
  return replacing('deliveryOf', (right) => (service, call, errand) => {
    const delivery = right(service, call, errand);
    return errand.kind === kind ? { ...delivery, envelopeId: other(delivery.envelopeId, call) } : delivery;
  });
}

const oneId: Fault = (behaviours) => {
  const always = randomUUID();
  return identified('event', (id, { correlationGiven }) => (correlationGiven ? id : always))(behaviours);
};

const addressOfTrigger: Fault = (behaviours) => {
  const hosts = new Map<string, string>();
  const noting = replacing('deliveryOf', (right) => (service, call, errand) => {
    hosts.set(errand.id, call.headers['host'] ?? '');
    return right(service, call, errand);
  });
  const telling = withEnvelope((envelope, { id }) => ({ ...envelope, baseAddress: `http://${hosts.get(id) ?? ''}` }));
  return together(noting, telling)(behaviours);
};

export const envelopeFaults = {
  'calls.extension.post-to-endpoint': replacing('extensionRequest', (right) => async (service, delivery, target) => ({
    ...(await right(service, delivery, target)),
    method: 'PUT',
  })),
  'calls.envelope.all-fields': withEnvelope((envelope, { kind }) =>
    kind === 'event' ? { ...envelope, informationFilter: undefined } : envelope,
  ),
  'calls.envelope.id-from-correlation': identified('event', () => randomUUID()),
  'calls.envelope.id-correlation-verbatim': identified('event', (id) => (guid.test(id) ? id : randomUUID())),
  'calls.envelope.id-fresh-guid': oneId,
  'calls.envelope.id-across-types': identified('validation', () => randomUUID()),
  'calls.envelope.base-address': addressOfTrigger,
  'calls.envelope.information-filter-base64': withEnvelope((envelope) => ({
    ...envelope,
    informationFilter: Buffer.from(String(envelope['informationFilter']), 'base64').toString('utf8'),
  })),
  'calls.envelope.information-filter-of-trigger': replacing('passedFilter', () => () => emptyFilter),
} satisfies Partial<FaultsOf<'calls'>>;
