import { loadConfiguration } from '../../reference-server/load-configuration.ts';
import { faultOf } from '../../variants/faults.ts';
import { createVariant } from '../../variants/create-variant.ts';
import { settingsOf } from '../harness/parent.ts';
import { openPlace, type Place } from '../kill/place.ts';

// A reference server that stands ready, with its modules loaded, until it is told to begin; then it lives until it is killed.

const place = settingsOf<Place>();
loadConfiguration();
// else most would die before their first call
await import('undici');
process.once('message', () => void serve());
process.once('disconnect', () => process.exit());
process.send?.('ready');

async function serve(): Promise<void> {
  const server = createVariant({ store: await openPlace(place), faults: place.faults?.map(faultOf) ?? [] });
  process.send?.(await server.listen());
}
