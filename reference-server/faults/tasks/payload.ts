import { randomUUID } from 'node:crypto';
import { defaultRequestTimeoutSeconds, defaultTaskTimeoutSeconds } from '../../../contract/limits.ts';
import { isJson } from '../answer.ts';
import { withEnvelope, withPayload } from '../calls/requests.ts';
import { replacing, type FaultsOf } from '../fault.ts';

export const payloadFaults = {
  'tasks.payload.fields': withPayload('task', (payload) => {
    const { jobSettings } = payload;
    if (!isJson(jobSettings)) return payload;
    const { effectivityMode: _, ...rest } = jobSettings;
    return { ...payload, jobSettings: rest };
  }),

  'tasks.payload.envelope-id-is-job': withEnvelope((envelope, { kind }) =>
    kind === 'task' ? { ...envelope, id: randomUUID() } : envelope,
  ),

  'tasks.payload.timeout-default': replacing(
    'taskPayload',
    (right) => (body) => right({ timeout: defaultRequestTimeoutSeconds, ...body }),
  ),

  'tasks.payload.timeout-configured': withPayload('task', (payload) => ({
    ...payload,
    timeout: defaultTaskTimeoutSeconds,
  })),
} satisfies Partial<FaultsOf<'tasks'>>;
