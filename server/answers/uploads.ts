import { Upload } from '../../core/ports/store/uploads.ts'
import type { UploadedImage } from '../../core/uploads/uploads.ts'
import { answerOf } from './answer.ts'
import { Url } from './parts.ts'

export const UploadAnswer = answerOf(Upload, { url: Url }, (image: UploadedImage) => image)
