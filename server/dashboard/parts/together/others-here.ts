import { useEffect, useState } from 'react'
import { answerOf, type components, type operations } from '../../api/client.ts'
import { useApi, useProjectId } from '../../api/project.tsx'

type Present = components['schemas']['Present']

/** How often the page says that it is open: a server forgets it after 40 seconds. */
const BEAT_MS = 15_000

/** This tab, for the server. `randomUUID` is missing on pages without TLS. */
const TAB = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join(
  '',
)

/** The other people who have the same thing open and in front of them, and whether another tab of this person has. */
export interface OthersHere {
  readonly others: readonly Present[]
  readonly hasOtherTab: boolean
}

/**
 * Says that this page is open while it has the focus, and asks who else has the thing open. When there is no answer, it
 * shows no one.
 */
export function useOthersHere(kind: Kind, id: string, wanted: boolean): OthersHere {
  const api = useApi()
  const [present, setPresent] = useState<readonly Present[]>([])
  const isInOtherTab = useOtherTab(kind, id, wanted)
  useEffect(() => {
    if (!wanted) return
    let isOpen = true
    let asked = new AbortController()
    const beat = async () => {
      if (!document.hasFocus()) return
      asked = new AbortController()
      const { signal } = asked
      const found = await answerOf(api.PUT('/presence', { body: { kind, id, tab: TAB }, signal })).catch(
        () => undefined,
      )
      if (isOpen && !signal.aborted) setPresent(found?.present ?? [])
    }
    const leave = () => {
      // the browser would cut it off, which is no loss of the connection
      asked.abort()
      const body = { kind, id, tab: TAB, left: true }
      void api.PUT('/presence', { body, keepalive: true }).catch(() => {})
    }
    void beat()
    const timer = setInterval(() => void beat(), BEAT_MS)
    const onFocus = () => void beat()
    window.addEventListener('focus', onFocus)
    window.addEventListener('pagehide', leave)
    return () => {
      isOpen = false
      clearInterval(timer)
      window.removeEventListener('focus', onFocus)
      window.removeEventListener('pagehide', leave)
      leave()
    }
  }, [api, kind, id, wanted])
  return {
    others: present.filter(({ own }) => !own),
    hasOtherTab: isInOtherTab || present.some(({ own }) => own),
  }
}

/** The kinds that the server knows of. */
export type Kind = NonNullable<operations['notePresence']['requestBody']>['content']['application/json']['kind']

/** A message between the tabs of this browser. */
interface Word {
  readonly about: string
  readonly from: string
  readonly is: 'asking' | 'here' | 'gone'
}

/** Whether another tab of this browser has the thing open, which need not have the focus. */
function useOtherTab(kind: string, id: string, wanted: boolean): boolean {
  const about = `${useProjectId()}/${kind}/${id}`
  const [tabs, setTabs] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    if (!wanted) return
    const channel = new BroadcastChannel('mailwright-open')
    const say = (is: Word['is']) => channel.postMessage({ about, from: TAB, is } satisfies Word)
    channel.onmessage = ({ data }: MessageEvent<Word>) => {
      if (data.about !== about) return
      setTabs((before) => {
        const next = new Set(before)
        if (data.is === 'gone') next.delete(data.from)
        else next.add(data.from)
        return next
      })
      if (data.is === 'asking') say('here')
    }
    say('asking')
    const leave = () => say('gone')
    window.addEventListener('pagehide', leave)
    return () => {
      window.removeEventListener('pagehide', leave)
      leave()
      channel.close()
      setTabs(new Set())
    }
  }, [about, wanted])
  return tabs.size > 0
}
