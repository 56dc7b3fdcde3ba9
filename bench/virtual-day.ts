import { parseArgs } from 'node:util';
import { createServer } from '../reference-server/server.ts';
import { Client } from './harness/client.ts';
import { callsAt, registered } from './harness/extensions.ts';
import { machineLine, spreadText } from './harness/figures.ts';
import { startSide } from './harness/side.ts';

interface Day {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly calls: number;
}

/** A day of extensions that never recover, each tried again for ever, moved through by the control route in one request. */
const extensions = 20;
const dayMs = 24 * 3_600_000;
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });

await using host = await startSide('extension-host', { statuses: [503] });
const rounds: Day[] = [];
for (let round = 0; round <= Number(values.rounds); round += 1) rounds.push(await day());
console.log(`24 h of virtual time, ${extensions} extensions, ${rounds[0]?.calls} calls (${rounds.length - 1} rounds)`);
console.log(
  `  ${textOf(({ seconds }) => seconds)} s, goal <= 1 s; ${textOf(({ cpuSeconds }) => cpuSeconds)} s of CPU of the server`,
);
console.log(`  ${machineLine()}`);

function textOf(figure: (day: Day) => number): string {
  return spreadText(rounds.slice(1).map(figure));
}

async function day(): Promise<Day> {
  const server = createServer({ control: true });
  const url = await server.listen();
  const ids = await registered(url, host.url, extensions);
  const client = await Client.of(url);
  const control = { authorization: `Bearer ${server.controlToken}` };
  await client.send('POST', '/_control/clock', { by: 0 }, control);
  for (const registrationId of ids)
    await client.send('POST', '/api/space/main/externalEvent', {
      registrationId,
      recordId: 'event',
      contentPayload: {},
    });
  const startedAt = performance.now();
  const before = process.cpuUsage();
  await client.send('POST', '/_control/clock', { by: dayMs }, control);
  const { user, system } = process.cpuUsage(before);
  const seconds = (performance.now() - startedAt) / 1000;
  await server.close();
  return { seconds, cpuSeconds: (user + system) / 1e6, calls: (await callsAt(host.url)).length };
}
