import { EngineError } from '../../core/errors.ts'
import { fileAnswer } from '../http/file-answer.ts'
import type { OpenRoute } from '../http/route.ts'

/** Attachments of received mail, at the URL in the event, which cannot be guessed. */
export const attachmentRoutes: readonly OpenRoute[] = [
  {
    method: 'GET',
    path: '/attachments/:token/:number',
    operation: 'getAttachment',
    summary: 'Download an attachment of a received mail',
    description: 'The address is in the record of the mail and works for a limited time.',
    access: 'open',
    gives: { 200: '*/*' },
    async handle({ inbound }, request) {
      const found = await inbound.attachment(request.param('token'), request.param('number'))
      if (!found) throw new EngineError('RESOURCE_NOT_FOUND', 'There is no such attachment.')
      return fileAnswer(found)
    },
  },
]
