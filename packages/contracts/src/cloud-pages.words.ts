export const PAGE_KINDS = ['canvas', 'grid', 'map', 'phone'] as const
export type PageKind = (typeof PAGE_KINDS)[number]

/** draft: never published. published: visitors see it. withdrawn: they see it no longer. */
export const PAGE_STATES = ['draft', 'published', 'withdrawn'] as const
export type PageState = (typeof PAGE_STATES)[number]

/**
 * public: whoever knows the address. passcode: who knows the passcode too. link: who has a signed link. signed_in:
 * everybody of the company, its end users too. roles: people with one of the roles.
 */
export const PAGE_VISIBILITIES = ['public', 'passcode', 'link', 'signed_in', 'roles'] as const
export type PageVisibility = (typeof PAGE_VISIBILITIES)[number]

/** Who can operate a page: nobody, visitors who know its PIN, or signed-in users who may send commands. */
export const PAGE_CONTROLS = ['none', 'pin', 'signed_in'] as const
export type PageControl = (typeof PAGE_CONTROLS)[number]

/** Addresses that no page can have. */
export const RESERVED_SUFFIXES = [
  'admin',
  'index',
  'manage',
  'media',
  'oauth',
  'operator',
  'page',
  'pages',
  'public',
  'static',
  'system',
  'assets',
  'login',
  'thingwright',
] as const

export const SUFFIX_PATTERN = '^[a-z0-9-]{4,32}$'

export const MAX_PAGES = 2_000
/** Wrong PINs or passcodes of one address, and of all addresses together, before the page asks to wait. */
export const PAGE_TRIES = 5
export const PAGE_TRIES_OF_ALL = 100
export const PAGE_LOCK_MINUTES = 15
