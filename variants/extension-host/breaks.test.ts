import { expect, test } from 'vitest';
import { breaking, together } from './breaks.ts';

class Door {
  readonly #width: number;

  constructor(width: number) {
    this.#width = width;
  }

  width(): number {
    return this.#width;
  }

  sign(): string {
    return `${this.width()} wide`;
  }
}
class House {
  readonly door: Door;

  constructor(door: Door) {
    this.door = door;
  }
}
const right = { door: Door, house: House };
const breaks = breaking<typeof right>();

test('the wrong method is used by the others, and by nobody who has the right class', () => {
  const wrong = breaks('door', 'width', (width) => () => width() + 1)(right);
  expect([new wrong.door(2).sign(), new right.door(2).sign(), wrong.house]).toEqual(['3 wide', '2 wide', House]);
});

test('what a variant keeps belongs to one instance', () => {
  const wrong = breaks('door', 'width', (width) => {
    let first: number | undefined;
    return () => (first ??= width());
  })(right);
  expect([new wrong.door(2).width(), new wrong.door(3).width()]).toEqual([2, 3]);
});

test('variants of one method wrap each other, the last one outermost', () => {
  const wrong = together<typeof right>(
    breaks('door', 'width', (width) => () => width() + 1),
    breaks('door', 'width', (width) => () => width() * 10),
    breaks('door', 'sign', (sign, door) => () => `${sign()}, ${door.width()}`),
  )(right);
  expect(new wrong.door(2).sign()).toBe('30 wide, 30');
});
