import type { TaskLink } from './tasks.ts';

/** The segment behind dx in a link for reports. Source: extensions, Callbacks from an external task */
export function jobIdIn(links: readonly TaskLink[]): string | undefined {
  const { address = '' } = links.find(({ id }) => id === 'taskStatus' || id === 'taskProgress') ?? {};
  const [, id] = /\/dx\/([^/?#]+)/.exec(address) ?? [];
  if (id === undefined || !URL.canParse(address)) return undefined;
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
