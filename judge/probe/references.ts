import type { SoftTypeProfile } from '../../contract/profile.ts';
import { dataOf } from '../answer.ts';
import { pointer, valueAt } from '../json-pointer.ts';
import type { CaseContext } from '../case.ts';
import type { Thing } from '../given.ts';
import { PreconditionFailed } from '../violation.ts';
import type { ReferencePort } from './propose.ts';

/** Both SoftTypes that were tried, each with an object of it. */
export interface Targets {
  readonly primary: Thing;
  readonly second?: Thing;
}

export interface FoundReference {
  readonly reference: NonNullable<SoftTypeProfile['reference']>;
  readonly readPath: string;
}

/** Writes a reference into each port, to an object of either SoftType (the other one first), until one comes back as written. */
export async function referenceFrom(
  context: CaseContext,
  type: SoftTypeProfile,
  ports: readonly ReferencePort[],
  targets: Targets,
): Promise<FoundReference | undefined> {
  const others =
    type.definitionId === targets.primary.type.definitionId
      ? (['second', 'primary'] as const)
      : (['primary', 'second'] as const);
  for (const { port, value } of ports) {
    for (const target of others) {
      const thing = targets[target];
      if (thing !== undefined && (await leadsTo(context, type, port, value, thing)))
        return { reference: { port, target }, readPath: pointer(value, '$oid') };
    }
  }
  return undefined;
}

async function leadsTo(
  { given, service }: CaseContext,
  type: SoftTypeProfile,
  port: string,
  value: string,
  target: Thing,
): Promise<boolean> {
  try {
    const entry = { [value]: { $oid: target.oid } };
    const data = dataOf(await service.readLong(await given.object({ [port]: [entry] }, { type })));
    return valueAt(data, pointer(port, 0, value, '$oid')) === target.oid;
  } catch (error) {
    if (error instanceof PreconditionFailed) return false;
    throw error;
  }
}
