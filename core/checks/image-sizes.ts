import type { Upload } from '../ports/store/uploads.ts'
import { nameOf } from './address-checks.ts'
import { type CheckFinding, finding } from './check-sentences.ts'
import type { SeenImage } from './mail-shape.ts'

const MB = 1024 * 1024
/** Beyond this many bytes phones load a picture, and all pictures together, slowly. */
const LARGE_MB = 1
const LARGE_TOGETHER_MB = 3
/** How many different images of the project are looked up. */
const MOST_LOOKED_UP = 50

/** The bytes of each picture that is known, by its address. */
export type ImageBytes = ReadonlyMap<string, number>

/** The project's own images of this mail: what they weigh, and those that are gone. */
export async function ownImages(
  images: readonly SeenImage[],
  { projectId, find }: { readonly projectId: string; find(file: string): Promise<Upload | undefined> },
): Promise<{ readonly bytes: ImageBytes; readonly gone: readonly CheckFinding[]; readonly own: ReadonlySet<string> }> {
  const bytes = new Map<string, number>()
  const own = new Set<string>()
  const gone: CheckFinding[] = []
  const path = `/uploads/${projectId}/`
  for (const { number, address = '' } of images) {
    const at = address.indexOf(path)
    if (at < 0 || own.has(address) || own.size >= MOST_LOOKED_UP) continue
    own.add(address)
    const upload = await find(address.slice(at + path.length).split(/[?#]/, 1)[0] ?? '')
    if (upload) bytes.set(address, upload.size)
    else gone.push(finding('image_gone', 'body', { number, address: nameOf(address) }))
  }
  return { bytes, gone, own }
}

/** The pictures that are too large, and all together. */
export function sizesOf(images: readonly SeenImage[], bytes: ImageBytes) {
  const different = new Map(images.toReversed().map((image) => [image.address ?? '', image]))
  const known = [...different.values()].flatMap(({ number, address = '' }) => {
    const size = bytes.get(address)
    return size === undefined ? [] : [{ number, address, size }]
  })
  const total = known.reduce((sum, { size }) => sum + size, 0)
  const large = known.filter(({ size }) => size > LARGE_MB * MB)
  const findings = [
    ...large.map(({ number, address, size }) =>
      finding('image_large', 'body', { number, address: nameOf(address), mb: inMb(size), limit: LARGE_MB }),
    ),
    ...(total > LARGE_TOGETHER_MB * MB
      ? [finding('images_large', 'body', { mb: inMb(total), limit: LARGE_TOGETHER_MB })]
      : []),
  ]
  return { total, findings }
}

function inMb(bytes: number): number {
  return Math.round((bytes / MB) * 10) / 10
}
