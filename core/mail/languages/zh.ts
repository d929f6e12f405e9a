import type { Translations } from './translations.ts'

/** Chinese, in simplified characters. */
export const ZH: Translations = {
  language: 'zh',
  footer: {
    reason: (sender) => `您收到此邮件，是因为您订阅了“${sender}”的邮件。`,
    unsubscribe: '退订',
  },
  unsubscribe: {
    title: '退订',
    sentence: ({ email, sender }) => `您确定不再通过 ${email} 接收“${sender}”的邮件吗？`,
    button: '退订',
  },
  unsubscribed: {
    title: '您已退订',
    sentence: ({ email, sender }) => `“${sender}”将不再向 ${email} 发送邮件。`,
    button: '重新订阅',
  },
  subscribe: {
    title: '订阅',
    sentence: ({ email, sender }) => `您要通过 ${email} 接收“${sender}”的邮件吗？`,
    button: '订阅',
  },
  subscribed: {
    title: '您已订阅',
    sentence: ({ email, sender }) => `“${sender}”的邮件将发送至 ${email}。`,
    button: '退订',
  },
  manage: {
    title: '邮件偏好设置',
    whenSubscribed: ({ email, sender }) => `${email} 已订阅“${sender}”的邮件。`,
    whenUnsubscribed: ({ email, sender }) => `${email} 未订阅“${sender}”的邮件。`,
    tracking: {
      title: '打开和点击',
      sentence: (sender) => `是否允许“${sender}”了解您是否打开邮件以及点击了哪些链接？`,
      full: '允许了解我的打开和点击',
      anonymous: '仅计数，不记录我是谁',
      none: '不允许',
      button: '保存',
      saved: '您的选择已保存。',
    },
  },
  quote: {
    wrote: ({ at, name }) => `${at}，${name} 写道：`,
    forwarded: '转发的邮件',
  },
  forwarding: {
    subject: (address) => `接收发往 ${address} 的邮件？`,
    request: ({ address, sender, email }) =>
      `${sender} 希望将发往 ${address} 的邮件转发至 ${email}。请确认您愿意接收。`,
    button: '转发给我',
    ignore: '如果这不是您所期望的，请忽略此邮件。这样不会转发任何内容。',
    page: ({ address, email }) => `请确认将发往 ${address} 的邮件转发至 ${email}。`,
    done: { title: '已确认', sentence: ({ address, email }) => `从现在起，发往 ${address} 的邮件将转发至 ${email}。` },
  },
  topics: {
    between: '”、“',
    ask: ({ topic, email, sender }) => `您确定不再通过 ${email} 接收“${sender}”的“${topic}”吗？`,
    left: ({ topic, email, sender }) => `“${sender}”将不再向 ${email} 发送“${topic}”。`,
    joined: ({ topic, email, sender }) => `${email} 将收到“${sender}”的“${topic}”。`,
    choice: '您想接收哪些邮件？',
    everything: '全部退订',
  },
  pause: {
    title: '暂停接收',
    sentence: (sender) => `在此期间，“${sender}”不会向您发送资讯或优惠邮件。`,
    days: (days) => `${days} 天`,
    until: (day) => `${day}之前不会有邮件。`,
    end: '结束暂停',
  },
  often: {
    title: '接收频率',
    sentence: (sender) => `“${sender}”发送资讯和优惠邮件的频率不会超过您在此处的选择。`,
    every: '所有邮件',
    week: '每周最多一封',
    month: '每月最多一封',
    days: (days) => (days === 1 ? '每天最多一封' : `每 ${days} 天最多一封`),
  },
  gone: {
    title: '您将不再收到邮件',
    sentence: (sender) => `“${sender}”已删除您的地址，不会再向您发送邮件。`,
  },
  mailGone: {
    title: '此邮件已无法在此查看',
    sentence: (sender) => `来自 ${sender} 的此邮件内容已不再保存。`,
  },
  archive: {
    title: (sender) => `来自 ${sender} 的邮件`,
    all: '全部邮件',
    empty: '尚未发布任何内容。',
    older: '更早的邮件',
    newer: '更新的邮件',
  },
  invalid: {
    title: '此链接无效',
    sentence: '请确认您已完整复制邮件中的链接，或使用较新邮件中的链接。',
  },
  trouble: {
    title: '出错了',
    sentence: '操作未能完成，请几分钟后重试。',
    refused: '无法以这种方式操作，请重新打开邮件中的链接。',
  },
  form: {
    email: '电子邮箱地址',
    button: '订阅',
    optional: '选填',
    choose: '请选择',
    check: '请检查：',
    thanks: '谢谢！',
    confirm: '如果此地址尚未订阅，我们已向其发送一封邮件。请点击邮件中的链接确认订阅。',
    closed: { title: '此表单已关闭', sentence: '目前无法在此订阅。' },
  },
  confirmation: {
    subject: (sender) => `请确认您对“${sender}”的订阅`,
    request: ({ email, sender }) =>
      `有人（希望是您本人）申请通过 ${email} 接收“${sender}”的邮件。请确认您希望接收这些邮件。`,
    button: '确认订阅',
    page: ({ email, sender }) => `请确认由 ${email} 接收“${sender}”的邮件。`,
    topicPage: ({ topic, email, sender }) => `请确认由 ${email} 接收“${sender}”的“${topic}”。`,
    done: '订阅已确认',
    back: (site) => `返回 ${site}`,
    ignore: '如果这不是您本人的操作，请忽略此邮件，您不会被订阅。',
    chosen: (topic) => `所选内容：${topic}。`,
    topics: {
      subject: (sender) => `请确认“${sender}”可以向您发送的内容`,
      request: ({ topic, email, sender }) =>
        `有人（希望是您本人）申请通过 ${email} 接收“${sender}”的“${topic}”。请确认您希望接收。`,
      ignore: '如果这不是您本人的操作，请忽略此邮件，不会有任何更改。',
    },
  },
  leave: {
    title: '退订',
    sentence: (sender) => `请输入您的地址，我们会向其发送一封邮件，其中包含退订“${sender}”的链接。`,
    button: '发送链接',
    sent: '请查看您的收件箱',
    done: (sender) => `如果此地址接收“${sender}”的邮件，几分钟内会收到一封包含链接的邮件。此类邮件每天最多发送一封。`,
    mail: {
      subject: (sender) => `退订“${sender}”`,
      request: ({ email, sender }) => `有人（希望是您本人）请求了 ${email} 退订“${sender}”邮件的链接。`,
      ignore: '如果这不是您本人的操作，请忽略此邮件，不会有任何更改。',
    },
  },
}
