/** The types of pictures that a browser only displays, each with the bytes that it begins with. */
const BEGINNINGS = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
] as const

/** The type of a picture by its first bytes, whatever it is called; undefined for all else, such as SVG, which can carry scripts. */
export function pictureTypeOf(bytes: Uint8Array): (typeof BEGINNINGS)[number][0] | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, 12))
  return BEGINNINGS.find(([, beginning]) => beginning.test(start))?.[0]
}
