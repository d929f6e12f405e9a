import { describe, expect, it } from 'vitest'
import { linkProblem } from '../../core/mail/links/public-address.ts'

describe('links to this machine alone', () => {
  it.each([
    'http://127.0.0.1:3000',
    'http://127.8.9.1',
    'http://0.0.0.0:3000',
    'http://localhost:3000/sub',
    'http://mail.localhost',
    'http://[::1]:3000',
    'http://[::]:3000',
    'http://[::ffff:127.0.0.1]',
    'http://2130706433/',
  ])('%s is told of, and holds marketing mail back when anybody may get it', (url) => {
    expect(linkProblem(url, [undefined])).toMatchObject({
      blocksMarketing: true,
      message: expect.stringContaining(url),
    })
    expect(linkProblem(url, ['machine', 'nobody'])).toMatchObject({ blocksMarketing: false })
    expect(linkProblem(url, ['nobody'])).toBeUndefined()
  })

  it.each([
    'https://mail.example.com',
    'http://10.0.0.5:3000',
    'http://localhost.example.com',
    'http://[2001:db8::1]',
  ])('%s is not among them', (url) => expect(linkProblem(url, [undefined])).toBeUndefined())

  it('are not spoken of where mails have no links', () => {
    expect(linkProblem(undefined, [undefined])).toBeUndefined()
  })
})
