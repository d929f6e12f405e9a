import { onTestFinished } from 'vitest'

const RealDate = Date

/**
 * Sets the wall clock of this process: what `Date` says from now on is so many milliseconds off. Timers and
 * `performance.now()` go on as they do when an administrator sets a machine's clock. It is put right when the test ends.
 */
export function setClock(offMs: number): void {
  const now = () => RealDate.now() + offMs
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, asked) => Reflect.construct(target, args.length === 0 ? [now()] : args, asked),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  })
  onTestFinished(() => {
    globalThis.Date = RealDate
  })
}
