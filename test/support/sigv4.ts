import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** A received request, with every header field as often as it was sent. */
export interface SignedRequest {
  readonly method: string
  /** Path and query, as on the request line. */
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
}

/** The key, and what it must be valid for. */
export interface SigningScope {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
  readonly service: string
}

const ALGORITHM = 'AWS4-HMAC-SHA256'
/** How old a request may be, in milliseconds. */
const SKEW_MS = 5 * 60_000

/**
 * Checks a request's signature by Amazon's published algorithm (Signature Version 4, "Create a signed AWS API
 * request"). Answers what is wrong with it; undefined when nothing is.
 */
export function signatureProblem(request: SignedRequest, scope: SigningScope, now: Date): string | undefined {
  const given = /^AWS4-HMAC-SHA256 Credential=([^,]+),\s*SignedHeaders=([^,]+),\s*Signature=([0-9a-f]{64})$/.exec(
    valuesOf(request, 'authorization')[0] ?? '',
  )
  if (!given) return 'IncompleteSignatureException'
  const [, credential = '', signedHeaders = '', signature = ''] = given
  const [accessKeyId, day = '', ...rest] = credential.split('/')
  if (accessKeyId !== scope.accessKeyId) return 'UnrecognizedClientException'
  if (rest.join('/') !== `${scope.region}/${scope.service}/aws4_request`) return 'InvalidSignatureException'
  const time = valuesOf(request, 'x-amz-date')[0] ?? ''
  const at = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (!(Math.abs(at - now.getTime()) < SKEW_MS) || !time.startsWith(day)) return 'RequestExpired'
  const names = signedHeaders.split(';')
  const claimed = valuesOf(request, 'x-amz-content-sha256')[0]
  // what is not signed could be changed on the way
  if (!names.includes('host') || (claimed !== undefined && !names.includes('x-amz-content-sha256'))) {
    return 'InvalidSignatureException'
  }
  const hash = sha256(request.body)
  if (claimed !== undefined && claimed !== hash) return 'InvalidSignatureException'
  const text = `${ALGORITHM}\n${time}\n${day}/${rest.join('/')}\n${sha256(canonicalRequest(request, names, hash))}`
  const expected = createHmac('sha256', signingKey(scope, day)).update(text).digest()
  return timingSafeEqual(expected, Buffer.from(signature, 'hex')) ? undefined : 'InvalidSignatureException'
}

function canonicalRequest({ method, target, headers }: SignedRequest, names: readonly string[], hash: string): string {
  const [path = '', query = ''] = target.split('?', 2)
  const fields = names.map((name) => {
    const values = headers.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value)
    return `${name}:${values.map((value) => value.trim().replace(/ +/g, ' ')).join(',')}\n`
  })
  // every service but S3 encodes the path a second time
  const encoded = path.split('/').map(uriEncoded).join('/')
  return [method, encoded || '/', canonicalQuery(query), fields.join(''), names.join(';'), hash].join('\n')
}

function canonicalQuery(query: string): string {
  const pairs = [...new URLSearchParams(query)].map(([name, value]) => `${uriEncoded(name)}=${uriEncoded(value)}`)
  return pairs.sort().join('&')
}

/** RFC 3986's unreserved characters stay. */
function uriEncoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
}

function signingKey({ secretAccessKey, region, service }: SigningScope, day: string): Buffer {
  const parts = [day, region, service, 'aws4_request']
  return parts.reduce<Buffer>(
    (key, part) => createHmac('sha256', key).update(part).digest(),
    Buffer.from(`AWS4${secretAccessKey}`),
  )
}

function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function valuesOf({ headers }: SignedRequest, wanted: string): readonly string[] {
  return headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value)
}
