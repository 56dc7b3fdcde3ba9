import { execFile } from 'node:child_process';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse, stringify } from 'yaml';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import { listen, type Listening } from '../fixtures/listening.fixture.ts';
import type { Reach } from '../contract/profile/reach.ts';
import { HttpClient, type Sender } from '../judge/client/client.ts';
import { profileFrom } from '../judge/profile/load.ts';
import { readLog } from '../judge/service/log.ts';
import { smallProfile } from '../judge/small-service.fixture.ts';
import { checkCommand } from './check.ts';
import { initCommand } from './init.ts';
import { conversation, placeForProfiles, secrets } from './init/init.fixture.ts';
import { authorityIn, hasOpenssl } from './doctor/tls.fixture.ts';
import { trafficCommand } from './traffic.ts';
import { captureOutput } from './output.fixture.ts';
import { serve } from './served.fixture.ts';

const folder = makeFolder();
const place = placeForProfiles();
const isMissing = !hasOpenssl();
const sender: Sender = { reuse: true, retries: [], add: () => undefined };
const local = { name: 'IP:127.0.0.1' };

/** What is asked at an address, in both ways in which the suite sends. */
async function answersAt(url: string, reach: Reach): Promise<readonly number[]> {
  const client = new HttpClient({ ...reach, limits: { requestTimeoutSeconds: 5 } });
  onTestFinished(() => client.close());
  const asked = { method: 'GET', url: `${url}/at`, headers: [] };
  return [(await client.send(asked, sender)).status, (await client.sendRaw(asked, sender)).status];
}

const ended = async (server: Promise<Listening>): Promise<Listening> => {
  const listening = await server;
  onTestFinished(() => listening[Symbol.asyncDispose]());
  return listening;
};

/** Tells which tunnels it was asked for. @param refusal what it answers whoever does not send the credential */
async function startProxy(
  credential?: string,
  refusal = '407 Proxy Authentication Required',
): Promise<{ readonly address: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((_request, response) => void response.writeHead(405).end());
  server.on('connect', ({ url = '', headers }: IncomingMessage, socket: Socket) => {
    asked.push(url);
    const isKnown = headers['proxy-authorization'] === credential;
    if (!isKnown) return void socket.end(`HTTP/1.1 ${refusal}\r\nContent-Length: 0\r\n\r\n`);
    const { hostname, port } = new URL(`tcp://${url}`);
    const target = connect(Number(port), hostname, () => socket.write('HTTP/1.1 200 Connected\r\n\r\n'));
    for (const [from, to] of [
      [target, socket],
      [socket, target],
    ] as const)
      from
        .pipe(to)
        .on('error', () => from.destroy())
        .on('close', () => from.destroy());
    return undefined;
  });
  const { url } = await ended(listen(server));
  return { address: url.replace('http://', ''), asked };
}

const answering = (_request: unknown, response: ServerResponse): void => void response.writeHead(204).end();

test.runIf(isMissing && process.env['CI'] === 'true')('needs openssl to make certificates', () => {
  expect.fail('openssl is not installed, and CI=true: install it, so that TLS is tried');
});

describe('through a proxy', () => {
  test('goes every request, with the credential that its address holds', async () => {
    const service = await ended(listen(createServer(answering)));
    const { address, asked } = await startProxy(`Basic ${Buffer.from('pia:p@ss').toString('base64')}`);
    expect(await answersAt(service.url, { proxy: `http://pia:p%40ss@${address}` })).toEqual([204, 204]);
    expect(asked).toEqual(Array.from({ length: 2 }, () => service.url.replace('http://', '')));
  });

  test('that the environment names goes nothing, nor what is asked besides', async () => {
    const named = { HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9', NODE_USE_ENV_PROXY: '1' };
    const main = new URL('main.ts', import.meta.url).pathname;
    const words = [
      'check',
      '--quiet',
      '--rules',
      'reading.create.status-201',
      '--out',
      mkdtempSync(join(folder, 'out-')),
    ];
    const { stdout } = await promisify(execFile)(process.execPath, [main, ...words], {
      env: { ...process.env, ...named },
    });
    expect(stdout).toContain('Exit 0');
  });

  test('that refuses, or is not there, the sentence names it, and no credential', async () => {
    const { address } = await startProxy('Basic another');
    const refused = answersAt('http://service.example', { proxy: `http://pia:secret-of-pia@${address}` });
    await expect(refused).rejects.toThrow(
      `the proxy ${address} answers 407 where it is asked for service.example:80: correct proxy in the profile`,
    );
    const { address: narrow } = await startProxy('Basic another', '403 Forbidden');
    await expect(answersAt('http://service.example', { proxy: `http://${narrow}` })).rejects.toThrow(
      `the proxy ${narrow} answers 403 where it is asked for service.example:80: let it open tunnels to that port`,
    );
    const absent = answersAt('http://service.example', { proxy: 'http://127.0.0.1:9' });
    await expect(absent).rejects.toThrow('the proxy 127.0.0.1:9 cannot be used (ECONNREFUSED): correct proxy');
  });
});

describe.skipIf(isMissing)('where certificates are shown (skipped without openssl)', () => {
  const authority = isMissing ? undefined : authorityIn(folder);
  const issuer = authority === undefined ? '' : readFileSync(authority.file, 'utf8');
  const sign = () => authority?.sign(local) ?? { key: '', certificate: '' };

  /** Lets in whoever shows a certificate of the authority. */
  const startGateway = (handle = answering as (request: IncomingMessage, response: ServerResponse) => void) => {
    const { key, certificate } = sign();
    const options = { key, cert: certificate, ca: issuer, requestCert: true, rejectUnauthorized: true };
    return ended(listen(createSecureServer(options, handle), 'https'));
  };

  test('the gateway lets in who shows one, straight and through a proxy, and nobody else', async () => {
    const gateway = await startGateway();
    const { address, asked } = await startProxy();
    const tls = { issuer, ...sign() };
    expect(await answersAt(gateway.url, { tls })).toEqual([204, 204]);
    expect(await answersAt(gateway.url, { tls, proxy: `http://${address}` })).toEqual([204, 204]);
    expect(asked).toHaveLength(2);
    await expect(answersAt(gateway.url, { tls: { issuer } })).rejects.toThrow(
      /asks for a certificate of the client.* see tls\.certificate and tls\.key in the profile/,
    );
    await expect(answersAt(gateway.url, {})).rejects.toThrow(/tls\.issuer in the profile/);
  });

  test('the log of a service behind it is read the same way', async () => {
    const gateway = await startGateway((_request, response) => void response.end('a line'));
    const { address, asked } = await startProxy();
    const { profile } = smallProfile(gateway.url);
    const ways = [{}, { proxy: `http://${address}` }].map((way) => ({ tls: { issuer, ...sign() }, ...way }));
    for (const way of ways)
      expect(await readLog({ ...profile, ...way, probes: { log: { url: `${gateway.url}/log` } } })).toBe('a line');
    expect(asked).toHaveLength(1);
  });

  /** A reference server behind such a gateway. */
  const startBehind = async () => {
    const { url, profile } = await serve();
    const upstream = new URL(url);
    const gateway = await startGateway((asked, response) => {
      const { method, url: path, headers } = asked;
      const onwards = request({ host: upstream.hostname, port: upstream.port, method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(response);
      });
      onwards.on('error', () => response.destroy());
      asked.pipe(onwards);
    });
    return { url: gateway.url, profile };
  };

  test('a first profile of a service behind it is written, and names variables', async () => {
    const { url } = await startBehind();
    const { certificate, key } = sign();
    const environment = { ...secrets, ISSUER: issuer, CERTIFICATE: certificate, KEY: key };
    const named = { issuerEnv: 'ISSUER', clientCertificateEnv: 'CERTIFICATE', clientKeyEnv: 'KEY' };
    const options = place.answers(url, named);
    const { exitCode } = await captureOutput(() => initCommand(options, conversation(undefined, environment)));
    expect(exitCode).toBe(0);
    expect(readFileSync(options.out, 'utf8')).toContain(
      'tls: { issuer: "${ISSUER}", certificate: "${CERTIFICATE}", key: "${KEY}" }',
    );
    const other = { ...environment, KEY: sign().key };
    await expect(initCommand(place.answers(url, named), conversation(undefined, other))).rejects.toThrow(
      /^The certificates cannot be used \(.*mismatch/,
    );
  });

  test('a service behind it is judged and loaded', async () => {
    const { url, profile } = await startBehind();
    const file = join(folder, 'behind.yaml');
    const own = parse(profile) as object;
    writeFileSync(file, stringify({ ...own, baseUrl: url, tls: { issuer, ...sign() } }));
    const rules = ['reading.create.*', 'headers.correlation-id.*'];
    const out = mkdtempSync(join(folder, 'out-'));
    const judged = await captureOutput(() => checkCommand({ profile: file, out, rules, quiet: true }));
    expect(judged).toMatchObject({ exitCode: 0 });
    const loaded = await captureOutput(() => trafficCommand({ profile: file, duration: 1, quiet: true, users: 2 }));
    expect(loaded).toMatchObject({ exitCode: 0 });
  });

  test.each<[string, () => Reach['tls'], RegExp]>([
    ['a file name in its place', () => ({ ...sign(), key: 'client.key' }), /:4:\d+: tls\.key is no PEM.*not its name/],
    ['no key', () => ({ certificate: sign().certificate }), /tls has its certificate alone; give certificate and key/],
    [
      'the key of another one',
      () => ({ ...sign(), key: sign().key }),
      /:4:3: tls cannot be used \(.*mismatch.*the key is that of/,
    ],
  ])('what has %s is told with its place', (_what, tls, sentence) => {
    const text = stringify({ profileVersion: 1, implementation: 'x', tls: tls(), baseUrl: 'http://x', space: 's' });
    const whole = `${text}identities: { editor: { token: a } }\n`;
    expect(() => profileFrom(whole, 'profile.yaml')).toThrow(sentence);
  });
});
