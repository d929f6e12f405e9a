import type { Words } from './words.ts'

/** Campaigns that are made again and again. */
export const seriesWords: Words = {
  schemas: {
    SeriesPreview: 'What the next issue of a series would be.',
    FeedItem: 'An item of a feed, as bodies use it.',
  },
  fields: {
    feedTitle: 'What the feed calls itself.',
    feedReadAt: 'When the feed was read last.',
    'Series.status': '`ON`, or `PAUSED`: it makes no issues.',
    upcoming: 'The next three times.',
    series: 'The series of this page. The same list is under `data`, as in every other list.',
    data: 'The series of this page, as in every other list.',
    limit: 'Another name of `pageSize`.',
    'SeriesPreview.subject': 'The subject with the items filled in.',
    'SeriesPreview.body': 'The HTML with the items filled in.',
    items: 'The items in it.',
    isSample: 'True: nothing is new, and these are the newest items, to look at.',
    title: 'The title, as plain text of at most 500 characters.',
    link: 'Where it leads; empty without a web address.',
    summary: 'Its short text, as plain text of at most 1,000 characters.',
    html: 'Its whole text as HTML without scripts, styles and forms; print it with `| raw`.',
    author: 'Who wrote it.',
    image: 'The address of its picture; empty without one.',
    publishedAt: 'When it was published (ISO 8601); empty when that is unknown.',
  },
}
