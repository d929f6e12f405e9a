import { type ComponentType, lazy } from 'react'
import { untilBack } from './connection.ts'

/** When the page was last loaded anew because a part of it was not to be had. */
const KEPT = 'mailwright-loaded-anew'
/** A page is not loaded anew again within this time, in milliseconds. */
const PAUSE = 30_000

/** A part of the dashboard that is loaded when the user goes there, as `untilLoaded` does. */
export function later<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  return lazy(() => untilLoaded(load))
}

/**
 * Loads a file of the dashboard. While the server is away it waits until the server is back. After an upgrade, whose
 * files have other names, the whole page is loaded anew.
 */
export async function untilLoaded<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  try {
    return await load()
  } catch {
    await untilBack()
    return load().catch((error: unknown) => {
      if (Date.now() - Number(sessionStorage.getItem(KEPT)) < PAUSE) throw error
      sessionStorage.setItem(KEPT, String(Date.now()))
      location.reload()
      return new Promise<never>(() => {})
    })
  }
}
