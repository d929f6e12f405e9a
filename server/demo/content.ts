import type { WriteCampaignInput } from '../../core/campaigns/campaign-request.ts'
import type { CreateSeriesInput } from '../../core/campaigns/series/series-request.ts'
import type { CreateFormInput } from '../../core/subscriptions/forms/form.ts'
import type { CreateTemplateInput } from '../../core/templates/template.ts'

/** Everything is sent from here. */
export const FROM = 'Lumen <hello@example.com>'

function page(title: string, text: string, link: string, label: string): string {
  return `<!doctype html><html><body style="margin:0;background:#f4f4f1;font-family:Helvetica,Arial,sans-serif;color:#222">
<table role="presentation" width="100%"><tr><td align="center" style="padding:32px 12px">
<table role="presentation" style="width:100%;max-width:560px;background:#fff;border-radius:8px"><tr><td style="padding:32px">
<p style="color:#b35c00;font-weight:bold;margin:0 0 24px">Lumen</p>
<h1 style="font-size:24px;margin:0 0 16px">${title}</h1>
<p style="line-height:1.6">Hi {{ name }},</p><p style="line-height:1.6">${text}</p>
<p style="margin:28px 0"><a href="https://www.example.com/${link}" style="background:#b35c00;color:#fff;padding:12px 20px;border-radius:6px;text-decoration:none">${label}</a></p>
<p style="font-size:13px;color:#777">Questions? <a href="https://www.example.com/help">We are here to help.</a></p>
</td></tr></table></td></tr></table></body></html>`
}

/** The templates, by what they are for. */
export const TEMPLATES = {
  welcome: {
    name: 'Welcome',
    type: 'MARKETING',
    from: FROM,
    subject: 'Welcome to Lumen, {{ name }}',
    body: page(
      'Good to have you here',
      'Your lamps are waiting. Three steps and the first one shines.',
      'start',
      'Set up a lamp',
    ),
  },
  tips: {
    name: 'Tips for Pro',
    type: 'MARKETING',
    from: FROM,
    subject: '{{ name }}, three things Pro can do',
    body: page('Make the most of Pro', 'Schedules, scenes and shared homes: all in your plan.', 'pro/tips', 'See how'),
  },
  upgrade: {
    name: 'Try Pro',
    type: 'MARKETING',
    from: FROM,
    subject: 'A month of Pro on us',
    body: page('Try Pro for a month', 'Schedules, scenes and shared homes. No card needed.', 'pro/try', 'Try Pro'),
  },
  receipt: {
    name: 'Receipt',
    type: 'TRANSACTIONAL',
    from: FROM,
    subject: 'Your order {{ order }}',
    body: page(
      'Thank you for your order',
      'Order {{ order }}: {{ item }}, {{ amount }} EUR.',
      'orders/{{ order }}',
      'Follow it',
    ),
  },
  newsletter: {
    name: 'Newsletter',
    type: 'MARKETING',
    from: FROM,
    subject: 'New at Lumen this month',
    body: page('New this month', 'A quieter dimmer, warmer whites, and a lamp for the desk.', 'news', 'Read on'),
  },
} as const satisfies Readonly<Record<string, CreateTemplateInput>>

/** The segments, by what they are for. */
export const SEGMENTS = {
  pro: { name: 'Pro plan', field: 'data.plan', operator: 'equals', value: 'pro' },
  germany: { name: 'Germany', field: 'data.country', operator: 'equals', value: 'DE' },
  buyers: { name: 'Buyers', field: 'event.ordered', operator: 'triggered' },
} as const

/** A campaign and the day it is sent, counted from the first. */
export interface PlannedCampaign extends Pick<WriteCampaignInput, 'name' | 'subject'> {
  readonly body: string
  readonly day: number
  /** Without one it goes to everybody. */
  readonly segment?: keyof typeof SEGMENTS
}

export const CAMPAIGNS: readonly PlannedCampaign[] = [
  {
    name: 'Product news',
    day: 6,
    subject: 'Lamps that know when it gets dark',
    body: page(
      'They know when it gets dark',
      'The new sensor is here, and it fits every lamp you have.',
      'sensor',
      'Meet the sensor',
    ),
  },
  {
    name: 'Season sale',
    day: 18,
    subject: '20 % off until Sunday, {{ name ?? friend }}',
    body: page('20 % off everything', 'Until Sunday, in the shop and on the web.', 'sale', 'To the sale'),
  },
  {
    name: 'Pro: shared homes',
    day: 29,
    segment: 'pro',
    subject: 'Share your home with the family',
    body: page(
      'Shared homes are here',
      'Invite the family: everyone gets their own switches.',
      'pro/homes',
      'Invite someone',
    ),
  },
  {
    name: 'Customer survey',
    day: 41,
    subject: 'Two minutes for better light?',
    body: page(
      'What should we build next?',
      'Four questions, two minutes, and a voucher for everyone.',
      'survey',
      'Begin',
    ),
  },
  {
    name: 'Newsletter',
    day: 54,
    subject: TEMPLATES.newsletter.subject,
    body: TEMPLATES.newsletter.body,
  },
]

/** The form by which people sign up. */
export const FORM: CreateFormInput = {
  name: 'Footer of the shop',
  texts: { title: 'Better light, once a month', intro: 'New lamps, and tips for those you have.', button: 'Sign up' },
  fields: [
    { type: 'text', key: 'name', label: 'First name' },
    { type: 'choice', key: 'country', label: 'Country', options: ['DE', 'US', 'FR', 'ES', 'BR', 'JP', 'NL'] },
  ],
  consent: 'Lumen may mail me its newsletter. I can unsubscribe at any time: https://www.example.com/privacy',
}

/** The newsletter that comes by itself: a draft for each month, so that nothing is sent before a person has read it. */
export const SERIES: Omit<CreateSeriesInput, 'campaignId'> = {
  name: 'Monthly newsletter',
  rhythm: { every: 'month', day: 1, at: '09:00', timezone: 'UTC' },
  sends: false,
}

/** The goods that can be ordered. */
export const ITEMS = [
  { item: 'Desk lamp', amount: 79 },
  { item: 'Sensor', amount: 29 },
  { item: 'Set of three bulbs', amount: 45 },
] as const
