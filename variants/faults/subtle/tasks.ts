import { deadlines } from '../../../reference-server/areas/jobs.ts';
import { type Variants, replaces } from '../../breaks.ts';

export const subtleTaskFaults = {
  /** A message that counts as false counts as none. */
  'subtle.task.progress-zero-is-none': replaces('jobs', 'jobAfterProgress', (right, areas, job, message) =>
    message === '0' ? job : right(areas, job, message),
  ),

  'subtle.task.links-break-off-at-a-question-mark': replaces('requests', 'taskLinks', (right, areas, ...args) =>
    right(areas, ...args).map((link) => ({ ...link, url: link.url.replaceAll('%3F', '?') })),
  ),

  /** A final report ends the time of every task that runs. */
  'subtle.task.report-ends-time-of-all': replaces('jobs', 'dropDeadline', async (right, areas, writing, id) => {
    for (const other of await deadlines(writing)) await right(areas, writing, other.id);
    await right(areas, writing, id);
  }),

  /** A task is called where it was called the first time. */
  'subtle.task.keeps-former-endpoint': (classes) => {
    const first = new Map<string, string>();
    return replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      if (delivery.kind !== 'task') return right(areas, delivery, callee, attempt);
      const key = areas.policies.endpointKeyOf(delivery);
      const url = first.get(key) ?? callee.url;
      first.set(key, url);
      return right(areas, delivery, { ...callee, url }, attempt);
    })(classes);
  },

  /** The links of a task are those of the job before at the same record. */
  'subtle.task.links-of-job-before': (classes) => {
    const jobs = new Map<string, string>();
    return replaces('requests', 'payloadOf', (right, areas, delivery, token) => {
      if (delivery.kind !== 'task') return right(areas, delivery, token);
      const key = areas.policies.endpointKeyOf(delivery);
      const envelopeId = jobs.get(key) ?? delivery.envelopeId;
      jobs.set(key, delivery.envelopeId);
      return right(areas, { ...delivery, envelopeId }, token);
    })(classes);
  },

  /** A status is known by how it begins. */
  'subtle.task.status-of-longer-word': replaces('jobs', 'reportStatus', (right, areas, call, writing) => {
    const told = call.params['status'] ?? '';
    const status = ['Completed', 'Canceled', 'Failed'].find((word) => told.startsWith(word)) ?? told;
    return right(areas, { ...call, params: { ...call.params, status } }, writing);
  }),
} satisfies Variants;
