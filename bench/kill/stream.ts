import { headerNames, mediaTypes } from '../../contract/names.ts';

/** Where events go. */
export interface Addressees {
  readonly registrationId: string;
  readonly recordIds: readonly string[];
}

/** Requests under way at once. */
const senders = 4;
/** So that a cycle does not leave more than the next ones can deliver. */
const mostEvents = 60;

/** No token is asked for: that would take most of a short life. */
const headers = {
  authorization: 'Bearer svcpat-edda-7d1c0b9e5a',
  [headerNames.informationFilter]: btoa('{}'),
  'content-type': mediaTypes.json,
};
let sent = 0;

/** Sends one event after another until the service does not answer any more. @param accepted is told of each event that was answered with 2xx */
export async function streamTo(
  url: string,
  { registrationId, recordIds }: Addressees,
  accepted: (marker: string, id: string) => void,
): Promise<void> {
  const last = sent + mostEvents;
  const sendAll = async (): Promise<void> => {
    while (sent < last) {
      const number = (sent += 1);
      const marker = `event ${number}.`;
      const recordId = recordIds[number % recordIds.length];
      const body = {
        registrationId,
        recordId,
        contentPayload: { marker, ...(number % 10 === 0 && { failsOnce: true }) },
      };
      const answer = await fetch(`${url}/api/space/main/externalEvent`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new RangeError(`Expected an event to be accepted, found ${answer.status}.`);
      const { id } = (await answer.json()) as { readonly id: string };
      accepted(marker, id);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: senders }, sendAll));
  for (const end of ends) if (end.status === 'rejected' && isRefusal(end.reason)) throw end.reason;
}

/** A connection that breaks is what a kill looks like. */
function isRefusal(reason: unknown): boolean {
  return reason instanceof RangeError;
}
