// For `node --import`: the wall clock of a process is wrong by SHIFT_CLOCK_MS, and steps there and back each SHIFT_CLOCK_STEP_MS where that is
// given. Time that only goes on (performance.now, timers) is right, as on a machine whose clock somebody sets.

const shiftMs = Number(process.env['SHIFT_CLOCK_MS'] ?? 0);
const stepMs = Number(process.env['SHIFT_CLOCK_STEP_MS'] ?? 0);
const right = Date;
const now = (): number => {
  const isShifted = stepMs === 0 || Math.floor(performance.now() / stepMs) % 2 === 0;
  return right.now() + (isShifted ? shiftMs : 0);
};

globalThis.Date = new Proxy(right, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
