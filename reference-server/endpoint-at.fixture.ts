import { type AreaClasses, rightAreas } from './areas.ts';
import { type Callee, Callees } from './areas/callees.ts';
import { Requests } from './areas/requests.ts';
import type { Delivery } from './ports/deliveries.ts';

/** Makes all deliveries go to one made-up endpoint. */
export function endpointAt(url: string): AreaClasses {
  const endpoint = { id: 'a', url, method: 'POST', category: 'test', headers: [], requestTimeout: 100 };
  const fields = { active: true, retryForever: false, rateLimitNumberOfExecutions: 100 };
  return {
    ...rightAreas,
    callees: class extends Callees {
      override async calleeOf() {
        return {
          ...fields,
          name: 'a',
          url,
          timeoutMs: 100_000,
          rateKey: 'a',
          endpoint: { ...endpoint, ...fields, kind: 'externalEndpoint' as const, registeredAt: 0 },
        };
      }
    },
    requests: class extends Requests {
      override async requestFor({ id }: Delivery, _callee: Callee, attempt: number) {
        const body = JSON.stringify({ id, attempt });
        return { method: 'POST', url: `${url}/a`, headers: {}, timeoutMs: 100_000, body };
      }
    },
  };
}
