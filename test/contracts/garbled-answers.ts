import type { ServerResponse } from 'node:http'

/** A success whose text is not what the transport expects, though the mail was taken. */
export interface GarbledAnswer {
  /** 200, 202 …; 250 for SMTP. */
  readonly status: number
  /** Of the body; empty without one, and for SMTP. */
  readonly contentType: string
  /** The body; for SMTP all octets of the reply, as Latin-1. */
  readonly body: string
  /** The connection ends in the middle of it. */
  readonly isCut: boolean
}

const http = (status: number, contentType: string, body: string, isCut = false) => ({
  ...{ status, contentType, body, isCut },
})
const json = (body: string, isCut = false) => http(200, 'application/json', body, isCut)
const smtp = (body: string, isCut = false) => ({ status: 250, contentType: '', body, isCut })

const HTTP: Readonly<Record<string, GarbledAnswer>> = {
  'an empty 202': http(202, '', ''),
  'no content': http(204, '', ''),
  'the page of a proxy': http(200, 'text/html', '<!doctype html><title>Welcome</title><p>Please log in.</p>'),
  'a word instead of JSON': json('OK'),
  'other JSON': json('{"message":{"uuid":"x"}}'),
  'a number as the id': json('{"id":7,"Id":7,"ID":7,"messageId":7,"message_id":7,"MessageId":7,"MessageID":7}'),
  'an empty id': json('{"id":"","messageId":"","MessageId":"","MessageID":null}'),
  'JSON that is no object': json('null'),
  'JSON that ends too early': json('{"id":"abc'),
  'a body that is cut': json('{"id":"abc', true),
}

const SMTP: Readonly<Record<string, GarbledAnswer>> = {
  'a bare code': smtp('250\r\n'),
  'octets that are no text': smtp('250 \xff\xfe\x01 \xc3\r\n'),
  'many lines': smtp(`${'250-queued somewhere\r\n'.repeat(50)}250 done\r\n`),
  'a reply whose last line is missing': smtp('250-queued as x\r\n', true),
  'a line that is cut': smtp('250 2.0.0 Ok: que', true),
}

/** Each kind of success that says too little, by whose statuses they are. */
export const GARBLED = { http: HTTP, smtp: SMTP } as const

/** Answers a request so. */
export function writeGarbled(response: ServerResponse, { status, contentType, body, isCut }: GarbledAnswer): void {
  const length = body.length + (isCut ? 10 : 0)
  const headers = contentType === '' ? {} : { 'content-type': contentType, 'content-length': length }
  response.writeHead(status, headers)
  if (!isCut) response.end(body)
  else response.write(body, () => setTimeout(() => response.destroy(), 20))
}
