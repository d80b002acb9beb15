/** What an entry of a portal's menu opens; `page`: a published cloud page. */
export const PORTAL_SECTIONS = ['devices', 'alarms', 'page', 'account'] as const
export type PortalSection = (typeof PORTAL_SECTIONS)[number]
export const PORTAL_MENUS_MOST = 6

export const PORTAL_IMAGES = ['logo', 'favicon', 'background'] as const
export type PortalImage = (typeof PORTAL_IMAGES)[number]
/** The longest image of each kind, in KB. */
export const PORTAL_IMAGE_KB: Readonly<Record<PortalImage, number>> = { logo: 100, favicon: 50, background: 500 }

export const PORTAL_LANGUAGES = ['auto', 'zh', 'en'] as const

/** What is wrong with a certificate that was stored: it was right then. */
export const CERTIFICATE_STATES = ['valid', 'expiring', 'expired', 'early', 'other_host'] as const

/** Addresses that no portal can have: the console's own beginnings. */
export const RESERVED_SUFFIXES = ['index', 'admin', 'api', 'login', 'console', 'operator', 'assets', 'www'] as const

/** How messages of an official account come: as they are, both ways, encrypted. */
export const WECHAT_MODES = ['plain', 'both', 'encrypted'] as const

/** Steps that connect an official account, each with a test of its own. */
export const WECHAT_STEPS = ['credentials', 'callback', 'template', 'menu'] as const
export type WechatStep = (typeof WECHAT_STEPS)[number]

export const WECHAT_STEP_STATES = ['open', 'ok', 'failed'] as const

/** When an official account answers by itself. */
export const WECHAT_REPLY_KINDS = ['follow', 'keyword', 'other'] as const

/** Whether a company's mini-program may be managed from here. */
export const APPLET_STATES = ['none', 'authorized', 'invalid', 'cancelled'] as const
/** Through the installation's third-party platform, or with the company's own app id and secret. */
export const APPLET_MODES = ['platform', 'own'] as const
/** What becomes of a version of its code. */
export const APPLET_VERSION_STATES = [
  'uploaded',
  'auditing',
  'delayed',
  'refused',
  'withdrawn',
  'passed',
  'released',
  'replaced',
  'rolled_back',
] as const

/** What an entry of an official account's menu does; a button can hold entries instead. */
export const WECHAT_ENTRY_KINDS = ['view', 'click'] as const
export const WECHAT_BUTTON_KINDS = ['view', 'click', 'group'] as const

/** How a simulated audit ends. */
export const APPLET_OUTCOMES = ['pass', 'refuse', 'delay'] as const
