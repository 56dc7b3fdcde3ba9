#!/usr/bin/env node
// In JavaScript that every Node can read, so that an older one gets as far as the sentence. Node tries `.js` behind a name that no file has:
// `node cli/main.ts` finds this, where a file of that name would be refused before its first line. The package has it as dist/cli/main.js.

const oldestMajor = 24;
const usageExitCode = 2;

if (Number.parseInt(process.versions.node, 10) < oldestMajor) {
  process.stderr.write(
    `svc-conformance needs Node ${oldestMajor} or later and was started with ${process.versions.node}: ` +
      'install a newer one, or in a clone write npm run check --, which brings its own.\n',
  );
  process.exitCode = usageExitCode;
} else {
  start();
}

async function start() {
  const { enableCompileCache } = await import('node:module');
  // Compiled code is kept between processes: half of the start is reading modules.
  enableCompileCache();
  // before the modules, which fill it, and for runs that judge: a server under load makes good use of what Node gives it
  if (process.argv[2]?.startsWith('check')) (await import('./memory.ts')).boundMemory();
  const { runProcess } = await import('./ends.ts');
  await runProcess(process.argv.slice(2));
}
