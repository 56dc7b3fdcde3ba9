import { loadConfiguration } from '../../reference-server/load-configuration.ts';
import { createServer } from '../../reference-server/server.ts';
import { openSqliteStore } from '../../reference-server/ports/sqlite.ts';
import { settingsOf } from '../harness/parent.ts';

/** A reference server that stands ready, with its modules loaded, until it is told to begin; then it lives until it is killed. */
export interface KillableSettings {
  readonly file: string;
}

const { file } = settingsOf<KillableSettings>();
loadConfiguration();
// else most would die before their first call
await import('undici');
process.once('message', () => void serve());
process.once('disconnect', () => process.exit());
process.send?.('ready');

async function serve(): Promise<void> {
  const server = createServer({ store: openSqliteStore(file) });
  process.send?.(await server.listen());
}
