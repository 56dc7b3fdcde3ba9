import type { HostedCall } from '../sides/extension-host.ts';
import { administrator, Client } from './client.ts';

/** Registers so many extensions of the host with the service. Resolves with their ids. */
export async function registered(url: string, hostUrl: string, count: number): Promise<readonly string[]> {
  const client = await Client.of(url);
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) ids.push(await register(client, `${hostUrl}/${number}`));
  return ids;
}

/** Registers a host with the service. Resolves with the id of the registration. */
export async function register(client: Client, hostUri: string): Promise<string> {
  const body = { hostUri, apiKey: btoa(`the symmetric key of ${hostUri}`), tokenLifeTime: 5 };
  const answer = await client.send('POST', '/api/admin/svcExtension', body, administrator);
  return ((await answer.json()) as { readonly id: string }).id;
}

/** The calls that the host got since it was asked last. */
export async function callsAt(hostUrl: string): Promise<readonly HostedCall[]> {
  return (await (await fetch(`${hostUrl}/calls`)).json()) as readonly HostedCall[];
}
