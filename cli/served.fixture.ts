import { afterAll } from 'vitest';
import { type VariantOptions, createVariant } from '../variants/create-variant.ts';

/** A server for the tests of a file, and the profile that is bound to it. */
export interface Served {
  readonly url: string;
  /** Where the profile is read from. */
  readonly address: string;
  /** The profile itself, as YAML. */
  readonly profile: string;
}

/** Serves as long as the tests of a file run. */
export async function serve(options: Pick<VariantOptions, 'faults'> = {}): Promise<Served> {
  const server = createVariant({ ...options, control: true });
  afterAll(() => server.close());
  const url = await server.listen();
  const address = `${url}/_control/profile.yaml`;
  return { url, address, profile: await (await fetch(address)).text() };
}
