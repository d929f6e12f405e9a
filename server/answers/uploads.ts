import { Upload } from '../../core/ports/store/uploads.ts'
import type { UploadedImage } from '../../core/uploads/uploads.ts'
import { Url } from '../schemas/parts.ts'
import { answerOf } from './answer-of.ts'

export const UploadAnswer = answerOf(Upload, { url: Url })

export function uploadOnWire(upload: UploadedImage) {
  return UploadAnswer.of(upload, { url: upload.url })
}
