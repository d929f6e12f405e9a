import { WIDEST } from './design.ts'

/** Screens of phones have two pixels and more where a mail has one. */
const MOST = 2 * WIDEST
const QUALITY = 0.85

/**
 * A photo as wide as mails can show it, since cameras take several megabytes; without the place where it was taken.
 * Other pictures stay as they are: they may be transparent or move. So does what the browser cannot read, which the
 * server then refuses with its reason.
 */
export async function smallerPhoto(file: File): Promise<File> {
  if (file.type !== 'image/jpeg') return file
  try {
    const whole = await createImageBitmap(file)
    const { width, height } = whole
    if (width <= MOST) return file
    const canvas = new OffscreenCanvas(MOST, Math.max(1, Math.round((height * MOST) / width)))
    const context = canvas.getContext('2d')
    if (context === null) return file
    context.imageSmoothingQuality = 'high'
    context.drawImage(whole, 0, 0, canvas.width, canvas.height)
    whole.close()
    const blob = await canvas.convertToBlob({ type: file.type, quality: QUALITY })
    return blob.size < file.size ? new File([blob], file.name, { type: file.type }) : file
  } catch {
    return file
  }
}
