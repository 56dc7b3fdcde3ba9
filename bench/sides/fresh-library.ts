import type { FetchedService } from '../../api/fetch.ts';
import type * as library from '../../api/index.ts';
import { settingsOf } from '../harness/parent.ts';

/** What a process without a past opens, from which folder of a build. */
export interface FreshOpening {
  readonly build: string;
  readonly opens: 'startServer' | 'fetchService' | 'startExtensionHost';
}

/** CPU of a process that opens one thing and asks it once, in ms. */
export interface FreshCost {
  readonly loading: number;
  readonly opening: number;
  /** With the client that asks. */
  readonly firstAnswer: number;
}

const { build, opens } = settingsOf<FreshOpening>();
const body = JSON.stringify({ title: 'A document' });
const place = '/api/space/main/softtype/Document/documentInput';
const begun = cpuMs();
const open = await loaded();
const loading = cpuMs();
const ask = await open();
const opening = cpuMs();
await ask();
const cost: FreshCost = { loading: loading - begun, opening: opening - loading, firstAnswer: cpuMs() - opening };
process.send?.(cost, () => process.exit());

/** What opens it, which gives what asks it. */
async function loaded(): Promise<() => Promise<() => Promise<void>>> {
  if (opens === 'fetchService') {
    const { fetchService }: { fetchService(): Promise<FetchedService> } = await import(`${build}/api/fetch.js`);
    return async () => {
      const service = await fetchService();
      return () => create(service, (path, init) => service.fetch(path, init));
    };
  }
  const { startServer, startExtensionHost }: typeof library = await import(`${build}/api/index.js`);
  if (opens === 'startExtensionHost')
    return async () => {
      const { url } = await startExtensionHost();
      return async () => void (await (await fetch(url)).bytes());
    };
  return async () => {
    const server = await startServer();
    return () => create(server, (path, init) => fetch(server.url + path, init));
  };
}

/** @throws {Error} it was not created */
async function create(
  service: Pick<library.Service, 'tokens'>,
  send: (path: string, init: RequestInit) => Promise<Response>,
): Promise<void> {
  const authorization = `Bearer ${await service.tokens('editor')}`;
  const headers = { authorization, 'content-type': 'application/json', 'svc-informationfilter': btoa('{}') };
  const answer = await send(place, { method: 'POST', headers, body });
  if (answer.status !== 201) throw new Error(`Expected 201, found ${answer.status}: ${await answer.text()}`);
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
