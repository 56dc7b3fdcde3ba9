import type { RunHeader } from '../judge/outcome.ts';

/** Options of a run without which the same seed would not lead to the same requests. */
const carried = /--(?:url|profile|runs|time)(?:=|\s+)(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g;

/** The one command that runs a rule again as this run did. */
export function replayCommand(rule: string, header: RunHeader): string {
  const options = header.command.match(carried) ?? [];
  const command = header.command.startsWith('svc-conformance check-extension')
    ? 'svc-conformance check-extension'
    : 'svc-conformance check';
  return [command, ...options, `--rules ${rule}`, `--seed ${header.seed}`].join(' ');
}
