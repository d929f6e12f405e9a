import { defineEntity, p } from '@mikro-orm/core'

/** An address that was followed in a project's mails. Its id is made of the address: see repositories/emails/link-clicks.ts. */
export const LinkRow = defineEntity({
  name: 'LinkRow',
  tableName: 'links',
  properties: {
    projectId: p.uuid().primary(),
    id: p.uuid().primary(),
    url: p.text(),
    /** Whether it is made of a recipient's values, and so may tell who that is. */
    personal: p.boolean(),
  },
})

/**
 * How often a link was followed in a mail. A look at a page of the subscription is a row of the link NIL_ID without
 * clicks.
 */
export const LinkClickRow = defineEntity({
  name: 'LinkClickRow',
  tableName: 'link_clicks',
  properties: {
    emailId: p.uuid().primary(),
    linkId: p.uuid().primary(),
    projectId: p.uuid(),
    campaignId: p.uuid().nullable(),
    clicks: p.integer(),
    /** Those that no machine made. */
    humanClicks: p.integer(),
    /** When something that passes for a person came first, which may turn out to be a machine. */
    seenAt: p.datetime(3).nullable(),
  },
  indexes: [
    {
      name: 'link_clicks_of_campaign',
      properties: ['campaignId', 'linkId', 'emailId'],
      where: 'campaign_id is not null',
    },
    { name: 'link_clicks_of_link', properties: ['linkId', 'emailId'] },
  ],
})
