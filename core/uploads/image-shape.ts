import { crc32 } from 'node:zlib'

/** The images that mail clients show. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const
export type ImageType = (typeof IMAGE_TYPES)[number]

/** The size of an image in pixels. */
export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** Why the bytes are no image of their type; the text continues "The image …". */
export class ImageProblem extends Error {}

/**
 * Walks through the parts of an image and answers its size. Nothing is decompressed, so a small file that unfolds to a
 * huge picture costs no more than another. Throws ImageProblem for a file that ends too early, a damaged header, and a
 * header that states another size than the picture in it. What follows the image's end is not looked at.
 */
export function imageSizeOf(bytes: Uint8Array, type: ImageType): ImageSize {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    return SIZES[type](data)
  } catch (error) {
    if (error instanceof RangeError) throw endsEarly()
    throw error
  }
}

/** Reads beyond the end throw RangeError. */
const SIZES: Readonly<Record<ImageType, (data: Buffer) => ImageSize>> = {
  'image/png': pngSize,
  'image/jpeg': jpegSize,
  'image/gif': gifSize,
  'image/webp': webpSize,
}

const [IHDR, IDAT, IEND] = ['IHDR', 'IDAT', 'IEND'].map((name) => Buffer.from(name).readUInt32BE())

/** PNG (ISO/IEC 15948), section 5: a chunk is its length, name, data and check sum. */
function pngSize(data: Buffer): ImageSize {
  const isWhole = data.readUInt32BE(8) === 13 && data.readUInt32BE(12) === IHDR
  if (!isWhole || crc32(data.subarray(12, 29)) !== data.readUInt32BE(29)) throw damaged()
  let hasPicture = false
  for (let at = 33; ; ) {
    const [length, name] = [data.readUInt32BE(at), data.readUInt32BE(at + 4)]
    // the check sum ends the chunk
    data.readUInt32BE(at + 8 + length)
    if (name === IEND) break
    if (name === IDAT && length > 0) hasPicture = true
    at += 12 + length
  }
  if (!hasPicture) throw empty()
  return { width: data.readUInt32BE(16), height: data.readUInt32BE(20) }
}

const END_OF_JPEG = Buffer.from([0xff, 0xd9])

/** JPEG (ITU-T T.81), annex B: segments with their lengths up to the first scan, which ends with a marker. */
function jpegSize(data: Buffer): ImageSize {
  let size: ImageSize | undefined
  for (let at = 2; ; ) {
    const marker = data.readUInt8(at + 1)
    if (data.readUInt8(at) !== 0xff || marker < 0xc0 || marker === 0xff) throw damaged()
    if (marker >= 0xd0 && marker <= 0xd9) throw empty()
    const isFrame = marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) {
      if (marker > 0xc2) throw new ImageProblem('is a kind of JPEG that mail clients do not show')
      if (size) throw otherSize()
      size = { height: data.readUInt16BE(at + 5), width: data.readUInt16BE(at + 7) }
    }
    if (marker === 0xda) {
      if (!size) throw damaged()
      if (data.indexOf(END_OF_JPEG, at) < 0) throw endsEarly()
      return size
    }
    at += 2 + Math.max(2, data.readUInt16BE(at + 2))
  }
}

/** GIF89a, appendix B: the screen, then blocks up to the trailer. */
function gifSize(data: Buffer): ImageSize {
  const size = { width: data.readUInt16LE(6), height: data.readUInt16LE(8) }
  let hasPicture = false
  let at = 13 + colorsIn(data.readUInt8(10))
  for (;;) {
    const kind = data.readUInt8(at)
    if (kind === 0x3b) break
    if (kind === 0x21) at = afterSubBlocks(data, at + 2)
    else if (kind === 0x2c) {
      const [left, top, width, height] = [1, 3, 5, 7].map((place) => data.readUInt16LE(at + place)) as Four
      if (left + width > size.width || top + height > size.height) throw otherSize()
      hasPicture = true
      at = afterSubBlocks(data, at + 11 + colorsIn(data.readUInt8(at + 9)))
    } else throw damaged()
  }
  if (!hasPicture) throw empty()
  return size
}

type Four = [number, number, number, number]

/** How many bytes the color table takes that these flags announce. */
function colorsIn(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0
}

function afterSubBlocks(data: Buffer, from: number): number {
  let at = from
  for (let length = data.readUInt8(at); length > 0; length = data.readUInt8(at)) at += 1 + length
  return at + 1
}

/**
 * WebP (RFC 9649): chunks in a RIFF container. The extended format states the size of the whole; each frame of an
 * animation lies inside of it and has its own picture.
 */
function webpSize(data: Buffer): ImageSize {
  const end = 8 + data.readUInt32LE(4)
  if (end > data.length) throw endsEarly()
  let whole: ImageSize | undefined
  let picture: ImageSize | undefined
  for (const { name, body } of chunksOf(data.subarray(0, end), 12)) {
    if (name === 'VP8X' && !whole) whole = { width: 1 + body.readUIntLE(4, 3), height: 1 + body.readUIntLE(7, 3) }
    const size = name === 'ANMF' ? webpFrame(body, whole) : webpPicture(name, body)
    if (size && whole && name !== 'ANMF' && !isSame(size, whole)) throw otherSize()
    picture ??= size
  }
  if (!picture) throw empty()
  return whole ?? picture
}

interface Chunk {
  readonly name: string
  readonly body: Buffer
}

/** Each frame of an animation is one. */
const MAX_CHUNKS = 10_000

function* chunksOf(data: Buffer, from: number): Generator<Chunk> {
  let count = 0
  for (let at = from; at < data.length; ) {
    if (++count > MAX_CHUNKS) throw new ImageProblem(`has more than ${MAX_CHUNKS} parts`)
    const length = data.readUInt32LE(at + 4)
    const body = data.subarray(at + 8, at + 8 + length)
    if (body.length < length) throw endsEarly()
    yield { name: data.toString('latin1', at, at + 4), body }
    at += 8 + length + (length % 2)
  }
}

/** The size of the picture in a chunk; undefined for other chunks. */
function webpPicture(name: string, body: Buffer): ImageSize | undefined {
  if (name === 'VP8 ') {
    if (body.readUIntBE(3, 3) !== 0x9d012a) throw damaged()
    return { width: body.readUInt16LE(6) & 0x3fff, height: body.readUInt16LE(8) & 0x3fff }
  }
  if (name !== 'VP8L') return undefined
  if (body.readUInt8(0) !== 0x2f) throw damaged()
  const bits = body.readUInt32LE(1)
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
}

/** The size of a frame. Frames are placed at twice the stated offset. */
function webpFrame(frame: Buffer, whole: ImageSize | undefined): ImageSize {
  const [left, top, width, height] = [0, 3, 6, 9].map((place) => frame.readUIntLE(place, 3)) as Four
  if (!whole || 2 * left + width + 1 > whole.width || 2 * top + height + 1 > whole.height) throw otherSize()
  const size = { width: width + 1, height: height + 1 }
  for (const { name, body } of chunksOf(frame, 16)) {
    const picture = webpPicture(name, body)
    if (picture === undefined) continue
    if (!isSame(picture, size)) throw otherSize()
    return size
  }
  throw empty()
}

function isSame(one: ImageSize, other: ImageSize): boolean {
  return one.width === other.width && one.height === other.height
}

function endsEarly(): ImageProblem {
  return new ImageProblem('ends too early')
}

function damaged(): ImageProblem {
  return new ImageProblem('has a damaged header')
}

function otherSize(): ImageProblem {
  return new ImageProblem('states another size than the picture in it has')
}

function empty(): ImageProblem {
  return new ImageProblem('has no picture in it')
}
