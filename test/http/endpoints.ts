/** An id that nothing has. */
export const ID = '01900000-0000-7000-8000-000000000000'

/** Every endpoint for callers with a key, with a path that matches it. */
export const ENDPOINTS = [
  ['POST', '/v1/send'],
  ['POST', '/v1/track'],
  ['GET', '/contacts'],
  ['POST', '/contacts'],
  ['GET', `/contacts/${ID}`],
  ['PATCH', `/contacts/${ID}`],
  ['DELETE', `/contacts/${ID}`],
  ['GET', '/templates'],
  ['POST', '/templates'],
  ['GET', `/templates/${ID}`],
  ['PATCH', `/templates/${ID}`],
  ['DELETE', `/templates/${ID}`],
  ['POST', `/templates/${ID}/duplicate`],
  ['GET', `/templates/${ID}/usage`],
  ['POST', '/events/track'],
  ['GET', '/events'],
  ['GET', '/events/stats'],
  ['GET', `/events/contact/${ID}`],
  ['GET', '/events/names'],
  ['GET', '/emails'],
  ['GET', `/emails/${ID}`],
  ['GET', '/suppressions'],
  ['POST', '/suppressions'],
  ['DELETE', `/suppressions/${ID}`],
] as const
/** Those that read a JSON body. */
export const WITH_BODY = ENDPOINTS.filter(
  ([method, path]) => (method === 'POST' || method === 'PATCH') && !path.endsWith('/duplicate'),
)
