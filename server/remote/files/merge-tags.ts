/** The merge tags of Mailchimp that mean something here. */
const OURS: Readonly<Record<string, string>> = {
  FNAME: '{{ firstName }}',
  LNAME: '{{ lastName }}',
  EMAIL: '{{ email }}',
  UNSUB: '{{ unsubscribeUrl }}',
  UPDATE_PROFILE: '{{ manageUrl }}',
  ARCHIVE: '{{ viewUrl }}',
  'ELSE:': '{% else %}',
  'END:IF': '{% endif %}',
}

/** Those that say what is here anyway: the preheader, and the postal address in the footer. */
const DROPPED = /^(?:MC_PREVIEW_TEXT|LIST:|HTML:|REWARDS|ABUSE_EMAIL|IF:MC_PREVIEW_TEXT)/

/** A text with Mailchimp's merge tags as placeholders. Tags that are not known stay, since they are seen then. */
export function withoutMergeTags(text: string): string {
  return text.replace(/\*\|([A-Z0-9_:]{1,80})\|\*/g, (tag, name: string) => {
    const ours = OURS[name]
    if (ours !== undefined) return ours
    if (DROPPED.test(name)) return ''
    const condition = /^IF:([A-Z0-9_]+)$/.exec(name)?.[1]
    if (condition !== undefined) return `{% if ${keyOf(condition)} %}`
    return /^[A-Z][A-Z0-9_]*$/.test(name) ? `{{ ${keyOf(name)} }}` : tag
  })
}

function keyOf(name: string): string {
  return name === 'FNAME' ? 'firstName' : name === 'LNAME' ? 'lastName' : name === 'EMAIL' ? 'email' : name
}
