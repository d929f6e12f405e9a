/** An id that nothing has. */
export const ID = '01900000-0000-7000-8000-000000000000'

/** Every endpoint for callers with a key, with a path that matches it. */
export const ENDPOINTS = [
  ['POST', '/v1/send'],
  ['POST', '/v1/track'],
  ['GET', '/contacts'],
  ['POST', '/contacts'],
  ['POST', '/contacts/lookup'],
  ['GET', '/contacts/export'],
  ['POST', '/contacts/import'],
  ['GET', `/contacts/import/${ID}`],
  ['POST', '/contacts/bulk-subscribe'],
  ['POST', '/contacts/bulk-unsubscribe'],
  ['POST', '/contacts/bulk-delete'],
  ['GET', `/contacts/bulk/${ID}`],
  ['GET', `/contacts/${ID}`],
  ['PATCH', `/contacts/${ID}`],
  ['DELETE', `/contacts/${ID}`],
  ['GET', '/contacts/fields'],
  ['GET', '/contacts/fields/data.plan/values'],
  ['GET', '/contacts/fields/data.plan/usage'],
  ['DELETE', '/contacts/fields/data.plan'],
  ['GET', '/templates'],
  ['POST', '/templates'],
  ['GET', `/templates/${ID}`],
  ['PATCH', `/templates/${ID}`],
  ['DELETE', `/templates/${ID}`],
  ['POST', `/templates/${ID}/duplicate`],
  ['GET', `/templates/${ID}/usage`],
  ['GET', '/segments'],
  ['POST', '/segments'],
  ['GET', `/segments/${ID}`],
  ['PATCH', `/segments/${ID}`],
  ['DELETE', `/segments/${ID}`],
  ['GET', `/segments/${ID}/contacts`],
  ['POST', `/segments/${ID}/members`],
  ['DELETE', `/segments/${ID}/members`],
  ['POST', `/segments/${ID}/compute`],
  ['POST', `/segments/${ID}/refresh`],
  ['POST', '/events/track'],
  ['GET', '/events'],
  ['GET', '/events/stats'],
  ['GET', `/events/contact/${ID}`],
  ['GET', '/events/names'],
  ['GET', '/events/seen/usage'],
  ['DELETE', '/events/seen'],
  ['GET', '/emails'],
  ['GET', `/emails/${ID}`],
  ['GET', '/suppressions'],
  ['POST', '/suppressions'],
  ['DELETE', `/suppressions/${ID}`],
] as const
/** Those that read a JSON body. */
export const WITH_BODY = ENDPOINTS.filter(
  ([method, path]) =>
    path.endsWith('/members') ||
    ((method === 'POST' || method === 'PATCH') &&
      !/\/(?:duplicate|compute|refresh)$/.test(path) &&
      path !== '/contacts/import'),
)
