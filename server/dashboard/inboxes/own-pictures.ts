import { useEffect, useMemo, useState } from 'react'
import { fileUrl } from '../api/base.ts'
import type { components } from '../api/client.ts'
import { base64Of } from '../parts/base64-of.ts'
import { isPicture, isPictureType, LARGEST_PICTURE, mayBePicture } from './files.tsx'

type Attachment = components['schemas']['ReceivedAttachment']

/** An address that stands for a file of the mail. */
const PLACE = /\bcid:([^"'\s<>()]{1,1000})/gi
const NONE: ReadonlyMap<string, string> = new Map()

/** The HTML with the pictures that came with it in their places: the frame of a mail loads none. */
export function useOwnPictures(html: string | null, files: readonly Attachment[]): string | null {
  const [loaded, setLoaded] = useState(NONE)
  /** By the address of the file: one is loaded once, also for the whole message. */
  const [begun] = useState(() => new Map<string, Promise<string>>())
  const wanted = useMemo(() => placesOf(html ?? '', files), [html, files])
  useEffect(() => {
    if (wanted.size === 0) return
    let isLeft = false
    const loading = [...wanted].map(async ([place, file]) => {
      const url = begun.get(file.url) ?? load(file)
      begun.set(file.url, url)
      // it may come the next time
      url.catch(() => begun.delete(file.url))
      return [place, await url] as const
    })
    // at once, since the frame draws the message anew; a picture that cannot be had is below it all the same
    void Promise.allSettled(loading).then((ended) => {
      const came = ended.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
      if (!isLeft) setLoaded(new Map(came))
    })
    return () => {
      isLeft = true
    }
  }, [wanted, begun])
  return useMemo(
    () => html?.replace(PLACE, (whole, place: string) => loaded.get(place) ?? whole) ?? null,
    [html, loaded],
  )
}

/**
 * The pictures by what stands for them in the HTML, a Content-ID. A file without one, as some programs send it, is taken
 * by its name, or where there is a single one left of each.
 */
function placesOf(html: string, files: readonly Attachment[]): ReadonlyMap<string, Attachment> {
  const pictures = files.filter(isPicture)
  const unnamed = files.filter(({ contentType, size }) => mayBePicture(contentType) && size <= LARGEST_PICTURE)
  const places = [...new Set([...html.matchAll(PLACE)].map(([, place = '']) => place))]
  const found = new Map<string, Attachment>()
  for (const place of places) {
    const id = idOf(place)
    const has = ({ contentId }: Attachment) => contentId === id
    const file = pictures.find(has) ?? unnamed.find(has) ?? pictures.find(isNamed(id))
    if (file) found.set(place, file)
  }
  const taken = new Set(found.values())
  const [place, ...otherPlaces] = places.filter((each) => !found.has(each))
  const [file, ...otherFiles] = pictures.filter((each) => !taken.has(each))
  const isSingle = otherPlaces.length === 0 && otherFiles.length === 0
  if (isSingle && place !== undefined && file !== undefined) found.set(place, file)
  return found
}

/** The Content-ID that a `cid:` address stands for (RFC 2392), as it is written in HTML. */
function idOf(place: string): string {
  const written = place.replaceAll('&amp;', '&')
  try {
    return decodeURIComponent(written)
  } catch {
    return written
  }
}

const isNamed =
  (id: string) =>
  ({ filename, contentId }: Attachment) =>
    contentId === undefined && filename === id.split('@')[0]

async function load({ url }: Attachment): Promise<string> {
  const answer = await fetch(fileUrl(url))
  if (!answer.ok) throw new Error(`${answer.status}`)
  // of a file that is called anything else the server knows it by its bytes
  const type = answer.headers.get('content-type') ?? ''
  if (!isPictureType(type)) throw new Error(`It is no picture: ${type}`)
  return `data:${type};base64,${await base64Of(await answer.blob())}`
}
