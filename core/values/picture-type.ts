/** The types of pictures that a browser only displays, each with the ending of its files and the bytes that it begins with. */
export const PICTURES = [
  { type: 'image/png', ending: 'png', beginning: /^\x89PNG\r\n\x1a\n/ },
  { type: 'image/jpeg', ending: 'jpg', beginning: /^\xff\xd8\xff/ },
  { type: 'image/gif', ending: 'gif', beginning: /^GIF8[79]a/ },
  { type: 'image/webp', ending: 'webp', beginning: /^RIFF[\s\S]{4}WEBP/ },
] as const

/** The type of a picture by its first bytes, whatever it is called; undefined for all else, such as SVG, which can carry scripts. */
export function pictureTypeOf(bytes: Uint8Array): (typeof PICTURES)[number]['type'] | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, 12))
  return PICTURES.find(({ beginning }) => beginning.test(start))?.type
}
