import { Type, type Static } from 'typebox';
import { Refusal } from '../problem.ts';
import { decoderOf, Misfit } from '../registration/decoder.ts';
import type { Service } from '../service.ts';
import type { KeyHolder } from './holder.ts';

const requestSchema = Type.Object({
  tokenCallback: Type.String({ minLength: 1 }),
  permissions: Type.Array(Type.String(), { minItems: 1 }),
});

/** What is asked for. Source: extensions, Acquiring API keys */
export type AcquireRequest = Static<typeof requestSchema>;

const decode = decoderOf<AcquireRequest>(requestSchema);

/** Other members are passed over. @throws {Refusal} 422 */
export function acquireRequestFrom(body: unknown): AcquireRequest {
  const value = decode(body);
  if (!(value instanceof Misfit)) return value;
  const { pointer, complaint } = value;
  throw new Refusal(422, `${pointer === '' ? 'The body' : pointer} ${complaint}.`, { pointer });
}

/** The first holder that may have all that is asked for. @throws {Refusal} 403 where none may. Source: ledger acquire-mixed-request */
export function holderGranting(service: Service, holders: readonly KeyHolder[], request: AcquireRequest): KeyHolder {
  const complaints: Refusal[] = [];
  for (const holder of holders) {
    const complaint = service.behaviours.acquireComplaint(service, holder, request);
    if (complaint === undefined) return holder;
    complaints.push(complaint);
  }
  throw complaints[0] ?? new Refusal(403, 'Nobody with this id may acquire keys.');
}

/** Why the holder does not get what is asked for; undefined when it does. Source: extensions, Acquiring API keys */
export function acquireComplaint(service: Service, holder: KeyHolder, request: AcquireRequest): Refusal | undefined {
  const { behaviours } = service;
  const { active, permissions } = holder;
  if (!active) return new Refusal(403, 'Its registration is switched off; switch it on to acquire keys.');
  if (permissions === undefined)
    return new Refusal(403, 'No permissions are configured here, so that there are no keys to acquire.');
  if (!behaviours.isConfiguredCallback(request.tokenCallback, permissions.tokenCallback)) {
    const detail = 'Expected tokenCallback to be the configured one, letter by letter; found another.';
    return new Refusal(403, detail, { pointer: '/tokenCallback' });
  }
  const [excess] = behaviours.excessPermissions(service, request.permissions, permissions.permissions);
  if (excess === undefined) return undefined;
  const pointer = `/permissions/${request.permissions.indexOf(excess)}`;
  return new Refusal(403, 'Expected configured permissions only, found one that is not; nothing is issued.', {
    pointer,
  });
}

/** Equality of texts: what merely leads to the same place is another address. */
export function isConfiguredCallback(given: string, configured: string): boolean {
  return given === configured;
}

/** Names asked for that are not configured. */
export function excessPermissions(
  service: Service,
  asked: readonly string[],
  configured: readonly string[],
): readonly string[] {
  return asked.filter((name) => !service.behaviours.isConfiguredPermission(name, configured));
}

export function isConfiguredPermission(name: string, configured: readonly string[]): boolean {
  return configured.includes(name);
}

/** Names that keys are issued for, once each. @param configured all that the holder could have */
export function grantedPermissions(asked: readonly string[], _configured: readonly string[]): readonly string[] {
  return [...new Set(asked)];
}
