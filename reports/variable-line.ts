import { singleQuoted } from './text.ts';

/** A line of a shell that gives a variable its value: what is exported already stays as it is, and what nobody can know is asked for. @param how a value, `NAME=…`, or `# ` and where to find it */
export function variableLine({ name, how }: { readonly name: string; readonly how: string }): string {
  if (how.startsWith(`${name}=`)) return `[ -n "\${${name}:-}" ] || ${how}`;
  if (how.startsWith('# ')) return `: "\${${name}:?export it: ${how.slice(2).replaceAll(/[^\w ./-]/g, ' ')}}"`;
  return `[ -n "\${${name}:-}" ] || ${name}=${singleQuoted(how)}`;
}
