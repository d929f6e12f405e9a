import type { Words } from './words.ts'

/** Topics, and what contacts choose. */
export const topicWords: Words = {
  schemas: {
    ContactTopics: 'What a contact gets, topic by topic.',
    ContactTopic: 'A topic, and whether a contact gets its mail.',
  },
  fields: {
    'createTopic.slug':
      'What requests and filters may call it by: lower-case words joined by hyphens, at most 64 characters. No other topic of the project has it. Made from the name when it is left out.',
    'changeTopic.slug':
      'What requests and filters may call it by: lower-case words joined by hyphens, at most 64 characters. Filters that name the earlier slug no longer find it.',
    'createTopic.name': 'The name, which contacts see on their page, at most 100 characters.',
    'changeTopic.name': 'The name, which contacts see on their page, at most 100 characters.',
    'createTopic.description': 'What it is about, which contacts see on their page, at most 500 characters.',
    'changeTopic.description':
      'What it is about, which contacts see on their page, at most 500 characters. null removes it.',
    'changeTopic.rename':
      'With another slug: whether it is changed in filters, steps and drafts, too. Without it the request is refused with 409 while they name the topic.',
    'Topic.counts': 'How many contacts have chosen. Those who never did are in neither count.',
    'Topic.counts.subscribed': 'How many have chosen it.',
    'Topic.counts.unsubscribed': 'How many have left it.',
    'listTopics.answer.data': 'The topics, the oldest first.',
    'ContactTopics.contactId': 'The id of the contact.',
    'ContactTopics.subscribed': 'Whether the contact gets marketing mail at all. Without it, it gets no topic either.',
    'ContactTopics.topics': 'Every topic of the project.',
    'ContactTopic.topicId': 'The id of the topic.',
    'ContactTopic.topic': 'Its slug.',
    'ContactTopic.name': 'Its name.',
    'ContactTopic.subscribed':
      'Whether the contact gets its mail: by what it chose, else by the standing of the topic.',
    'ContactTopic.chosen': 'Whether a choice was made, by the contact or on its behalf.',
    'ContactTopic.at': 'When it chose. null when it never did.',
    'ContactTopic.source':
      'Where it chose: `api`, `dashboard`, `import`, `page` (its own page), `one-click` (the button of its mail program), `form` or `workflow`. null when it never did.',
    'ContactTopic.text': 'What it agreed to, in the words it saw. null when that is not known.',
    'chooseTopics.topics': 'What the contact chooses, 1 to 50 topics.',
    'topics.topic': 'The id or the slug of the topic.',
    'topics.subscribed':
      'true gets its mail, false does not. null removes the choice, so that the standing of the topic decides.',
    'topics.at': 'When the person chose. By default now; not in the future.',
    'topics.text': 'What the person agreed to, in the words they saw, at most 2,000 characters.',
  },
}
