import { useEffect, useState } from 'react'
import { useFormats } from './formats.ts'

/** A time as people say it, with the exact one on hover and for screen readers. */
export function Moment({ at, empty = '–' }: { readonly at: string | null | undefined; readonly empty?: string }) {
  const formats = useFormats()
  const now = useNow()
  if (at == null) return <>{empty}</>
  return (
    <time dateTime={at} title={formats.exact(at)}>
      {/* what has happened since the clock last moved is not to come */}
      {formats.ago(at, Math.max(now, Math.min(Date.parse(at), Date.now())))}
    </time>
  )
}

/** The time, moving on each half minute. */
function useNow(every = 30_000): number {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every)
    return () => clearInterval(timer)
  }, [every])
  return now
}
