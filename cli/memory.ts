import v8 from 'node:v8';

/** Room for what is new, in MB. What a case leaves behind dies young: more room is touched anew each time, and spares nothing. */
const youngMb = 8;

/** What may lie in a heap beside all that lives before it is swept, in percent. Left to itself it is up to three times as much as lives. */
const slackPercent = 60;

/** Rounds of `fill` that are more than enough. */
const mostRounds = 50;

/**
 * Bounds the memory of this process, and of the threads that it starts. Node takes the size of the room for what is new on its command line
 * alone, where nobody writes it who calls an installed command: so that room is made to grow to its size in one step, and then no more.
 */
export function boundMemory(): void {
  v8.setFlagsFromString(`--heap-growing-percent=${slackPercent}`);
  // threads have it from the start, since nothing grows any more
  v8.setFlagsFromString(`--min-semi-space-size=${youngMb}`);
  // it begins with 1 MB
  v8.setFlagsFromString(`--semi-space-growth-factor=${youngMb}`);
  fill();
  v8.setFlagsFromString('--semi-space-growth-factor=1');
}

/** It grows when more of what is new survives than it had room for. */
function fill(): void {
  const survivors: object[] = [];
  for (let round = 0; round < mostRounds && youngBytes() < youngMb * 2 ** 20; round += 1)
    survivors.push(Array.from({ length: 4000 }, (_item, index) => ({ index })));
}

function youngBytes(): number {
  return v8.getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0;
}
