import { useEffect, useRef, useState } from 'react'
import { APP_URL } from '../api/base.ts'
import classes from './thumbnail.module.css'

/** A mail made small: the real thing in a frame without scripts, only drawn once it comes into view. */
export function Thumbnail({ html, title }: { readonly html: string; readonly title: string }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [isLoaded, setLoaded] = useState(false)
  useEffect(() => {
    const page = frame.current?.contentDocument
    if (!isLoaded || !page) return
    page.documentElement.innerHTML = html
    page.documentElement.style.overflow = 'hidden'
  }, [html, isLoaded])
  return (
    <div className={classes.thumbnail} aria-hidden>
      <iframe
        ref={frame}
        title={title}
        tabIndex={-1}
        loading="lazy"
        sandbox="allow-same-origin"
        src={new URL('frame', APP_URL).href}
        onLoad={() => setLoaded(true)}
      />
    </div>
  )
}
