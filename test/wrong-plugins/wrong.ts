import { describe } from 'vitest'

/** A wrong plugin, and words of the test of its contract that must fail. */
export function wrong(what: string, caughtBy: string, contract: () => void): void {
  describe(`${what} => ${caughtBy} |`, contract)
}

/** The plugin without its mistake, which must pass. */
export function right(contract: () => void): void {
  describe('the right one', contract)
}
