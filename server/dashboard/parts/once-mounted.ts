import { useEffect, useState } from 'react'

/** False at first, then as given: a dialog that is open from the start would not note where the focus was, to give it back. */
export function useOnceMounted(isOpen: boolean): boolean {
  const [isShown, setShown] = useState(false)
  useEffect(() => setShown(isOpen), [isOpen])
  return isShown
}
