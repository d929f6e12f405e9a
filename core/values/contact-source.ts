/** By which way a contact came in. */
export const CONTACT_SOURCES = ['api', 'send', 'track', 'form', 'import', 'segment', 'workflow', 'inbound'] as const
export type ContactSource = (typeof CONTACT_SOURCES)[number]
