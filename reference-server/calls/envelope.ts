import type { Delivery } from '../delivery/delivery.ts';
import type { Service } from '../service.ts';

/** Body of every call to an extension. Source: extensions, Call envelope */
export interface Envelope {
  readonly id: string;
  readonly accessToken: string;
  readonly baseAddress: string;
  /** Base64 of a JSON object. */
  readonly informationFilter: string;
  readonly payload: unknown;
}

export function envelopeOf(service: Service, delivery: Delivery, accessToken: string, payload: unknown): Envelope {
  const { envelopeId: id, informationFilter } = delivery;
  return { id, accessToken, baseAddress: service.behaviours.baseAddressOf(service), informationFilter, payload };
}

/** Where the outside reaches this service, without a slash at its end. Source: extensions, Call envelope, row baseAddress */
export function baseAddressOf({ configuration, baseAddress }: Service): string {
  const address = configuration.baseAddress ?? baseAddress?.();
  if (address === undefined) throw new Error('No base address: neither is one configured, nor does the server listen.');
  return address.replace(/\/+$/, '');
}
