/** The one host of Amazon SNS in each region; nothing may stand around it, not even a port or a final dot. */
const HOST = String.raw`https://sns\.[a-z]{2,4}(?:-[a-z]{1,20}){1,3}-\d{1,2}\.amazonaws\.com(?:\.cn)?`
const CERTIFICATE = new RegExp(`^${HOST}/[A-Za-z0-9_-]{1,100}\\.pem$`)
const CALL = new RegExp(`^${HOST}/\\?[A-Za-z0-9&=%:._~+/-]{1,1500}$`)

/** Whether this is where Amazon SNS keeps a certificate, to the letter: whatever a parser of URLs would mend is none. */
export function isCertificateUrl(text: string): boolean {
  return CERTIFICATE.test(text) && URL.parse(text)?.href === text
}

/** Whether this is where Amazon SNS has a subscription to this topic confirmed. */
export function isConfirmationUrl(text: string, topic: string): boolean {
  const url = CALL.test(text) ? URL.parse(text) : null
  const query = url?.searchParams
  return query?.get('Action') === 'ConfirmSubscription' && query.get('TopicArn') === topic
}
