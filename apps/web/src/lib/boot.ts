/** What the server writes into the page as `<script type="application/json" id="tw-boot">`. */
export interface Boot {
  /** The specification's dev flag: opens /system/menuList. */
  devFlag: boolean
  /** The demo company is there: hints and simulated services are shown. */
  demo: boolean
  /** Sign-in of the demo company; the password only where the installation hands it out. */
  demoSignIn: { username: string; phone?: string; password?: string } | null
  version: string
  /** Suffix of the portal whose host this is; null: the console's own. */
  portal: string | null
}

const DEFAULTS: Boot = { devFlag: false, demo: false, demoSignIn: null, version: '', portal: null }

/** Reads the boot data; anything absent or malformed has its default. */
export function parseBoot(text: string | null | undefined): Boot {
  let raw: unknown
  try {
    raw = JSON.parse(text ?? '')
  } catch {
    return DEFAULTS
  }
  if (typeof raw !== 'object' || raw === null) return DEFAULTS
  const given = raw as Record<string, unknown>
  const signIn = given.demoSignIn as Record<string, unknown> | null | undefined
  const word = (name: 'phone' | 'password') =>
    typeof signIn?.[name] === 'string' ? { [name]: signIn[name] as string } : {}
  return {
    devFlag: given.devFlag === true,
    demo: given.demo === true,
    demoSignIn:
      typeof signIn?.username === 'string'
        ? { username: signIn.username, ...word('phone'), ...word('password') }
        : null,
    version: typeof given.version === 'string' ? given.version : '',
    portal: typeof given.portal === 'string' && /^[a-z0-9-]{3,32}$/.test(given.portal) ? given.portal : null,
  }
}

let cached: Boot | null = null

export function boot(): Boot {
  cached ??= parseBoot(document.getElementById('tw-boot')?.textContent)
  return cached
}
