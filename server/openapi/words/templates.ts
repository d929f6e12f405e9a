import type { Words } from './words.ts'

/** Templates. */
export const templateWords: Words = {
  schemas: {
    MailSource: 'A mail as it was written, before it was made HTML.',
    Template: 'A mail to use again and again, with placeholders.',
    RenderedTemplate: 'The mail with its placeholders filled in.',
    CheckedMail: 'What was found in a mail, and what was measured.',
    MailFinding: 'Something about a mail that is worth mending.',
    TemplateUses: 'Where a template is used.',
    TemplateDraft: 'Changes to a template that are not used for sending yet.',
    TemplateVersion: 'A template as it was from one change to the next.',
    ListedTemplateVersion: 'A version of a template, without what it says.',
    Author: 'Who wrote something.',
  },
  fields: {
    id: 'The id of the template.',
    name: 'The name in lists, at most 255 characters. Recipients do not see it.',
    slug: 'A name that requests may use instead of the id: lower-case words joined by hyphens, at most 100 characters, no other template of the project has it. It is made from the name when it is left out, and stays when the name changes. In a request of `PATCH`, null removes it.',
    description: 'A note for the team. In a request, null removes it.',
    subject: 'The subject, with placeholders such as `{{ name }}`, at most 998 characters.',
    body: 'The HTML, with placeholders.',
    preheader:
      'What inboxes show after the subject, with placeholders, at most 255 characters. It is hidden in the mail itself, and the plain text leaves it out. In a request, null removes it.',
    layoutId: 'The layout around the body; see `GET /layouts`. In a request, null removes it.',
    topicId:
      'The topic its mail goes out under; only marketing templates have one. In a request the id or the slug; null removes it.',
    'renderTemplate.layoutId': 'The layout around the body.',
    source:
      'The mail as it was written in another format. `body` is made of it when it is saved, so that only one of the two is given. It goes when the body is changed without it; in a request, null removes it. Lists leave it out.',
    format: 'What it is written in: HTML, MJML or Markdown.',
    'MailSource.text': 'What was written, with placeholders, at most 1,000,000 characters. It is kept unchanged.',
    inlineCss:
      'Whether the rules of `<style>` are written into the elements they fit. Those for other moments (`:hover`, `@media`) stay.',
    design:
      'What a visual editor made the body from, as JSON of at most 500 KB. It is kept unchanged and never sent. It goes when the body is changed without it; in a request, null removes it. Lists leave it out.',
    version:
      'The number of the current version. It grows by one with each change of what is written; the slug does not count. In a request of `PATCH`: the version that is changed. 409 with who changed it and when, if it is not the current one any more.',
    draft: 'The draft, if it has one. Only where one template is read.',
    fields:
      'What it says. A draft has only the fields that it changes, as they were typed; null stands for one that is to be removed.',
    'TemplateDraft.version': 'The version of the template it was begun from.',
    revision:
      'Changes each time the draft is written. Send it back with the next one: 409 if someone else wrote meanwhile.',
    by: 'Who wrote it.',
    'TemplateDraft.updatedAt': 'When it was written.',
    number: 'The number of the version, from 1.',
    changed: 'The names of the fields that differ from the version before; of the first one, those it has.',
    restoredFrom: 'The number of the earlier version that this one brought back, else null.',
    'ListedTemplateVersion.createdAt': 'When it became the current one.',
    'TemplateVersion.createdAt': 'When it became the current one.',
    'Author.type': '`user`, `key`, or `engine`, if no author was named.',
    'Author.id': 'The id of the user or the key, else null.',
    'Author.name': "The user's e-mail address or the key's name, as it was then.",
    'saveTemplateDraft.version':
      'The version the draft was begun from. By default that of the earlier draft, else the current one.',
    'saveTemplateDraft.revision':
      'The `revision` of the draft that this one replaces, null for none. 409 when it is another by now; without it, whatever is there is replaced.',
    'publishTemplate.version':
      'The version that is replaced. By default the one the draft was begun from. 409 when it is not the current one.',
    'publishTemplate.revision': 'The `revision` of the draft to publish. 409 if someone wrote another.',
    type: '`TRANSACTIONAL` goes to anybody, `MARKETING` only to subscribed contacts and with a way to unsubscribe. `HEADLESS`, as Plunk has it, becomes `MARKETING`.',
    from: 'The sender: an address or `Ada <ada@example.com>`. Its domain must be verified for the project. In a request, null removes it.',
    fromName: "The sender's display name, when `from` is a bare address.",
    replyTo: 'Where replies go: an address, `Ada <ada@example.com>`, or up to 20 of them, between commas or as a list.',
    'listTemplates.type': 'Only templates of this type.',
    search: 'Only templates with this in their name or subject.',
    limit: 'Another name of `pageSize`.',
    'listTemplates.cursor':
      'The `cursor` of the page before, instead of `page`: it skips and repeats nothing while templates are added.',
    templates:
      'The templates of this page. The same list is under `data`, as in every other list: a client needs only one of the two.',
    data: 'The templates of this page, as in every other list.',
    'renderTemplate.subject': 'The subject, with placeholders, at most 998 characters.',
    'renderTemplate.data': 'Values for placeholders. They override those of the contact.',
    contactId: 'A contact whose fields are filled in as well.',
    'RenderedTemplate.subject': 'The subject, filled in.',
    html: 'The HTML, filled in.',
    text: 'The plain text made from the HTML.',
    'checkMail.type': '`MARKETING` needs a way to unsubscribe and a postal address, `TRANSACTIONAL` does not.',
    'checkMail.subject': 'The subject, with placeholders, at most 998 characters.',
    'checkMail.layoutId': 'The layout around the body.',
    'checkMail.data': 'Values for placeholders. They override those of the contact.',
    'checkMail.links':
      'Whether the addresses of links and pictures are asked, which may take 15 seconds. By default true.',
    findings: 'What was found, the worst first. Empty when all is well. Of many alike ten are listed.',
    'MailFinding.code': 'What is said, for showing it in another language: it stays the same when `message` changes.',
    severity:
      '`error`: spoils the mail for its readers. `warning`: for some of them. `hint`: good to know, and often all right.',
    'MailFinding.message': 'What is wrong and how to mend it, in English.',
    'MailFinding.field': 'Where it is mended; `project` stands for the settings of the project.',
    params: 'The values in the sentence, by name. Numbers are numbers.',
    figures: 'What was measured.',
    htmlBytes: 'The bytes of the HTML as it leaves, with tracked links and the footer.',
    textBytes: 'The bytes of the plain text.',
    links: 'How many links the mail has.',
    images: 'How many pictures it has.',
    imageBytes: 'The bytes of its pictures, as far as they are known.',
    asked: 'How many addresses of links and pictures were asked.',
    campaigns: 'The campaigns made from it.',
    workflows: 'The workflows with a step that sends it.',
    emailsSent: 'How many mails were made from it.',
  },
}

/** Snippets and layouts. */
export const contentWords: Words = {
  schemas: {
    ContentUses: 'Where a snippet or a layout is used.',
  },
  fields: {
    'createLayout.body':
      "The HTML, with placeholders and snippets, at most 100,000 characters, and once with `{{ content }}`, where the mail's own body stands.",
    'changeLayout.body':
      "The HTML, with placeholders and snippets, at most 100,000 characters, and once with `{{ content }}`, where the mail's own body stands.",
    'changeSnippet.rename':
      'With another name: whether it is changed in all that renders the snippet, too. Without it the request is refused with 409 while something does.',
    search: 'Only those with this in their name or description.',
    limit: 'Another name of `pageSize`.',
    snippets: 'The snippets of this page. The same list is under `data`, as in every other list.',
    'ContentUses.snippets': 'The snippets that render it.',
    layouts: 'The layouts of this page. The same list is under `data`, as in every other list.',
    'ContentUses.layouts': 'The layouts that render it.',
    data: 'Those of this page, as in every other list.',
    templates: 'The templates with it.',
    campaigns: 'The campaigns with it. Those that ended without being sent are left out.',
    workflows: 'The workflow steps with it in a body of their own.',
  },
}
