import { Client } from './client.ts';

const administrator = { authorization: 'Bearer svcpat-cora-6f8b0d2e4a' };

/** Registers so many extensions of the host with the service. Resolves with their ids. */
export async function registered(url: string, hostUrl: string, count: number): Promise<readonly string[]> {
  const client = await Client.of(url);
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const body = { hostUri: `${hostUrl}/${number}`, apiKey: btoa(`the symmetric key of extension ${number}`), tokenLifeTime: 5 };
    const answer = await client.send('POST', '/api/admin/svcExtension', body, administrator);
    ids.push(((await answer.json()) as { readonly id: string }).id);
  }
  return ids;
}

/** When the host got its calls since it was asked last, in ms since the epoch. */
export async function arrivalsAt(hostUrl: string): Promise<readonly number[]> {
  return (await (await fetch(`${hostUrl}/arrivals`)).json()) as readonly number[];
}
