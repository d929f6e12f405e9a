import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { Links } from '../../core/mail/links/links.ts'
import { asProjectId } from '../../core/values/project-id.ts'

const secret = Buffer.from('a secret of sixteen characters and more')
const publicUrl = 'https://mail.example.net'
const links = new Links({ publicUrl, secret })
const projectId = asProjectId('01900000-0000-7000-8000-000000000000')!
const contactId = '01900000-0000-7000-8000-00000000000a'
const emailId = '01900000-0000-7000-8000-00000000000b'
const tokenOf = (url: string) => url.split('/').at(-1)!

describe('the links of mails', () => {
  it('lead to the pages of a contact, and name the mail they stand in', () => {
    const { unsubscribeUrl, subscribeUrl, manageUrl } = links.ofContact({ projectId, contactId, emailId })!
    const token = tokenOf(unsubscribeUrl)
    expect(unsubscribeUrl).toBe(`${publicUrl}/unsubscribe/${token}`)
    expect(subscribeUrl).toBe(`${publicUrl}/subscribe/${token}`)
    expect(manageUrl).toBe(`${publicUrl}/manage/${token}`)
    expect(links.readContact(token)).toEqual({ projectId, contactId, emailId })
    const without = tokenOf(links.ofContact({ projectId, contactId })!.manageUrl)
    expect(links.readContact(without)).toEqual({ projectId, contactId })
  })

  it('are signed by HMAC-SHA256, cut to 96 bits', () => {
    const ids = Buffer.from((projectId + emailId).replaceAll('-', ''), 'hex')
    const tag = createHmac('sha256', secret).update('mail:').update(ids).digest().subarray(0, 12)
    const token = Buffer.concat([ids, tag]).toString('base64url')
    expect(links.ofMail({ projectId, emailId })).toEqual({
      pixel: `${publicUrl}/t/o/${token}`,
      click: `${publicUrl}/t/c/${token}`,
    })
    expect(links.readMail(token)).toEqual({ projectId, emailId })
  })

  it('end in a letter or digit; earlier ones, which may not, work as well', () => {
    let earlier = 0
    for (let number = 0; number < 300; number++) {
      const id = `01900000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`
      const made = [
        tokenOf(links.ofContact({ projectId, contactId, emailId: id })!.manageUrl),
        tokenOf(links.ofContact({ projectId, contactId: id })!.manageUrl),
        tokenOf(links.ofMail({ projectId, emailId: id })!.pixel),
        tokenOf(links.ofAccount('verify-email', id)!),
      ]
      for (const token of made) expect(token).toMatch(/[A-Za-z0-9]$/)
      const ids = Buffer.from((projectId + contactId + id).replaceAll('-', ''), 'hex')
      const tag = createHmac('sha256', secret).update('contact:').update(ids).digest().subarray(0, 12)
      const before = Buffer.concat([ids, tag]).toString('base64url')
      if (!/[-_]$/.test(before)) continue
      earlier++
      for (const token of [before, `${before}.`, `${before}%22`])
        expect(links.readContact(token)).toEqual({ projectId, contactId, emailId: id })
    }
    expect(earlier).toBeGreaterThan(0)
  })

  it('are not made without a public address', () => {
    const hidden = new Links({ secret })
    expect(hidden.isPublic).toBe(false)
    expect(hidden.ofMail({ projectId, emailId })).toBeUndefined()
    expect(hidden.ofContact({ projectId, contactId })).toBeUndefined()
    // the dashboard opens files at its own address
    const file = `${publicUrl}${hidden.ofAttachment({ projectId, emailId }, 1)}`
    expect(file).toBe(links.ofAttachment({ projectId, emailId }, 1))
  })

  it('cannot be forged, changed or used for another purpose', () => {
    const token = tokenOf(links.ofMail({ projectId, emailId })!.pixel)
    const contact = tokenOf(links.ofContact({ projectId, contactId: emailId })!.manageUrl)
    for (let i = 0; i < token.length; i++) {
      const other = token[i] === 'A' ? 'B' : 'A'
      expect(links.readMail(token.slice(0, i) + other + token.slice(i + 1))).toBeUndefined()
    }
    const others = ['', 'x', `.${token}`, `${token}A`, token.slice(1), token.slice(0, -1), ` ${token}`, contact]
    for (const wrong of others) expect(links.readMail(wrong)).toBeUndefined()
    expect(links.readContact(token)).toBeUndefined()
    expect(
      new Links({ publicUrl, secret: Buffer.from('another secret of some length') }).readMail(token),
    ).toBeUndefined()
  })
})
