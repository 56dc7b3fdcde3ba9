import { expect, test } from 'vitest';
import { startExtensionHost, type ExtensionHost, type ExtensionHostOptions } from '../host.ts';
import { calling, playService, type PlayedService, type Reaction } from '../service.fixture.ts';
import { signatureOf } from '../signature.ts';

const apiKey = Buffer.alloc(64, 7).toString('base64');
const asked = /^POST .*acquireAccessToken/;
const key = (number: number): string => Buffer.alloc(32, number).toString('base64');

/** A service that brings key 1, 2, … to the callback, each time it is asked. */
function bringing(also: Reaction = () => undefined): Reaction {
  let brought = 0;
  return (callback, response) => {
    if (!asked.test(`${callback.method} ${callback.target}`)) return also(callback, response);
    const { tokenCallback, permissions } = JSON.parse(callback.body.toString()) as {
      tokenCallback: string;
      permissions: string[];
    };
    brought += 1;
    const keys = Object.fromEntries(permissions.map((name) => [name, { apiKey: key(brought) }]));
    void fetch(tokenCallback, { method: 'POST', body: JSON.stringify(keys) }).then(
      ({ status }) => response.writeHead(status).end(),
      () => response.destroy(),
    );
    return true;
  };
}

const bulk = { contentPayload: { bulkUpload: { route: '/admin/fileupload/main', body: { writeLog: false } } } };
let calls = 0;
const event = (host: ExtensionHost, service: PlayedService, payload: object = bulk) =>
  calling(host.url, apiKey)('event', { id: `e-${(calls += 1)}`, accessToken: 't', baseAddress: service.url, payload });

async function withHost(
  reaction: Reaction,
  work: (host: ExtensionHost, service: PlayedService) => Promise<void>,
  options: ExtensionHostOptions = {},
) {
  await using service = await playService('', reaction);
  await using host = await startExtensionHost({ apiKey, permissions: ['AdministrationAPI'], ...options });
  await work(host, service);
}

test('what is brought to the callback is taken or refused by its form, without any request included', () =>
  withHost(bringing(), async (host) => {
    const metadata = await fetch(`${host.url}/svc/extension`, {
      headers: { authorization: `Bearer ${signatureOf(apiKey, '/svc/extension')}` },
    });
    const [record] = (await metadata.json()) as { permissions: { tokenCallback: string } }[];
    const tokenCallback = record?.permissions.tokenCallback ?? '';
    const bring = async (body: string) => (await fetch(tokenCallback, { method: 'POST', body })).status;
    expect(await bring(JSON.stringify({ AdministrationAPI: { apiKey: key(1) } }))).toBe(200);
    for (const wrong of ['', '[]', '{"AdministrationAPI":"text"}', '{"AdministrationAPI":{"apiKey":1}}'])
      expect(await bring(wrong), wrong).toBe(400);
    expect((await fetch(tokenCallback, { method: 'PUT', body: '{}' })).status).toBe(405);
    expect((await fetch(`${host.url}/keys/guessed`, { method: 'POST', body: '{}' })).status).toBe(401);
  }));

test('a host without permissions asks for nothing', () => {
  const said: string[] = [];
  return withHost(
    bringing(),
    async (host, service) => {
      expect((await event(host, service)).status).toBe(200);
      await expect.poll(() => said).toEqual([expect.stringContaining('no record of the host asks for')]);
      expect(service.callbacks).toEqual([]);
    },
    { permissions: [], say: (problem) => said.push(problem) },
  );
});
