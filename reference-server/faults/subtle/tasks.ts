import { deadlines } from '../../tasks/deadline.ts';
import { replacing, type Fault } from '../fault.ts';

export const subtleTaskFaults = {
  /** A final report ends the time of every task that runs. */
  'subtle.task.report-ends-time-of-all': replacing('dropDeadline', (right) => async (service, writing, id) => {
    for (const other of await deadlines(writing)) await right(service, writing, other.id);
    await right(service, writing, id);
  }),

  /** The links of a task are those of the job before at the same record. */
  'subtle.task.links-of-job-before': (behaviours) => {
    const jobs = new Map<string, string>();
    return replacing('payloadOf', (right) => (service, delivery, token) => {
      if (delivery.kind !== 'task') return right(service, delivery, token);
      const key = service.behaviours.endpointKeyOf(delivery);
      const envelopeId = jobs.get(key) ?? delivery.envelopeId;
      jobs.set(key, delivery.envelopeId);
      return right(service, { ...delivery, envelopeId }, token);
    })(behaviours);
  },
} satisfies Readonly<Record<string, Fault>>;
