/**
 * A page that can be followed to the letter. Its blocks, in their order:
 *   ```sh         is typed into one bash, which ends at the first command that fails
 *   ```yaml NAME  or another language: a file of that name
 *   ```text       lines that the shell block before has printed, `…` standing for any text
 */
export interface Block {
  readonly language: string;
  readonly name: string;
  readonly content: string;
}

export function blocksOf(page: string): readonly Block[] {
  const fences = page.matchAll(/^```(\w+)(?: (\S+))?\n([^]*?)^```$/gm);
  return [...fences].map(([, language = '', name = '', content = '']) => ({ language, name, content }));
}

/** One script of all blocks; a line with a number ends what each of them prints. */
export function scriptOf(blocks: readonly Block[]): string {
  const parts = blocks.map(({ language, name, content }, index) => {
    if (name !== '') return `cat > '${name}' <<'END OF ${name}'\n${content}END OF ${name}`;
    return language === 'sh' ? `${content}printf '\\n@@%s\\n' ${index}` : '';
  });
  return ['set -euo pipefail', "trap 'kill $(jobs -p) 2> /dev/null || :; wait' EXIT", 'exec 2>&1', ...parts].join('\n');
}

/** Lines that a page shows and that the block before them has not printed. */
export function notPrinted(blocks: readonly Block[], printed: string): readonly string[] {
  let before = '';
  return blocks.flatMap(({ language, content }, index) => {
    if (language === 'sh')
      before = /^(?:[^]*\n)?@@\d+\n([^]*)$/.exec(`@@0\n${printed.split(`\n@@${index}\n`)[0]}`)?.[1] ?? '';
    if (language !== 'text') return [];
    return content
      .trimEnd()
      .split('\n')
      .filter((line) => !patternOf(line).test(before));
  });
}

/** Runs of blanks are one, as tables are as wide as the machine makes them. */
function patternOf(line: string): RegExp {
  const escaped = line.trim().replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  return new RegExp(`^ *${escaped.replaceAll(/ +/g, ' +').replaceAll('…', '.*')} *$`, 'm');
}
