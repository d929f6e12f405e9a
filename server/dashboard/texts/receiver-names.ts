/** Receivers that have the same name in every language. */
export const RECEIVER_NAMES = {
  google: 'Google',
  microsoft: 'Microsoft',
  yahoo: 'Yahoo',
  apple: 'Apple',
  zoho: 'Zoho',
  proton: 'Proton',
  fastmail: 'Fastmail',
  mimecast: 'Mimecast',
  proofpoint: 'Proofpoint',
  ionos: 'IONOS',
  yandex: 'Yandex',
  'mail.ru': 'Mail.ru',
} as const
