import type { Words } from './words.ts'

/** Templates. */
export const templateWords: Words = {
  schemas: {
    Template: 'A mail to use again and again, with placeholders.',
    RenderedTemplate: 'The mail with its placeholders filled in.',
    TemplateUses: 'Where a template is used.',
  },
  fields: {
    id: 'The id of the template.',
    name: 'The name in lists, at most 255 characters. Recipients do not see it.',
    slug: 'What requests may call it by, in place of its id: lower-case words joined by hyphens, at most 100 characters, no other template of the project has it. It is made from the name when it is left out, and stays when the name changes. In a request of `PATCH`, null removes it.',
    description: 'A note for the team. In a request, null removes it.',
    subject: 'The subject, with placeholders such as `{{ name }}`, at most 998 characters.',
    body: 'The HTML, with placeholders.',
    preheader:
      'What inboxes show after the subject, with placeholders, at most 255 characters. It is hidden in the mail itself, and the plain text leaves it out. In a request, null removes it.',
    layoutId: 'The layout around the body; see `GET /layouts`. In a request, null removes it.',
    'renderTemplate.layoutId': 'The layout around the body.',
    design:
      'What a visual editor made the body from, as JSON of at most 500 KB. It is kept as it is and never sent. It goes when the body is changed without it; in a request, null removes it. Lists leave it out.',
    type: '`TRANSACTIONAL` goes to anybody, `MARKETING` only to subscribed contacts and with a way to unsubscribe. `HEADLESS`, as Plunk has it, becomes `MARKETING`.',
    from: 'The sender: an address or `Ada <ada@example.com>`. Its domain must be verified for the project. In a request, null removes it.',
    fromName: "The sender's display name, when `from` is a bare address.",
    replyTo: 'Where replies go: an address or `Ada <ada@example.com>`.',
    'listTemplates.type': 'Only templates of this type.',
    search: 'Only templates with this in their name or subject.',
    limit: 'Another name of `pageSize`.',
    'listTemplates.cursor':
      'The `cursor` of the page before, in place of `page`: it skips and repeats nothing while templates are added.',
    templates:
      'The templates of this page. The same list is under `data`, as in every other list: a client needs only one of the two.',
    data: 'The templates of this page, as in every other list.',
    'renderTemplate.subject': 'The subject, with placeholders, at most 998 characters.',
    'renderTemplate.data': 'Values for placeholders. They override those of the contact.',
    contactId: 'A contact whose fields are filled in as well.',
    'RenderedTemplate.subject': 'The subject, filled in.',
    html: 'The HTML, filled in.',
    text: 'The plain text made from the HTML.',
    campaigns: 'The campaigns made from it.',
    workflows: 'The workflows with a step that sends it.',
    emailsSent: 'How many mails were made from it.',
  },
}
