import { Button, Group, Text } from '@mantine/core'
import { IconPhoto } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { APP_URL } from '../api/base.ts'
import { useTexts } from '../texts/texts.tsx'
import classes from './mail-frame.module.css'

export interface MailFrameProps {
  readonly html: string
  readonly title: string
  /** In CSS pixels. Default: all there is. */
  readonly width?: number
  /** Shows it as a reader with a dark screen sees it. */
  readonly dark?: boolean
  /** True for mails of our own making, whose pictures may be loaded at once. Default false. */
  readonly pictures?: boolean
  /** True where the mail is read: its links open in a tab of their own. Default false: they lead nowhere. */
  readonly links?: boolean
}

/** Where a link leads, when a person may follow it. */
function targetOf(clicked: EventTarget | null): string | undefined {
  // of another page, whose classes are not those of this one
  const link = (clicked as Element | null)?.closest?.('a, area')
  const address = link?.getAttribute('href') ?? link?.getAttribute('xlink:href') ?? ''
  return /^(?:https?:\/\/|mailto:)/i.test(address.trim()) ? address.trim() : undefined
}

/** Makes the rules for dark or light screens hold as on a screen of this kind, whatever that of the dashboard is. */
function seenAs(page: Document, scheme: 'dark' | 'light'): void {
  const decided = (query: string) =>
    query.replaceAll(/\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi, (_whole, asked: string) =>
      asked.toLowerCase() === scheme ? '(min-width: 0px)' : '(max-width: 0px)',
    )
  for (const sheet of page.querySelectorAll('style')) sheet.textContent = decided(sheet.textContent ?? '')
  for (const part of page.querySelectorAll('[media]')) {
    part.setAttribute('media', decided(part.getAttribute('media') ?? ''))
  }
}

/**
 * A mail in a frame without scripts and forms, which no link of it can leave. The frame is a page of the server with a policy of
 * its own: the mail's styles count there, and nothing is loaded unless the user asks for its pictures.
 */
export function MailFrame({ html, title, width, dark = false, pictures = false, links = false }: MailFrameProps) {
  const t = useTexts()
  const frame = useRef<HTMLIFrameElement>(null)
  const [height, setHeight] = useState(320)
  const [withPictures, setWithPictures] = useState(pictures)
  const [loads, setLoads] = useState(0)
  // those that came with the mail are no pictures of other servers
  const hasPictures = /<img(?![^>]{0,500}\ssrc=["']?(?:cid|data):)|background(-image)?\s*[:=]/i.test(html)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a frame that was loaded anew is filled anew
  useEffect(() => {
    const page = frame.current?.contentDocument
    if (!page || loads === 0) return
    page.documentElement.innerHTML = html
    seenAs(page, dark ? 'dark' : 'light')
    page.documentElement.style.colorScheme = dark ? 'dark' : 'light'
    page.documentElement.style.background = dark ? '#1b1b1b' : '#fff'
    const measure = () => {
      if (frame.current === null) return
      const { style } = frame.current
      // a page is never lower than its frame, so the frame is made flat for a moment too short to see
      const shown = style.height
      style.height = '0'
      const found = Math.min(20_000, Math.max(48, page.documentElement.scrollHeight))
      style.height = shown
      setHeight(found)
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(page.body)
    const follow = (event: Event) => {
      // within the frame, the mail would make room for the other page, and that is not let in
      event.preventDefault()
      const target = links ? targetOf(event.target) : undefined
      if (target !== undefined) open(target, '_blank', 'noopener,noreferrer')
    }
    page.addEventListener('click', follow)
    return () => {
      observer.disconnect()
      page.removeEventListener('click', follow)
    }
  }, [html, dark, loads, width, links])
  return (
    <div>
      {hasPictures && !withPictures ? (
        <Group gap="xs" mb="xs">
          <Text size="sm" c="dimmed">
            {t.anywhere.shownWithoutPictures}
          </Text>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconPhoto size={14} />}
            onClick={() => setWithPictures(true)}
          >
            {t.anywhere.showPictures}
          </Button>
        </Group>
      ) : null}
      {/* a mail that is wider than its place is scrolled by the keyboard, too */}
      <div className={classes.around} tabIndex={width === undefined ? undefined : 0}>
        <iframe
          key={String(withPictures)}
          ref={frame}
          title={title}
          sandbox="allow-same-origin"
          referrerPolicy="no-referrer"
          src={new URL(withPictures ? 'frame/pictures' : 'frame', APP_URL).href}
          className={classes.frame}
          // a phone that is wider than the screen would be cut off for nothing
          style={{ width: width ?? '100%', maxWidth: (width ?? 0) < 480 ? '100%' : undefined, height }}
          onLoad={() => setLoads((before) => before + 1)}
        />
      </div>
    </div>
  )
}
