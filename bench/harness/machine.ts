import { cpus, loadavg, release, totalmem } from 'node:os';

/** What a figure has to be read with: the machine, Node, the day, and how busy the machine is by others too. */
export function machineLine(): string {
  const all = cpus();
  const memoryGb = Math.round(totalmem() / 2 ** 30);
  const [load = 0] = loadavg();
  const day = new Date().toISOString().slice(0, 10);
  return `${day}, ${all.length} × ${all[0]?.model ?? 'unknown'}, ${memoryGb} GB, Linux ${release()}, Node ${process.version}, load ${load.toFixed(1)}`;
}
