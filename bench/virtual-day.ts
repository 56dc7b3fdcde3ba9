import { parseArgs } from 'node:util';
import { createServer } from '../reference-server/server.ts';
import { Client } from './harness/client.ts';
import { arrivalsAt, registered } from './harness/extensions.ts';
import { machineLine } from './harness/machine.ts';
import { startSide } from './harness/side.ts';
import { spread } from './harness/spread.ts';

/** A day of extensions that never recover, each tried again for ever, moved through by the control route in one request. */
const extensions = 20;
const dayMs = 24 * 3_600_000;
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });

await using host = await startSide('extension-host', { status: 503 });
const rounds: { readonly seconds: number; readonly calls: number }[] = [];
for (let round = 0; round <= Number(values.rounds); round += 1) rounds.push(await day());
const { median, min, max } = spread(rounds.slice(1).map(({ seconds }) => seconds));
console.log(`24 h of virtual time, ${extensions} extensions, ${rounds[0]?.calls} calls (${rounds.length - 1} rounds)`);
console.log(`  ${median.toFixed(2)} s [${min.toFixed(2)}–${max.toFixed(2)}]   goal <= 1 s`);
console.log(`  ${machineLine()}`);

async function day(): Promise<{ readonly seconds: number; readonly calls: number }> {
  const server = createServer({ control: true });
  const url = await server.listen();
  const ids = await registered(url, host.url, extensions);
  const client = await Client.of(url);
  const control = { authorization: `Bearer ${server.controlToken}` };
  await client.send('POST', '/_control/clock', { by: 0 }, control);
  for (const registrationId of ids)
    await client.send('POST', '/api/space/main/externalEvent', { registrationId, recordId: 'event', contentPayload: {} });
  const startedAt = performance.now();
  await client.send('POST', '/_control/clock', { by: dayMs }, control);
  const seconds = (performance.now() - startedAt) / 1000;
  await server.close();
  return { seconds, calls: (await arrivalsAt(host.url)).length };
}
