import { EventNotice } from '../answers/webhooks.ts'

/** The requests to servers of the caller, for the section `webhooks` of the document (OpenAPI 3.1). */
export const WEBHOOKS = {
  event: {
    post: {
      operationId: 'receiveEvent',
      summary: 'Receive an event',
      description:
        'Sent to every endpoint of `POST /webhooks` that asks for the event, signed as Standard Webhooks says. Check the signature over the raw body, answer within 15 seconds, and do the work afterwards. Events may come twice, then with the same `webhook-id`, and in another order than they happened.',
      tags: ['Webhooks'],
      // proven by the signature
      security: [],
      parameters: [
        header('webhook-id', 'The id of the request, the same on every try.', { type: 'string', format: 'uuid' }),
        header('webhook-timestamp', 'When this try was made: seconds since 1970-01-01 UTC.', { type: 'string' }),
        header(
          'webhook-signature',
          'One or two signatures `v1,…`, with a space between them: two for 24 hours after the secret was replaced.',
          {
            type: 'string',
          },
        ),
      ],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/EventNotice' } } },
      },
      responses: {
        '2XX': { description: 'Done. The body does not matter.' },
        410: { description: 'Gone: the endpoint is paused, and gets no further events.' },
        '4XX': {
          description: 'Failed, no further try. 408 and 429 are tried again; a `Retry-After` makes the pause longer.',
        },
        '5XX': { description: 'Failed: it is tried again after 5 and 30 seconds, 5 and 30 minutes, and 2 hours.' },
      },
    },
  },
}

/** The schemas it refers to. */
export const WEBHOOK_SCHEMAS = { EventNotice }

function header(name: string, description: string, schema: object) {
  return { name, in: 'header', required: true, description, schema }
}
