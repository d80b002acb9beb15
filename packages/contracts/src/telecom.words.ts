export const TELECOM_PLATFORMS = ['ctwing', 'onenet'] as const
/** What a OneNET access key belongs to. */
export const ONENET_AUTHS = ['user', 'product'] as const
/** How a device stands at its platform. */
export const MIRROR_STATES = ['none', 'pending', 'mirrored', 'failed', 'removing'] as const
/** Why what came to a callback address was not taken. */
export const CALLBACK_REFUSALS = [
  'address',
  'source',
  'disabled',
  'signature',
  'cipher',
  'body',
  'device_unknown',
  'product_link',
  'kind_unknown',
  'message',
] as const
