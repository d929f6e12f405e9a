/** Amazon SNS has one host in each region. Nothing else may be in the URL, not even a port or a final dot. */
const HOST = String.raw`https://sns\.[a-z]{2,4}(?:-[a-z]{1,20}){1,3}-\d{1,2}\.amazonaws\.com(?:\.cn)?`
const CERTIFICATE = new RegExp(`^${HOST}/[A-Za-z0-9_-]{1,100}\\.pem$`)
const CALL = new RegExp(`^${HOST}/\\?[A-Za-z0-9&=%:._~+/-]{1,1500}$`)

/**
 * Whether Amazon SNS keeps a certificate at this URL. It must match exactly: a URL that a parser would
 * normalize does not count.
 */
export function isCertificateUrl(text: string): boolean {
  return CERTIFICATE.test(text) && URL.parse(text)?.href === text
}

/** Whether this is the URL at which Amazon SNS confirms a subscription to this topic. */
export function isConfirmationUrl(text: string, topic: string): boolean {
  const url = CALL.test(text) ? URL.parse(text) : null
  const query = url?.searchParams
  return query?.get('Action') === 'ConfirmSubscription' && query.get('TopicArn') === topic
}
