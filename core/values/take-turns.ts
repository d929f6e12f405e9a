const LAST = new WeakMap<object, Promise<unknown>>()

/** Runs `work` after what was begun for the same object before, also when that failed. */
export function takeTurns<T>(of: object, work: () => Promise<T>): Promise<T> {
  const turn = (LAST.get(of) ?? Promise.resolve()).then(work)
  LAST.set(
    of,
    turn.catch(() => {}),
  )
  return turn
}
