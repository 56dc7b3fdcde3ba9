/**
 * For `node --import`, in every thread: the calls of the project that may fail, each known by where it stands. With TORTURE_LIST each place that
 * is reached is written there once with each number of its calls up to the second; with TORTURE_FAIL the call so named fails, once in the process.
 */
import fs from 'node:fs';
import module from 'node:module';
import net from 'node:net';
import { join } from 'node:path';
import threads from 'node:worker_threads';

type Call = (this: unknown, ...args: readonly unknown[]) => unknown;
type Failure = (error: Error, self: unknown) => unknown;

const { TORTURE_LIST: list, TORTURE_FAIL: chosen = '', TORTURE_DONE: done = '' } = process.env;
// as they are before others take their places
const { closeSync, openSync, writeSync } = fs;
const listing = list === undefined ? undefined : openSync(list, 'a');
const root = join(import.meta.dirname, '../..');
// no character of it means anything to an expression but the dot, which means itself as well
const own = new RegExp(String.raw`file://(${root}/(?!node_modules/|bench/torture/)[^\s()]+:\d+:\d+)`);
/** Of each place of this thread. */
const calls = new Map<string, number>();
const mostCalls = 2;

const thrown: Failure = (error) => {
  throw error;
};
const rejected: Failure = async (error) => {
  throw error;
};
/** As a socket or a listener tells it: later. */
const emitted: Failure = (error, self) => {
  setImmediate(() => (self as net.Socket).emit('error', error));
  return self;
};

/** The call gets a name by where it was made; what is done by Node or a package on its own has none. */
function nameOf(what: string): string | undefined {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 40;
  const { stack = '' } = new Error('here');
  Error.stackTraceLimit = before;
  const found = own.exec(stack);
  const place = found?.[1]?.slice(root.length + 1);
  // modules are read by Node, on behalf of whoever imports them
  if (found === null || place === undefined || stack.slice(0, found.index).includes('node:internal/modules'))
    return undefined;
  const name = `${what} ${place}`;
  const count = (calls.get(name) ?? 0) + 1;
  calls.set(name, count);
  return count > mostCalls ? undefined : `${name} #${count}`;
}

/** Whether this process has not failed yet: threads know of each other by a file alone. */
function isFirst(): boolean {
  try {
    closeSync(openSync(done, 'wx'));
    return true;
  } catch {
    return false;
  }
}

function failing(what: string, call: Call, fail: Failure): Call {
  return function (this: unknown, ...args) {
    const name = nameOf(what);
    if (name !== undefined && listing !== undefined) writeSync(listing, `${name}\n`);
    if (name !== undefined && name === chosen && isFirst())
      return fail(Object.assign(new Error('EIO: failed on purpose'), { code: 'EIO', errno: -5 }), this);
    return Reflect.apply(call, this, args);
  };
}

function replace(holder: object, names: readonly string[], fail: Failure, prefix = ''): void {
  for (const name of names) {
    const call: unknown = Reflect.get(holder, name);
    if (typeof call !== 'function') throw new Error(`Node has no ${prefix}${name} any more`);
    Reflect.set(holder, name, Object.assign(failing(`${prefix}${name}`, call as Call, fail), call));
  }
}

// some are there on other systems only
const files = Object.keys(fs).filter((name) => name.endsWith('Sync') && name !== 'existsSync' && name !== 'lchmodSync');
replace(fs, [...files, 'watch', 'createReadStream', 'createWriteStream'], thrown);
const later = Object.keys(fs.promises).filter((name) => name !== 'constants' && name !== 'watch');
replace(fs.promises, later, rejected, 'promises.');
replace(JSON, ['parse', 'stringify'], thrown, 'JSON.');
replace(net.Server.prototype, ['listen'], emitted, 'Server.');
replace(net.Socket.prototype, ['connect'], emitted, 'Socket.');
replace(threads.Worker.prototype, ['postMessage', 'terminate'], thrown, 'Worker.');
replace(threads.MessagePort.prototype, ['postMessage'], thrown, 'MessagePort.');
replace(globalThis, ['setTimeout', 'setInterval', 'structuredClone', 'fetch'], thrown);
replace(process.stdout, ['write'], thrown, 'stdout.');
const { Worker } = threads;
threads.Worker = new Proxy(Worker, {
  construct: (target, args, newTarget) =>
    failing('new Worker', () => Reflect.construct(target, args, newTarget) as unknown, thrown)() as object,
});
module.syncBuiltinESMExports();
