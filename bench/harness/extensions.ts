import type { HostedCall } from '../sides/extension-host.ts';
import { Client } from './client.ts';

const administrator = { authorization: 'Bearer svcpat-cora-6f8b0d2e4a' };

/** Registers so many extensions of the host with the service. Resolves with their ids. */
export async function registered(url: string, hostUrl: string, count: number): Promise<readonly string[]> {
  const client = await Client.of(url);
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const apiKey = btoa(`the symmetric key of extension ${number}`);
    const body = { hostUri: `${hostUrl}/${number}`, apiKey, tokenLifeTime: 5 };
    const answer = await client.send('POST', '/api/admin/svcExtension', body, administrator);
    ids.push(((await answer.json()) as { readonly id: string }).id);
  }
  return ids;
}

/** The calls that the host got since it was asked last. */
export async function callsAt(hostUrl: string): Promise<readonly HostedCall[]> {
  return (await (await fetch(`${hostUrl}/calls`)).json()) as readonly HostedCall[];
}
