import { headerNames } from '../../../contract/names.ts';
import type { CallKind, Delivery } from '../../delivery/delivery.ts';
import type { Service, SpaceCall } from '../../service.ts';

const filterHeader = headerNames.informationFilter.toLowerCase();
/** Base64 of an empty object. Source: ledger information-filter-without-trigger */
const emptyFilter = 'e30=';

/** What a trigger sends, and where. */
export interface Errand {
  readonly id: string;
  readonly kind: CallKind;
  readonly registrationId: string;
  readonly recordId?: string;
  readonly payload: unknown;
  /** That of the trigger unless the kind of call has one of its own. */
  readonly envelopeId?: string;
}

/** The delivery of an errand, in the name of the caller. Source: extensions, Call envelope */
export function deliveryOf(service: Service, call: SpaceCall, errand: Errand): Delivery {
  return {
    envelopeId: service.behaviours.envelopeIdOf(call),
    userName: service.behaviours.subjectOf(call),
    informationFilter: service.behaviours.passedFilter(service, call),
    spaceId: call.space.id,
    ...errand,
  };
}

/** Source: extensions, Events 4; ledger envelope-id-guid-form */
export function envelopeIdOf(call: SpaceCall): string {
  return call.correlationId;
}

/** Whose name stands in the token. Source: ledger token-subject */
export function subjectOf(call: SpaceCall): string {
  return call.user.name;
}

/** The filter of the triggering request as it came. @throws {Refusal} 400 for one that is none */
export function passedFilter(service: Service, call: SpaceCall): string {
  const given = call.headers[filterHeader];
  if (given === undefined) return emptyFilter;
  service.behaviours.informationFilterOf(service, call);
  return given;
}
