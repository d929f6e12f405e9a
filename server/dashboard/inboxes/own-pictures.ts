import { useEffect, useMemo, useState } from 'react'
import { fileUrl } from '../api/base.ts'
import type { components } from '../api/client.ts'
import { base64Of } from '../parts/base64-of.ts'
import { LARGEST_PICTURE, PICTURES } from './files.tsx'

type Attachment = components['schemas']['ReceivedAttachment']

const NONE: ReadonlyMap<string, string> = new Map()

/** The HTML with the pictures that came with it in their places: the frame of a mail loads none. */
export function useOwnPictures(html: string | null, files: readonly Attachment[]): string | null {
  const [loaded, setLoaded] = useState(NONE)
  const wanted = useMemo(() => placesOf(html ?? '', files), [html, files])
  useEffect(() => {
    let isLeft = false
    for (const [place, file] of wanted) {
      // one that cannot be had is below the message all the same
      load(file).then(
        (url) => isLeft || setLoaded((before) => new Map(before).set(place, url)),
        () => {},
      )
    }
    return () => {
      isLeft = true
    }
  }, [wanted])
  return useMemo(() => {
    let shown = html
    for (const [place, url] of loaded) shown = shown?.replaceAll(`cid:${place}`, url) ?? null
    return shown
  }, [html, loaded])
}

/**
 * The pictures by what stands for them in the HTML. Outlook names them by their files; otherwise a picture is only taken
 * for one where there is a single one left of each.
 */
function placesOf(html: string, files: readonly Attachment[]): ReadonlyMap<string, Attachment> {
  const pictures = files.filter(({ contentType, size }) => PICTURES.has(contentType) && size <= LARGEST_PICTURE)
  const places = [...new Set([...html.matchAll(/\bcid:([^"'\s<>()]{1,300})/gi)].map(([, place = '']) => place))]
  const found = new Map<string, Attachment>()
  for (const place of places) {
    const file = pictures.find(({ filename }) => filename === place.split('@')[0])
    if (file) found.set(place, file)
  }
  const taken = new Set(found.values())
  const [place, ...otherPlaces] = places.filter((each) => !found.has(each))
  const [file, ...otherFiles] = pictures.filter((each) => !taken.has(each))
  const isSingle = otherPlaces.length === 0 && otherFiles.length === 0
  if (isSingle && place !== undefined && file !== undefined) found.set(place, file)
  return found
}

async function load({ url, contentType }: Attachment): Promise<string> {
  const answer = await fetch(fileUrl(url))
  if (!answer.ok) throw new Error(`${answer.status}`)
  return `data:${contentType};base64,${await base64Of(await answer.blob())}`
}
