#!/usr/bin/env node
// In JavaScript that every Node can read, so that an older one gets as far as the sentence. Node tries `.js` behind a name that no file has:
// `node cli/main.ts` finds this, where a file of that name would be refused before its first line. The package has it as dist/cli/main.js.

const oldestMajor = 24;
const usageExitCode = 2;
/** What a shell says of a process that wrote into a closed pipe: 128 and SIGPIPE. */
const closedPipeExitCode = 141;

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
  process.stdout.on('error', (error) => {
    if (!('code' in error) || error.code !== 'EPIPE') throw error;
    process.exit(closedPipeExitCode);
  });
  const { enableCompileCache } = await import('node:module');
  // Compiled code is kept between processes: half of the start is reading modules.
  enableCompileCache();
  // before the modules, which fill it, and for runs that judge: a server under load makes good use of what Node gives it
  if (process.argv[2]?.startsWith('check')) (await import('./memory.ts')).boundMemory();
  const { run } = await import('./run.ts');
  process.exitCode = await run(process.argv.slice(2));
}
