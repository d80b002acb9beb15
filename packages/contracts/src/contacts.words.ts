/** Ways in which a message about an alarm leaves. */
export const MESSAGE_CHANNELS = [
  'inbox',
  'email',
  'sms',
  'voice',
  'wechat',
  'push',
  'applet',
  'dingtalk',
  'wecom',
  'feishu',
  'webhook',
] as const
export type MessageChannel = (typeof MESSAGE_CHANNELS)[number]

/** Go to an address of a contact. */
export const PERSONAL_CHANNELS = ['email', 'sms', 'voice', 'wechat', 'push', 'applet'] as const
export type PersonalChannel = (typeof PERSONAL_CHANNELS)[number]
/** Have one receiver: the channel itself. */
export const OWN_CHANNELS = ['dingtalk', 'wecom', 'feishu', 'webhook'] as const
/** Kinds of accounts that a company sets up. */
export const CHANNEL_KINDS = ['email', 'sms', 'voice', 'wechat', 'dingtalk', 'wecom', 'feishu', 'webhook'] as const
export type ChannelKind = (typeof CHANNEL_KINDS)[number]
export const CHANNEL_PROVIDERS = ['smtp', 'aliyun', 'tencent', 'robot', 'webhook', 'wechat'] as const
export type ChannelProvider = (typeof CHANNEL_PROVIDERS)[number]
/** Providers of each kind. */
export const PROVIDERS_OF: Record<ChannelKind, readonly ChannelProvider[]> = {
  email: ['smtp'],
  sms: ['aliyun', 'tencent'],
  voice: ['aliyun', 'tencent'],
  wechat: ['wechat'],
  dingtalk: ['robot'],
  wecom: ['robot'],
  feishu: ['robot'],
  webhook: ['webhook'],
}

/** Settings of an account that may be shown, and those that are sealed; `?` at the end: may be left out. */
export const CHANNEL_FIELDS: Record<string, { config: readonly string[]; secrets: readonly string[] }> = {
  'email.smtp': { config: ['host', 'port', 'from', 'user?'], secrets: ['password?'] },
  'sms.aliyun': { config: ['accessKeyId', 'signName'], secrets: ['accessKeySecret'] },
  'sms.tencent': { config: ['secretId', 'sdkAppId', 'signName', 'region?'], secrets: ['secretKey'] },
  'voice.aliyun': { config: ['accessKeyId', 'showNumber?', 'playTimes?'], secrets: ['accessKeySecret'] },
  'voice.tencent': { config: ['secretId', 'sdkAppId', 'region?', 'playTimes?'], secrets: ['secretKey'] },
  'wechat.wechat': { config: ['appId', 'baseUrl?'], secrets: ['appSecret'] },
  'dingtalk.robot': { config: [], secrets: ['url', 'secret?'] },
  'wecom.robot': { config: [], secrets: ['url'] },
  'feishu.robot': { config: [], secrets: ['url', 'secret?'] },
  'webhook.webhook': { config: ['url'], secrets: ['secret?'] },
}

/** What becomes of a message about an alarm. */
export const RECORD_STATES = ['pending', 'sending', 'sent', 'failed', 'cancelled'] as const
export const RECORD_KINDS = ['raised', 'cleared', 'repeated', 'escalated', 'notice', 'test', 'resent'] as const
export const RECEIPTS = ['delivered', 'failed'] as const
export const TEMPLATE_EVENTS = ['raised', 'cleared'] as const
export const TEMPLATE_APPROVALS = ['none', 'pending', 'approved', 'rejected'] as const

/** What the texts of templates may hold, as `${device}`. */
export const TEMPLATE_VARIABLES = [
  'trigger',
  'device',
  'deviceNo',
  'product',
  'user',
  'sensor',
  'value',
  'unit',
  'limit',
  'time',
  'level',
  'position',
  'page',
  'link',
] as const
