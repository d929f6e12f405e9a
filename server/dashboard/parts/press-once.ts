import { useRef } from 'react'

/** How long, in milliseconds, another press belongs to the one before: the second of a double click. */
const DOUBLE = 700

/**
 * For buttons that take each other's place, such as "Pause" and "Resume": acts unless one of them was pressed a moment
 * ago. The second click of a double click would else take the first one back.
 */
export function usePressOnce(): (act: () => void) => void {
  const last = useRef(Number.NEGATIVE_INFINITY)
  return (act) => {
    const isSecond = performance.now() - last.current < DOUBLE
    last.current = performance.now()
    if (!isSecond) act()
  }
}
