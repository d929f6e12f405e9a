import { type KeyObject, sign } from 'node:crypto'

/** The contents of a test certificate. */
export interface CertificateFacts {
  readonly publicKey: KeyObject
  /** The RSA key that signs it. */
  readonly privateKey: KeyObject
  readonly from: Date
  readonly to: Date
}

/**
 * An X.509 certificate (RFC 5280) in PEM. node:crypto can read but not make them, and not every machine has openssl.
 */
export function certificate({ publicKey, privateKey, from, to }: CertificateFacts): string {
  const name = sequence(tlv(0x31, sequence(COMMON_NAME, tlv(0x0c, Buffer.from('sns.amazonaws.com')))))
  const body = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.from([1])),
    RSA_SHA256,
    name,
    sequence(time(from), time(to)),
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
  )
  const signature = tlv(0x03, Buffer.from([0]), sign('RSA-SHA256', body, privateKey))
  const lines =
    sequence(body, RSA_SHA256, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

const COMMON_NAME = Buffer.from('0603550403', 'hex')
const RSA_SHA256 = Buffer.from('300d06092a864886f70d01010b0500', 'hex')

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return tlv(0x30, ...parts)
}

function time(at: Date): Buffer {
  return tlv(0x17, Buffer.from(`${at.toISOString().slice(2, 19).replace(/\D/g, '')}Z`))
}

/** Tag, length and contents (X.690). */
function tlv(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts)
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body])
  const length = Buffer.from([body.length >> 8, body.length & 0xff])
  return Buffer.concat([Buffer.from([tag, 0x82]), length, body])
}
