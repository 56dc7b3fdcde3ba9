import { headerNames } from '../contract/names.ts';

/** A correlation id for a request; null sends none. */
export function correlated(id: string | null): { headers: Record<string, string | null> } {
  return { headers: { [headerNames.correlationId]: id } };
}
