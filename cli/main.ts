#!/usr/bin/env node
// Nothing else is imported before the check: on an older Node the rest does not even load.
const oldestMajor = 24;

if (Number.parseInt(process.versions.node, 10) < oldestMajor) {
  process.stderr.write(
    `svc-conformance needs Node ${oldestMajor} or later and was started with ${process.versions.node}. ` +
      'Inside a clone, npm run check brings its own Node; elsewhere install a newer one.\n',
  );
  process.exitCode = 2;
} else {
  const { run } = await import('./run.ts');
  process.exitCode = await run(process.argv.slice(2));
}
