import type { KeyboardEvent } from 'react'

type InputKey = KeyboardEvent<HTMLInputElement>

// Enter in a list means a choice, and never sends the form around it

/** For lists to choose from: what is not in them cannot be meant. */
export function onlyChooses(event: InputKey): void {
  if (event.key === 'Enter') event.preventDefault()
}

/** For fields that take other words, too: Enter closes the open list first, and sends the form when none is open. */
export function closesFirst(event: InputKey): void {
  const input = event.currentTarget
  const listId = input.getAttribute('aria-controls')
  const isOpen = listId !== null && document.getElementById(listId)?.querySelector('[role="option"]') != null
  if (event.key !== 'Enter' || !isOpen || event.nativeEvent.isComposing) return
  event.preventDefault()
  // with an option marked, the list takes that one and closes itself
  if (input.hasAttribute('aria-activedescendant')) return
  input.dispatchEvent(new globalThis.KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
}

/** For lists of words, where Enter adds what is typed. */
export function addsOnly(event: InputKey): void {
  if (event.key === 'Enter' && event.currentTarget.value.trim() === '') event.preventDefault()
}
