import * as v from 'valibot'

const MEGABYTE = 1024 * 1024

/** How large uploaded images may be. */
export const UploadSettings = v.object({
  /** The bytes of one image. */
  maxBytes: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(20 * MEGABYTE)), 5 * MEGABYTE),
  /** The bytes of all images of a project. */
  totalBytes: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)), 1024 * MEGABYTE),
})
