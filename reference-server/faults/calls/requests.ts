import type { CallKind, Delivery, OutgoingRequest } from '../../delivery/delivery.ts';
import type { Behaviours } from '../../behaviours.ts';
import type { Service } from '../../service.ts';
import { isJson, type Json } from '../answer.ts';
import { replacing, type Fault } from '../fault.ts';

/** The envelope of calls to extensions is changed just before it is sent. */
export function withEnvelope(change: (envelope: Json, delivery: Delivery, service: Service) => Json): Fault {
  return replacing('extensionRequest', (right) => async (service, delivery, target) => {
    const request = await right(service, delivery, target);
    return { ...request, body: JSON.stringify(change(jsonIn(request), delivery, service)) };
  });
}

/** The payload of one kind of calls to extensions is changed just before it is sent. */
export function withPayload(kind: CallKind, change: (payload: Json, service: Service) => Json): Fault {
  return withEnvelope((envelope, delivery, service) => {
    const { payload } = envelope;
    return delivery.kind === kind && isJson(payload) ? { ...envelope, payload: change(payload, service) } : envelope;
  });
}

/** Calls to extensions, and nothing else, are made with other behaviours. */
export function inExtensionCalls(other: (right: Behaviours) => Partial<Behaviours>): Fault {
  return replacing('extensionRequest', (right) => (service, delivery, target) => {
    const behaviours = { ...service.behaviours, ...other(service.behaviours) };
    return right({ ...service, behaviours }, delivery, target);
  });
}

/** Requests to endpoints of one kind are changed just before they are sent. */
export function toEndpoints(
  kind: 'externalEndpoint' | 'trustedExternalEndpoint',
  change: (
    request: OutgoingRequest,
    delivery: Delivery,
    service: Service,
  ) => OutgoingRequest | Promise<OutgoingRequest>,
): Fault {
  return replacing('endpointRequest', (right) => async (service, delivery, target) => {
    const request = await right(service, delivery, target);
    return target.endpoint.kind === kind ? change(request, delivery, service) : request;
  });
}

function jsonIn({ body = '{}' }: OutgoingRequest): Json {
  const value: unknown = JSON.parse(body);
  return isJson(value) ? value : {};
}
