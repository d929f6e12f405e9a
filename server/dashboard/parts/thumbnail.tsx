import { useEffect, useRef, useState } from 'react'
import { APP_URL } from '../api/base.ts'
import { useTexts } from '../texts/texts.tsx'
import type { Texts } from '../texts/types.ts'
import { fieldLabel } from './field-label.ts'
import classes from './thumbnail.module.css'

/** A mail made small: the real thing in a frame without scripts, only drawn once it comes into view. */
export function Thumbnail({ html, title, small = false }: ThumbnailProps) {
  const t = useTexts()
  const frame = useRef<HTMLIFrameElement>(null)
  const [isLoaded, setLoaded] = useState(false)
  useEffect(() => {
    const page = frame.current?.contentDocument
    if (!isLoaded || !page) return
    page.documentElement.innerHTML = asFilledIn(html, t)
    page.documentElement.style.overflow = 'hidden'
  }, [html, isLoaded, t])
  return (
    <div className={small ? classes.small : classes.thumbnail} aria-hidden>
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

interface ThumbnailProps {
  readonly html: string
  readonly title: string
  /** For a row of a table. Default false. */
  readonly small?: boolean
}

/** A text or HTML with words instead of its Liquid: those that stand in for a field, or what people call it; no conditions. */
export function asFilledIn(text: string, t: Texts): string {
  return text.replace(/\{%(?:(?!\{%)[\s\S])*?%\}/g, '').replace(/\{\{([^{}]*)\}\}/g, (_, inside: string) => {
    if (inside.includes('mailwright_')) return ''
    const [, otherwise] = /\|\s*default:\s*["']([^"']*)["']/.exec(inside) ?? []
    return otherwise ?? fieldLabel(inside.split(/[|?]/, 1)[0]?.trim() ?? '', t)
  })
}
