import { readFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { ImageProblem, type ImageType, imageSizeOf } from '../../core/uploads/image-shape.ts'
import { ownTime } from '../support/own-time.ts'

const FILES: readonly (readonly [file: string, type: ImageType])[] = [
  ['still.png', 'image/png'],
  ['palette.png', 'image/png'],
  ['animated.png', 'image/png'],
  ['baseline.jpg', 'image/jpeg'],
  ['progressive.jpg', 'image/jpeg'],
  ['rotated.jpg', 'image/jpeg'],
  ['still.gif', 'image/gif'],
  ['animated.gif', 'image/gif'],
  ['lossy.webp', 'image/webp'],
  ['lossless.webp', 'image/webp'],
  ['alpha.webp', 'image/webp'],
  ['animated.webp', 'image/webp'],
]
const sample = (file: string) => readFileSync(new URL(`../samples/images/${file}`, import.meta.url))
const problem = (bytes: Uint8Array, type: ImageType) => {
  try {
    imageSizeOf(bytes, type)
    return undefined
  } catch (error) {
    if (!(error instanceof ImageProblem)) throw error
    return error.message
  }
}

describe('the size of an image', () => {
  it.each(FILES)('is read from %s, whatever stands around it in memory and behind it', (file, type) => {
    const bytes = sample(file)
    expect(imageSizeOf(bytes, type)).toEqual({ width: 20, height: 10 })
    const inside = Buffer.concat([Buffer.alloc(7, 0xff), bytes, Buffer.from('<script>PK\u0003\u0004')])
    expect(imageSizeOf(inside.subarray(7), type)).toEqual({ width: 20, height: 10 })
  })

  it.each(FILES)('is not read from %s when it was cut off anywhere', (file, type) => {
    const bytes = sample(file)
    // the last byte of a JPEG's or GIF's end, of a PNG's check sum, of a WebP's padding
    for (let length = 0; length < bytes.length; length++) {
      expect({ length, problem: problem(bytes.subarray(0, length), type) }).not.toEqual({ length, problem: undefined })
    }
  })

  it.each(FILES)('is read from %s or refused, whichever byte is wrong, and nothing else happens', (file, type) => {
    const bytes = sample(file)
    for (let i = 0; i < bytes.length; i++) {
      for (const wrong of [0, 0xff, bytes[i]! ^ 1]) {
        const changed = Buffer.from(bytes)
        changed[i] = wrong
        expect(() => problem(changed, type)).not.toThrow()
      }
    }
  })

  it('is not believed of a header that the picture contradicts', () => {
    const png = sample('still.png')
    png.writeUInt32BE(30_000, 16)
    expect(problem(png, 'image/png')).toBe('has a damaged header')
    png.writeUInt32BE(crc32(png.subarray(12, 29)), 29)
    expect(imageSizeOf(png, 'image/png')).toEqual({ width: 30_000, height: 10 })
    const gif = sample('animated.gif')
    gif.writeUInt16LE(1, 6)
    expect(problem(gif, 'image/gif')).toMatch(/^states another size/)
    for (const file of ['alpha.webp', 'animated.webp']) {
      const webp = sample(file)
      webp.writeUIntLE(0, 24, 3)
      expect(problem(webp, 'image/webp')).toMatch(/^states another size/)
    }
    const jpeg = sample('baseline.jpg')
    const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]))
    const twice = Buffer.concat([jpeg.subarray(0, frame), jpeg.subarray(frame, frame + 19), jpeg.subarray(frame)])
    expect(problem(twice, 'image/jpeg')).toMatch(/^states another size/)
  })

  it('is not read where there is no picture', () => {
    const png = sample('still.png')
    const bare = Buffer.concat([png.subarray(0, 33), Buffer.from('0000000049454e44ae426082', 'hex')])
    expect(problem(bare, 'image/png')).toBe('has no picture in it')
    expect(problem(Buffer.from('GIF89a\u0001\0\u0001\0\0\0\0;', 'latin1'), 'image/gif')).toBe('has no picture in it')
    expect(problem(Buffer.from('ffd8ffd9', 'hex'), 'image/jpeg')).toBe('has no picture in it')
    expect(problem(Buffer.from('RIFF\u0004\0\0\0WEBP', 'latin1'), 'image/webp')).toBe('has no picture in it')
  })

  it.each<[string, ImageType, Buffer]>([
    ['empty chunks', 'image/png', many(sample('still.png').subarray(0, 33), '0000000074455874deadbeef')],
    ['empty segments', 'image/jpeg', many(Buffer.from('ffd8', 'hex'), 'ffe00002')],
    ['zeros', 'image/jpeg', many(Buffer.from('ffd8ffe00002', 'hex'), '00')],
    ['empty extensions', 'image/gif', many(sample('still.gif').subarray(0, 13), '21f900')],
    ['sub-blocks', 'image/gif', many(Buffer.from('GIF89a\u0001\0\u0001\0\0\0\0!\u00fe', 'latin1'), '0141')],
    ['empty chunks', 'image/webp', riff(many(Buffer.alloc(0), '4558494600000000'))],
    ['frames in frames', 'image/webp', riff(nested(5000))],
  ])('does not hold up others when a file is full of %s: %s', (_what, type, bytes) => {
    const used = ownTime()
    expect(problem(bytes, type)).toBeDefined()
    expect(used()).toBeLessThan(250)
  })
})

/** As many repetitions as fit into 5 MB. */
function many(head: Buffer, piece: string): Buffer {
  const part = Buffer.from(piece, 'hex')
  return Buffer.concat([head, Buffer.alloc(5_000_000 - (5_000_000 % part.length), part)])
}

function riff(chunks: Buffer): Buffer {
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1')
  head.writeUInt32LE(chunks.length + 4, 4)
  return Buffer.concat([head, chunks])
}

function nested(depth: number): Buffer {
  const frames = Array.from({ length: depth }, (_, i) => {
    const frame = Buffer.from(`ANMF\0\0\0\0${'\0'.repeat(16)}`, 'latin1')
    frame.writeUInt32LE(16 + (depth - 1 - i) * 24, 4)
    return frame
  })
  return Buffer.concat([Buffer.from('VP8X\n\0\0\0\0\0\0\0\0\0\0\0\0\0', 'latin1'), ...frames])
}
