import type { Fault } from '../faults/fault.ts';
import type { Service } from '../service.ts';

/** Makes all deliveries go to one made-up endpoint, and shows the service to the first request. */
export function endpointAt(url: string, seen: Service[]): Fault {
  const endpoint = { id: 'a', url, method: 'POST', category: 'test', headers: [], requestTimeout: 100 };
  const fields = { active: true, retryForever: false, rateLimitNumberOfExecutions: 100 };
  return (behaviours) => ({
    ...behaviours,
    logStart: (service, call) => {
      seen[0] ??= service;
      behaviours.logStart(service, call);
    },
    calleeOf: async () => ({
      ...fields,
      name: 'a',
      url,
      timeoutMs: 100_000,
      rateKey: 'a',
      endpoint: { ...endpoint, ...fields, kind: 'externalEndpoint', registeredAt: 0 },
    }),
    requestFor: async (_service, _reading, { id }, attempt) => ({
      method: 'POST',
      url: `${url}/a`,
      headers: {},
      timeoutMs: 100_000,
      body: JSON.stringify({ id, attempt }),
    }),
  });
}
